"""Kernels by their formulas, one pair of rows at a time, and rows to compare."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]

GAMMA, DEGREE, COEF0 = 0.3, 3, 0.7


def _inner(a: Floats, b: Floats) -> float:
    with np.errstate(over="ignore"):
        return float((a.astype(np.longdouble) * b).sum())


def _cosine(a: Floats, b: Floats) -> float:
    size = math.sqrt(_inner(a, a)) * math.sqrt(_inner(b, b))
    return _inner(a, b) / size if size else 0.0


FORMULAS: dict[str, Callable[[Floats, Floats, float], float]] = {
    "rbf": lambda a, b, gamma: math.exp(-gamma * _inner(a - b, a - b)),
    "poly": lambda a, b, gamma: (gamma * _inner(a, b) + COEF0) ** DEGREE,
    "linear": lambda a, b, gamma: _inner(a, b),
    "laplacian": lambda a, b, gamma: math.exp(-gamma * math.fsum(abs(a - b))),
    "sigmoid": lambda a, b, gamma: math.tanh(gamma * _inner(a, b) + COEF0),
    "cosine": lambda a, b, gamma: _cosine(a, b),
}


def compare_rows(name: str, rows: Floats, others: Floats, gamma: float = GAMMA) -> Floats:
    """Return the kernel of each row with each other row."""
    return np.array([[FORMULAS[name](a, b, gamma) for b in others] for a in rows]).reshape(len(rows), len(others))


def draw_rows(n_rows: int = 40, n_features: int = 3, *, seed: int = 0) -> Floats:
    """Return rows of which about half the entries are zero, the first row wholly, and the last repeats the second."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    X[rng.random(X.shape) < 0.5] = 0.0
    X[0] = 0.0
    X[-1] = X[1]
    return X


LAYOUTS: dict[str, Callable[[Floats], Any]] = {
    "dense": np.asarray,
    "columns": np.asfortranarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "csr matrix": sparse.csr_matrix,
    "wide indices": lambda X: _widen_indices(sparse.csr_array(X)),
}


def _widen_indices(rows: Any) -> Any:
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows
