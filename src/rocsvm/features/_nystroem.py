"""Nyström features: the kernel as its landmarks see it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, column_or_1d

from rocsvm.features._base import AbstractKernelFeatures, Floats
from rocsvm.features._normalize import check_symmetric, decompose, find_basis, invert_root
from rocsvm.kernels import check_kernel, name_kernel, resolve_kernel
from rocsvm.landmarks import LANDMARKS, AbstractLandmarks, Candidates, GivenLandmarks, find_distinct
from rocsvm.threads import use_one_thread
from rocsvm.validation import (
    check_features,
    check_positive,
    check_whole,
    drop_weightless,
    make_generator,
    read_weights,
    resolve_part,
    split_labels,
    warn_user,
)

# From this many rows on, features are in single precision unless asked otherwise.
MANY_ROWS = 10_000
# Eigenvalues below this share of the largest are lost in the rounding of features of the type.
RANK_TOL = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-10}


class NystroemFeatures(AbstractKernelFeatures):
    """Features Z with ``Z @ Z.T = C @ pinv(K) @ C.T``, where K compares landmarks and C all rows with them.

    What is left, the kernel matrix minus ``Z @ Z.T``, is positive semi-definite: functions linear in the
    features are functions of the kernel's own space, with the same norm.

    Parameters
    ----------
    kernel : {"rbf", "poly", "linear", "laplacian", "sigmoid", "cosine"} or callable, default="rbf"
        Similarity of two rows. A callable takes two arrays of rows and returns the matrix of similarities.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Width of rbf, poly, laplacian and sigmoid. "scale" is 1 / (n_features * X.var()), "auto" is 1 / n_features,
        "median" one over the median squared distance of two rows.
    degree : float, default=3
        Degree of poly.
    coef0 : float, default=1.0
        Constant of poly and sigmoid.
    n_landmarks : int, default=300
        How many rows the kernel is seen from.
    landmarks : {"kmeans", "uniform", "stratified", "leverage", "rpcholesky"}, object or array, default="kmeans"
        How they are chosen, or the landmarks themselves.
    rank_tol : float, optional
        Eigenvalues of K below this share of the largest count as zero; 1e-6 in single and 1e-10 in double
        precision if None.
    dtype : {"auto", "float32", "float64"} or type, default="auto"
        Type of the features; "auto" is single precision from 10,000 rows on.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the choice of landmarks.

    Attributes
    ----------
    landmarks_ : array or sparse array of shape (n_landmarks, n_features)
        Landmarks, no two alike. Of those chosen, and not given, only so many are kept that what they leave of K has
        no eigenvalue above ``rank_tol`` times the largest of K, either.
    normalization_ : array of shape (n_landmarks, n_features_out)
        Root of the pseudo-inverse of K.
    floor_ : float
        The least eigenvalue that counts.
    kernel_ : kernel object
        The kernel, with its width found.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> NystroemFeatures(n_landmarks=20, random_state=0).fit_transform(X).shape
    (200, 20)
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: str | float = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        n_landmarks: int = 300,
        landmarks: Any = "kmeans",
        rank_tol: float | None = None,
        dtype: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.rank_tol = rank_tol
        self.dtype = dtype
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Choose landmarks among the rows.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows.
        y : array of shape (n_samples,), optional
            Labels, which stratified landmarks need.
        sample_weight : array of shape (n_samples,), optional
            How many rows each counts for.

        Returns
        -------
        self
        """
        self.check_parameters()
        X = check_features(self, X, reset=True)
        asks = y is not None and self.resolve_landmarks().needs_labels
        positive = split_labels(column_or_1d(y))[1] if asks else np.zeros(X.shape[0], dtype=np.bool_)
        X, positive, weights = drop_weightless(X, positive, read_weights(sample_weight, X))
        return self.learn(X, positive if asks else None, weights, make_generator(self.random_state))

    def check_parameters(self) -> None:
        """Raise ValueError unless the parameters make features."""
        check_kernel(self.kernel, self.gamma, self.degree, self.coef0)
        if self.kernel == "precomputed":
            raise ValueError(
                "kernel='precomputed' has no rows to choose landmarks among; use ExactKernelFeatures, or "
                "KernelROCSVM(features='exact')."
            )
        check_whole("n_landmarks", self.n_landmarks, example=300)
        rank_tol = 0.0 if self.rank_tol is None else check_positive("rank_tol", self.rank_tol, example="1e-6")
        if rank_tol >= 1.0:
            raise ValueError(f"rank_tol={self.rank_tol!r} leaves no eigenvalue; write a share, such as 1e-6.")
        self.resolve_landmarks()
        self._resolve_dtype(0)

    def learn(
        self, X: Any, positive: NDArray[np.bool_] | None, weights: Floats | None, rng: np.random.Generator
    ) -> Self:
        """Fit to checked rows; weights are positive, None meaning all alike."""
        scheme = self.resolve_landmarks()
        with use_one_thread():
            kernel = resolve_kernel(self.kernel, self.gamma, self.degree, self.coef0, X, weights, rng)
            landmarks = scheme.choose(Candidates(X, kernel, positive, weights), self.n_landmarks, rng)
            if landmarks.shape[0] < self.n_landmarks and not isinstance(scheme, GivenLandmarks):
                warn_if_repeated(X, self.n_landmarks)
            landmarks = landmarks.astype(np.float64)
            self.dtype_ = self._resolve_dtype(X.shape[0])
            tolerance = RANK_TOL[self.dtype_] if self.rank_tol is None else self.rank_tol
            name, matrix = name_kernel(self.kernel), kernel.compare(landmarks, landmarks)
            check_symmetric(matrix, name)
            if not isinstance(scheme, GivenLandmarks):
                basis = find_basis(matrix, tolerance)
                landmarks, matrix = landmarks[basis], matrix[np.ix_(basis, basis)]
            spectrum = decompose(matrix, name)
            self.floor_ = tolerance * float(spectrum.values[-1])
            self.normalization_ = invert_root(spectrum, self.floor_)
        self.kernel_ = kernel
        self.landmarks_ = landmarks
        self.is_definite_ = spectrum.is_definite
        return self

    def resolve_landmarks(self) -> AbstractLandmarks:
        """Return the way to choose landmarks that the parameter stands for."""
        if isinstance(self.landmarks, str | AbstractLandmarks):
            return resolve_part("landmarks", self.landmarks, LANDMARKS, AbstractLandmarks, others=["an array of rows"])
        if self.landmarks is None:
            raise ValueError("landmarks=None names no way to choose them; write 'kmeans', for example.")
        if np.ndim(self.landmarks) == 1:
            raise ValueError(
                "landmarks is a list of numbers; give the rows themselves, such as X[places], or the name of a scheme."
            )
        return GivenLandmarks(check_array(self.landmarks, accept_sparse="csr", input_name="landmarks"))

    def _resolve_dtype(self, n_rows: int) -> np.dtype[Any]:
        if isinstance(self.dtype, str) and self.dtype == "auto":
            return np.dtype(np.float32 if n_rows >= MANY_ROWS else np.float64)
        if self.dtype not in ("float32", "float64", np.float32, np.float64):
            raise ValueError(f"dtype={self.dtype!r} is no type of features; write 'auto', 'float32' or 'float64'.")
        wanted: np.dtype[Any] = np.dtype(self.dtype)
        return wanted


def warn_if_repeated(X: Any, n_landmarks: int) -> None:
    """Warn where there are fewer distinct rows than landmarks are asked for."""
    n_distinct = len(find_distinct(X))
    if n_distinct < n_landmarks:
        warn_user(
            f"n_landmarks={n_landmarks}, but only {n_distinct} rows are distinct; all of them are landmarks now. "
            "Write no more than that.",
            UserWarning,
        )
