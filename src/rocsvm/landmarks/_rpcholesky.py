"""Landmarks as the pivots of a randomly pivoted Cholesky factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from rocsvm.landmarks._base import AbstractLandmarks, Candidates, Rows
from rocsvm.landmarks._distinct import draw_distinct, find_first
from rocsvm.threads import use_one_thread
from rocsvm.validation import check_whole

# Entries of a factor beyond which it is in single precision: 128 MB of double.
MANY_ENTRIES = 1 << 24
# Shares of the largest similarity that are rounding in a factor of the type; repeats of a pivot are left with less.
ROUNDING = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-10}
# Rows whose similarities to new pivots are in work at a time.
ROWS = 4096


@dataclass
class RPCholeskyLandmarks(AbstractLandmarks):
    """Rows drawn in proportion to what the landmarks before them leave unexplained of them.

    Pivots are proposed by the block and accepted one by one with the probability that makes the draw the same
    as one at a time; what is left is updated once a block.

    Parameters
    ----------
    block : int
        How many pivots are proposed at a time.
    """

    block: int = 64

    def choose(self, candidates: Candidates, n_landmarks: int, rng: np.random.Generator) -> Any:
        """Return distinct rows: one that is explained, as its own repeat is, is not drawn."""
        block = check_whole("block", self.block, example=64)
        X, kernel, weights = candidates.X, candidates.kernel, candidates.weights
        n_rows = X.shape[0]
        left = kernel.diagonal(X)
        factor = np.empty(
            (n_rows, n_landmarks), np.float32 if n_rows * n_landmarks > MANY_ENTRIES else np.float64, order="F"
        )
        negligible = max(ROUNDING[factor.dtype] * float(left.max()), 0.0)
        pivots = np.empty(0, dtype=np.intp)
        with use_one_thread():
            while len(pivots) < n_landmarks:
                chance = np.where(left > negligible, left, 0.0)
                if weights is not None:
                    chance *= weights
                if not chance.any():
                    break
                proposed = rng.choice(n_rows, block, p=chance / chance.sum())
                known = factor[:, : len(pivots)]
                residual = kernel.compare(X[proposed], X[proposed]) - known[proposed] @ known[proposed].T
                accepted, root = _accept(residual, left[proposed], n_landmarks - len(pivots), rng)
                rows = proposed[accepted]
                columns = kernel.against(X[rows], np.float64)
                grown = factor[:, len(pivots) : len(pivots) + len(rows)]
                own = known[rows].T
                for start in range(0, n_rows, ROWS):
                    part = slice(start, start + ROWS)
                    unexplained = columns(X[part]) - known[part] @ own
                    grown[part] = linalg.solve_triangular(root, unexplained.T, lower=True).T
                    left[part] -= np.einsum("ij,ij->i", grown[part], grown[part], dtype=np.float64)
                left[rows] = 0.0
                pivots = np.append(pivots, rows)
        if len(pivots) == 0:
            # No row is similar to itself, as in a kernel that is none, of which more is said where it is decomposed.
            return X[draw_distinct(X, 1, rng)]
        return X[pivots[find_first(X, pivots)]]


def _accept(
    residual: NDArray[np.float64], offered: NDArray[np.float64], room: int, rng: np.random.Generator
) -> tuple[Rows, NDArray[np.float64]]:
    """Return which proposals are pivots, and the Cholesky factor of the residual among them.

    A proposal was made in proportion to what was left of it before the block; it is accepted in proportion to
    what the pivots accepted since leave of that. The first always is.
    """
    n = len(residual)
    lower = np.zeros((n, n))
    accepted: list[int] = []
    for place in range(n):
        if len(accepted) == room:
            break
        k = len(accepted)
        row = lower[place, :k]
        now = offered[place] - float(row @ row) if k else offered[place]
        if k and (now <= 1e-6 * offered[place] or rng.random() * offered[place] >= now):
            continue
        pivot = np.sqrt(now)
        rest = slice(place + 1, n)
        lower[rest, k] = (residual[rest, place] - lower[rest, :k] @ row) / pivot
        lower[place, k] = pivot
        accepted.append(place)
    return np.array(accepted, dtype=np.intp), lower[np.ix_(accepted, range(len(accepted)))]
