"""Who is compared: ways to build an unfitted model, and how to fit one and hear its complaints."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

from benchmarks._paper_method import BETA1, BETA2, MAX_ITER, STEP, TOLERANCE, PaperROCSVM
from rocsvm import Adamax, LinearROCSVM
from rocsvm.solvers import Status

ALPHA, TOL = 1e-3, 1e-3
# Nothing is compiled for the others; ours needs so many rows to go through every loop of a larger fit.
WARM_UP_ROWS, WARM_UP_ROWS_OURS = 2_000, 50_000


class Fit(NamedTuple):
    """A fitted model, and what it says if it did not converge."""

    model: Any
    complaint: str = ""

    @property
    def converged(self) -> bool:
        return not self.complaint

    @property
    def status(self) -> str:
        """Why the solver of a ROC-SVM stopped."""
        told = (status for status in Status if status.value in self.complaint)
        return next(told, Status.CONVERGED).name.lower().replace("_", " ")

    @property
    def gap(self) -> float:
        """The gap that a ROC-SVM proved, as a share of its objective."""
        return float(self.model.dual_gap_ / self.model.objective_)


@dataclass(frozen=True)
class Rival:
    """A way to train.

    Parameters
    ----------
    name : str
        What the tables call it.
    build : callable
        From the number of rows and a seed to an unfitted model; of module level, so that it can be sent
        to another process.
    family : {"ours", "scikit-learn", "boosting", "paper"}
        Whose it is, which the bars ask.
    max_rows, max_entries : float
        The most rows, and the most entries of X, that it is tried on.
    warm_up_rows : int
        How many rows it warms up on.
    sample_rows : float
        The most rows that it is trained on, the first of those given.
    """

    name: str
    build: Callable[[int, int], Any]
    family: str
    max_rows: float = math.inf
    max_entries: float = math.inf
    warm_up_rows: int = WARM_UP_ROWS
    sample_rows: float = math.inf

    def count_rows(self, n_rows: int) -> int:
        """Return how many of so many rows it is trained on."""
        return int(min(n_rows, self.sample_rows))

    def fit(self, X: Any, y: Any, seed: int) -> Fit:
        n_rows = self.count_rows(len(y))
        X, y = X[:n_rows], y[:n_rows]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model = self.build(n_rows, seed).fit(X, y)
        complaints = [str(warning.message) for warning in caught if issubclass(warning.category, ConvergenceWarning)]
        return Fit(model, "; ".join(complaints))

    def warm_up(self, X: Any, y: Any) -> None:
        """Fit some rows, so that imports and compiling are done."""
        self.fit(X[: self.warm_up_rows], y[: self.warm_up_rows], seed=0)

    def serves(self, X: Any) -> bool:
        """Return whether it is tried on that much."""
        return X.shape[0] <= self.max_rows and X.size <= self.max_entries


# scikit-learn minimises C * sum(loss) + norm(w)**2 / 2: C = 1 / (alpha n) makes that the mean loss plus
# alpha / 2 * norm(w)**2, the penalty that the ROC-SVM has. With the default C = 1 the times were the same to a
# tenth on the synthetic data. They may take 1000 steps, since 100 do not always suffice.


def build_ours(n_rows: int, seed: int) -> Any:
    return LinearROCSVM(alpha=ALPHA, tol=TOL, random_state=seed)


def build_lbfgs(n_rows: int, seed: int) -> Any:
    return LogisticRegression(C=1.0 / (ALPHA * n_rows), solver="lbfgs", max_iter=1000)


def build_newton_cholesky(n_rows: int, seed: int) -> Any:
    return LogisticRegression(C=1.0 / (ALPHA * n_rows), solver="newton-cholesky", max_iter=1000)


def build_linear_svc(n_rows: int, seed: int) -> Any:
    return LinearSVC(C=1.0 / (ALPHA * n_rows), dual=False)


def build_sgd(n_rows: int, seed: int) -> Any:
    return SGDClassifier(alpha=ALPHA, random_state=seed)


def build_paper(n_rows: int, seed: int) -> Any:
    return PaperROCSVM(alpha=ALPHA, random_state=seed)


def build_paper_by_parts(n_rows: int, seed: int) -> Any:
    """Return our model of the paper's method: its pairs, and its solver with the rival's steps and end."""
    solver = Adamax(step=STEP, beta1=BETA1, beta2=BETA2, norm="coordinate", step_tol=TOLERANCE)
    return LinearROCSVM(alpha=ALPHA, pairs="incomplete", solver=solver, tol=TOL, max_iter=MAX_ITER, random_state=seed)


OURS = Rival("LinearROCSVM", build_ours, "ours", warm_up_rows=WARM_UP_ROWS_OURS)

LINEAR = [
    OURS,
    Rival("LogisticRegression, lbfgs", build_lbfgs, "scikit-learn"),
    Rival("LogisticRegression, newton-cholesky", build_newton_cholesky, "scikit-learn"),
    Rival("LinearSVC, primal", build_linear_svc, "scikit-learn", max_rows=1_000_000),
    Rival("SGDClassifier, hinge", build_sgd, "scikit-learn", max_rows=1_000_000),
    # On covtype, with more entries than that, it would take a quarter of an hour.
    Rival("the paper's way", build_paper, "paper", max_rows=1_000_000, max_entries=20_000_000),
]

# The paper's method alone: without rows of differences, and with them.
PAPER = [
    Rival("LinearROCSVM, the paper's parts", build_paper_by_parts, "ours", warm_up_rows=WARM_UP_ROWS_OURS),
    Rival("rows of differences", build_paper, "paper"),
]
