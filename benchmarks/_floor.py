"""The floor of any Nyström fit: one single-precision RBF matrix of all rows and d others, by BLAS and NumPy alone."""

from __future__ import annotations

from typing import Any

import numpy as np

# Rows of a block: its 300 columns are 1.2 MB. From 128 to 2048 rows made no difference beyond noise.
BLOCK = 1024


def compute_textbook(X: Any, landmarks: Any, gamma: float) -> Any:
    """Return ``exp(-gamma * squared distance)``: a product, then two passes for the norms and one for exp."""
    X, landmarks = X.astype(np.float32), landmarks.astype(np.float32)
    gamma = np.float32(gamma)
    matrix = X @ landmarks.T
    matrix *= 2.0 * gamma
    matrix -= gamma * np.einsum("ij,ij->i", X, X)[:, None]
    matrix -= gamma * np.einsum("ij,ij->i", landmarks, landmarks)
    return np.exp(matrix, out=matrix)


def compute_whole(X: Any, landmarks: Any, gamma: float) -> Any:
    """Return the same from one product, which two more columns give the norms, and one pass for exp."""
    left, right = fold_norms(X, landmarks, gamma)
    matrix = left @ right
    return np.exp(matrix, out=matrix)


def compute_blocked(X: Any, landmarks: Any, gamma: float) -> Any:
    """Return the same, block after block, so that exp finds its block in the cache."""
    left, right = fold_norms(X, landmarks, gamma)
    matrix = np.empty((len(left), right.shape[1]), np.float32)
    for start in range(0, len(left), BLOCK):
        block = matrix[start : start + BLOCK]
        np.matmul(left[start : start + BLOCK], right, out=block)
        np.exp(block, out=block)
    return matrix


def fold_norms(X: Any, landmarks: Any, gamma: float) -> tuple[Any, Any]:
    """Return two matrices of single precision whose product is ``-gamma * squared distance``."""
    left = np.empty((X.shape[0], X.shape[1] + 2), np.float32)
    left[:, :-2] = X
    left[:, -2] = 1.0
    left[:, -1] = -gamma * np.einsum("ij,ij->i", X, X)
    norms = np.einsum("ij,ij->i", landmarks, landmarks)
    right = np.vstack([2.0 * gamma * landmarks.T, -gamma * norms, np.ones(len(landmarks))])
    return left, right.astype(np.float32)


FLOORS = {"textbook": compute_textbook, "one product": compute_whole, "one product, blocked": compute_blocked}
