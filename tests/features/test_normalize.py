"""Which landmarks are kept, by the eigenvalues of what they leave of the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from rocsvm import KernelROCSVM, NystroemFeatures
from rocsvm.features._normalize import find_basis
from tests.features.rows import multiply


def complement(matrix: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return what a matrix leaves beyond the span of some of its rows."""
    own = matrix[np.ix_(basis, basis)]
    return matrix - matrix[:, basis] @ np.linalg.pinv(own, rcond=1e-14, hermitian=True) @ matrix[basis]


@given(seed=st.integers(0, 1000), gamma=st.sampled_from([0.01, 0.1, 1.0]), rank_tol=st.sampled_from([1e-2, 1e-4, 1e-6]))
def test_a_basis_leaves_no_eigenvalue_above_the_tolerance(seed: int, gamma: float, rank_tol: float) -> None:
    matrix = rbf_kernel(np.random.default_rng(seed).normal(size=(40, 2)), gamma=gamma)
    basis = find_basis(matrix, rank_tol)
    assert np.array_equal(basis, np.unique(basis))
    assert np.linalg.eigvalsh(complement(matrix, basis))[-1] <= rank_tol * np.linalg.eigvalsh(matrix)[-1]


@pytest.mark.parametrize("scale", [1e-200, 1e160, 1e300])
def test_a_basis_does_not_depend_on_the_scale_of_the_kernel(scale: float) -> None:
    rows = np.random.default_rng(0).normal(size=(30, 4))
    matrix = rows @ rows.T
    assert np.array_equal(find_basis(scale * matrix, 1e-10), find_basis(matrix, 1e-10))


def test_a_matrix_whose_rows_sum_to_zero_has_a_basis() -> None:
    rows = np.random.default_rng(0).normal(size=(10, 4))
    both = np.vstack([rows, -rows])
    assert len(find_basis(both @ both.T, 1e-10)) == 4


def test_a_basis_has_as_many_rows_as_the_matrix_has_rank() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 4))
    assert len(find_basis(rows @ rows.T, 1e-10)) == 4


@pytest.mark.parametrize(
    "matrix",
    [
        np.diag([1.0, 1.0, 0.0]) + np.array([[0.0, 0.0, 0.9], [0.0, 0.0, 0.0], [0.9, 0.0, 0.0]]),
        np.diag([2.0, 1.0, -1.0]),
        np.array([[0.0, 1.0], [1.0, 0.0]]),
        np.diag([2.0, 1.0, -1e-6]),
        np.zeros((3, 3)),
        np.full((3, 3), np.nan),
    ],
    ids=["off the diagonal", "on the diagonal", "without a trace", "by a little", "zero", "no number"],
)
def test_every_row_of_an_indefinite_matrix_is_kept(matrix: np.ndarray) -> None:
    assert np.array_equal(find_basis(matrix, 1e-3), np.arange(len(matrix)))


def test_features_are_those_of_all_landmarks_chosen() -> None:
    X = np.random.default_rng(0).uniform(-2.0, 2.0, size=(500, 2))
    own = NystroemFeatures(gamma=0.1, n_landmarks=200, landmarks="uniform", random_state=0).fit(X)
    assert len(own.landmarks_) < 100
    chosen = NystroemFeatures(gamma=40.0, n_landmarks=200, landmarks="uniform", random_state=0).fit(X).landmarks_
    assert len(chosen) == 200
    whole = NystroemFeatures(gamma=0.1, landmarks=chosen).fit(X)
    np.testing.assert_allclose(multiply(own.transform(X)), multiply(whole.transform(X)), atol=1e-5)


@pytest.mark.parametrize("rank_tol", [None, 1e-4, 1e-2])
@pytest.mark.parametrize("gamma", [0.01, 0.05, 0.5])
def test_models_are_as_good_as_on_all_landmarks_chosen(gamma: float, rank_tol: float | None) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=3000) > 1.0
    chosen = NystroemFeatures(gamma=1e3, n_landmarks=300, landmarks="uniform", random_state=0).fit(X).landmarks_
    assert len(chosen) == 300
    common: dict[str, Any] = {"gamma": gamma, "rank_tol": rank_tol, "dtype": "float32", "random_state": 0}
    own = NystroemFeatures(n_landmarks=300, landmarks="uniform", **common)
    whole = NystroemFeatures(landmarks=chosen, **common)
    best, known = (KernelROCSVM(1e-5, features=one, random_state=0).fit(X, y) for one in (whole, own))
    assert len(known.landmarks_) < 300
    assert known.objective_ <= 1.02 * best.objective_


def test_a_kernel_that_is_negative_up_to_rounding_is_none() -> None:
    X = np.random.default_rng(0).normal(size=(80, 3))
    with pytest.raises(ValueError, match="has no positive eigenvalue on these rows"):
        NystroemFeatures(kernel=lambda rows, others: -(rows @ others.T), n_landmarks=40, random_state=0).fit(X)


def test_a_tolerance_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"rank_tol=2\.0 leaves no eigenvalue; write a share"):
        NystroemFeatures(rank_tol=2.0).fit(np.eye(4))


def test_given_landmarks_are_all_kept() -> None:
    X = np.random.default_rng(0).normal(size=(500, 2))
    assert np.array_equal(NystroemFeatures(gamma=0.1, landmarks=X[:200]).fit(X).landmarks_, X[:200])
