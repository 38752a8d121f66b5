"""How far a linear model is from the best objective over all pairs: a proved bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from rocsvm.estimators import LinearROCSVM
from rocsvm.estimators._base import make_generator
from rocsvm.features import wrap_matrix
from rocsvm.losses import LOSSES, AbstractLoss
from rocsvm.objective import Objective
from rocsvm.pairs import AllPairs
from rocsvm.solvers import Newton
from rocsvm.solvers._base import relate_gap
from rocsvm.threads import use_one_thread
from rocsvm.validation import check_positive, check_weights, resolve_part, split_labels


@dataclass(frozen=True)
class Certificate:
    """A model's objective, and a number that no model's objective is below.

    Parameters
    ----------
    objective : float
        The model's own objective.
    lower_bound : float
        Proved lower bound on the objective of every weight vector.
    method : str
        How the bound was found.
    """

    objective: float
    lower_bound: float
    method: str

    @property
    def relative_gap(self) -> float:
        """How far at most the model is from the best, as a share of its objective."""
        return relate_gap(max(self.objective - self.lower_bound, 0.0), self.objective)


def certify(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    alpha: float | None = None,
    loss: str | AbstractLoss | None = None,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    random_state: Any = None,
) -> Certificate:
    """Return how far a fitted linear model is from the best objective over all pairs.

    The objective is ``mean loss(w . x_i - w . x_j) + alpha / 2 * norm(w)**2`` over all positive i and
    negative j. The model may be anyone's: only its ``coef_`` is read, and taken at the scale it has.
    The bound is the dual value of the solver's pair weights, improved until it is within ``tol`` of the
    best, so that a bad model gets its true distance.

    Parameters
    ----------
    model : fitted estimator
        With ``coef_`` of one row, dense or sparse.
    X : array, sparse array or data frame of shape (n_samples, n_features)
        Rows as the model takes them.
    y : array of shape (n_samples,)
        Two labels; the larger is positive.
    alpha : float, optional
        Penalty weight; the model's own if None and it is a ROC-SVM.
    loss : {"hinge", "squared_hinge"} or loss object, optional
        The model's own if None and it is a ROC-SVM, else the hinge.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.
    tol : float, default=1e-3
        Relative gap to which the bound itself is improved.
    random_state : int, Generator, RandomState or None
        Seed of the samples that a large problem is started on; the bound holds whatever it is.

    Returns
    -------
    Certificate
        With ``objective``, ``lower_bound``, ``relative_gap`` and ``method``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression().fit(scale(X), y)
    >>> certificate = certify(model, scale(X), y, alpha=1e-2)
    >>> certificate.lower_bound < certificate.objective
    True
    """
    check_is_fitted(model)
    w = read_weights(model)
    own = model if isinstance(model, LinearROCSVM) else None
    if alpha is None and own is None:
        raise ValueError(
            f"{type(model).__name__} does not say which penalty to measure it under; write alpha=..., for example 1e-3."
        )
    strength = check_positive("alpha", own.alpha if alpha is None and own is not None else alpha)
    tol = check_positive("tol", tol)
    wanted = loss if loss is not None else own.loss if own is not None else "hinge"
    part = resolve_part("loss", wanted, LOSSES, AbstractLoss)
    rng = make_generator(random_state)
    X, y = check_X_y(X, y, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32))
    _, positive = split_labels(y)
    weights = check_weights(sample_weight, X, positive)
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        X, positive, weights = X[kept], positive[kept], weights[kept]
    if X.shape[1] != len(w):
        raise ValueError(
            f"X has {X.shape[1]} features, but the model has {len(w)} weights; give X as the model takes it."
        )
    with use_one_thread():
        objective = Objective(wrap_matrix(X), AllPairs().bind(positive, weights, rng), part, strength).recentre()
        value = objective.value(w, objective.matrix.score(w))
        solution = Newton().solve(objective, w if own is not None else None, tol=tol, rng=rng)
    bound = solution.objective - solution.dual_gap
    return Certificate(
        value, bound, f"dual value over all pairs, itself within {solution.relative_gap:.1e} of the best"
    )


def read_weights(model: Any) -> NDArray[np.float64]:
    """Return the weights of a fitted binary linear model."""
    if isinstance(model, Pipeline):
        raise ValueError(
            "A Pipeline has no coef_: its last step has, for rows as the steps before it make them. "
            "Write certify(pipeline[-1], pipeline[:-1].transform(X), y, ...)."
        )
    given = getattr(model, "coef_", None)
    if given is None:
        raise ValueError(
            f"{type(model).__name__} has no coef_; certify reads the weights of a linear model. "
            "Give a fitted one, such as LinearROCSVM or LogisticRegression."
        )
    w = np.atleast_2d(given.toarray() if sparse.issparse(given) else np.asarray(given))
    if w.shape[0] != 1:
        raise ValueError(
            f"{type(model).__name__} has a coef_ of {w.shape[0]} rows, one for each of several scores; certify "
            "reads the one row of a model of two classes. Fit it to two classes."
        )
    weights: NDArray[np.float64] = check_array(w, dtype=np.float64, input_name="coef_")[0]
    return weights
