"""The linear ROC-SVM."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocsvm.estimators._base import ROCSVMClassifier, make_reporter
from rocsvm.features import wrap_matrix
from rocsvm.losses import AbstractLoss
from rocsvm.validation import check_alpha, check_flag

Floats = NDArray[np.float64]


class LinearROCSVM(ROCSVMClassifier):
    """A linear classifier that maximises the area under the ROC curve.

    It minimises the mean of ``loss(w . x_i - w . x_j)`` over positive rows i and negative rows j, plus
    ``alpha / 2 * norm(w)**2``, and proves how near it came: no weights have an objective below
    ``objective_ - dual_gap_``.

    Parameters
    ----------
    alpha : float, default=1e-3
        Weight of the ridge penalty, the paper's lambda.
    loss : {"hinge", "squared_hinge"} or loss object, default="hinge"
        Loss of a pair's margin.
    pairs : {"all", "incomplete"}, int, float or pairs object, default="all"
        Pairs that the mean runs over: all of them; the paper's random pairs, as many as rows; a number
        of random pairs; a multiple of the number of rows; or an object such as
        ``IncompletePairs(n_pairs=10_000, replace=False)``, whose arguments are nested parameters:
        ``pairs__n_pairs`` in a grid search.
    solver : {"auto", "newton", "adamax", "gd"} or solver object, default="auto"
        "auto" is Newton's method, which proves ``tol``; "adamax" is the paper's and "gd" gradient descent by a fixed
        step, or an object such as ``Adamax(norm="scalar")``, whose arguments are nested parameters: ``solver__step``.
    operating_point : {"youden"}, dict or None, default="youden"
        Where ``predict`` divides the classes, which ranking leaves open: where sensitivity plus
        specificity is largest on the training rows; at a target, ``{"sensitivity": 0.9}`` or
        ``{"specificity": 0.9}``, or both, or nearest to both; None leaves the intercept zero.
    tol : float, default=1e-3
        Relative duality gap, ``dual_gap_ / objective_``, at which to stop.
    max_iter : int, optional
        Most steps of the solver, those on samples of the data included; if None, 1000 for Newton
        and 50,000 for the others.
    warm_start : bool, default=False
        Whether to start from the weights of the last fit, whose columns must then be the same.
    random_state : int, Generator, RandomState or None, default=None
        Seed of what is drawn: the pairs, and the samples on which a large problem is started.
    verbose : int or callable, default=0
        1 writes a line a step to standard error; a callable is handed each `Step`.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
        Weights.
    intercept_ : array of shape (1,)
        Minus the threshold that the operating point sets.
    classes_ : array of shape (2,)
        Labels; the second is the positive one.
    objective_ : float
        The objective reached, over the pairs asked for.
    dual_gap_ : float
        Proved bound on how far ``objective_`` is above the minimum.
    n_iter_ : int
        Steps taken, those on samples included.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (n_features,)
        Their names, where X had string column names.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearROCSVM(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.99), bool(model.dual_gap_ <= 1e-3 * model.objective_)
    (True, True)
    """

    def __init__(
        self,
        alpha: float = 1e-3,
        *,
        loss: str | AbstractLoss = "hinge",
        pairs: Any = "all",
        solver: Any = "auto",
        operating_point: Any = "youden",
        tol: float = 1e-3,
        max_iter: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        verbose: Any = 0,
    ) -> None:
        self.alpha = alpha
        self.loss = loss
        self.pairs = pairs
        self.solver = solver
        self.operating_point = operating_point
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit weights and threshold.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows, in double or single precision; none is copied whose layout NumPy or SciPy can multiply.
        y : array of shape (n_samples,)
            Two labels of any kind; the larger is positive.
        sample_weight : array of shape (n_samples,), optional
            Weights from 0 up; a pair counts by their product. A whole number is as good as that many rows.

        Returns
        -------
        self
        """
        settings = self._check_settings(check_alpha(self.alpha), make_reporter(self.verbose))
        start = self.coef_[0] if check_flag("warm_start", self.warm_start) and hasattr(self, "coef_") else None
        rows = self._check_rows(X, y, sample_weight, reset=start is None)
        matrix = wrap_matrix(rows.X)
        solution = settings.solve(settings.pose(matrix, rows), start)
        self._keep(solution, rows, matrix.score(solution.w))
        return self

    def _rank(self, X: Any) -> Floats:
        return wrap_matrix(X).score(self.coef_[0])
