"""A kernel that the user wrote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rocsvm.kernels._base import AbstractKernel, Floats, KernelFault, name_kernel


@dataclass(frozen=True)
class CallableKernel(AbstractKernel):
    """``function(rows, others)``, which returns the matrix of similarities, as a callable kernel of SVC does."""

    function: Callable[[Any, Any], Any]

    def compare(self, rows: Any, others: Any) -> Floats:
        """Return what the function returns, if that is a matrix of similarities."""
        name = name_kernel(self.function)
        wanted = (rows.shape[0], others.shape[0])
        remedy = f"Have it take two arrays of rows and return a real, finite array of shape {wanted} for these two."
        returned = self.function(rows, others)
        try:
            given = np.asarray(returned.toarray() if sparse.issparse(returned) else returned)
        except ValueError as error:
            raise KernelFault(f"kernel={name} returned {type(returned).__name__} of uneven rows. {remedy}") from error
        if given.shape != wanted:
            raise KernelFault(
                f"kernel={name} returned an array of shape {given.shape} for {wanted[0]} and {wanted[1]} rows. {remedy}"
            )
        if given.dtype.kind not in "biuf":
            raise KernelFault(f"kernel={name} returned values of type {given.dtype}. {remedy}")
        values = given.astype(np.float64, copy=False)
        if not np.isfinite(values).all():
            raise KernelFault(f"kernel={name} returned NaN or infinity. {remedy}")
        return values

    def diagonal(self, rows: Any) -> Floats:
        """Return the similarity of each row to itself, compared in small blocks."""
        out = np.empty(rows.shape[0])
        for start in range(0, len(out), 64):
            block = rows[start : start + 64]
            out[start : start + 64] = np.diagonal(self.compare(block, block))
        return out
