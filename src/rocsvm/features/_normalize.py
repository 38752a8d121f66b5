"""From the kernel matrix of the landmarks to what turns similarities into features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from rocsvm.kernels import KernelFault
from rocsvm.validation import warn_user

Floats = NDArray[np.float64]
Rows = NDArray[np.integer]

# Rounding leaves the eigenvalues of a definite kernel this far below zero, as a share of the largest.
ROUNDING = 1e-9
# Products that find the largest eigenvalue to a few per cent.
POWERS = 8


class Spectrum(NamedTuple):
    """Eigenvalues of a kernel matrix in ascending order, and their vectors."""

    values: Floats
    vectors: Floats

    @property
    def is_definite(self) -> bool:
        """Whether no eigenvalue is below zero by more than rounding."""
        return bool(self.values[0] >= -ROUNDING * self.values[-1])


def check_symmetric(matrix: Floats, name: str) -> None:
    """Raise `KernelFault` unless a kernel matrix is symmetric."""
    largest = max(float(matrix.max()), -float(matrix.min()))
    for start in range(0, len(matrix), 512):
        asymmetry = float(np.abs(matrix[start : start + 512] - matrix[:, start : start + 512].T).max())
        if asymmetry > 1e-6 * largest:
            raise KernelFault(
                f"kernel={name} is not symmetric: similarities of the same two rows differ by {asymmetry:.2g}. "
                "Give a kernel with k(a, b) = k(b, a)."
            )


def find_basis(matrix: Floats, rank_tol: float) -> Rows:
    """Return the places of rows whose span leaves of the matrix no more than ``rank_tol`` times its largest eigenvalue.

    They are the first pivots of a Cholesky factorisation. What its columns from one on add up to has a Frobenius norm,
    which no eigenvalue exceeds, that the products of these columns tell. Of a matrix that is not definite, where what
    is left may be larger, all places are returned.
    """
    everything = np.arange(len(matrix))
    size, trace = float(np.abs(matrix).max()), float(np.trace(matrix))
    if not (np.isfinite(size) and trace > 0.0):
        return everything
    scaled = matrix / size
    allowed = rank_tol * find_largest(scaled)
    # So that what no column tells of has a trace of a tenth of that, or less.
    factor, pivots, rank, _ = linalg.lapack.dpstrf(scaled, tol=0.1 * allowed / len(matrix), lower=1)
    order, span = pivots - 1, np.tril(factor[:, :rank])
    if rank == 0 or not is_definite(scaled[np.ix_(order[rank:], order[rank:])] - span[rank:] @ span[rank:].T):
        return everything
    squares = (span.T @ span)[::-1, ::-1] ** 2
    added = np.sqrt(squares.cumsum(axis=0).cumsum(axis=1).diagonal())[::-1]
    needed = max(1, int(np.count_nonzero(added > 0.9 * allowed)))
    return np.sort(order[:needed])


def find_largest(matrix: Floats) -> float:
    """Return the largest eigenvalue, or somewhat less, by a few products."""
    vector = matrix[:, np.diagonal(matrix).argmax()]
    for _ in range(POWERS):
        vector = matrix @ (vector / np.linalg.norm(vector))
    vector /= np.linalg.norm(vector)
    return float(vector @ matrix @ vector)


def is_definite(left: Floats) -> bool:
    """Return whether no eigenvalue is below zero by more than rounding; of entries up to one."""
    _, fault = linalg.lapack.dpotrf(left + ROUNDING * np.eye(len(left)), lower=1, overwrite_a=1)
    return bool(fault == 0)


def decompose(matrix: Floats, name: str) -> Spectrum:
    """Return the spectrum of a symmetric matrix, having looked whether it is a kernel's; warn if it is indefinite."""
    spectrum = Spectrum(*linalg.eigh(0.5 * (matrix + matrix.T)))
    if spectrum.values[-1] <= max(0.0, -ROUNDING * spectrum.values[0]):
        raise KernelFault(
            f"kernel={name} has no positive eigenvalue on these rows, so that no function is similar to any. "
            "Give another kernel, or other gamma and coef0."
        )
    if not spectrum.is_definite:
        warn_user(
            f"kernel={name} is indefinite on these rows: {int((spectrum.values < 0.0).sum())} of "
            f"{len(spectrum.values)} eigenvalues are negative, the least {spectrum.values[0]:.2g} where the largest is "
            f"{spectrum.values[-1]:.2g}. Directions of negative eigenvalues are left out; the model is the best in the "
            "others, and nothing is proved about the kernel as a whole.",
            UserWarning,
        )
    return spectrum


def invert_root(spectrum: Spectrum, floor: float) -> Floats:
    """Return R with ``R R.T`` the pseudo-inverse, whose columns are scaled eigenvectors, those of the largest first.

    Eigenvalues not above the floor count as zero.
    """
    kept = spectrum.values > floor
    vectors = spectrum.vectors[:, kept]
    # A vector may point either way, as rounding has it: its largest entry is to be positive.
    largest = np.abs(vectors).argmax(axis=0)[None]
    signs = np.sign(np.take_along_axis(vectors, largest, axis=0))
    # In one piece, as a pickle would have it: products with another layout round otherwise.
    return np.ascontiguousarray((signs * vectors / np.sqrt(spectrum.values[kept]))[:, ::-1])
