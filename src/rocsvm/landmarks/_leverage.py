"""Landmarks drawn by their leverage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from rocsvm.kernels import AbstractKernel
from rocsvm.landmarks._base import AbstractLandmarks, Candidates, Floats
from rocsvm.landmarks._distinct import draw_distinct
from rocsvm.threads import use_one_thread

# Chance of a row without leverage, as a share of the largest: it comes after all that have some.
LEAST = 1e-12
# Rows whose leverage is measured at a time.
BLOCK = 2048


@dataclass
class LeverageLandmarks(AbstractLandmarks):
    """Rows drawn by approximate ridge leverage scores, so that rows unlike the others are not missed.

    A uniform draw of as many rows stands for the kernel; against it each row's leverage is what the draw does
    not explain of it, and what it weighs in what is explained. One pass over the rows, in blocks.
    """

    def choose(self, candidates: Candidates, n_landmarks: int, rng: np.random.Generator) -> Any:
        """Return distinct rows."""
        X, kernel, weights = candidates.X, candidates.kernel, candidates.weights
        pilot = X[draw_distinct(X, n_landmarks, rng, weights)]
        with use_one_thread():
            leverage = measure_leverage(X, kernel, pilot, weights)
        chance = leverage if weights is None else leverage * weights
        return X[draw_distinct(X, n_landmarks, rng, np.maximum(chance, LEAST * chance.max()))]


def measure_leverage(X: Any, kernel: AbstractKernel, pilot: Any, weights: Floats | None) -> Floats:
    """Return each row's ridge leverage in the kernel that the pilot rows stand for, and what they leave of it.

    With features Z of rank d and ``ridge`` the mean of what they leave times n / d, it is
    ``z (Z'Z + ridge)^-1 z + (k - z.z) / ridge``, at most one.
    """
    columns = kernel.against(pilot, np.float64)
    values, vectors = linalg.eigh(kernel.compare(pilot, pilot))
    kept = values > max(1e-10 * values[-1], 0.0)
    if not kept.any():
        return np.ones(X.shape[0])
    root = vectors[:, kept] / np.sqrt(values[kept])
    diagonal = kernel.diagonal(X)
    n_rows = X.shape[0]
    counts = np.ones(n_rows) if weights is None else weights * (n_rows / weights.sum())
    gram = np.zeros((root.shape[1], root.shape[1]))
    left = np.empty(n_rows)
    for block in _blocks(n_rows):
        features = columns(X[block]) @ root
        gram += features.T @ (counts[block, None] * features)
        left[block] = np.maximum(diagonal[block] - np.einsum("ij,ij->i", features, features), 0.0)
    # Above zero also where all other rows are orthogonal to the pilot.
    ridge = max(float(counts @ left) / root.shape[1], 1e-10 * float(np.trace(gram)), np.finfo(np.float64).tiny)
    gram[np.diag_indices_from(gram)] += ridge
    factor = linalg.solve_triangular(linalg.cholesky(gram, lower=True), root.T, lower=True)
    leverage = np.empty(n_rows)
    for block in _blocks(n_rows):
        weighed = columns(X[block]) @ factor.T
        leverage[block] = np.einsum("ij,ij->i", weighed, weighed) + left[block] / ridge
    return np.minimum(leverage, 1.0)


def _blocks(n_rows: int) -> list[slice]:
    return [slice(start, start + BLOCK) for start in range(0, n_rows, BLOCK)]
