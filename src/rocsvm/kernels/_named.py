"""The kernels that scikit-learn names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels

from rocsvm.kernels._base import AbstractKernel, Floats, KernelFault


@dataclass(frozen=True)
class NamedKernel(AbstractKernel):
    """A kernel of ``sklearn.metrics.pairwise`` with the parameters that it takes."""

    name: str
    parameters: dict[str, float] = field(default_factory=dict)

    def compare(self, rows: Any, others: Any) -> Floats:
        """Return the similarity of each row to each other row."""
        with np.errstate(over="ignore", invalid="ignore"):
            compared = pairwise_kernels(_widen(rows), _widen(others), metric=self.name, **self.parameters)
        values = np.asarray(compared.toarray() if sparse.issparse(compared) else compared, dtype=np.float64)
        if not np.isfinite(values).all():
            raise KernelFault(
                f"kernel={self.name!r} with {self.parameters} overflows on these rows. "
                "Scale the features, lower degree or gamma, or use kernel='rbf'."
            )
        return values

    def diagonal(self, rows: Any) -> Floats:
        """Return the similarity of each row to itself."""
        if self.name == "laplacian":
            return np.ones(rows.shape[0])
        squares = self._square(rows)
        if self.name == "cosine":
            return (squares > 0.0).astype(np.float64)
        if self.name == "linear":
            return squares
        inner = self.parameters["gamma"] * squares + self.parameters["coef0"]
        return np.asarray(inner ** self.parameters["degree"] if self.name == "poly" else np.tanh(inner))

    def _square(self, rows: Any) -> Floats:
        wide = _widen(rows)
        if sparse.issparse(wide):
            return np.asarray(wide.multiply(wide).sum(axis=1), dtype=np.float64).ravel()
        return np.asarray(np.einsum("ij,ij->i", wide, wide))


def _widen(rows: Any) -> Any:
    return rows.astype(np.float64, copy=False)
