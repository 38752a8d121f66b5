"""Features with landmarks added against features of all landmarks, computed afresh."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rocsvm import NystroemFeatures
from rocsvm.features import extend_features
from rocsvm.features._extend import measure_residual
from rocsvm.landmarks import LANDMARKS, Candidates
from tests.features.rows import DEFINITE, NEW, X, Y, multiply, project
from tests.kernels.definition import LAYOUTS

ROUNDING = {"float64": 1e-7, "float32": 1e-4}
each_dtype = pytest.mark.parametrize("dtype", ROUNDING)
each_scheme = pytest.mark.parametrize("landmarks", LANDMARKS)


def extend(rows: Any, n_more: int = 12, *, weights: Any = None, seed: int = 0, **parameters: Any) -> Any:
    """Return features with 12 landmarks, what they were of the rows, those extended, and theirs."""
    features = NystroemFeatures(**({"gamma": 0.3, "n_landmarks": 12, "random_state": 0} | parameters)).fit(rows, Y)
    before = features.transform(rows)
    candidates = Candidates(rows, features.kernel_, Y, weights)
    after = extend_features(features, rows, before, candidates, n_more, np.random.default_rng(seed))
    return features, before, after


@each_dtype
@each_scheme
@pytest.mark.parametrize("kernel", DEFINITE)
def test_extended_features_are_those_of_all_landmarks(kernel: str, landmarks: str, dtype: str) -> None:
    features, before, after = extend(X, kernel=kernel, landmarks=landmarks, dtype=dtype)
    assert after.dtype == dtype
    assert np.array_equal(after[:, : before.shape[1]], before)
    size = np.abs(multiply(after)).max()
    # Afresh: by what is kept of them, and by the formula.
    assert np.abs(features.transform(X) - after).max() <= 10.0 * ROUNDING[dtype] * np.sqrt(size)
    assert np.abs(multiply(after) - project(features, X, X)).max() <= ROUNDING[dtype] * size
    fresh = features.transform(NEW)
    assert fresh.shape == (30, after.shape[1])
    assert np.abs(multiply(fresh, after) - project(features, NEW, X)).max() <= ROUNDING[dtype] * size


@pytest.mark.parametrize("layout", LAYOUTS)
@each_scheme
def test_rows_of_any_layout_may_be_added(landmarks: str, layout: str) -> None:
    rows = LAYOUTS[layout](X)
    features, _, after = extend(rows, kernel="laplacian", landmarks=landmarks)
    assert sparse.issparse(features.landmarks_) == (sparse.issparse(rows) and landmarks != "kmeans")
    assert features.landmarks_.shape == (24, 3)
    assert np.abs(multiply(after) - project(features, X, X)).max() <= 1e-10


def test_dense_landmarks_and_sparse_ones_stand_together() -> None:
    rows = sparse.csr_array(X)
    features = NystroemFeatures("laplacian", gamma=0.3, n_landmarks=12, random_state=0).fit(rows)
    features.set_params(landmarks="uniform")
    after = extend_features(
        features, rows, features.transform(rows), Candidates(rows, features.kernel_), 9, np.random.default_rng(0)
    )
    assert np.abs(multiply(after) - project(features, X, X)).max() <= 1e-10


@each_scheme
def test_landmarks_are_added_where_most_is_left(landmarks: str) -> None:
    rows = np.vstack([0.05 * X[:60], 20.0 + X[60:]])
    # Twelve landmarks, all of them in the tight cluster.
    features = NystroemFeatures(gamma=0.3, n_landmarks=12, landmarks=landmarks, random_state=0).fit(rows[:60], Y[:60])
    Z = features.transform(rows)
    left = measure_residual(features.kernel_, rows, Z)
    np.testing.assert_allclose(left, 1.0 - multiply(Z).diagonal(), atol=1e-12)
    extend_features(features, rows, Z, Candidates(rows, features.kernel_, Y), 10, np.random.default_rng(0))
    assert np.all(features.landmarks_[-10:] > 10.0)


def test_rows_that_weigh_nothing_to_speak_of_are_not_added() -> None:
    features, _, _ = extend(
        X, weights=np.where(np.arange(80) < 40, 1.0, 1e-12), landmarks="uniform", kernel="laplacian"
    )
    assert {tuple(row) for row in features.landmarks_[12:]} <= {tuple(row) for row in X[:40]}


def test_where_nothing_is_left_nothing_is_added() -> None:
    features, before, after = extend(X, kernel="linear", landmarks="uniform")
    assert np.array_equal(after, before)
    np.testing.assert_allclose(features.transform(X), before, atol=1e-12)


def test_features_may_be_extended_again_until_they_are_the_kernel() -> None:
    features, _, after = extend(X, 30, kernel="laplacian", landmarks="rpcholesky")
    after = extend_features(features, X, after, Candidates(X, features.kernel_), 38, np.random.default_rng(1))
    assert after.shape == (80, 80)
    np.testing.assert_allclose(multiply(after), features.kernel_.compare(X, X), atol=1e-10)


def test_a_seed_adds_the_same_landmarks() -> None:
    first, again, other = (extend(X, seed=seed)[0].landmarks_ for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
