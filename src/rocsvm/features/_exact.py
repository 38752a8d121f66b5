"""Features of the whole kernel: as many as its matrix has numerical rank."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from rocsvm.features._base import AbstractKernelFeatures, Floats
from rocsvm.features._normalize import check_symmetric, decompose, invert_root
from rocsvm.kernels import AbstractKernel, check_kernel, name_kernel, resolve_kernel
from rocsvm.landmarks import find_distinct
from rocsvm.threads import use_one_thread
from rocsvm.validation import check_features, drop_weightless, make_generator, read_weights

# What a complete factorisation may leave of a similarity, as a share of the largest.
TOLERANCE = 1e-12
# Matrices of its size, the features among them, that a fit holds at once.
COPIES = 4


class ExactKernelFeatures(AbstractKernelFeatures):
    """Features Z with ``Z @ Z.T = K``, the kernel matrix of all rows, to rounding.

    A Cholesky factorisation with pivots stops where what it leaves is below 1e-12 of the largest similarity; the
    pivots are the landmarks, and no other row is kept.

    Parameters
    ----------
    kernel : {"rbf", "poly", "linear", "laplacian", "sigmoid", "cosine", "precomputed"} or callable, default="rbf"
        Similarity of two rows. A callable takes two arrays of rows and returns the matrix of similarities.
        "precomputed" takes the kernel matrix in place of X: of all rows with all rows to fit, of new rows with
        the rows fitted to transform.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Width of rbf, poly, laplacian and sigmoid, as in `NystroemFeatures`.
    degree : float, default=3
        Degree of poly.
    coef0 : float, default=1.0
        Constant of poly and sigmoid.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the rows that the width "median" looks at.

    Attributes
    ----------
    landmarks_ : array of shape (n_landmarks, n_features)
        Rows that the others' similarities follow from; of a precomputed kernel, their columns.
    normalization_ : array of shape (n_landmarks, n_features_out)
        What turns similarities to them into features.
    kernel_ : kernel object
        The kernel, with its width found.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> Z = ExactKernelFeatures(gamma=0.5).fit_transform(X)
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> bool(np.allclose(Z @ Z.T, rbf_kernel(X, gamma=0.5)))
    True
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: str | float = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Factor the kernel matrix of the rows.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows, or the kernel matrix where that is precomputed.
        y : None
            Not needed.
        sample_weight : array of shape (n_samples,), optional
            How many rows each counts for, which a width found in the data depends on.

        Returns
        -------
        self
        """
        self.check_parameters()
        X = check_features(self, X, reset=True, accept_sparse=self.kernel != "precomputed")
        rows, _, weights = drop_weightless(X, np.zeros(X.shape[0], dtype=np.bool_), read_weights(sample_weight, X))
        # A kernel matrix has a column for each row, of no weight too, and is learnt whole.
        whole = X if self.kernel == "precomputed" else rows
        return self.learn(whole, None, weights, make_generator(self.random_state))

    def check_parameters(self) -> None:
        """Raise ValueError unless the parameters make features."""
        check_kernel(self.kernel, self.gamma, self.degree, self.coef0)

    def learn(
        self, X: Any, positive: NDArray[np.bool_] | None, weights: Floats | None, rng: np.random.Generator
    ) -> Self:
        """Fit to checked rows; weights are positive, None meaning all alike."""
        self.dtype_ = np.dtype(np.float64)
        with use_one_thread():
            if self.kernel == "precomputed":
                check_square(X)
                self.kernel_: AbstractKernel = ColumnsKernel()
                places = np.arange(X.shape[0])
                make_matrix = partial(X.astype, np.float64)
            else:
                self.kernel_ = resolve_kernel(self.kernel, self.gamma, self.degree, self.coef0, X, weights, rng)
                places = find_distinct(X)
                check_memory(len(places))
                make_matrix = partial(compare_all, self.kernel_, X[places])
            pivots, self.normalization_, self.is_definite_ = factor(make_matrix, name_kernel(self.kernel))
            kept = places[pivots]
            self.landmarks_ = kept[:, None] if self.kernel == "precomputed" else X[kept].astype(np.float64)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags


class ColumnsKernel(AbstractKernel):
    """A kernel whose similarities are given: of each row with the rows fitted, a column for each."""

    def compare(self, rows: Any, others: Any) -> Floats:
        """Return the columns of the landmarks, which are known by their numbers."""
        return np.asarray(rows[:, others[:, 0]], dtype=np.float64)

    def diagonal(self, rows: Any) -> Floats:
        """Return the diagonal, of the matrix of the rows fitted."""
        return np.asarray(rows.diagonal(), dtype=np.float64)


def compare_all(kernel: AbstractKernel, rows: Any) -> Floats:
    """Return the kernel matrix of rows, its diagonal as the kernel has it.

    As a product leaves it, rows alike by rounding alone would be told apart, and another pivot come first.
    """
    matrix = np.array(kernel.compare(rows, rows), dtype=np.float64)
    np.fill_diagonal(matrix, kernel.diagonal(rows))
    return matrix


def factor(make_matrix: Callable[[], Floats], name: str) -> tuple[NDArray[np.intp], Floats, bool]:
    """Return pivots, the matrix that turns their columns into features, and whether the kernel is definite."""
    matrix = make_matrix()
    check_symmetric(matrix, name)
    largest = float(matrix.diagonal().max())
    # What the factor makes of one vector shows whether it is a factor: of an indefinite matrix there is none.
    probe = np.random.default_rng(0).choice([-1.0, 1.0], len(matrix))
    image = matrix @ probe
    lower, order, rank, _ = linalg.lapack.dpstrf(matrix.T, tol=TOLERANCE * largest, lower=1, overwrite_a=1)
    pivots = np.asarray(order[:rank] - 1)
    lower = np.tril(lower)[:, :rank]
    missed = image[order - 1] - lower @ (lower.T @ probe[order - 1])
    if largest <= 0.0 or not np.abs(missed).max() <= 1e-8 * max(largest, float(np.abs(image).max())):
        spectrum = decompose(make_matrix(), name)
        return np.arange(len(matrix)), invert_root(spectrum, TOLERANCE * spectrum.values[-1]), spectrum.is_definite
    normalization = linalg.solve_triangular(lower[:rank], np.eye(rank), lower=True, overwrite_b=True).T
    return pivots, np.ascontiguousarray(normalization), True


def check_square(X: Any) -> None:
    """Raise ValueError unless this may be a kernel matrix of rows with themselves."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            f"kernel='precomputed' was given a matrix of shape {X.shape}, which is not square. "
            "Give the similarities of all rows to fit with one another, an array of shape (n_samples, n_samples)."
        )


def check_memory(n_rows: int) -> None:
    """Raise ValueError if the kernel matrix of so many rows would not fit."""
    needed = COPIES * 8.0 * n_rows**2
    held = float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) if hasattr(os, "sysconf") else 8e9
    if needed > 0.8 * held:
        raise ValueError(
            f"features='exact' needs the kernel matrix of {n_rows:,} distinct rows, {needed / 1e9:,.0f} GB where this "
            f"machine has {held / 1e9:,.0f} GB. Write features='nystroem' with n_landmarks=1000, say: "
            "certify(model, X, y, against='full') then tells how near it comes."
        )
