"""What every way to choose landmarks promises."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from rocsvm.kernels import AbstractKernel, CallableKernel, NamedKernel
from rocsvm.landmarks import LANDMARKS, Candidates, GivenLandmarks, KMeansLandmarks, RPCholeskyLandmarks
from rocsvm.landmarks._kmeans import spread
from tests.kernels.definition import LAYOUTS
from tests.landmarks.data import RBF, choose, draw_clusters, fill, measure_unexplained

RNG = np.random.default_rng(0)
# Twelve distinct rows, one of which stands for nearly all of 3,000.
DISTINCT = 3.0 * RNG.normal(size=(12, 2))
REPEATED = DISTINCT[np.where(RNG.random(3000) < 0.95, 0, RNG.integers(12, size=3000))]
X = RNG.normal(size=(400, 2))

each_scheme = pytest.mark.parametrize("name", LANDMARKS)
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def list_rows(rows: Any) -> set[tuple[float, ...]]:
    return set(map(tuple, fill(rows).tolist()))


@each_layout
@pytest.mark.parametrize("n_landmarks", [1, 7, 12, 13, 500])
@each_scheme
def test_landmarks_are_distinct_however_many_rows_repeat(name: str, n_landmarks: int, layout: str) -> None:
    landmarks = choose(name, LAYOUTS[layout](REPEATED), n_landmarks)
    assert landmarks.shape == (min(n_landmarks, 12), 2)
    assert len(list_rows(landmarks)) == landmarks.shape[0]
    if n_landmarks >= 12:
        assert list_rows(landmarks) == list_rows(DISTINCT)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@each_layout
@each_scheme
def test_as_many_landmarks_as_asked(name: str, layout: str, dtype: Any) -> None:
    rows = X.astype(dtype)
    landmarks = choose(name, LAYOUTS[layout](rows), 30)
    assert landmarks.shape == (30, 2)
    assert len(list_rows(landmarks)) == 30
    if name != "kmeans":
        assert list_rows(landmarks) <= list_rows(rows)


@each_layout
@each_scheme
def test_a_seed_chooses_the_same_landmarks(name: str, layout: str) -> None:
    rows = LAYOUTS[layout](X)
    first, again, other = (fill(choose(name, rows, 20, seed=seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@each_scheme
def test_heavy_rows_are_chosen(name: str) -> None:
    heavy = np.arange(400) % 4 == 1
    landmarks = choose(name, X + np.where(heavy, 0.0, 1e3)[:, None], 20, weights=np.where(heavy, 1.0, 1e-12))
    assert np.abs(landmarks).max() < 100.0


@pytest.mark.parametrize("name", [name for name in LANDMARKS if name != "kmeans"])
def test_a_weight_beyond_all_others_is_chosen_first(name: str) -> None:
    weights = np.ones(400)
    weights[7] = 1e12
    landmarks = choose(name, X, 1, weights=weights)
    assert np.array_equal(landmarks[0], X[7])


@pytest.mark.parametrize("kernel", [NamedKernel("linear"), CallableKernel(partial(rbf_kernel, gamma=0.5))])
@each_layout
@each_scheme
def test_any_kernel_on_any_rows(name: str, layout: str, kernel: AbstractKernel) -> None:
    landmarks = choose(name, LAYOUTS[layout](X), 10, kernel=kernel)
    # Two landmarks explain all of a linear kernel of two columns.
    assert landmarks.shape[0] == (2 if name == "rpcholesky" and kernel == NamedKernel("linear") else 10)
    assert len(list_rows(landmarks)) == landmarks.shape[0]


@pytest.mark.parametrize("coef0", [0.0, -5.0])
@each_scheme
def test_a_kernel_that_knows_no_likeness_has_landmarks_yet(name: str, coef0: float) -> None:
    kernel = NamedKernel("sigmoid", {"gamma": 1e-9, "coef0": coef0})
    assert len(choose(name, np.vstack([X, np.zeros((5, 2))]), 5, kernel=kernel)) >= 1
    assert len(choose(name, np.zeros((5, 2)), 5, kernel=kernel)) == 1


@each_scheme
def test_a_single_row_is_its_own_landmark(name: str) -> None:
    assert choose(name, X[:1], 5).tolist() == X[:1].tolist()


@pytest.mark.parametrize("name", ["kmeans", "leverage", "rpcholesky"])
def test_what_is_rare_is_explained_better_than_by_a_uniform_draw(name: str) -> None:
    clusters = draw_clusters()
    # A uniform draw of 100 rows finds five of the 25 small clusters, on average.
    for seed in range(3):
        uniform, own = (
            measure_unexplained(RBF, clusters, choose(each, clusters, 100, seed=seed)).sum()
            for each in ("uniform", name)
        )
        assert own < 0.3 * uniform


def test_random_pivots_find_every_cluster() -> None:
    clusters = draw_clusters()
    assert measure_unexplained(RBF, clusters, choose("rpcholesky", clusters, 100)).max() < 0.9


@pytest.mark.parametrize(
    ("scheme", "complaint"),
    [
        (KMeansLandmarks(rows_per_landmark=0), "rows_per_landmark=0 is not a whole number from 1 up; write, for ex"),
        (KMeansLandmarks(rows_per_landmark=None), "rows_per_landmark=None is not a whole number"),
        (RPCholeskyLandmarks(block=0.5), "block=0.5 is not a whole number from 1 up; write, for example, block=64"),
        (GivenLandmarks(np.ones((3, 4))), "landmarks is an array of rows with 4 features, but X has 2. Give landmarks"),
    ],
    ids=str,
)
def test_arguments_that_choose_nothing_are_told(scheme: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        scheme.choose(Candidates(X, RBF), 5, np.random.default_rng(0))


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_clusters_start_from_rows_far_from_each_other_whatever_their_offset(offset: float) -> None:
    rng = np.random.default_rng(0)
    corners = np.repeat(100.0 * np.arange(6.0), 50)[:, None] + np.array([0.0, 1.0])
    rows = corners + rng.uniform(size=corners.shape) + offset
    for seed in range(5):
        first = spread(rows, None, 6, np.random.default_rng(seed))
        assert sorted(((first[:, 0] - offset) // 100.0).tolist()) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
