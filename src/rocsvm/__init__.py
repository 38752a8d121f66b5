"""Classifiers that maximise the area under the ROC curve, over all pairs and with a certificate."""

from rocsvm.certificate import Certificate, certify
from rocsvm.estimators import LinearROCSVM
from rocsvm.losses import Hinge, SquaredHinge
from rocsvm.pairs import AllPairs, IncompletePairs
from rocsvm.solvers import Newton

__version__ = "0.1.0"

__all__ = [
    "AllPairs",
    "Certificate",
    "Hinge",
    "IncompletePairs",
    "LinearROCSVM",
    "Newton",
    "SquaredHinge",
    "certify",
]
