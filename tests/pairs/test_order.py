"""The two ways to put scores in order, against their definitions."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocsvm.pairs._order import CountedScores, count_scores, sort_scores
from tests import strategies
from tests.pairs.checks import EPS, counted_samples, fill_weights
from tests.strategies import Sample

samples = strategies.lattice_samples() | strategies.float_samples()


def sort_sample(sample: Sample):
    rows_pos, rows_neg = np.flatnonzero(sample.positive), np.flatnonzero(~sample.positive)
    return sort_scores(sample.scores, rows_pos, rows_neg, sample.weights)


def count_sample(sample: Sample, rounding: float) -> CountedScores:
    counted = count_scores(sample.scores, sample.positive, sample.weights, rounding)
    assert counted is not None
    return counted


def assert_counted(counted: CountedScores, sample: Sample, rounding: float) -> None:
    """Assert that scores moved to the means of cells no wider than the rounding, each class on its own."""
    weights = fill_weights(sample)
    moved = counted.expand(counted.pos.scores, counted.neg.scores)
    noise = len(weights) * EPS * np.abs(sample.scores).max()
    assert np.abs(moved - sample.scores).max() <= rounding * (1.0 + 1e-12) + 2.0 * noise
    for cell in np.unique(counted.cells):
        rows = np.flatnonzero(counted.cells == cell)
        assert len(np.unique(sample.positive[rows])) == 1
        assert np.ptp(sample.scores[rows]) <= rounding * (1.0 + 1e-12) + noise
        mean = math.fsum(weights[rows] * sample.scores[rows]) / math.fsum(weights[rows])
        np.testing.assert_allclose(moved[rows], mean, rtol=0.0, atol=noise)
    for ordered, own in ((counted.pos, sample.positive), (counted.neg, ~sample.positive)):
        assert np.all(np.diff(ordered.scores) >= 0.0)
        assert np.all(np.diff(moved[own][np.argsort(sample.scores[own])]) >= 0.0)
        assert ordered.weights.sum() == pytest.approx(weights[own].sum(), rel=1e-13)


@given(sample=samples)
def test_sorted_scores_are_those_of_each_class_in_order(twin: ModuleType, sample: Sample) -> None:
    order = sort_sample(sample)
    weights = fill_weights(sample)
    for own, rows, label in ((order.pos, order.rows_pos, True), (order.neg, order.rows_neg, False)):
        np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(sample.positive == label))
        np.testing.assert_array_equal(own.scores, np.sort(sample.scores[rows]))
        np.testing.assert_array_equal(own.scores, sample.scores[rows])
        np.testing.assert_array_equal(own.weights, weights[rows])


@given(sample=samples)
def test_negated_scores_ascend_with_their_weights(twin: ModuleType, sample: Sample) -> None:
    own = sort_sample(sample).pos
    negated = own.negated()
    np.testing.assert_array_equal(negated.scores, np.sort(-own.scores))
    assert sorted(zip(-negated.scores, negated.weights, strict=True)) == sorted(zip(*own, strict=True))


@given(sample=samples)
def test_sorted_scores_expand_to_the_rows_that_they_came_from(twin: ModuleType, sample: Sample) -> None:
    order = sort_sample(sample)
    np.testing.assert_array_equal(order.expand(order.pos.scores, order.neg.scores), sample.scores)


@given(drawn=counted_samples())
def test_counting_moves_each_score_to_its_cells_mean(twin: ModuleType, drawn: tuple[Sample, float]) -> None:
    sample, rounding = drawn
    assert_counted(count_sample(sample, rounding), sample, rounding)


@given(sample=samples, rounding=st.integers(-12, 12).map(lambda power: 10.0**power) | st.floats(1e-3, 10.0))
def test_counting_holds_its_promise_or_is_given_up(twin: ModuleType, sample: Sample, rounding: float) -> None:
    counted = count_scores(sample.scores, sample.positive, sample.weights, rounding)
    if counted is None:
        assert len(sample.scores) < 4 or np.ptp(sample.scores) >= rounding * (len(sample.scores) // 4) * (1.0 - 1e-12)
    else:
        assert_counted(counted, sample, rounding)


def test_scores_far_out_keep_a_cell_each(twin: ModuleType) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=4000)
    far = rng.choice(4000, 400, replace=False)
    scores[far] = 1e6 * rng.standard_cauchy(400)
    sample = Sample(scores, rng.random(4000) < 0.3, None)
    counted = count_sample(sample, 0.05)
    assert_counted(counted, sample, 0.05)
    moved = counted.expand(counted.pos.scores, counted.neg.scores)
    outer = np.abs(scores - np.median(scores)) > 0.05 * 600
    assert outer.sum() > 300
    np.testing.assert_array_equal(moved[outer], scores[outer])


def test_counting_is_given_up_where_too_many_scores_are_far_out(twin: ModuleType) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=400)
    scores[:51] *= 1e6
    positive = rng.random(400) < 0.5
    assert count_scores(scores, positive, None, 0.1) is None
    scores[1:51] /= 1e6
    assert count_scores(scores, positive, None, 0.1) is not None


def test_nothing_is_counted_without_rounding(twin: ModuleType) -> None:
    assert count_scores(np.arange(100.0), np.arange(100) < 50, None, 0.0) is None


@given(drawn=counted_samples(weights="integer") | counted_samples(weights="none"), is_counted=st.booleans())
def test_collected_values_are_weighted_sums_by_score(twin: ModuleType, drawn, is_counted: bool) -> None:
    sample, rounding = drawn
    order = count_sample(sample, rounding) if is_counted else sort_sample(sample)
    weights = fill_weights(sample)
    n = len(weights)
    values = np.random.default_rng(n).integers(-9, 9, (n, 2)).astype(np.float64)
    before = values.copy()
    pos, neg = order.collect(values, sample.weights)
    np.testing.assert_array_equal(values, before)
    # A number per place, expanded to the rows, tells which place each row went to.
    places = order.expand(np.arange(len(pos))[:, None] + 0.0, np.arange(len(neg))[:, None] + 0.0)[:, 0]
    for own, collected in ((sample.positive, pos), (~sample.positive, neg)):
        for place in range(len(collected)):
            rows = own & (places == place)
            np.testing.assert_array_equal(collected[place], weights[rows] @ values[rows])


@given(drawn=counted_samples(), is_counted=st.booleans())
def test_lined_up_rows_are_those_of_the_places_that_slices_name(twin: ModuleType, drawn, is_counted: bool) -> None:
    sample, rounding = drawn
    order = count_sample(sample, rounding) if is_counted else sort_sample(sample)
    rng = np.random.default_rng(len(sample.scores))
    n_pos, n_neg = len(order.pos.scores), len(order.neg.scores)
    near = np.sort(rng.integers(0, n_neg + 1, n_pos))
    far = np.maximum(near, np.sort(rng.integers(0, n_neg + 1, n_pos)))
    lined_up = order.line_up((near, far))
    places = order.expand(np.arange(n_pos) + 0.0, np.arange(n_neg) + 0.0)
    assert sorted(lined_up.rows_pos) == np.flatnonzero(sample.positive).tolist()
    assert sorted(lined_up.rows_neg) == np.flatnonzero(~sample.positive).tolist()
    for row, start, stop in zip(lined_up.rows_pos, lined_up.near, lined_up.far, strict=True):
        place = int(places[row])
        wanted = ~sample.positive & (places >= near[place]) & (places < far[place])
        assert sorted(lined_up.rows_neg[start:stop]) == np.flatnonzero(wanted).tolist()
