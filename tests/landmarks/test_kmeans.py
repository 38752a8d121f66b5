"""Means of clusters."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from rocsvm.landmarks import Candidates, KMeansLandmarks
from rocsvm.landmarks._kmeans import spread
from tests.kernels.definition import LAYOUTS
from tests.landmarks.data import RBF, choose


@pytest.mark.parametrize("layout", LAYOUTS)
def test_means_are_about_as_good_as_those_of_scikit_learn(layout: str) -> None:
    X = np.random.default_rng(0).normal(size=(3000, 2))
    means = choose("kmeans", LAYOUTS[layout](X), 40)
    distances = ((X[:, None] - means[None]) ** 2).sum(axis=2).min(axis=1).sum()
    assert distances < 1.25 * KMeans(40, n_init=1, random_state=0).fit(X).inertia_


def test_whole_weights_are_as_good_as_repeated_rows_in_any_order() -> None:
    rng = np.random.default_rng(0)
    X, counts = rng.normal(size=(120, 2)), rng.integers(1, 4, size=120)
    repeated = rng.permutation(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(
        choose("kmeans", X, 15, weights=counts.astype(float)), choose("kmeans", repeated, 15), atol=1e-12
    )


def test_a_sample_of_many_rows_respects_weights() -> None:
    X = np.random.default_rng(0).normal(size=(5000, 1))
    means = choose("kmeans", X, 10, weights=np.where(X[:, 0] > 0.0, 1.0, 1e-12))
    assert means.min() > 0.0


def test_rows_take_the_place_of_means_that_coincide() -> None:
    # A sentinel far beyond the digits of the other rows makes k-means see one row in all of them.
    X = np.vstack([np.random.default_rng(0).normal(size=(200, 2)), [[1e25, 1e25]]])
    means = choose("kmeans", X, 30)
    assert len(np.unique(means, axis=0)) == 30


def test_a_sweep_and_a_small_sample_are_enough_to_have_means() -> None:
    X = np.random.default_rng(0).normal(size=(3000, 2))
    means = KMeansLandmarks(rows_per_landmark=1, max_iter=1).choose(Candidates(X, RBF), 20, np.random.default_rng(0))
    assert len(np.unique(means, axis=0)) == 20


def test_rows_to_start_from_are_drawn_by_their_squared_distance_from_the_nearest() -> None:
    rows, counts = np.array([[0.0], [1.0], [3.0], [3.5]]), np.array([2.0, 1.0, 1.0, 3.0])
    wanted: dict[tuple[float, ...], float] = {}
    for first in range(4):
        by_first = counts * (rows[:, 0] - rows[first, 0]) ** 2
        for second in range(4):
            nearest = np.minimum(by_first, counts * (rows[:, 0] - rows[second, 0]) ** 2)
            for third in range(4):
                drawn = (rows[first, 0], rows[second, 0], rows[third, 0])
                chance = counts[first] / counts.sum() * by_first[second] / by_first.sum()
                wanted[drawn] = chance * nearest[third] / nearest.sum() if chance > 0.0 else 0.0
    rng, n_draws = np.random.default_rng(0), 20_000
    found = dict.fromkeys(wanted, 0)
    for _ in range(n_draws):
        found[tuple(spread(rows, counts, 3, rng)[:, 0].tolist())] += 1
    assert sum(wanted.values()) == pytest.approx(1.0)
    for drawn, chance in wanted.items():
        assert abs(found[drawn] / n_draws - chance) <= 4.5 * np.sqrt(chance * (1.0 - chance) / n_draws)
