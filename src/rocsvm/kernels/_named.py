"""The kernels that scikit-learn names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import linear_kernel, pairwise_kernels

from rocsvm.kernels._base import AbstractKernel, Floats, KernelFault


@dataclass(frozen=True)
class NamedKernel(AbstractKernel):
    """A kernel of ``sklearn.metrics.pairwise`` with the parameters that it takes."""

    name: str
    parameters: dict[str, float] = field(default_factory=dict)

    def compare(self, rows: Any, others: Any) -> Floats:
        """Return the similarity of each row to each other row."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self.name == "poly":
                return self._raise(np.asarray(linear_kernel(_widen(rows), _widen(others))))
            if self.name == "laplacian":
                rows, others = narrow_indices(rows), narrow_indices(others)
            return self._check(pairwise_kernels(_widen(rows), _widen(others), metric=self.name, **self.parameters))

    def diagonal(self, rows: Any) -> Floats:
        """Return the similarity of each row to itself."""
        if self.name == "laplacian":
            return np.ones(rows.shape[0])
        with np.errstate(over="ignore", invalid="ignore"):
            squares = self._square(rows)
            if self.name == "cosine":
                return (squares > 0.0).astype(np.float64)
            if self.name == "linear":
                return self._check(squares)
            if self.name == "poly":
                return self._raise(squares)
            return self._check(np.tanh(self.parameters["gamma"] * squares + self.parameters["coef0"]))

    def _raise(self, inner: Floats) -> Floats:
        """Return the power of inner products that is the polynomial kernel."""
        degree = self.parameters["degree"]
        inner *= self.parameters["gamma"]
        inner += self.parameters["coef0"]
        if degree % 1.0 and (inner < 0.0).any():
            raise KernelFault(
                f"kernel='poly' with degree={degree:g} would take a root of {inner.min():.2g}, since gamma a.b + coef0 "
                "is negative for some two rows. Write a whole degree, such as degree=3."
            )
        return self._check(inner**degree)

    def _check(self, values: Any) -> Floats:
        if not np.isfinite(values).all():
            raise KernelFault(
                f"kernel={self.name!r} with {self.parameters} overflows on these rows. "
                "Scale the features, lower degree or gamma, or use kernel='rbf'."
            )
        return np.asarray(values, dtype=np.float64)

    def _square(self, rows: Any) -> Floats:
        wide = _widen(rows)
        if sparse.issparse(wide):
            return np.asarray(wide.multiply(wide).sum(axis=1), dtype=np.float64).ravel()
        return np.asarray(np.einsum("ij,ij->i", wide, wide))


def _widen(rows: Any) -> Any:
    return rows.astype(np.float64, copy=False)


def narrow_indices(rows: Any) -> Any:
    """Return sparse rows with indices of 32 bits, the only ones that some of scikit-learn's functions take."""
    if not sparse.issparse(rows) or rows.indices.dtype == np.int32:
        return rows
    own = rows.tocsr()
    return sparse.csr_array((own.data, own.indices.astype(np.int32), own.indptr.astype(np.int32)), shape=own.shape)
