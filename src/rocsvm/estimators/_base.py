"""What all ROC-SVM classifiers share: labels, weights, scores, AUC and the operating point."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rocsvm.features import AbstractMatrix
from rocsvm.inspection import auc, check_operating_point, find_threshold
from rocsvm.losses import LOSSES, AbstractLoss
from rocsvm.objective import Objective
from rocsvm.pairs import PAIRS, AbstractPairs, IncompletePairs
from rocsvm.solvers import SOLVERS, AbstractSolver, Newton, OnStep, Solution, Status, Step
from rocsvm.threads import use_one_thread
from rocsvm.validation import (
    check_count,
    check_features,
    check_positive,
    check_weights,
    drop_weightless,
    make_generator,
    match_labels,
    resolve_part,
    split_labels,
    warn_user,
)

Floats = NDArray[np.float64]

# What to do where a solver stopped short of its tolerance.
REMEDIES = {
    Status.OUT_OF_STEPS: "Raise max_iter",
    Status.SHORT_STEP: "Lower the solver's step_tol, or write step_tol=None to step on until tol is reached",
    Status.OVERSHOT: "Shorten the solver's step",
    Status.DIVERGED: "Shorten the solver's step, scale the features",
    Status.STALLED: "Scale the features, raise alpha",
}


class Settings(NamedTuple):
    """How to fit, checked."""

    alpha: float
    loss: AbstractLoss
    pairs: AbstractPairs
    solver: AbstractSolver
    tol: float
    max_iter: int | None
    rng: np.random.Generator
    on_step: OnStep | None

    def pose(self, matrix: AbstractMatrix, rows: Rows) -> Objective:
        """Return what is to be minimised over weights on these features of the rows."""
        return Objective(matrix, self.pairs.bind(rows.positive, rows.weights, self.rng), self.loss, self.alpha)

    def solve(self, objective: Objective, start: Floats | None = None) -> Solution:
        """Return its solution, products being taken on one thread."""
        with use_one_thread():
            return self.solver.solve(
                objective, start, tol=self.tol, max_iter=self.max_iter, rng=self.rng, on_step=self.on_step
            )

    def follow(self, objective: Objective, alphas: Iterable[float], *, exact: bool) -> Iterator[Solution]:
        """Yield its solution at each alpha, each from the one before."""
        return self.solver.follow(
            objective,
            alphas,
            tol=self.tol,
            max_iter=self.max_iter,
            rng=self.rng,
            on_step=self.on_step,
            exact=exact,
        )


class Rows(NamedTuple):
    """What to fit to, checked; no weights stand for ones."""

    X: Any
    positive: NDArray[np.bool_]
    weights: Floats | None
    classes: NDArray[Any]

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Return some of the rows."""
        return self.tell(rows)._replace(X=self.X[rows])

    def tell(self, rows: NDArray[np.intp]) -> Rows:
        """Return what is known of some of the rows, their features left out."""
        weights = None if self.weights is None else self.weights[rows]
        return self._replace(X=None, positive=self.positive[rows], weights=weights)

    def drop_weightless(self) -> Rows:
        """Return the rows that weigh anything."""
        X, positive, weights = drop_weightless(self.X, self.positive, self.weights)
        return self._replace(X=X, positive=positive, weights=weights)


class ROCSVMClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A fitted ranking: a score for each row and a threshold on it."""

    alpha: float
    loss: str | AbstractLoss
    pairs: Any
    solver: Any
    operating_point: Any
    tol: float
    max_iter: int | None
    random_state: Any
    verbose: Any

    classes_: NDArray[Any]
    coef_: Floats
    intercept_: Floats
    objective_: float
    dual_gap_: float
    n_iter_: int

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each row, positive where the positive class is predicted.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        array of shape (n_samples,)
            ``w . x + intercept_``.
        """
        check_is_fitted(self)
        scores: Floats = self._rank(check_features(self, X, reset=False)) + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: the positive one where its decision value is above zero.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        array of shape (n_samples,)
            Labels as given to ``fit``.
        """
        above: NDArray[np.intp] = (self.decision_function(X) > 0.0).astype(np.intp)
        return self.classes_[above]

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the area under the ROC curve, ties counted half.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows to rank.
        y : array of shape (n_samples,)
            Their labels.
        sample_weight : array of shape (n_samples,), optional
            Their weights.

        Returns
        -------
        float
            How often a positive row scores above a negative one.
        """
        check_is_fitted(self)
        positive = match_labels(y, self.classes_)
        return auc(positive, self.decision_function(X), sample_weight)

    def set_operating_point(
        self,
        X: Any,
        y: ArrayLike,
        *,
        sensitivity: float | None = None,
        specificity: float | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Move the threshold, and with it ``intercept_``, to a target on the rows given.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows, best ones that the model was not fitted to.
        y : array of shape (n_samples,)
            Their labels.
        sensitivity, specificity : float, optional
            The least share of positive (negative) rows predicted so; where not both can be, the nearest to the two.
            With neither, the target is the ``operating_point`` parameter.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        wanted = {"sensitivity": sensitivity, "specificity": specificity}
        target: Any = {key: value for key, value in wanted.items() if value is not None} or self.operating_point
        check_operating_point(target)
        scores = self._rank(check_features(self, X, reset=False))
        self._place_threshold(scores, match_labels(y, self.classes_), sample_weight, target)
        return self

    @property
    def fitted_alpha(self) -> float:
        """The penalty that the model was fitted with."""
        return self.alpha

    def _check_settings(self, alpha: float, on_step: OnStep | None) -> Settings:
        tol = check_positive("tol", self.tol)
        max_iter = check_count("max_iter", self.max_iter)
        loss = resolve_part("loss", self.loss, LOSSES, AbstractLoss)
        pairs, solver = resolve_pairs(self.pairs), resolve_solver(self.solver)
        check_operating_point(self.operating_point)
        return Settings(alpha, loss, pairs, solver, tol, max_iter, make_generator(self.random_state), on_step)

    def _check_rows(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, *, accept_sparse: bool = True, reset: bool = True
    ) -> Rows:
        return self._read_rows(X, y, sample_weight, accept_sparse=accept_sparse, reset=reset).drop_weightless()

    def _read_rows(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, *, accept_sparse: bool = True, reset: bool = True
    ) -> Rows:
        """Return the rows as given, those of no weight among them; unless ``reset``, columns must be those known."""
        X, y = check_features(self, X, y, accept_sparse=accept_sparse, reset=reset)
        classes, positive = split_labels(y)
        return Rows(X, positive, check_weights(sample_weight, X, positive), classes)

    def _keep(self, solution: Solution, rows: Rows, scores: Floats) -> None:
        """Note the solution, having warned where it stopped short; place the threshold among the scores."""
        warn_unless_converged(solution, self.tol)
        self.classes_ = rows.classes
        self.coef_ = solution.w[None, :]
        self.n_iter_ = solution.n_iter
        self.objective_ = solution.objective
        self.dual_gap_ = solution.dual_gap
        self._place_threshold(scores, rows.positive, rows.weights, self.operating_point)

    @abstractmethod
    def _rank(self, X: Any) -> Floats:
        """Return the scores of checked rows, without the intercept."""

    def _place_threshold(
        self, scores: Floats, positive: NDArray[np.bool_], sample_weight: ArrayLike | None, target: Any
    ) -> None:
        threshold = 0.0
        if target is not None:
            threshold = find_threshold(positive, scores, sample_weight, operating_point=target).threshold
        self.intercept_ = np.array([-threshold])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def resolve_pairs(given: Any) -> AbstractPairs:
    """Return the scheme that a string, a number of pairs or a multiple of the rows is short for."""
    if isinstance(given, Real) and not isinstance(given, bool):
        return IncompletePairs(int(given) if isinstance(given, Integral) else float(given))
    return resolve_part("pairs", given, PAIRS, AbstractPairs, others=["a number of pairs"])


def resolve_solver(given: Any) -> AbstractSolver:
    """Return the solver that a string is short for; "auto" is Newton's method, the certified one."""
    if isinstance(given, str) and given == "auto":
        return Newton()
    return resolve_part("solver", given, SOLVERS, AbstractSolver, others=["'auto'"])


def make_reporter(verbose: Any) -> OnStep | None:
    """Return what is told each step: the callable given, a line on standard error, or nothing."""
    if callable(verbose):
        reporter: Callable[[Step], None] = verbose
        return reporter
    if not isinstance(verbose, Integral | np.bool_) or verbose < 0:
        raise ValueError(
            f"verbose={verbose!r} tells no one; write 0, 1 for a line a step, or a callable that takes a Step."
        )
    return _write_step if verbose else None


def _write_step(step: Step) -> None:
    sys.stderr.write(
        f"step {step.n_iter:4d}  rows {step.size:>9,}  alpha {step.alpha:.1e}  "
        f"objective {step.objective:.6g}  gap {step.relative_gap:.1e}\n"
    )


def warn_unless_converged(solution: Solution, tol: float) -> None:
    """Warn, with the gap reached, where a solver stopped short of its tolerance."""
    if solution.status is not Status.CONVERGED:
        warn_user(
            f"Stopped at a relative gap of {solution.relative_gap:.1e}, above tol={tol:g}: {solution.status.value}. "
            f"{REMEDIES[solution.status]}, or accept the gap by a larger tol.",
            ConvergenceWarning,
        )


def warn_of_gaps(gaps: Floats, tol: float, where: str) -> None:
    """Warn of the worst relative gap of many fits, where some stopped short of their tolerance."""
    short = gaps > tol
    if short.any():
        warn_user(
            f"{int(short.sum())} of {int(np.isfinite(gaps).sum())} fits stopped above tol={tol:g}, the worst at a "
            f"relative gap of {np.nanmax(gaps):.1e}: see {where}. Raise max_iter or the least alpha, scale the "
            "features, or accept the gap by a larger tol.",
            ConvergenceWarning,
        )
