"""The classifiers."""

from rocsvm.estimators._kernel import KernelROCSVM
from rocsvm.estimators._linear import LinearROCSVM

__all__ = ["KernelROCSVM", "LinearROCSVM"]
