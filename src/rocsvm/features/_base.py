"""What kernel features of any kind share: landmarks, what turns columns into features, and blocks of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rocsvm.kernels import AbstractKernel
from rocsvm.threads import use_one_thread
from rocsvm.validation import check_features

Floats = NDArray[np.float64]

# Entries of the block of kernel columns that is in work: two megabytes of double precision stay in a cache.
BLOCK_ENTRIES = 1 << 18


class AbstractKernelFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features Z of rows with ``Z Z.T`` the kernel matrix, or near it.

    A row's features are its similarities to the landmarks times ``normalization_``, so that a function linear
    in the features is a combination of similarities, with the same norm.
    """

    kernel_: AbstractKernel
    landmarks_: Any
    normalization_: Floats
    dtype_: np.dtype[Any]
    is_definite_: bool

    @abstractmethod
    def check_parameters(self) -> None:
        """Raise ValueError unless the parameters make features."""

    @abstractmethod
    def learn(
        self, X: Any, positive: NDArray[np.bool_] | None, weights: Floats | None, rng: np.random.Generator
    ) -> Self:
        """Fit to checked rows; weights are positive, None meaning all alike."""

    @abstractmethod
    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Choose the landmarks and what turns similarities to them into features."""

    def transform(self, X: Any) -> NDArray[np.floating[Any]]:
        """Return the features of each row.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of shape (n_samples, n_features_out)
            Features.
        """
        check_is_fitted(self)
        return self.compute(check_features(self, X, reset=False))

    def compute(self, X: Any) -> NDArray[np.floating[Any]]:
        """Return the features of each checked row."""
        normalization = self.normalization_.astype(self.dtype_, copy=False)
        columns, X = self.kernel_.against(self.landmarks_, self.dtype_), lay_by_rows(X)
        out = np.empty((X.shape[0], normalization.shape[1]), self.dtype_)
        with use_one_thread():
            for block in list_blocks(X.shape[0], self.landmarks_.shape[0]):
                np.matmul(columns(X[block]), normalization, out=out[block])
        return out

    def fold(self, w: Floats) -> Floats:
        """Return the weights on similarities to the landmarks that equal these weights on features."""
        return np.asarray(self.normalization_ @ w)

    def score_rows(self, X: Any, folded: Floats) -> Floats:
        """Return the sum of each checked row's similarities to the landmarks, so weighted, in double precision."""
        columns, X = self.kernel_.against(self.landmarks_, np.float64), lay_by_rows(X)
        out = np.empty(X.shape[0])
        with use_one_thread():
            for block in list_blocks(X.shape[0], self.landmarks_.shape[0]):
                np.matmul(columns(X[block]), folded, out=out[block])
        return out

    @property
    def _n_features_out(self) -> int:
        return int(self.normalization_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def lay_by_rows(X: Any) -> Any:
    """Return rows of which a block can be taken without a look at all columns."""
    return X.tocsr() if sparse.issparse(X) else X


def list_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Return slices of rows such that a block of so many columns fits a cache."""
    step = max(32, BLOCK_ENTRIES // max(1, n_columns))
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))
