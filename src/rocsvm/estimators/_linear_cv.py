"""The linear ROC-SVM that chooses its penalty."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocsvm.estimators._cv import ROCSVMSearch, average_starts
from rocsvm.estimators._folds import Fold
from rocsvm.estimators._grid import check_grid, find_largest_alpha, space_alphas
from rocsvm.estimators._progress import take_callbacks
from rocsvm.estimators._search import choose_point
from rocsvm.features import AbstractMatrix, wrap_matrix
from rocsvm.losses import AbstractLoss

Floats = NDArray[np.float64]


class LinearROCSVMCV(ROCSVMSearch):
    """A linear ROC-SVM whose penalty is chosen by cross-validation, along one warm-started path a fold.

    Parameters
    ----------
    alphas : int or list of float, default=20
        Penalties to choose from. A number of them is spread geometrically over six decades, down from the largest
        that matters: above it, weights only shrink.
    cv : int, splitter or list of splits, default=5
        Folds. A number stands for stratified folds; with ``groups``, for such that keep each group on one side.
    scoring : str, callable or None, default=None
        What is best on held-out rows; the AUC if None.
    rule : {"best", "one_se"}, default="best"
        Choose the alpha of the best mean score, or the largest alpha within one standard error of it.
    loss : {"hinge", "squared_hinge"} or loss object, default="hinge"
        Loss of a pair's margin.
    pairs : {"all", "incomplete"}, int, float or pairs object, default="all"
        Pairs that the mean runs over, as in `LinearROCSVM`.
    solver : {"auto", "newton", "adamax", "gd"} or solver object, default="auto"
        "auto" is Newton's method, which proves ``tol``; "adamax" is the paper's and "gd" gradient descent by a fixed
        step, or an object such as ``Adamax(norm="scalar")``, whose arguments are nested parameters: ``solver__step``.
    operating_point : {"youden"}, dict or None, default="youden"
        Where ``predict`` divides the classes, as in `LinearROCSVM`.
    tol : float, default=1e-3
        Relative duality gap at which each fit stops.
    max_iter : int, optional
        Most steps of the solver at each alpha.
    n_jobs : int, optional
        Folds at a time, in threads; -1 for one a core. The result is the same for any number. Each takes a copy of
        its rows.
    random_state : int, Generator, RandomState or None, default=None
        Seed of what is drawn. It does not shuffle the folds: give ``cv`` a splitter for that.
    verbose : int or callable, default=0
        1 writes a line a grid point to standard error; a callable is handed each `Progress`. Callbacks of
        scikit-learn, from its version 1.9 on, are set by ``set_callbacks``.

    Attributes
    ----------
    alpha_ : float
        The penalty chosen.
    alphas_ : array of shape (n_alphas,)
        The grid, the largest first.
    cv_results_ : dict
        A row for each alpha, named as in scikit-learn: the score on each fold, their mean, deviation and rank,
        seconds a fold, and the largest relative gap.
    best_index_ : int
        Where in it the choice stands.
    best_score_ : float
        Its mean score.
    coefs_path_ : array of shape (n_folds, n_alphas, n_features)
        The weights of each fold.
    n_splits_ : int
        Number of folds.
    coef_, intercept_, classes_, objective_, dual_gap_, n_iter_, n_features_in_, feature_names_in_
        As in `LinearROCSVM`, of the fit to all rows at ``alpha_``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearROCSVMCV(random_state=0).fit(scale(X), y)
    >>> bool(model.best_score_ > 0.99), len(model.alphas_)
    (True, 20)
    """

    def __init__(
        self,
        alphas: int | ArrayLike = 20,
        *,
        cv: Any = 5,
        scoring: Any = None,
        rule: str = "best",
        loss: str | AbstractLoss = "hinge",
        pairs: Any = "all",
        solver: Any = "auto",
        operating_point: Any = "youden",
        tol: float = 1e-3,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: Any = 0,
    ) -> None:
        self.alphas = alphas
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.loss = loss
        self.pairs = pairs
        self.solver = solver
        self.operating_point = operating_point
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @take_callbacks
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Self:
        """Choose alpha, and fit weights and threshold to all rows.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows.
        y : array of shape (n_samples,)
            Two labels of any kind; the larger is positive.
        sample_weight : array of shape (n_samples,), optional
            Weights from 0 up, in fitting as in scoring.
        groups : array of shape (n_samples,), optional
            Groups of rows that belong on one side of each fold.

        Returns
        -------
        self
        """
        grid = check_grid("alphas", self.alphas, "20")
        search = self._plan(X, y, sample_weight, groups)
        rows, matrix = search.rows, wrap_matrix(search.rows.X)
        alphas = space_alphas(find_largest_alpha(matrix, rows), grid) if isinstance(grid, int) else grid
        search = search._replace(alphas=alphas)
        search.reporter.open(len(search.folds), len(search.folds) * len(alphas))

        def divide(fold: Fold, rng: np.random.Generator) -> tuple[AbstractMatrix, AbstractMatrix]:
            return matrix.take(fold.train), matrix.take(fold.test)

        found = search.score(divide)
        self.alphas_ = alphas
        self.coefs_path_ = np.array(found.coefs)
        self._tabulate({"alpha": alphas}, found)
        place = choose_point(found.scores, self.rule)
        self._note_choice(place)
        settings = search.settings._replace(alpha=self.alpha_)
        solution = settings.solve(settings.pose(matrix, rows), average_starts(found.coefs, place))
        self._keep(solution, rows, matrix.score(solution.w))
        search.reporter.close()
        return self

    def _rank(self, X: Any) -> Floats:
        return wrap_matrix(X).score(self.coef_[0])
