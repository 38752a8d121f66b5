"""What a linear model is worth: test AUC, and its objective over all pairs beside a proved lower bound."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks._datasets import Split
from rocsvm import LinearROCSVM, certify
from rocsvm.inspection import auc


class Quality(NamedTuple):
    """Test AUC; the objective at the scale the model has and at the best scale; a lower bound for all models."""

    auc: float
    objective: float
    rescaled: float
    lower_bound: float


def judge(model: Any, split: Split, alpha: float) -> Quality:
    """Return what a fitted linear model is worth under the penalty alpha."""
    w = np.asarray(model.coef_, dtype=np.float64).ravel()
    certificate = certify(model, split.X, split.y, alpha=alpha, random_state=0)
    rescaled = rescale(split.X @ w, split.y, float(np.linalg.norm(w)), alpha)
    return Quality(
        auc(split.y_test, split.X_test @ w),
        certificate.objective,
        min(certificate.objective, rescaled),
        certificate.lower_bound,
    )


def rescale(scores: Any, y: Any, length: float, alpha: float) -> float:
    """Return the least objective of ``t * w`` over t, which is what a model without the scale of margins deserves.

    It is a ROC-SVM of one feature, ``scores / norm(w)``, whose only weight is ``t * norm(w)``.
    """
    if length == 0.0:
        return np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearROCSVM(alpha, tol=1e-4, operating_point=None, random_state=0)
        return float(model.fit((scores / length)[:, None], y).objective_)
