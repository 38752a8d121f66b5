"""How far a low-rank model is from the best model of the whole kernel: a proved bound.

Pair weights that the dual allows prove a bound in any feature space. With their slopes u on the rows, the bound of
the whole kernel is ``linear - u.T K u / (2 alpha)``, whatever landmarks they were found with. ``u.T K u`` is summed
over the rows that any pair pulls at, in blocks; or bounded by what the landmarks leave of each row's own similarity.
Either is made larger by what rounding may have taken from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from rocsvm.features import AbstractKernelFeatures, list_blocks
from rocsvm.kernels import AbstractKernel, KernelFault
from rocsvm.landmarks import group_rows
from rocsvm.objective import Objective
from rocsvm.solvers import Solution
from rocsvm.solvers._base import relate_gap
from rocsvm.threads import use_one_thread

Floats = NDArray[np.float64]

# Told how many of how many blocks of the kernel matrix are summed.
OnBlock = Callable[[int, int], None]

# Rows up to which the kernel matrix among them is summed unasked: some ten seconds.
MANY_ROWS = 50_000
# Rows on a side of a block of the kernel matrix: 8 MB.
SIDE = 1024
# Units in the last place that a similarity, and a sum of them, may be off by.
ULPS = 16.0
# What the landmarks may seem to explain beyond a row's own similarity, as a share of it, if the kernel is definite.
EXCESS = 1e-6


@dataclass(frozen=True)
class Certificate:
    """A model's objective, and a number that no model's objective is below.

    Parameters
    ----------
    objective : float
        The model's own objective.
    lower_bound : float
        Proved lower bound on the objective of every model.
    method : str
        How the bound was found.
    """

    objective: float
    lower_bound: float
    method: str

    @property
    def relative_gap(self) -> float:
        """How far at most the model is from the best, as a share of its objective."""
        return relate_gap(max(self.objective - self.lower_bound, 0.0), self.objective)


def prove(
    features: AbstractKernelFeatures,
    X: Any,
    objective: Objective,
    solution: Solution,
    *,
    exact: bool | None = None,
    on_block: OnBlock | None = None,
) -> Certificate:
    """Return how far a solution on the features of these rows is from the best of the whole kernel.

    ``exact`` sums the kernel matrix, in time that grows with the square of the rows that any pair pulls at; else one
    pass over these rows bounds it. None sums where they are few enough for seconds.
    """
    value = objective.value(solution.w, features.score_rows(X, features.fold(solution.w)))
    slope = np.zeros(X.shape[0]) if solution.dual_slope is None else solution.dual_slope
    pulled = np.flatnonzero(slope)
    rows, slope = X[pulled], slope[pulled]
    method = "dual value over pairs, in the space of the whole kernel, "
    with use_one_thread():
        energy = bound_energy(features.kernel_, features.landmarks_, rows, slope)
        if exact or (exact is None and len(pulled) <= MANY_ROWS):
            energy = min(energy, sum_energy(features.kernel_, rows, slope, on_block))
            method += f"summed over {len(pulled):,} rows"
        else:
            method += f"bounded without a sum over {len(pulled):,} rows"
    return Certificate(float(value), float(bound_below(solution.dual_linear, energy, objective.alpha)), method)


def bound_below(linear: float, energy: float, alpha: float) -> float:
    """Return the lower bound that the best share t of pair weights proves, ``t linear - t**2 energy / (2 alpha)``.

    No share at all proves zero, which no loss is below.
    """
    if linear <= 0.0:
        return 0.0
    share = 1.0 if alpha * linear >= energy else alpha * linear / energy
    return max(share * (linear - 0.5 * share * energy / alpha), 0.0)


def sum_energy(kernel: AbstractKernel, rows: Any, slope: Floats, on_block: OnBlock | None = None) -> float:
    """Return ``slope @ K @ slope`` or a little more, from half of the blocks between distinct rows."""
    first, groups = group_rows(rows, np.arange(len(slope)))
    distinct, total = rows[first], np.bincount(groups, slope, len(first))
    diagonal = kernel.diagonal(distinct)
    energy, error = 0.0, 0.0
    blocks = list(_pair_blocks(len(total)))
    for done, (left, right) in enumerate(blocks, start=1):
        similarities = kernel.compare(distinct[left], distinct[right])
        product = float(total[left] @ similarities @ total[right])
        if left == right:
            energy += product
            error = max(error, measure_error(similarities, diagonal[left]))
        else:
            energy += 2.0 * product
        if on_block is not None:
            on_block(done, len(blocks))
    return energy + error * float(np.abs(total).sum()) ** 2


def _pair_blocks(n_rows: int) -> Iterator[tuple[slice, slice]]:
    starts = range(0, n_rows, SIDE)
    return ((slice(a, a + SIDE), slice(b, b + SIDE)) for a in starts for b in starts if b >= a)


def bound_energy(kernel: AbstractKernel, landmarks: Any, rows: Any, slope: Floats) -> float:
    """Return a number that ``slope @ K @ slope`` is not above, in one pass over the rows.

    With E what the features Z of the landmarks leave of K, it is at most
    ``norm(Z.T @ slope)**2 + (sum abs(slope_i) sqrt(E_ii))**2``, for of a positive semi-definite E no entry is
    above ``sqrt(E_ii E_jj)``. Similarities that are off by up to ``error`` leave that true if twice d times as much
    is added to the diagonal of the d landmarks, and twice as much to each ``E_ii``.
    """
    n_landmarks = landmarks.shape[0]
    among = kernel.compare(landmarks, landmarks)
    error = np.sqrt(n_landmarks) * measure_error(among, kernel.diagonal(landmarks))
    among = 0.5 * (among + among.T)
    among[np.diag_indices_from(among)] += 2.0 * n_landmarks * error
    try:
        factor = linalg.cholesky(among, lower=True, overwrite_a=True)
    except linalg.LinAlgError as fault:
        raise KernelFault(describe_indefinite("on the landmarks")) from fault
    normalization = linalg.solve_triangular(factor, np.eye(n_landmarks), lower=True).T
    columns, diagonal = kernel.against(landmarks, np.float64), kernel.diagonal(rows)
    gathered, missed = np.zeros(n_landmarks), 0.0
    for block in list_blocks(len(slope), n_landmarks):
        Z = columns(rows[block]) @ normalization
        left = diagonal[block] - np.einsum("ij,ij->i", Z, Z)
        if (left < -2.0 * error - EXCESS * np.abs(diagonal[block])).any():
            raise KernelFault(describe_indefinite("on these rows"))
        gathered += slope[block] @ Z
        missed += float(np.abs(slope[block]) @ np.sqrt(np.abs(left) + 2.0 * error))
    return float(gathered @ gathered) + missed**2


def measure_error(similarities: Floats, diagonal: Floats) -> float:
    """Return how far similarities of rows with themselves may be off: as far as they contradict themselves, or more."""
    asymmetry = float(np.abs(similarities - similarities.T).max())
    mismatch = float(np.abs(similarities.diagonal() - diagonal).max())
    return max(asymmetry, mismatch) + ULPS * np.finfo(np.float64).eps * float(np.abs(similarities).max())


def describe_indefinite(where: str) -> str:
    """Return what to tell of a kernel that has no space of functions."""
    return (
        f"The kernel is indefinite {where}, so that it has no space of functions to be measured against, as "
        "certify(against='full') and n_landmarks='auto' do. Write against='pairs' or a number of landmarks, or choose "
        "a definite kernel, such as 'rbf'."
    )
