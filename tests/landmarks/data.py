"""Rows to choose landmarks among, and how much of a kernel landmarks explain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from rocsvm.kernels import AbstractKernel, RBFKernel
from rocsvm.landmarks import LANDMARKS, Candidates

Floats = NDArray[np.float64]

RBF = RBFKernel(0.5)


def choose(
    name: str,
    X: Any,
    n_landmarks: int,
    *,
    kernel: AbstractKernel = RBF,
    weights: Floats | None = None,
    seed: int = 0,
) -> Any:
    """Return the landmarks of a scheme, with each third row positive."""
    positive = np.arange(X.shape[0]) % 3 == 0
    return LANDMARKS[name]().choose(Candidates(X, kernel, positive, weights), n_landmarks, np.random.default_rng(seed))


def fill(rows: Any) -> Floats:
    """Return rows as an array."""
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)


def draw_clusters(seed: int = 0) -> Floats:
    """Return one cluster of nearly all rows, and 25 of four rows each, far from it and from one another."""
    rng = np.random.default_rng(seed)
    centres = 30.0 * rng.normal(size=(25, 3))
    return np.vstack(
        [0.3 * rng.normal(size=(1900, 3)), np.repeat(centres, 4, axis=0) + 0.1 * rng.normal(size=(100, 3))]
    )


def measure_unexplained(kernel: AbstractKernel, X: Floats, landmarks: Floats) -> Floats:
    """Return what the landmarks leave of each row's similarity to itself."""
    columns = kernel.compare(X, landmarks)
    inverse = linalg.pinvh(kernel.compare(landmarks, landmarks), rtol=1e-10)
    return kernel.diagonal(X) - np.einsum("ij,jk,ik->i", columns, inverse, columns, optimize=True)
