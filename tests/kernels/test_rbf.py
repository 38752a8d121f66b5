"""The Gaussian kernel out of products against differences, wherever the rows lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rocsvm.kernels import RBFKernel
from rocsvm.kernels._rbf import FEW
from tests.kernels.definition import compare_rows

# What rounding may change a similarity by.
ALLOWED = {np.float64: 2e-9, np.float32: 4e-6}
each_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def assert_columns(rows: np.ndarray, landmarks: np.ndarray, gamma: float, dtype: Any) -> None:
    """Assert that columns of this type equal the formula."""
    compared = RBFKernel(gamma).against(landmarks, dtype)(rows)
    assert compared.dtype == dtype
    wanted = compare_rows("rbf", rows.astype(np.float64), landmarks.astype(np.float64), gamma)
    assert np.abs(compared - wanted).max(initial=0.0) <= ALLOWED[dtype]


@each_dtype
@given(
    seed=st.integers(0, 2**20),
    n_features=st.sampled_from([1, 2, 7]),
    offset=st.sampled_from([0.0, -3.0, 1e3, 1e6, -1e12]),
    width=st.floats(-4.0, 8.0),
    outliers=st.sampled_from([0.0, 0.02, 0.3, 0.7]),
    size=st.floats(0.0, 160.0),
)
# A landmark that is no outlier, but too far for single precision; and one too far for double.
@example(seed=0, n_features=2, offset=0.0, width=0.0, outliers=0.02, size=1.0)
@example(seed=0, n_features=2, offset=0.0, width=0.0, outliers=0.02, size=4.0)
def test_columns_keep_their_digits(
    dtype: Any, seed: int, n_features: int, offset: float, width: float, outliers: float, size: float
) -> None:
    rng = np.random.default_rng(seed)
    X = offset + rng.normal(size=(60, n_features))
    X[rng.random(60) < outliers] *= 10.0**size
    # Rows about as far away as a landmark that is an outlier, and just beside it.
    X[40:] = X[:20] + 10.0 ** (-width / 2.0) * rng.normal(size=(20, n_features))
    assert_columns(X, X[:40:2], 10.0**width, dtype)


@each_dtype
@pytest.mark.parametrize("share", [0.0, 0.5 * FEW, 2.0 * FEW, 1.0])
@pytest.mark.parametrize("distance", [3.0, 30.0, 3e4])
def test_landmarks_far_from_the_others_keep_their_digits(share: float, distance: float, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    far = np.arange(80) < 80 * share
    X[far] += distance * rng.choice([-1.0, 1.0], size=(far.sum(), 3))
    assert_columns(np.vstack([X, X + 0.1]), X, 0.5, dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_in_single_precision_are_compared_as_they_are(dtype: Any) -> None:
    X = (1e4 + np.random.default_rng(0).normal(size=(50, 2))).astype(np.float32)
    assert_columns(X, X[:10], 0.5, dtype)


@each_dtype
@given(value=st.floats(-1e300, 1e300), n_features=st.integers(1, 4), gamma=st.floats(1e-6, 1e6))
def test_a_row_is_wholly_like_itself(dtype: Any, value: float, n_features: int, gamma: float) -> None:
    X = np.full((3, n_features), value)
    X[1] = 0.0
    X[2] = -value
    compared = RBFKernel(gamma).against(X, dtype)(X)
    assert np.abs(compared.diagonal() - 1.0).max() <= ALLOWED[dtype]
    assert compared.max() <= 1.0
    assert compared.min() >= 0.0


def test_columns_of_no_rows_are_empty() -> None:
    X = np.ones((4, 2))
    assert RBFKernel(0.5).against(X, np.float32)(X[:0]).shape == (0, 4)
