"""Grids: from the largest alpha that matters geometrically down, and about the middle gamma."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rocsvm import KernelROCSVMCV, LinearROCSVMCV
from rocsvm.estimators._base import Rows
from rocsvm.estimators._grid import check_grid, find_largest_alpha, space_alphas, space_gammas
from rocsvm.features import wrap_matrix
from rocsvm.kernels import find_gamma
from tests.estimators.data import draw_data, exact

X, Y = draw_data()
WEIGHTS = np.random.default_rng(1).random(len(X))


def find_largest(rows: Any, labels: Any, weights: Any = None) -> float:
    return find_largest_alpha(wrap_matrix(rows), Rows(rows, labels == 1, weights, np.array([0, 1])))


def find_difference(weights: Any) -> np.ndarray:
    counts = np.ones(len(X)) if weights is None else weights
    return np.average(X, axis=0, weights=counts * Y) - np.average(X, axis=0, weights=counts * (1 - Y))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("factor", [1.0, 7.0])
def test_from_the_largest_alpha_on_the_weights_are_the_scaled_difference_of_the_means(
    factor: float, weights: Any
) -> None:
    alpha = factor * find_largest(X, Y, weights)
    model = exact(alpha=alpha, tol=1e-10).fit(X, Y, weights)
    assert model.coef_[0] == pytest.approx(find_difference(weights) / alpha, rel=1e-4)


def test_a_little_below_the_largest_alpha_a_pair_leaves_and_the_direction_turns() -> None:
    alpha = 0.9 * find_largest(X, Y)
    w = find_difference(None) / alpha
    scores = X @ w
    assert scores[Y == 1].max() - scores[Y == 0].min() > 1.0
    assert np.linalg.norm(exact(alpha=alpha, tol=1e-12).fit(X, Y).coef_[0] - w) > 1e-5 * np.linalg.norm(w)


def test_sparse_rows_and_rows_of_no_weight_change_no_grid() -> None:
    assert find_largest(sparse.csr_array(X), Y) == pytest.approx(find_largest(X, Y), rel=1e-12)
    weights = (np.arange(len(X)) % 3 > 0).astype(float)
    models = [
        LinearROCSVMCV(3, cv=2).fit(X, Y, weights),
        LinearROCSVMCV(3, cv=2).fit(X[weights > 0], Y[weights > 0]),
    ]
    assert np.array_equal(models[0].alphas_, models[1].alphas_)


def test_equal_means_leave_one() -> None:
    assert find_largest(np.ones((6, 2)), np.arange(6) % 2) == 1.0


@pytest.mark.parametrize("n_alphas", [1, 2, 20])
def test_alphas_fall_geometrically_over_six_decades(n_alphas: int) -> None:
    alphas = space_alphas(3.0, n_alphas)
    assert alphas[0] == 3.0
    assert len(alphas) == n_alphas
    if n_alphas > 1:
        assert alphas[-1] == pytest.approx(3e-6)
        assert np.diff(np.log(alphas)) == pytest.approx(np.full(n_alphas - 1, np.log(1e-6) / (n_alphas - 1)))


@pytest.mark.parametrize("n_gammas", [1, 2, 5])
def test_gammas_are_spread_about_the_middle_by_factors_of_four(n_gammas: int) -> None:
    gammas = space_gammas(0.3, n_gammas)
    assert np.exp(np.log(gammas).mean()) == pytest.approx(0.3)
    assert gammas[1:] / gammas[:-1] == pytest.approx(np.full(n_gammas - 1, 4.0))


@pytest.mark.parametrize("wrap", [list, tuple, set, np.array, pd.Series, np.float32, iter])
def test_given_values_are_tried_once_each_the_largest_first(wrap: Any) -> None:
    assert check_grid("alphas", wrap([0.5, 4.0, 0.5, 2]), "20").tolist() == [4.0, 2.0, 0.5]


@pytest.mark.parametrize("given", [7, np.int32(7)])
def test_a_number_asks_for_so_many(given: Any) -> None:
    assert check_grid("alphas", given, "20") == 7


def test_a_linear_search_runs_over_the_grid_of_the_data() -> None:
    model = LinearROCSVMCV(4, cv=2).fit(X, Y)
    assert model.alphas_ == pytest.approx(space_alphas(find_largest(X, Y), 4), rel=1e-12)


def test_a_kernel_search_runs_over_gammas_about_scale_and_alphas_that_matter_at_any() -> None:
    model = KernelROCSVMCV(3, 3, cv=2, n_landmarks=10, random_state=0).fit(X, Y)
    rng = np.random.default_rng(0)
    assert model.gammas_ == pytest.approx(space_gammas(find_gamma("scale", X, None, rng), 3), rel=1e-12)
    assert find_gamma("scale", X, None, rng) == pytest.approx(1.0 / (3 * X.var()))
    assert model.alphas_[-1] == pytest.approx(1e-6 * model.alphas_[0])
    # At the gamma chosen, the weights at the largest alpha point from one mean to the other, as at any gamma.
    largest = find_largest(model.features_.compute(X), Y)
    assert largest <= model.alphas_[0] * (1.0 + 1e-12)
