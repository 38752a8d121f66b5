"""What a kernel must offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Floats = NDArray[np.float64]


class KernelFault(ValueError):  # noqa: N818 - it is the kernel's, and is shown as the ValueError it is
    """A kernel gave what is no similarity of rows."""


def name_kernel(kernel: Any) -> str:
    """Return what messages call the kernel that a name or a function stands for."""
    return repr(kernel) if isinstance(kernel, str) else getattr(kernel, "__name__", type(kernel).__name__)


class AbstractColumns(ABC):
    """Columns of a kernel matrix: the similarity of any rows to landmarks that are fixed."""

    @abstractmethod
    def __call__(self, rows: Any) -> NDArray[np.floating[Any]]:
        """Return the similarity of each row to each landmark; the array is the caller's to overwrite."""


class AbstractKernel(ABC):
    """A similarity of two rows, an inner product of what the rows are mapped to."""

    @abstractmethod
    def compare(self, rows: Any, others: Any) -> Floats:
        """Return the similarity of each row to each other row, in double precision."""

    @abstractmethod
    def diagonal(self, rows: Any) -> Floats:
        """Return the similarity of each row to itself."""

    def against(self, landmarks: Any, dtype: DTypeLike) -> AbstractColumns:
        """Return the columns of these landmarks in the type given."""
        return ComparedColumns(self, landmarks, dtype)


class ComparedColumns(AbstractColumns):
    """Columns that are compared in double precision, whatever the type they are handed out in."""

    def __init__(self, kernel: AbstractKernel, landmarks: Any, dtype: DTypeLike) -> None:
        self._kernel = kernel
        self._landmarks = landmarks
        self._dtype = dtype

    def __call__(self, rows: Any) -> NDArray[np.floating[Any]]:
        """Return the similarity of each row to each landmark."""
        return self._kernel.compare(rows, self._landmarks).astype(self._dtype, copy=False)
