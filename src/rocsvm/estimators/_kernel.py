"""The kernel ROC-SVM."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rocsvm.estimators._base import ROCSVMClassifier, make_reporter
from rocsvm.estimators._grow import FIRST, count_distinct, grow
from rocsvm.estimators._sharpen import sharpen_scores
from rocsvm.features import (
    KERNEL_FEATURES,
    AbstractKernelFeatures,
    ExactKernelFeatures,
    NystroemFeatures,
    wrap_matrix,
)
from rocsvm.landmarks import AbstractLandmarks
from rocsvm.losses import AbstractLoss
from rocsvm.validation import check_alpha, check_positive, make_generator, resolve_part

Floats = NDArray[np.float64]


class KernelROCSVM(ROCSVMClassifier):
    """A kernel classifier that maximises the area under the ROC curve.

    It minimises the mean of ``loss(f(x_i) - f(x_j))`` over positive rows i and negative rows j, plus
    ``alpha / 2 * norm(f)**2``, over the functions f of a kernel's space that its landmarks span, and proves how near
    it came to the best of them. `certify` with ``against="full"`` says how near that is to the best of the whole
    space.

    Parameters
    ----------
    alpha : float, default=1e-4
        Weight of the ridge penalty, the paper's lambda.
    kernel : {"rbf", "poly", "linear", "laplacian", "sigmoid", "cosine", "precomputed"} or callable, default="rbf"
        Similarity of two rows. A callable takes two arrays of rows and returns the matrix of similarities.
        "precomputed" takes kernel matrices in place of X, and needs ``features="exact"``.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Width of rbf, poly, laplacian and sigmoid. "scale" is 1 / (n_features * X.var()), "auto" is 1 / n_features,
        "median" one over the median squared distance of two rows.
    degree : float, default=3
        Degree of poly.
    coef0 : float, default=1.0
        Constant of poly and sigmoid.
    features : {"nystroem", "exact"} or features object, default="nystroem"
        "nystroem" sees the kernel from landmarks; "exact" takes the whole kernel matrix, for up to some 20,000 rows.
        An object such as ``NystroemFeatures("poly", n_landmarks=500)`` brings its own kernel and landmarks.
    n_landmarks : int or "auto", default=300
        How many rows the kernel is seen from. "auto" doubles them, each time where the kernel is seen worst, until
        the model is proved to be within ``kernel_tol`` of the best of the whole kernel.
    landmarks : {"kmeans", "uniform", "stratified", "leverage", "rpcholesky"}, object or array, default="kmeans"
        How landmarks are chosen, or the landmarks themselves.
    kernel_tol : float, default=0.01
        With ``n_landmarks="auto"``, the relative distance from the best model of the whole kernel to stop at.
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
        Relative duality gap, ``dual_gap_ / objective_``, at which to stop.
    max_iter : int, optional
        Most steps of the solver, those on samples of the data included; if None, 1000 for Newton
        and 50,000 for the others.
    random_state : int, Generator, RandomState or None, default=None
        Seed of what is drawn: landmarks, pairs, and the samples on which a large problem is started.
    verbose : int or callable, default=0
        1 writes a line a step to standard error; a callable is handed each `Step`.

    Attributes
    ----------
    features_ : features object
        The fitted features, with ``landmarks_``, ``normalization_`` and ``kernel_``.
    landmarks_ : array or sparse array of shape (n_landmarks, n_features)
        Landmarks, without those chosen that follow from the others; of a precomputed kernel, the columns that stand
        for them.
    coef_ : array of shape (1, n_features_out)
        Weights on the features.
    dual_coef_ : array of shape (1, n_landmarks)
        Weights on the similarities to the landmarks, which score the same.
    intercept_ : array of shape (1,)
        Minus the threshold that the operating point sets.
    classes_ : array of shape (2,)
        Labels; the second is the positive one.
    objective_ : float
        The objective reached, over the pairs asked for.
    dual_gap_ : float
        Proved bound on how far ``objective_`` is above the minimum over functions of the landmarks.
    kernel_gap_ : float
        With ``n_landmarks="auto"``: proved bound on how far the model is from the best of the whole kernel, as a
        share of its objective.
    n_iter_ : int
        Steps taken, those on samples included.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of shape (n_features,)
        Their names, where X had string column names.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(400, factor=0.5, noise=0.1, random_state=0)
    >>> model = KernelROCSVM(n_landmarks=50, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.99), bool(model.dual_gap_ <= 1e-3 * model.objective_)
    (True, True)
    """

    kernel_gap_: float

    def __init__(
        self,
        alpha: float = 1e-4,
        *,
        kernel: Any = "rbf",
        gamma: str | float = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        features: Any = "nystroem",
        n_landmarks: int | str = 300,
        landmarks: Any = "kmeans",
        kernel_tol: float = 0.01,
        loss: str | AbstractLoss = "hinge",
        pairs: Any = "all",
        solver: Any = "auto",
        operating_point: Any = "youden",
        tol: float = 1e-3,
        max_iter: int | None = None,
        random_state: Any = None,
        verbose: Any = 0,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.features = features
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.kernel_tol = kernel_tol
        self.loss = loss
        self.pairs = pairs
        self.solver = solver
        self.operating_point = operating_point
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit landmarks, weights and threshold.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows; with ``kernel="precomputed"`` their kernel matrix.
        y : array of shape (n_samples,)
            Two labels of any kind; the larger is positive.
        sample_weight : array of shape (n_samples,), optional
            Weights from 0 up; a pair counts by their product. A whole number is as good as that many rows.

        Returns
        -------
        self
        """
        settings = self._check_settings(check_alpha(self.alpha), make_reporter(self.verbose))
        kernel_tol = check_positive("kernel_tol", self.kernel_tol, example="0.01")
        features = self._make_features()
        features.check_parameters()
        is_given = features.kernel == "precomputed"
        whole = self._read_rows(X, y, sample_weight, accept_sparse=not is_given)
        rows = whole.drop_weightless()
        # A kernel matrix has a column for each row, of no weight too, and is learnt whole.
        learnt = whole if is_given else rows
        own_seed = features.get_params().get("random_state")
        if self.n_landmarks == "auto":
            features.set_params(n_landmarks=count_distinct(rows.X, FIRST))
        features.learn(
            learnt.X, learnt.positive, learnt.weights, settings.rng if own_seed is None else make_generator(own_seed)
        )
        Z = features.compute(rows.X)
        objective = settings.pose(wrap_matrix(Z), rows)
        # Of a fit before, which says nothing of this one.
        if hasattr(self, "kernel_gap_"):
            del self.kernel_gap_
        if isinstance(features, NystroemFeatures) and self.n_landmarks == "auto":
            objective, solution, self.kernel_gap_ = grow(features, rows, Z, objective, settings, kernel_tol)
        else:
            solution = settings.solve(objective)
        folded, scores = features.fold(solution.w), objective.matrix.score(solution.w)
        if self.operating_point is not None:
            scores = sharpen_scores(features, folded, rows, scores, self.operating_point)
        self.features_ = features
        self.landmarks_ = features.landmarks_
        self.dual_coef_ = folded[None, :]
        self._keep(solution, rows, scores)
        return self

    def _make_features(self) -> AbstractKernelFeatures:
        """Return the features asked for, not fitted yet."""
        kernel = {"kernel": self.kernel, "gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        if isinstance(self.features, AbstractKernelFeatures):
            self._leave_alone("kernel", "gamma", "degree", "coef0", "n_landmarks", "landmarks")
            own: AbstractKernelFeatures = clone(self.features)
            return own
        kind = type(resolve_part("features", self.features, KERNEL_FEATURES, AbstractKernelFeatures))
        if kind is ExactKernelFeatures:
            self._leave_alone("n_landmarks", "landmarks")
            return ExactKernelFeatures(**kernel)
        if self.kernel == "precomputed":
            raise ValueError(
                "kernel='precomputed' has no rows to choose landmarks among. Write features='exact' with it."
            )
        if isinstance(self.n_landmarks, str) and self.n_landmarks == "auto":
            if not isinstance(self.landmarks, str | AbstractLandmarks):
                raise ValueError(
                    "n_landmarks='auto' chooses landmarks until they are enough, but landmarks is an array of rows, "
                    "which are as many as they are. Name a way to choose them, such as landmarks='kmeans'."
                )
            return NystroemFeatures(**kernel, n_landmarks=FIRST, landmarks=self.landmarks)
        if isinstance(self.n_landmarks, bool) or not isinstance(self.n_landmarks, Integral) or self.n_landmarks < 1:
            raise ValueError(
                f"n_landmarks={self.n_landmarks!r} is not a whole number from 1 up; write one, or 'auto' for as many "
                "as kernel_tol needs."
            )
        return NystroemFeatures(**kernel, n_landmarks=self.n_landmarks, landmarks=self.landmarks)

    def _leave_alone(self, *names: str) -> None:
        """Raise ValueError if one of these parameters, which the features do not read, was set."""
        defaults = type(self)().get_params(deep=False)
        for name in names:
            given = getattr(self, name)
            if given is not defaults[name] and not (np.ndim(given) == 0 and given == defaults[name]):
                raise ValueError(
                    f"{name}={given!r} is not read with features={self.features!r}. Leave {name} out, or set it on a "
                    "features object, such as features=NystroemFeatures(...)."
                )

    def _rank(self, X: Any) -> Floats:
        return self.features_.score_rows(X, self.dual_coef_[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = "precomputed" in (self.kernel, getattr(self.features, "kernel", None))
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = not precomputed
        return tags
