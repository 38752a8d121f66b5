"""Features as solvers see them."""

from rocsvm.features._matrix import AbstractMatrix, wrap_matrix

__all__ = ["AbstractMatrix", "wrap_matrix"]
