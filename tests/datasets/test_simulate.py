"""The paper's two models, against their definitions and their exact AUC."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, norm
from sklearn.metrics import roc_auc_score

from rocsvm.datasets import make_roc_linear, make_roc_radial, population_auc

MAKERS: dict[str, Callable[..., Any]] = {"linear": make_roc_linear, "radial": make_roc_radial}
each_model = pytest.mark.parametrize("model", MAKERS)


def score(model: str, X: Any) -> Any:
    return X[:, :2].sum(axis=1) if model == "linear" else (X[:, :2] ** 2).sum(axis=1)


def define_auc(model: str, share_negative: float) -> float:
    """Return the probability that a positive outscores a negative, from the density of the score alone."""
    density, low, high = (norm(scale=np.sqrt(2.0)), -9.0, 9.0) if model == "linear" else (chi2(2), 0.0, 60.0)
    grid = np.linspace(low, high, 4_001)
    weight = density.pdf(grid) * (grid[1] - grid[0])
    weight[[0, -1]] *= 0.5
    offset = brentq(lambda offset: float(weight @ norm.cdf(offset - grid)) - share_negative, -10.0, 20.0)
    positive, negative = weight * norm.cdf(grid - offset), weight * norm.cdf(offset - grid)
    below = np.cumsum(negative) - 0.5 * negative
    return float(positive @ below / (positive.sum() * negative.sum()))


@each_model
@pytest.mark.parametrize("share_negative", [0.5, 0.8, 0.98])
def test_the_share_of_negatives_is_the_one_asked_for(model: str, share_negative: float) -> None:
    _, y = MAKERS[model](100_000, share_negative=share_negative, random_state=0)
    spread = np.sqrt(share_negative * (1.0 - share_negative) / 100_000)
    assert abs((y == 0).mean() - share_negative) < 4.0 * spread


@each_model
def test_labels_follow_the_score_with_normal_noise(model: str) -> None:
    X, y = MAKERS[model](200_000, random_state=1)
    scores = score(model, X)
    offset = np.quantile(scores + np.random.default_rng(2).standard_normal(len(scores)), 0.8)
    for low in np.arange(-2.0, 5.0):
        rows = (scores > low) & (scores <= low + 1.0)
        if rows.sum() > 100:
            expected = norm.cdf(scores[rows] - offset)
            spread = np.sqrt((expected * (1.0 - expected)).sum()) / rows.sum()
            assert abs(y[rows].mean() - expected.mean()) < 4.0 * spread + 0.005


@each_model
def test_features_are_standard_normal_and_those_past_the_second_say_nothing(model: str) -> None:
    X, y = MAKERS[model](50_000, n_features=4, random_state=3)
    assert X.shape == (50_000, 4)
    assert np.allclose(np.cov(X.T), np.eye(4), atol=0.03)
    for column in X[:, 2:].T:
        assert abs(roc_auc_score(y, column) - 0.5) < 0.02
        assert abs(roc_auc_score(y, column**2) - 0.5) < 0.02


@each_model
def test_a_seed_gives_the_same_rows_again(model: str) -> None:
    one, other, third = (MAKERS[model](50, random_state=seed) for seed in (7, 7, 8))
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])
    assert not np.array_equal(one[0], third[0])


@each_model
@pytest.mark.parametrize("share_negative", [0.5, 0.8, 0.95])
def test_the_population_auc_is_within_four_standard_errors_of_the_exact_one(model: str, share_negative: float) -> None:
    auc, error = population_auc(model, share_negative=share_negative, n_draws=200_000)
    assert abs(auc - define_auc(model, share_negative)) < 4.0 * error + 1e-5
    assert error < 1e-3


def test_the_population_aucs_with_four_in_five_negative_are_not_the_papers() -> None:
    linear, radial = population_auc("linear"), population_auc("radial")
    assert linear.auc == pytest.approx(0.90809, abs=4.0 * linear.standard_error)
    assert radial.auc == pytest.approx(0.96471, abs=4.0 * radial.standard_error)
    assert population_auc("linear") == linear
    assert min(linear.auc - 0.90377, radial.auc - 0.90985) > 20.0 * max(linear.standard_error, radial.standard_error)


@each_model
def test_the_standard_error_is_the_spread_over_seeds(model: str) -> None:
    found = [population_auc(model, n_draws=2_000, random_state=seed) for seed in range(200)]
    spread = np.std([each.auc for each in found], ddof=1)
    assert np.mean([each.standard_error for each in found]) == pytest.approx(spread, rel=0.25)


@each_model
def test_the_population_auc_is_that_of_drawn_labels(model: str) -> None:
    X, y = MAKERS[model](200_000, random_state=5)
    assert roc_auc_score(y, score(model, X)) == pytest.approx(population_auc(model).auc, abs=0.004)


@each_model
@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"n_samples": 0}, "n_samples=0"),
        ({"n_samples": 2.5}, r"n_samples=2\.5"),
        ({"share_negative": 1.0}, r"share_negative=1\.0"),
        ({"share_negative": "most"}, "share_negative='most'"),
        ({"n_features": 1}, "n_features=1"),
        ({"random_state": "seed"}, "random_state='seed'"),
    ],
)
def test_what_makes_no_data_is_told(model: str, changes: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        MAKERS[model](**({"n_samples": 10} | changes))


def test_what_has_no_population_is_told() -> None:
    with pytest.raises(ValueError, match="write 'linear' or 'radial'"):
        population_auc("cubic")
    with pytest.raises(ValueError, match="n_draws=1"):
        population_auc("linear", n_draws=1)
    with pytest.raises(ValueError, match="share_negative=0"):
        population_auc("linear", share_negative=0)
