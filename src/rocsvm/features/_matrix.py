"""Features as a solver sees them: scores out, slopes in, and a few rows at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rocsvm import loops

Floats = NDArray[np.float64]
Rows = NDArray[np.integer]

# A block of this many entries is widened or squared within a second-level cache.
BLOCK_ENTRIES = 1 << 16


class AbstractMatrix(ABC):
    """The n x d matrix Z of features. All arithmetic on it is in double precision."""

    shape: tuple[int, int]

    @abstractmethod
    def score(self, weights: Floats) -> Floats:
        """Return ``Z @ weights``."""

    @abstractmethod
    def gather(self, slope: Floats) -> Floats:
        """Return ``Z.T @ slope``."""

    @abstractmethod
    def take(self, rows: Rows) -> AbstractMatrix:
        """Return some of its rows."""

    def sample(self, rows: Rows) -> AbstractMatrix:
        """Return some of its rows, ready to be opened: less their means, where that fills no zeros."""
        return self.take(rows)

    @abstractmethod
    def centre(self) -> Floats:
        """Return it as a double-precision array less its column means.

        Pairs see differences of rows only: the means are no loss to them, and cost digits.
        """

    def open(self) -> Any:
        """Return it as products with it are fastest: centred, or sparse."""
        return self.centre()

    @abstractmethod
    def weigh_squares(self, weights: Floats) -> Floats:
        """Return ``weights @ Z**2``."""

    @abstractmethod
    def score_squares(self, weights: Floats) -> Floats:
        """Return ``Z**2 @ weights``."""


class DenseMatrix(AbstractMatrix):
    """Features in an array of either precision and any layout.

    Single precision is widened as it is read: memory and its traffic are half of a double-precision copy's, and no
    sum loses digits. With a tiny alpha the bound needs the gradient to more than the seven that single precision has.
    """

    def __init__(self, array: NDArray[np.floating], *, is_centred: bool = False) -> None:
        self.array = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
        self.shape = array.shape
        self._is_centred = is_centred
        self._step = max(1, BLOCK_ENTRIES // max(1, array.shape[1]))

    def _blocks(self) -> Iterator[tuple[slice, Floats]]:
        for start in range(0, self.shape[0], self._step):
            block = slice(start, start + self._step)
            yield block, self.array[block].astype(np.float64, copy=False)

    def score(self, weights: Floats) -> Floats:
        """Return ``Z @ weights``."""
        if self.array.dtype == np.float64:
            return self.array @ weights
        check_length(weights, self.shape[1])
        scores: Floats = loops.choose_twin().score_single(self.array, weights)
        return scores

    def gather(self, slope: Floats) -> Floats:
        """Return ``Z.T @ slope``."""
        if self.array.dtype == np.float64:
            return slope @ self.array
        check_length(slope, self.shape[0])
        gathered: Floats = loops.choose_twin().gather_single(self.array, slope)
        return gathered

    def take(self, rows: Rows) -> DenseMatrix:
        """Return some of its rows, a copy."""
        # NumPy's take is the faster, but first copies the whole of an array that is not laid out by rows.
        return DenseMatrix(self.array.take(rows, axis=0) if self.array.flags.c_contiguous else self.array[rows])

    def sample(self, rows: Rows) -> DenseMatrix:
        """Return some of its rows less their means: the copy that they are is the one that is opened."""
        taken = np.asarray(self.take(rows).array, dtype=np.float64)
        taken -= taken.mean(axis=0)
        return DenseMatrix(taken, is_centred=True)

    def open(self) -> Floats:
        """Return it centred, a copy unless it was sampled."""
        return np.asarray(self.array, dtype=np.float64) if self._is_centred else self.centre()

    def centre(self) -> Floats:
        """Return it widened, less its column means."""
        wide = self.array.astype(np.float64)
        wide -= wide.mean(axis=0)
        return wide

    def weigh_squares(self, weights: Floats) -> Floats:
        """Return ``weights @ Z**2``."""
        out = np.zeros(self.shape[1])
        for block, wide in self._blocks():
            out += weights[block] @ wide**2
        return out

    def score_squares(self, weights: Floats) -> Floats:
        """Return ``Z**2 @ weights``."""
        out = np.empty(self.shape[0])
        for block, wide in self._blocks():
            np.matmul(wide**2, weights, out=out[block])
        return out


class SparseMatrix(AbstractMatrix):
    """Features in a SciPy CSR or CSC array."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = array.shape

    def score(self, weights: Floats) -> Floats:
        """Return ``Z @ weights``."""
        return np.asarray(self.array @ weights, dtype=np.float64)

    def gather(self, slope: Floats) -> Floats:
        """Return ``Z.T @ slope``."""
        return np.asarray(self.array.T @ slope, dtype=np.float64)

    def take(self, rows: Rows) -> SparseMatrix:
        """Return some of its rows."""
        return SparseMatrix(self.array.tocsr()[rows])

    def centre(self) -> Floats:
        """Return it as an array, less its column means."""
        return DenseMatrix(self.array.toarray()).centre()

    def open(self) -> Any:
        """Return it as it is, in rows and double precision."""
        return self.array.tocsr().astype(np.float64, copy=False)

    def weigh_squares(self, weights: Floats) -> Floats:
        """Return ``weights @ Z**2``."""
        return np.asarray(self._square().T @ weights, dtype=np.float64)

    def score_squares(self, weights: Floats) -> Floats:
        """Return ``Z**2 @ weights``."""
        return np.asarray(self._square() @ weights, dtype=np.float64)

    def _square(self) -> Any:
        return self.array.astype(np.float64, copy=False).power(2)


def check_length(vector: Floats, wanted: int) -> None:
    """Raise ValueError unless a vector fits, which compiled loops do not look at."""
    if vector.shape != (wanted,):
        raise ValueError(f"A vector of shape {vector.shape} does not fit features; give one of shape ({wanted},).")


def wrap_matrix(features: Any) -> AbstractMatrix:
    """Return the matrix that reads these features without copying them."""
    if sparse.issparse(features):
        return SparseMatrix(features)
    return DenseMatrix(features)
