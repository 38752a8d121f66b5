"""How far a model is from the best objective over all pairs: a proved bound."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, validate_data

from rocsvm.estimators import KernelROCSVM, KernelROCSVMCV, ROCSVMClassifier
from rocsvm.features import AbstractKernelFeatures, NystroemFeatures, adopt_nystroem, wrap_matrix
from rocsvm.full_kernel import Certificate, OnBlock, prove
from rocsvm.losses import LOSSES, AbstractLoss
from rocsvm.objective import Objective
from rocsvm.pairs import AllPairs
from rocsvm.solvers import Newton
from rocsvm.threads import use_one_thread
from rocsvm.validation import (
    check_alpha,
    check_positive,
    check_weights,
    drop_weightless,
    make_generator,
    match_labels,
    resolve_part,
    split_labels,
)

AGAINST = ("pairs", "full")


def certify(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    alpha: float | None = None,
    against: str = "pairs",
    loss: str | AbstractLoss | None = None,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    exact: bool | None = None,
    random_state: Any = None,
    verbose: int | OnBlock = 0,
) -> Certificate:
    """Return how far a fitted linear or Nyström model is from the best objective over all pairs.

    The objective is ``mean loss(w . z_i - w . z_j) + alpha / 2 * norm(w)**2`` over all positive i and
    negative j, with z the rows of X or what the model makes of them. The model may be anyone's: only its
    ``coef_`` is read, and taken at the scale it has. The bound is the dual value of the solver's pair weights,
    improved until it is within ``tol`` of the best, so that a bad model gets its true distance.

    Parameters
    ----------
    model : fitted estimator
        With ``coef_`` of one row, dense or sparse; or a pipeline that ends in one, on the features of the steps
        before it; or a grid search, whose best estimator is meant.
    X : array, sparse array or data frame of shape (n_samples, n_features)
        Rows as the model takes them.
    y : array of shape (n_samples,)
        Two labels, those that the model was fitted on if it is a classifier; the larger is positive.
    alpha : float, optional
        Penalty weight; the model's own if None and it is a ROC-SVM.
    against : {"pairs", "full"}, default="pairs"
        "pairs" compares with the best weights on the same features; "full" with the best function in the space of
        the whole kernel, for a `KernelROCSVM` or a pipeline of Nyström features and a linear model.
    loss : {"hinge", "squared_hinge"} or loss object, optional
        The model's own if None and it is a ROC-SVM, else the hinge.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.
    tol : float, default=1e-3
        Relative gap to which the bound itself is improved.
    exact : bool, optional
        With ``against="full"``: whether to sum the kernel matrix in blocks, in time that grows with the square of
        the rows that pairs pull at, or to bound it in one pass. None sums it for up to 50,000 such rows.
    random_state : int, Generator, RandomState or None
        Seed of the samples that a large problem is started on; the bound holds whatever it is.
    verbose : int or callable, default=0
        1 shows on standard error how many blocks of the kernel matrix are summed; a callable is handed that number
        and their total.

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
    if against not in AGAINST:
        raise ValueError(f"against={against!r} names nothing to measure against; write 'pairs' or 'full'.")
    if exact is not None and against != "full":
        raise ValueError(f"exact={exact!r} says how to measure against='full', and against={against!r}; leave it out.")
    check_is_fitted(model)
    model = getattr(model, "best_estimator_", model)
    own = model[-1] if isinstance(model, Pipeline) else model
    is_ours = isinstance(own, ROCSVMClassifier)
    if alpha is None and not is_ours:
        raise ValueError(
            f"{type(own).__name__} does not say which penalty to measure it under; write alpha=..., for example 1e-3."
        )
    strength = check_alpha(own.fitted_alpha if alpha is None else alpha)
    tol = check_positive("tol", tol)
    wanted = loss if loss is not None else own.loss if is_ours else "hinge"
    part = resolve_part("loss", wanted, LOSSES, AbstractLoss)
    rng = make_generator(random_state)
    if not isinstance(model, Pipeline):
        # As `predict` does: rows of other columns, or in another order, are not those that the weights are for.
        validate_data(model, X, reset=False, skip_check_array=True)
    reading = read_model(model, X)
    X, y = check_X_y(reading.rows, y, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32))
    classes = getattr(own, "classes_", split_labels(y)[0])
    positive = match_labels(y, classes)
    X, positive, weights = drop_weightless(X, positive, check_weights(sample_weight, X, positive))
    features, w = reading.features, reading.w
    if against == "full":
        features = check_space(features, own)
    matrix = wrap_matrix(X if features is None else features.compute(X))
    if matrix.shape[1] != len(w):
        raise ValueError(
            f"X has {matrix.shape[1]} features, but the model has {len(w)} weights; give X as the model takes it."
        )
    with use_one_thread():
        objective = Objective(matrix, AllPairs().bind(positive, weights, rng), part, strength).recentre()
        solution = Newton().solve(objective, w if is_ours else None, tol=tol, rng=rng)
        value = objective.value(w, objective.matrix.score(w))
    if against == "full" and isinstance(features, NystroemFeatures):
        best = prove(features, X, objective, solution, exact=exact, on_block=make_block_reporter(verbose))
        return Certificate(value, best.lower_bound, best.method)
    method = f"dual value over all pairs, itself within {solution.relative_gap:.1e} of the best"
    return Certificate(value, solution.objective - solution.dual_gap, method)


def check_space(features: AbstractKernelFeatures | None, model: Any) -> AbstractKernelFeatures:
    """Return the features of a model whose kernel has a space of functions."""
    if features is None:
        raise ValueError(
            f"{type(model).__name__} has no kernel whose whole space it could be measured against. Write "
            "against='pairs', or give a KernelROCSVM, or a pipeline of NystroemFeatures and a linear model."
        )
    if not features.is_definite_:
        raise ValueError(
            "The kernel is indefinite on the landmarks, so that it has no space of functions to be measured against. "
            "Write against='pairs', or choose a definite kernel, such as 'rbf'."
        )
    return features


class Reading(NamedTuple):
    """What a model is: weights on the features of rows; the rows themselves where there are no kernel features."""

    w: NDArray[np.float64]
    rows: Any
    features: AbstractKernelFeatures | None


def read_model(model: Any, X: Any) -> Reading:
    """Return the weights of a fitted binary model, and what they weigh."""
    if isinstance(model, KernelROCSVM | KernelROCSVMCV):
        return Reading(model.coef_[0], X, model.features_)
    if not isinstance(model, Pipeline):
        return Reading(read_weights(model), X, None)
    inner = read_model(model[-1], model[:-1].transform(X) if len(model) > 1 else X)
    before = model[-2] if len(model) > 1 else None
    if isinstance(before, Nystroem):
        before = adopt_nystroem(before)
    if inner.features is None and isinstance(before, AbstractKernelFeatures):
        return Reading(inner.w, model[:-2].transform(X) if len(model) > 2 else X, before)
    return inner


def read_weights(model: Any) -> NDArray[np.float64]:
    """Return the weights of a fitted binary linear model."""
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


def make_block_reporter(verbose: Any) -> OnBlock | None:
    """Return what is told of each block: the callable given, a line on standard error, or nothing."""
    if callable(verbose):
        reporter: Callable[[int, int], None] = verbose
        return reporter
    return _write_block if verbose else None


def _write_block(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    sys.stderr.write(f"\rkernel matrix: block {done:,} of {total:,}{end}")
