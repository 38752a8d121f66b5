"""Classifiers that maximise the area under the ROC curve, over all pairs and with a certificate."""

from rocsvm.certificate import certify
from rocsvm.estimators import KernelROCSVM, KernelROCSVMCV, LinearROCSVM, LinearROCSVMCV, rocsvm_path
from rocsvm.features import ExactKernelFeatures, NystroemFeatures
from rocsvm.full_kernel import Certificate
from rocsvm.losses import Hinge, SquaredHinge
from rocsvm.pairs import AllPairs, IncompletePairs
from rocsvm.solvers import Adamax, GradientDescent, Newton

__version__ = "0.1.0"

__all__ = [
    "Adamax",
    "AllPairs",
    "Certificate",
    "ExactKernelFeatures",
    "GradientDescent",
    "Hinge",
    "IncompletePairs",
    "KernelROCSVM",
    "KernelROCSVMCV",
    "LinearROCSVM",
    "LinearROCSVMCV",
    "Newton",
    "NystroemFeatures",
    "SquaredHinge",
    "certify",
    "rocsvm_path",
]
