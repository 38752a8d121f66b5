"""Who is compared when each model chooses its own parameters by five-fold cross-validation."""

from __future__ import annotations

import functools
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.stats import loguniform, randint, uniform
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline

from benchmarks._kernel_rivals import find_xgboost
from benchmarks._rivals import ALPHA, TOL, WARM_UP_ROWS_OURS, Rival
from rocsvm import KernelROCSVMCV, LinearROCSVM, LinearROCSVMCV

FOLDS = 5
N_ALPHAS, N_GAMMAS, N_ALPHAS_KERNEL = 20, 5, 10
N_DRAWS = 20
ONE_FIT, OURS_LINEAR, OURS_KERNEL = "LinearROCSVM, one fit", "LinearROCSVMCV", "KernelROCSVMCV"
LOGISTIC, NYSTROEM, XGBOOST = "LogisticRegressionCV", "Nystroem + LogisticRegression", "XGBoost"


# C = 1 / (alpha n) gives the logistic regression on Nyström features a penalty like ours, of which there are ten over
# six decades. It does best with less of it than ours; in a race of times it has about the same alphas.
ALPHAS_RACE, ALPHAS_WORTH = np.geomspace(1.0, 1e-6, N_ALPHAS_KERNEL), np.geomspace(1e-2, 1e-8, N_ALPHAS_KERNEL)


def list_tuned(n_landmarks: int) -> list[Rival]:
    """Return the tuned models whose worth is compared; those that are installed."""
    rivals = [
        Rival(OURS_LINEAR, build_linear, "ours"),
        Rival(OURS_KERNEL, functools.partial(build_kernel, n_landmarks), "ours"),
        Rival(LOGISTIC, build_logistic, "scikit-learn"),
        # The solver whose time small penalties do not drive up.
        Rival(
            NYSTROEM, functools.partial(build_nystroem, n_landmarks, "newton-cholesky", ALPHAS_WORTH), "scikit-learn"
        ),
    ]
    if find_xgboost() is not None:
        rivals.append(Rival(XGBOOST, build_xgboost, "boosting"))
    return rivals


def list_linear_race() -> list[Rival]:
    """Return one fit, our search and the search of a logistic regression."""
    return [
        Rival(ONE_FIT, build_one_fit, "ours", warm_up_rows=WARM_UP_ROWS_OURS),
        Rival(OURS_LINEAR, build_linear, "ours", warm_up_rows=WARM_UP_ROWS_OURS),
        Rival(LOGISTIC, build_logistic, "scikit-learn"),
    ]


def list_kernel_race(n_landmarks: int) -> list[Rival]:
    """Return our search and those of a logistic regression on Nyström features, over grids of one size."""
    searches = {
        f"{NYSTROEM}, {solver}": functools.partial(build_nystroem, n_landmarks, solver, ALPHAS_RACE)
        for solver in ("lbfgs", "newton-cholesky")
    }
    return [
        Rival(OURS_KERNEL, functools.partial(build_kernel, n_landmarks), "ours"),
        # Nothing of theirs is compiled, and a search of some thousand rows takes half a minute.
        *(Rival(name, build, "scikit-learn", warm_up_rows=500) for name, build in searches.items()),
    ]


def build_one_fit(n_rows: int, seed: int) -> Any:
    return LinearROCSVM(alpha=ALPHA, tol=TOL, random_state=seed)


def build_linear(n_rows: int, seed: int) -> Any:
    return LinearROCSVMCV(N_ALPHAS, cv=FOLDS, tol=TOL, random_state=seed)


def build_kernel(n_landmarks: int, n_rows: int, seed: int) -> Any:
    return KernelROCSVMCV(N_ALPHAS_KERNEL, N_GAMMAS, cv=FOLDS, n_landmarks=n_landmarks, tol=TOL, random_state=seed)


def build_logistic(n_rows: int, seed: int) -> Any:
    # The last two are what scikit-learn will have as defaults, and now warns of.
    return LogisticRegressionCV(
        Cs=N_ALPHAS, cv=FOLDS, scoring="roc_auc", max_iter=1000, l1_ratios=(0.0,), use_legacy_attributes=False
    )


def build_nystroem(n_landmarks: int, solver: str, alphas: Any, n_rows: int, seed: int) -> Any:
    return NystroemSearch(n_landmarks, solver, alphas, random_state=seed)


def build_xgboost(n_rows: int, seed: int) -> Any:
    from xgboost import XGBClassifier

    ranges = {
        "n_estimators": randint(50, 500),
        "learning_rate": loguniform(0.01, 0.3),
        "max_depth": randint(2, 9),
        "min_child_weight": loguniform(0.5, 30.0),
        "subsample": uniform(0.5, 0.5),
        "colsample_bytree": uniform(0.5, 0.5),
        "reg_lambda": loguniform(0.1, 30.0),
    }
    model = XGBClassifier(objective="binary:logistic", n_jobs=1, random_state=seed)
    return RandomizedSearchCV(model, ranges, n_iter=N_DRAWS, cv=FOLDS, scoring="roc_auc", random_state=seed)


class NystroemSearch(ClassifierMixin, BaseEstimator):
    """A grid search over the penalty of a logistic regression and the width of its Nyström features.

    Widths are those that `KernelROCSVMCV` tries: by factors of four about one over the features' number and variance.
    """

    def __init__(self, n_landmarks: int, solver: str, alphas: Any, *, random_state: int | None = None) -> None:
        self.n_landmarks = n_landmarks
        self.solver = solver
        self.alphas = alphas
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        mean = X.mean()
        variance = (X.power(2) if sparse.issparse(X) else X**2).mean() - mean**2
        middle = 1.0 / (X.shape[1] * variance)
        grid = {
            "nystroem__gamma": middle * 4.0 ** (np.arange(N_GAMMAS) - N_GAMMAS // 2),
            "logisticregression__C": 1.0 / (self.alphas * len(y)),
        }
        model = make_pipeline(
            Nystroem(n_components=self.n_landmarks, random_state=self.random_state),
            LogisticRegression(solver=self.solver, max_iter=1000),
        )
        self.search_ = GridSearchCV(model, grid, cv=FOLDS, scoring="roc_auc").fit(X, y)
        self.best_params_ = self.search_.best_params_
        self.classes_ = self.search_.classes_
        return self

    def decision_function(self, X: Any) -> Any:
        return self.search_.decision_function(X)


def describe_choice(model: Any) -> str:
    """Return the parameters that a model has chosen."""
    if isinstance(model, LinearROCSVMCV):
        chosen: dict[str, float] = {"alpha": model.alpha_}
    elif isinstance(model, KernelROCSVMCV):
        chosen = {"gamma": model.gamma_, "alpha": model.alpha_}
    elif isinstance(model, LinearROCSVM):
        chosen = {"alpha": model.alpha}
    elif isinstance(model, LogisticRegressionCV):
        chosen = {"C": float(np.ravel(model.C_)[0])}
    else:
        chosen = {name.rpartition("__")[2]: float(value) for name, value in model.best_params_.items()}
    return ", ".join(f"{name} {value:.2g}" for name, value in chosen.items())
