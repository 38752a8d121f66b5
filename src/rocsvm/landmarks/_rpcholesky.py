"""Landmarks as the pivots of a randomly pivoted Cholesky factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from rocsvm.landmarks._base import AbstractLandmarks, Candidates, Rows


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
        X, kernel, weights = candidates.X, candidates.kernel, candidates.weights
        left = kernel.diagonal(X)
        negligible = 1e-10 * float(left.max())
        # In single precision: these columns steer a draw, and are n rows long.
        factor = np.empty((n_landmarks, X.shape[0]), np.float32)
        pivots = np.empty(0, dtype=np.intp)
        while len(pivots) < n_landmarks:
            chance = np.where(left > negligible, left, 0.0)
            if weights is not None:
                chance *= weights
            if not chance.any():
                break
            proposed = rng.choice(len(chance), self.block, p=chance / chance.sum())
            known = factor[: len(pivots)]
            residual = kernel.compare(X[proposed], X[proposed]) - known[:, proposed].T @ known[:, proposed]
            accepted, root = _accept(residual, left[proposed], n_landmarks - len(pivots), rng)
            rows = proposed[accepted]
            columns = kernel.compare(X[rows], X) - known[:, rows].T @ known
            grown = linalg.solve_triangular(root, columns, lower=True)
            factor[len(pivots) : len(pivots) + len(rows)] = grown
            pivots = np.append(pivots, rows)
            left -= np.einsum("ij,ij->j", grown, grown)
            left[rows] = 0.0
        return X[pivots]


def _accept(
    residual: np.ndarray[Any, Any], offered: np.ndarray[Any, Any], room: int, rng: np.random.Generator
) -> tuple[Rows, np.ndarray[Any, Any]]:
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
