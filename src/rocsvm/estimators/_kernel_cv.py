"""The kernel ROC-SVM that chooses its width and its penalty."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rocsvm.estimators._base import Rows, Settings
from rocsvm.estimators._cv import ROCSVMSearch, average_starts
from rocsvm.estimators._folds import Fold, restrict_folds
from rocsvm.estimators._grid import check_grid, find_largest_alpha, space_alphas, space_gammas
from rocsvm.estimators._progress import take_callbacks
from rocsvm.estimators._search import (
    SCREEN_TOL,
    Divide,
    GridScores,
    Search,
    choose_point,
    draw_screen,
    find_hopeful,
)
from rocsvm.estimators._sharpen import sharpen_scores
from rocsvm.features import AbstractMatrix, NystroemFeatures, wrap_matrix
from rocsvm.kernels import find_gamma
from rocsvm.losses import AbstractLoss
from rocsvm.validation import check_flag, make_generator

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Kernels without a width.
WIDTHLESS = ("linear", "cosine")


class KernelROCSVMCV(ROCSVMSearch):
    """A kernel ROC-SVM whose width gamma and penalty alpha are chosen by cross-validation.

    For each gamma one set of landmarks and one feature matrix, made from all rows, serve all folds and alphas.
    Landmarks know no labels (unless they are "stratified"), and the penalty is fitted within each fold; but held-out
    rows have had their say in where the landmarks are. ``strict=True`` makes the features of each fold from its
    training rows alone, at the cost of making them once a fold.

    Parameters
    ----------
    alphas : int or list of float, default=10
        Penalties to choose from. A number of them is spread geometrically over six decades, down from the largest
        that matters at any gamma.
    gammas : int or list of float, default=5
        Widths to choose from. A number of them is spread by factors of four about the one that "scale" stands for.
        To be left alone where the kernel has no width.
    cv : int, splitter or list of splits, default=5
        Folds. A number stands for stratified folds; with ``groups``, for such that keep each group on one side.
    scoring : str, callable or None, default=None
        What is best on held-out rows; the AUC if None.
    rule : {"best", "one_se"}, default="best"
        Choose the alpha of the best mean score, or the largest alpha, at the same gamma, within one standard error
        of it.
    screen : bool, default=True
        Whether to look at all points on 5,000 rows first, to a gap of 1 %, where there are 20,000 rows or more, and to
        leave out what is 0.005 and four standard errors behind there.
    strict : bool, default=False
        Whether each fold makes its features from its training rows alone.
    kernel : {"rbf", "poly", "linear", "laplacian", "sigmoid", "cosine"} or callable, default="rbf"
        Similarity of two rows, as in `KernelROCSVM`.
    degree : float, default=3
        Degree of poly.
    coef0 : float, default=1.0
        Constant of poly and sigmoid.
    n_landmarks : int, default=300
        How many rows the kernel is seen from.
    landmarks : {"kmeans", "uniform", "stratified", "leverage", "rpcholesky"}, object or array, default="kmeans"
        How they are chosen, or the landmarks themselves.
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
        its features.
    random_state : int, Generator, RandomState or None, default=None
        Seed of what is drawn. It does not shuffle the folds: give ``cv`` a splitter for that. The landmarks are the
        search's own; a `KernelROCSVM` of the same seed draws others.
    verbose : int or callable, default=0
        1 writes a line a grid point to standard error; a callable is handed each `Progress`. Callbacks of
        scikit-learn, from its version 1.9 on, are set by ``set_callbacks``.

    Attributes
    ----------
    alpha_, gamma_ : float
        The penalty and the width chosen; no ``gamma_`` where the kernel has no width.
    alphas_, gammas_ : arrays
        The grid: the largest alpha and the smallest gamma first.
    cv_results_ : dict
        A row for each gamma and alpha, named as in scikit-learn: the score on each fold, their mean, deviation and
        rank, seconds a fold, and the largest relative gap. NaN where a screening left a point out;
        "mean_screen_score" is what it saw.
    best_index_ : int
        Where in it the choice stands.
    best_score_ : float
        Its mean score.
    n_splits_ : int
        Number of folds.
    features_, landmarks_, coef_, dual_coef_, intercept_, classes_, objective_, dual_gap_, n_iter_, n_features_in_
        As in `KernelROCSVM`, of the fit to all rows.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(400, factor=0.5, noise=0.1, random_state=0)
    >>> model = KernelROCSVMCV(alphas=4, gammas=3, n_landmarks=50, random_state=0).fit(X, y)
    >>> bool(model.best_score_ > 0.99), len(model.cv_results_["mean_test_score"])
    (True, 12)
    """

    def __init__(
        self,
        alphas: int | ArrayLike = 10,
        gammas: int | ArrayLike = 5,
        *,
        cv: Any = 5,
        scoring: Any = None,
        rule: str = "best",
        screen: bool = True,
        strict: bool = False,
        kernel: Any = "rbf",
        degree: float = 3,
        coef0: float = 1.0,
        n_landmarks: int = 300,
        landmarks: Any = "kmeans",
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
        self.gammas = gammas
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.screen = screen
        self.strict = strict
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
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
        """Choose gamma and alpha, and fit landmarks, weights and threshold to all rows.

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
        screen, strict = check_flag("screen", self.screen), check_flag("strict", self.strict)
        alpha_grid, gamma_grid = check_grid("alphas", self.alphas, "10"), self._check_gammas()
        self._make_features(1.0).check_parameters()
        search = self._plan(X, y, sample_weight, groups)
        rng, rows = search.settings.rng, search.rows
        if isinstance(gamma_grid, int):
            gamma_grid = space_gammas(find_gamma("scale", rows.X, rows.weights, rng), gamma_grid)
        # One seed for all gammas: landmarks that do not depend on the kernel are the same.
        seed = int(rng.integers(np.iinfo(np.int64).max))
        features = [
            self._make_features(gamma).learn(rows.X, rows.positive, rows.weights, make_generator(seed))
            for gamma in gamma_grid
        ]
        chosen = draw_screen(rows, rng)
        sample = rows if chosen is None else rows.take(chosen)
        alphas = alpha_grid
        if isinstance(alphas, int):
            largest = max(find_largest_alpha(wrap_matrix(one.compute(sample.X)), sample) for one in features)
            alphas = space_alphas(largest, alphas)
        search = search._replace(alphas=alphas)
        hopeful, screened = np.ones((len(features), len(alphas)), dtype=np.bool_), None
        few_folds = None if chosen is None or not screen else restrict_folds(search.folds, chosen, rows.positive)
        n_stages = 1 if few_folds is None else 2
        n_folds = len(search.folds)
        search.reporter.open(n_stages * len(features) * n_folds, n_stages * hopeful.size * n_folds)
        if few_folds is not None:
            settings = search.settings._replace(tol=max(search.settings.tol, SCREEN_TOL))
            screening = search._replace(settings=settings, rows=sample, folds=few_folds)
            screened = np.stack([one.scores for one in self._score_all(screening, features, hopeful, strict)])
            hopeful = find_hopeful(screened)
            search.reporter.n_total -= int((~hopeful).sum()) * n_folds
        found = self._score_all(search, features, hopeful, strict)
        self._choose(found, alphas, gamma_grid, screened)
        self._refit(search.settings, rows, features, None if strict else found)
        search.reporter.close()
        return self

    def _check_gammas(self) -> int | Floats:
        if not callable(self.kernel) and self.kernel not in WIDTHLESS:
            grid = check_grid("gammas", self.gammas, "5")
            return grid if isinstance(grid, int) else grid[::-1]
        if self.gammas is not type(self)().gammas:
            name = self.kernel if isinstance(self.kernel, str) else getattr(self.kernel, "__name__", self.kernel)
            raise ValueError(f"gammas={self.gammas!r}, but kernel={name!r} has no width to choose. Leave gammas out.")
        return np.ones(1)

    def _make_features(self, gamma: float) -> NystroemFeatures:
        if isinstance(self.n_landmarks, bool) or not isinstance(self.n_landmarks, Integral):
            raise ValueError(
                f"n_landmarks={self.n_landmarks!r} is not a whole number from 1 up; write one, such as 300."
            )
        return NystroemFeatures(
            self.kernel,
            gamma=gamma,
            degree=self.degree,
            coef0=self.coef0,
            n_landmarks=self.n_landmarks,
            landmarks=self.landmarks,
        )

    def _score_all(
        self, search: Search, features: Sequence[NystroemFeatures], hopeful: Mask, strict: bool
    ) -> list[GridScores]:
        """Return the scores of the hopeful alphas of each gamma, one feature matrix being in memory at a time."""
        found = []
        for one, wanted in zip(features, hopeful, strict=True):
            gamma = None if self._is_widthless() else float(one.gamma)
            if wanted.any():
                divide = divide_strictly(one, search.rows) if strict else divide_once(one, search.rows)
                found.append(search.score(divide, wanted=wanted, gamma=gamma))
            else:
                found.append(search.leave_out())
        return found

    def _choose(self, found: Sequence[GridScores], alphas: Floats, gammas: Floats, screened: Floats | None) -> None:
        n_gammas, n_alphas = len(found), len(alphas)
        grid = {"gamma": np.repeat(gammas, n_alphas), "alpha": np.tile(alphas, n_gammas)}
        if self._is_widthless():
            del grid["gamma"]
        scores, seconds, gaps = (np.concatenate([one[part] for one in found]) for part in range(3))
        self._tabulate(grid, GridScores(scores, seconds, gaps, []))
        if screened is not None:
            self.cv_results_["mean_screen_score"] = screened.mean(axis=-1).ravel()
        best = choose_point(scores, "best") // n_alphas
        self._note_choice(best * n_alphas + choose_point(found[best].scores, self.rule))
        self.alphas_ = alphas
        if not self._is_widthless():
            self.gammas_ = gammas
            self.gamma_ = float(gammas[best])

    def _refit(
        self,
        settings: Settings,
        rows: Rows,
        features: Sequence[NystroemFeatures],
        found: Sequence[GridScores] | None,
    ) -> None:
        """Fit to all rows at the choice, from the folds' mean weights where they are of the same features."""
        which, place = divmod(self.best_index_, len(self.alphas_))
        chosen = features[which]
        matrix = wrap_matrix(chosen.compute(rows.X))
        start = None if found is None else average_starts(found[which].coefs, place)
        settings = settings._replace(alpha=self.alpha_)
        solution = settings.solve(settings.pose(matrix, rows), start)
        folded, scores = chosen.fold(solution.w), matrix.score(solution.w)
        if self.operating_point is not None:
            scores = sharpen_scores(chosen, folded, rows, scores, self.operating_point)
        self.features_ = chosen
        self.landmarks_ = chosen.landmarks_
        self.dual_coef_ = folded[None, :]
        self._keep(solution, rows, scores)

    def _is_widthless(self) -> bool:
        return callable(self.kernel) or self.kernel in WIDTHLESS

    def _rank(self, X: Any) -> Floats:
        return self.features_.score_rows(X, self.dual_coef_[0])


def divide_once(features: NystroemFeatures, rows: Rows) -> Divide:
    """Return what divides one feature matrix of all rows."""
    matrix = wrap_matrix(features.compute(rows.X))

    def divide(fold: Fold, rng: np.random.Generator) -> tuple[AbstractMatrix, AbstractMatrix]:
        return matrix.take(fold.train), matrix.take(fold.test)

    return divide


def divide_strictly(features: NystroemFeatures, rows: Rows) -> Divide:
    """Return what makes the features of a fold from its training rows."""

    def divide(fold: Fold, rng: np.random.Generator) -> tuple[AbstractMatrix, AbstractMatrix]:
        train = rows.take(fold.train)
        own = clone(features).learn(train.X, train.positive, train.weights, rng)
        return wrap_matrix(own.compute(train.X)), wrap_matrix(own.compute(rows.X[fold.test]))

    return divide
