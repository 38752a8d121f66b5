"""Who is compared on kernel problems: Nyström models of all kinds, an SVM, boosted trees, and the paper's way."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from benchmarks._paper_method import PaperNystroem, PaperROCSVM
from benchmarks._problems import Problem
from benchmarks._rivals import TOL, Rival
from rocsvm import KernelROCSVM

N_LANDMARKS = 300
# The first takes ten seconds and more of 100,000 rows, the second that of 10,000: more steps the smaller alpha is.
SVC_ROWS, PAPER_ROWS = 20_000, 10_000
# Through every loop of a larger fit, as in benchmarks.linear.
WARM_UP_ROWS_OURS = 20_000
OURS, LOGISTIC = "KernelROCSVM", "Nystroem + LogisticRegression"
# The name of the package on Linux without CUDA, and elsewhere.
XGBOOST_PACKAGES = ("xgboost-cpu", "xgboost")
XGBOOST_MISSING = (
    "XGBoost: it is not installed; `.venv/bin/python -m pip install -c constraints.txt -e '.[bench]'` installs it"
)

Build = Callable[[int, int], Any]


def list_rivals(problem: Problem) -> list[Rival]:
    """Return the rivals of a problem, its gamma and alpha built in; those that are installed."""

    def tune(build: Callable[[float, float, int, int], Any]) -> Build:
        return functools.partial(build, problem.alpha, problem.gamma)

    rivals = [
        Rival(OURS, tune(build_ours), "ours", warm_up_rows=WARM_UP_ROWS_OURS),
        Rival(LOGISTIC, tune(build_logistic), "scikit-learn"),
        Rival("Nystroem + LinearSVC", tune(build_linear_svc), "scikit-learn", sample_rows=SVC_ROWS),
        Rival("Nystroem + SGDClassifier", tune(build_sgd), "scikit-learn"),
        Rival("SVC", tune(build_svc), "scikit-learn", max_rows=10_000),
        Rival("HistGradientBoosting", build_histogram, "boosting"),
    ]
    if find_xgboost() is not None:
        rivals += [
            Rival("XGBoost, binary:logistic", build_xgboost, "boosting"),
            Rival("XGBoost, rank:pairwise", build_ranker, "boosting"),
        ]
    return [*rivals, Rival("the paper's way", tune(build_paper), "paper", sample_rows=PAPER_ROWS)]


def find_xgboost() -> str | None:
    """Return the version of XGBoost; None where it is not installed."""
    for package in XGBOOST_PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            return version(package)
    return None


# As in _rivals.py, C = 1 / (alpha n) gives scikit-learn's losses the penalty that the ROC-SVM has.


def build_ours(alpha: float, gamma: float, n_rows: int, seed: int) -> Any:
    return KernelROCSVM(alpha, gamma=gamma, n_landmarks=N_LANDMARKS, tol=TOL, random_state=seed)


def build_nystroem(gamma: float, seed: int) -> Any:
    return Nystroem(gamma=gamma, n_components=N_LANDMARKS, random_state=seed)


def build_logistic(alpha: float, gamma: float, n_rows: int, seed: int) -> Any:
    return make_pipeline(build_nystroem(gamma, seed), LogisticRegression(C=1.0 / (alpha * n_rows), max_iter=1000))


def build_linear_svc(alpha: float, gamma: float, n_rows: int, seed: int) -> Any:
    return make_pipeline(build_nystroem(gamma, seed), LinearSVC(C=1.0 / (alpha * n_rows), dual=False))


def build_sgd(alpha: float, gamma: float, n_rows: int, seed: int) -> Any:
    return make_pipeline(build_nystroem(gamma, seed), SGDClassifier(alpha=alpha, random_state=seed))


def build_svc(alpha: float, gamma: float, n_rows: int, seed: int) -> Any:
    return SVC(C=1.0 / (alpha * n_rows), gamma=gamma)


def build_histogram(n_rows: int, seed: int) -> Any:
    return HistGradientBoostingClassifier(random_state=seed)


def build_xgboost(n_rows: int, seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(objective="binary:logistic", n_jobs=1, random_state=seed)


def build_ranker(n_rows: int, seed: int) -> Any:
    return PairwiseBoosting(random_state=seed)


def build_paper(alpha: float, gamma: float, n_rows: int, seed: int) -> Any:
    return make_pipeline(
        PaperNystroem(gamma, N_LANDMARKS, random_state=seed), PaperROCSVM(alpha=alpha, random_state=seed)
    )


class PairwiseBoosting(ClassifierMixin, BaseEstimator):
    """XGBoost's ranker of pairs, all rows one query; as many pairs as there are rows, drawn at random.

    Its own choice, pairs with one of the 32 best rows, is made for the top of a list.
    """

    def __init__(self, *, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        from xgboost import XGBRanker

        self.classes_ = np.unique(y)
        self.ranker_ = XGBRanker(
            objective="rank:pairwise",
            lambdarank_pair_method="mean",
            lambdarank_num_pair_per_sample=1,
            n_jobs=1,
            random_state=self.random_state,
        ).fit(X, y, qid=np.zeros(len(y), np.int64))
        return self

    def decision_function(self, X: Any) -> Any:
        return self.ranker_.predict(X)
