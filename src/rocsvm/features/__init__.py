"""Features: as solvers see them, and those that stand for a kernel."""

from rocsvm.features._adopt import adopt_nystroem
from rocsvm.features._base import AbstractKernelFeatures, list_blocks
from rocsvm.features._exact import ExactKernelFeatures
from rocsvm.features._extend import extend_features
from rocsvm.features._matrix import AbstractMatrix, wrap_matrix
from rocsvm.features._nystroem import NystroemFeatures

KERNEL_FEATURES: dict[str, type[AbstractKernelFeatures]] = {"nystroem": NystroemFeatures, "exact": ExactKernelFeatures}

__all__ = [
    "KERNEL_FEATURES",
    "AbstractKernelFeatures",
    "AbstractMatrix",
    "ExactKernelFeatures",
    "NystroemFeatures",
    "adopt_nystroem",
    "extend_features",
    "list_blocks",
    "wrap_matrix",
]
