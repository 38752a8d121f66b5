"""The Gaussian kernel, the one worth a path of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from rocsvm.kernels._base import AbstractColumns, AbstractKernel, Floats

# A product rounds by so many times its largest term, a landmark's squared norm in length scales: up to these,
# similarities are off by 2e-6 at most in single precision and by 1e-9 in double.
MAX_SPAN = {np.dtype(np.float32): 8.0, np.dtype(np.float64): 1e6}
# Share of the landmarks that may lie beyond that before a product is in double precision.
FEW = 0.05
# Squared length scales beyond which a similarity is zero in double precision too.
VANISHED = 760.0


@dataclass(frozen=True)
class RBFKernel(AbstractKernel):
    """The similarity ``exp(-gamma * norm(a - b)**2)``."""

    gamma: float

    def compare(self, rows: Any, others: Any) -> Floats:
        """Return the similarity of each row to each other row."""
        if sparse.issparse(rows) or sparse.issparse(others):
            # Widened, since scikit-learn answers in single precision where it is asked in it.
            wide, others = rows.astype(np.float64, copy=False), others.astype(np.float64, copy=False)
            return np.asarray(rbf_kernel(wide, others, gamma=self.gamma))
        return np.asarray(RBFColumns(others, self.gamma, np.float64)(rows), dtype=np.float64)

    def diagonal(self, rows: Any) -> Floats:
        """Return ones."""
        return np.ones(rows.shape[0])

    def against(self, landmarks: Any, dtype: DTypeLike) -> AbstractColumns:
        """Return the columns of these landmarks, one product and one exponential a block."""
        if sparse.issparse(landmarks):
            return super().against(landmarks, dtype)
        return RBFColumns(landmarks, self.gamma, dtype)


class RBFColumns(AbstractColumns):
    """Columns whose exponents come out of one product.

    Scaled by ``sqrt(2 gamma)`` and with two more columns, rows ``(x, -x.x / 2, 1)`` times landmarks
    ``(l, 1, -l.l / 2)`` are the exponents. All is measured from the landmarks' median, lest an offset or an outlier
    cost digits; to landmarks too far from it for a product, differences are taken.
    """

    def __init__(self, landmarks: NDArray[np.floating[Any]], gamma: float, dtype: DTypeLike) -> None:
        self._landmarks = landmarks.astype(np.float64)
        self._gamma = gamma
        self._dtype = np.dtype(dtype)
        self._origin = np.median(self._landmarks, axis=0)
        moved, norms = self._move(self._landmarks)
        few_beyond = np.mean(norms > MAX_SPAN[self._dtype]) <= FEW
        multiplied = self._dtype if few_beyond else np.dtype(np.float64)
        far = norms > MAX_SPAN[multiplied]
        self._far = np.flatnonzero(far)
        moved[far] = 0.0
        stacked = _stack(moved, multiplied)
        # A row's norm is to meet a landmark's one, and the other way about.
        stacked[:, [-2, -1]] = stacked[:, [-1, -2]]
        self._right = stacked.T
        self._horizon = (np.sqrt(norms[~far].max(initial=0.0)) + np.sqrt(VANISHED)) ** 2

    def __call__(self, rows: Any) -> NDArray[np.floating[Any]]:
        """Return the similarity of each row to each landmark."""
        if sparse.issparse(rows):
            return RBFKernel(self._gamma).compare(rows, self._landmarks).astype(self._dtype, copy=False)
        moved, norms = self._move(rows)
        # Beyond the horizon a row is like no landmark that is multiplied; in the product it might overflow.
        beyond = norms > self._horizon
        moved[beyond] = 0.0
        exponents = _stack(moved, self._right.dtype) @ self._right
        exponents[beyond] = -np.inf
        if len(self._far):
            with np.errstate(over="ignore"):
                squares = self._gamma * cdist(rows, self._landmarks[self._far], "sqeuclidean")
            exponents[:, self._far] = -np.minimum(squares, VANISHED)
        np.minimum(exponents, 0.0, out=exponents)
        np.exp(exponents, out=exponents)
        return exponents.astype(self._dtype, copy=False)

    def _move(self, rows: NDArray[np.floating[Any]]) -> tuple[Floats, Floats]:
        """Return rows as seen from the origin, in scale, and half their squared norms."""
        with np.errstate(over="ignore"):
            moved = np.sqrt(2.0 * self._gamma) * (rows - self._origin)
            return moved, _halve_squares(moved)


def _halve_squares(rows: Floats) -> Floats:
    return np.asarray(0.5 * np.einsum("ij,ij->i", rows, rows))


def _stack(rows: Floats, dtype: np.dtype[Any]) -> NDArray[np.floating[Any]]:
    """Return rows in this type with two more columns: minus half their squared norms, and ones."""
    stacked = np.ones((len(rows), rows.shape[1] + 2), dtype)
    stacked[:, :-2] = rows
    # Norms of the rows as rounded, so that what comes out are distances between rounded rows.
    stacked[:, -2] = -_halve_squares(stacked[:, :-2].astype(np.float64, copy=False))
    return stacked
