"""What all ROC-SVM classifiers share: labels, weights, scores, AUC and the operating point."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rocsvm.inspection import auc, check_operating_point, find_threshold
from rocsvm.pairs import PAIRS, AbstractPairs, IncompletePairs
from rocsvm.solvers import SOLVERS, AbstractSolver, Newton, OnStep, Solution, Status, Step
from rocsvm.validation import check_features, resolve_part

Floats = NDArray[np.float64]


class ROCSVMClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted ranking: a score for each row and a threshold on it."""

    classes_: NDArray[Any]
    intercept_: Floats
    operating_point: Any

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
        positive = self._check_labels(y)
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
            The least share of positive (negative) rows predicted so; with both, the nearest to the two.
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
        self._place_threshold(scores, self._check_labels(y), sample_weight, target)
        return self

    def _rank(self, X: Any) -> Floats:
        """Return the scores of checked rows, without the intercept."""
        raise NotImplementedError

    def _check_labels(self, y: ArrayLike) -> NDArray[np.bool_]:
        labels = column_or_1d(y)
        unknown = ~np.isin(labels, self.classes_)
        if unknown.any():
            negative, positive = self.classes_.tolist()
            raise ValueError(
                f"y holds {labels[unknown].tolist()[0]!r}, which is neither of the labels fitted, "
                f"{negative!r} and {positive!r}. Give labels of these two."
            )
        return np.asarray(labels == self.classes_[1])

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


def make_generator(random_state: Any) -> np.random.Generator:
    """Return a generator from whatever scikit-learn takes as a random state."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(np.iinfo(np.int32).max, size=4))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state={random_state!r} seeds no generator; write a whole number from 0 up, a Generator, a "
            "RandomState, or None for another draw each time."
        ) from error


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
        remedy = "Raise max_iter" if solution.status is Status.OUT_OF_STEPS else "Scale the features, raise alpha"
        warnings.warn(
            f"Stopped at a relative gap of {solution.relative_gap:.1e}, above tol={tol:g}: {solution.status.value}. "
            f"{remedy}, or accept the gap by a larger tol.",
            ConvergenceWarning,
            stacklevel=3,
        )
