"""Pivots proposed by the block are those drawn one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from rocsvm.kernels import NamedKernel
from rocsvm.landmarks import Candidates, RPCholeskyLandmarks, _rpcholesky
from tests.landmarks.data import RBF, choose, draw_clusters, measure_unexplained

# Of very different likeness to one another.
X = np.array([[0.0, 0.0], [0.3, 0.0], [0.0, 0.6], [2.0, 2.0], [2.2, 2.0]])
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.0, 1.5])
CLUSTERS = draw_clusters()


def define_chances(weights: np.ndarray) -> np.ndarray:
    """Return the chance of each pair of first and second pivot, one pivot at a time."""
    matrix = RBF.compare(X, X)
    chance = weights / weights.sum()
    left = weights * (1.0 - matrix**2)
    return chance[:, None] * left / left.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("block", [1, 2, 7, 64])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighed"])
def test_each_pair_of_pivots_has_its_chance(weights: np.ndarray | None, block: int) -> None:
    rng, n_draws, counts = np.random.default_rng(0), 1500, np.zeros((5, 5))
    scheme = RPCholeskyLandmarks(block)
    for _ in range(n_draws):
        first, second = scheme.choose(Candidates(X, RBF, None, weights), 2, rng)
        counts[np.all(first == X, axis=1), np.all(second == X, axis=1)] += 1.0
    chance = define_chances(np.ones(5) if weights is None else weights)
    error = np.sqrt(chance * (1.0 - chance) / n_draws)
    assert np.all(np.abs(counts / n_draws - chance) <= 4.5 * error)


def measure_left(landmarks: np.ndarray) -> float:
    """Return what landmarks leave of the clusters; a uniform draw of 60 leaves some 90."""
    return float(measure_unexplained(RBF, CLUSTERS, landmarks).sum())


@pytest.mark.parametrize("block", [1, 16, 500])
def test_a_block_of_any_size_explains_as_much(block: int) -> None:
    landmarks = RPCholeskyLandmarks(block).choose(Candidates(CLUSTERS, RBF), 60, np.random.default_rng(0))
    assert measure_left(landmarks) < 9.0


def test_no_pivot_is_drawn_where_all_is_explained() -> None:
    rows = np.random.default_rng(0).normal(size=(300, 4))
    landmarks = choose("rpcholesky", rows, 50, kernel=NamedKernel("linear"))
    assert len(landmarks) == 4


def test_a_factor_in_single_precision_is_as_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_rpcholesky, "MANY_ENTRIES", 1)
    landmarks = choose("rpcholesky", np.repeat(CLUSTERS, 2, axis=0), 60)
    assert len(np.unique(landmarks, axis=0)) == 60
    assert measure_left(landmarks) < 9.0


def test_rows_are_worked_through_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = choose("rpcholesky", CLUSTERS, 60)
    monkeypatch.setattr(_rpcholesky, "ROWS", 37)
    assert np.array_equal(choose("rpcholesky", CLUSTERS, 60), whole)
