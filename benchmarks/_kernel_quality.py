"""What a kernel model is worth: test AUC, and for Nyström models their objective beside proved lower bounds."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from benchmarks._datasets import Split
from benchmarks._quality import rescale
from rocsvm import AllPairs, Certificate, Hinge, KernelROCSVM, certify
from rocsvm.inspection import auc

# Rows that are scored at a time: other people's features are in double precision.
BLOCK = 50_000
# To prove how far a rival is from the best on its own landmarks is to solve there, in double precision.
CERTIFIED_ROWS = 100_000


class Worth(NamedTuple):
    """Test AUC; the objective over all pairs of training rows, at the model's scale and at the best one; and a lower
    bound on the objective of every model on the same landmarks. None where there is no such thing.
    """

    auc: float
    objective: float | None = None
    rescaled: float | None = None
    lower_bound: float | None = None


def judge(model: Any, split: Split, alpha: float) -> Worth:
    """Return what a fitted model is worth under the penalty alpha."""
    share = auc(split.y_test, score(model, split.X_test))
    ours = isinstance(model, KernelROCSVM)
    if not ours and not isinstance(model, Pipeline):
        return Worth(share)
    length = float(np.linalg.norm((model if ours else model[-1]).coef_))
    scores = score(model, split.X)
    pairs = AllPairs().bind(split.y == 1, None, np.random.default_rng(0))
    objective = pairs.value(Hinge(), scores) + 0.5 * alpha * length**2
    rescaled = min(objective, rescale(scores, split.y, length, alpha))
    return Worth(share, objective, rescaled, bound(model, split, alpha))


def bound(model: Any, split: Split, alpha: float) -> float | None:
    """Return a lower bound for all models on the same landmarks; None where proving one takes too long."""
    if isinstance(model, KernelROCSVM):
        return model.objective_ - model.dual_gap_
    if len(split.y) > CERTIFIED_ROWS:
        return None
    return certify(model, split.X, split.y, alpha=alpha, random_state=0).lower_bound


def bound_full(model: KernelROCSVM, split: Split) -> Certificate:
    """Return a lower bound for all models of the whole kernel, by which each Nyström model can be measured."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return certify(model, split.X, split.y, against="full", random_state=0)


def score(model: Any, X: Any) -> Any:
    """Return the model's score of each row, in double precision; a constant more or less is no matter."""
    read = model.decision_function if hasattr(model, "decision_function") else model.predict_proba
    blocks = [read(X[start : start + BLOCK]) for start in range(0, X.shape[0], BLOCK)]
    scores = np.concatenate(blocks).astype(np.float64)
    return scores if scores.ndim == 1 else scores[:, 1]


def find_share(objective: float | None, lower_bound: float | None) -> float | None:
    """Return how far an objective is at most above the least one, as a share of it."""
    if objective is None or lower_bound is None:
        return None
    return max(objective - lower_bound, 0.0) / objective
