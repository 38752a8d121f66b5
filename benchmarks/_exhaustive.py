"""What a search loses against an exhaustive one: each alpha on each fold from a cold start, and more exactly."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from benchmarks._datasets import AbstractDataset
from benchmarks._store import Tell
from benchmarks._tuned import FOLDS, build_linear
from rocsvm import LinearROCSVM
from rocsvm.inspection import auc

TOL_EXHAUSTIVE = 1e-4


@dataclass(frozen=True)
class ChoiceEntry:
    """The alphas that `LinearROCSVMCV` and an exhaustive search choose, their test AUC, and the seconds they take.

    ``worst`` is the largest difference between the two searches' mean AUC on the folds, over the alphas.
    """

    dataset: str
    alpha: float
    auc: float
    seconds: float
    alpha_exhaustive: float
    auc_exhaustive: float
    seconds_exhaustive: float
    worst: float

    @property
    def loss(self) -> float:
        """How much test AUC the exhaustive search gains."""
        return self.auc_exhaustive - self.auc


def compare_choice(dataset: AbstractDataset, tell: Tell) -> list[ChoiceEntry]:
    """Return what both searches choose on one grid and one set of folds."""
    tell("loading")
    split = dataset.load()
    X, y = split.X, split.y
    tell("searching along paths")
    start = time.perf_counter()
    ours = build_linear(len(y), 0).fit(X, y)
    found = time.perf_counter()
    folds = list(StratifiedKFold(FOLDS).split(X, y))
    means = []
    with warnings.catch_warnings():
        # Where floating point ends a descent above so small a gap, its weights are the best there are.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for alpha in ours.alphas_:
            tell(f"searching exhaustively, alpha {alpha:.1e}")
            cold = LinearROCSVM(alpha, tol=TOL_EXHAUSTIVE, random_state=0)
            means.append(
                np.mean(
                    [auc(y[test], cold.fit(X[train], y[train]).decision_function(X[test])) for train, test in folds]
                )
            )
        best = float(ours.alphas_[int(np.argmax(means))])
        exhaustive = LinearROCSVM(best, tol=TOL_EXHAUSTIVE, random_state=0).fit(X, y)
    done = time.perf_counter()
    return [
        ChoiceEntry(
            dataset.name,
            ours.alpha_,
            auc(split.y_test, ours.decision_function(split.X_test)),
            found - start,
            best,
            auc(split.y_test, exhaustive.decision_function(split.X_test)),
            done - found,
            float(np.abs(np.array(means) - ours.cv_results_["mean_test_score"]).max()),
        )
    ]
