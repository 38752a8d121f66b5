"""The classifiers."""

from rocsvm.estimators._base import ROCSVMClassifier
from rocsvm.estimators._kernel import KernelROCSVM
from rocsvm.estimators._kernel_cv import KernelROCSVMCV
from rocsvm.estimators._linear import LinearROCSVM
from rocsvm.estimators._linear_cv import LinearROCSVMCV
from rocsvm.estimators._path import rocsvm_path

__all__ = ["KernelROCSVM", "KernelROCSVMCV", "LinearROCSVM", "LinearROCSVMCV", "ROCSVMClassifier", "rocsvm_path"]
