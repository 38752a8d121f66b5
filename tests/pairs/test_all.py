"""All pairs, summed by order of scores, against the double loop over them."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rocsvm.loops import _numpy
from rocsvm.losses import LOSSES, Ramp, Smoothing
from rocsvm.pairs import PAIRS, AllPairs, PairSums
from rocsvm.pairs._all import AllPairSums, weigh_gram
from rocsvm.pairs._order import count_scores
from tests import reference, strategies
from tests.pairs.checks import (
    NOISE,
    allow,
    assert_dual_allows,
    assert_sums_are_double_loop,
    assert_sums_equal,
    assert_sums_within_bracket,
    assert_within,
    counted_samples,
    fill_weights,
    find_slack,
    share_classes,
)
from tests.strategies import Sample

each_case = pytest.mark.parametrize(("name", "smoothing"), strategies.CASES)
each_loss = pytest.mark.parametrize("name", LOSSES)
FORMS = {"dense": np.asarray, "fortran": np.asfortranarray, "csr": sparse.csr_array, "csc": sparse.csc_array}


def bind(sample: Sample) -> AllPairSums:
    return AllPairs().bind(sample.positive, sample.weights, np.random.default_rng(0))


def sum_pairs(sample: Sample, name: str, smoothing: Smoothing) -> PairSums:
    return bind(sample).sum(LOSSES[name](), sample.scores, smoothing=smoothing)


def list_pairs(sample: Sample) -> list[reference.Pair]:
    return reference.list_pairs(sample.positive.tolist(), None if sample.weights is None else sample.weights.tolist())


def repeat(sample: Sample) -> tuple[Sample, np.ndarray]:
    """Return the sample with rows in place of integer weights, and the row that each came from."""
    origin = np.repeat(np.arange(len(sample.scores)), fill_weights(sample).astype(int))
    return sample.take(origin)._replace(weights=None), origin


def test_all_pairs_are_registered_and_draw_nothing() -> None:
    rng = np.random.default_rng(0)
    pairs = PAIRS["all"]().bind(np.array([True, False]), None, rng)
    assert isinstance(pairs, AllPairSums)
    assert rng.random() == np.random.default_rng(0).random()


@each_case
@given(sample=strategies.lattice_samples())
def test_all_pairs_equals_double_loop(twin: ModuleType, name: str, smoothing: Smoothing, sample: Sample) -> None:
    sums = sum_pairs(sample, name, smoothing)
    assert_sums_are_double_loop(sums, name, smoothing, sample.scores, list_pairs(sample), sample)


@given(sample=strategies.float_samples())
def test_rounded_margins_keep_all_pairs_within_their_bracket(twin: ModuleType, sample: Sample) -> None:
    for name, smoothing in strategies.CASES:
        sums = sum_pairs(sample, name, smoothing)
        assert_sums_within_bracket(sums, name, smoothing, sample.scores, list_pairs(sample), sample)


@given(sample=strategies.lattice_samples())
def test_value_and_pull_alone_equal_those_of_the_sums(twin: ModuleType, sample: Sample) -> None:
    for name, smoothing in strategies.CASES:
        loss, sums = LOSSES[name](), sum_pairs(sample, name, smoothing)
        assert bind(sample).value(loss, sample.scores) == sums.loss
        pull = bind(sample).pull(loss.ramp(smoothing), sample.scores)
        assert pull == pytest.approx(sums.pull, rel=allow(sample), abs=NOISE)


@given(sample=strategies.lattice_samples(), upper=st.sampled_from([-1.0, 0.0, 0.5, 1.0]))
def test_pull_of_a_step_is_the_share_of_pairs_below_it(twin: ModuleType, sample: Sample, upper: float) -> None:
    below = [weight for i, j, weight in list_pairs(sample) if sample.scores[i] - sample.scores[j] < upper]
    pull = bind(sample).pull(Ramp(upper, 0.0, 0.0, 1.0), sample.scores)
    assert pull == pytest.approx(sum(below), rel=allow(sample), abs=0.0)


@given(sample=strategies.lattice_samples())
def test_scheme_sums_smoothed_loss_and_slope(twin: ModuleType, sample: Sample) -> None:
    for name, smoothing in strategies.CASES:
        value, slope = AllPairs().sum(
            LOSSES[name](), sample.scores, sample.positive, sample.weights, smoothing=smoothing, random_state=0
        )
        sums = sum_pairs(sample, name, smoothing)
        assert value == sums.smoothed
        np.testing.assert_array_equal(slope, sums.slope)


@given(sample=strategies.lattice_samples() | strategies.float_samples())
def test_slopes_sum_to_nothing_and_ask_no_positive_row_to_fall(twin: ModuleType, sample: Sample) -> None:
    for name, smoothing in strategies.CASES:
        sums = sum_pairs(sample, name, smoothing)
        # What either class is asked for is summed from its own side, over margins that may round apart.
        own, apart = reference.LOSSES[name](*smoothing), find_slack(sample.scores) * sample.positive
        most, least = (reference.mean_pull(own, sample.scores + shift, list_pairs(sample)) for shift in (-apart, apart))
        noise = NOISE * share_classes(sample)
        assert abs(sums.slope.sum()) <= 2.0 * (most - least) + allow(sample) * most + 2.0 * NOISE
        assert np.all(sums.slope[sample.positive] <= noise[sample.positive])
        assert np.all(sums.slope[~sample.positive] >= -noise[~sample.positive])


@given(sample=strategies.lattice_samples(weights="integer"))
def test_integer_weight_equals_repetition(twin: ModuleType, sample: Sample) -> None:
    for name, smoothing in strategies.CASES:
        long, origin = repeat(sample)
        sums, repeated = sum_pairs(sample, name, smoothing), sum_pairs(long, name, smoothing)
        slope = np.bincount(origin, repeated.slope)
        assert_sums_equal(sums, repeated._replace(slope=slope), sample, smoothing)


@given(sample=strategies.lattice_samples(weights="integer"))
def test_integer_weight_equals_repetition_in_the_curvature(twin: ModuleType, sample: Sample) -> None:
    for name, smoothing in strategies.CASES:
        long, origin = repeat(sample)
        X = np.random.default_rng(0).integers(-8, 9, (len(sample.scores), 2)).astype(np.float64)
        loss = LOSSES[name]()
        own = bind(sample).curve(loss, sample.scores, smoothing=smoothing)
        repeated = bind(long).curve(loss, long.scores, smoothing=smoothing)
        scale = NOISE * max(loss.ramp(smoothing).curvature, 1.0)
        np.testing.assert_allclose(own.diagonal(), np.bincount(origin, repeated.diagonal()), rtol=1e-12, atol=scale)
        np.testing.assert_allclose(own.gram(X), repeated.gram(X[origin]), rtol=1e-12, atol=1e3 * scale)


@given(sample=strategies.lattice_samples(), seed=st.integers(0, 2**32 - 1))
def test_permuting_rows_permutes_the_slopes(twin: ModuleType, sample: Sample, seed: int) -> None:
    for name, smoothing in strategies.CASES:
        rows = np.random.default_rng(seed).permutation(len(sample.scores))
        sums, permuted = sum_pairs(sample, name, smoothing), sum_pairs(sample.take(rows), name, smoothing)
        assert_sums_equal(permuted, sums._replace(slope=sums.slope[rows]), sample.take(rows), smoothing)


@given(sample=strategies.lattice_samples(), data=st.data())
def test_shifting_scores_changes_nothing(twin: ModuleType, sample: Sample, data: st.DataObject) -> None:
    for name, smoothing in strategies.CASES:
        # By a number of the same lattice, so that no margin rounds.
        shift = (
            data.draw(st.sampled_from([-1.0, 1.0])) * sample.scores[data.draw(st.integers(0, len(sample.scores) - 1))]
        )
        shifted = sum_pairs(sample._replace(scores=sample.scores + shift), name, smoothing)
        assert_sums_equal(shifted, sum_pairs(sample, name, smoothing), sample, smoothing)


@given(sample=strategies.lattice_samples())
def test_swapping_classes_and_negating_scores_negates_the_slopes(twin: ModuleType, sample: Sample) -> None:
    for name, smoothing in strategies.CASES:
        swapped = sum_pairs(Sample(-sample.scores, ~sample.positive, sample.weights), name, smoothing)
        sums = sum_pairs(sample, name, smoothing)
        assert_sums_equal(swapped, sums._replace(slope=-sums.slope), sample, smoothing)


@given(sample=strategies.lattice_samples(weights="float"), scale=st.sampled_from([1e-9, 0.3, 1e9]))
def test_only_the_ratios_of_weights_count(twin: ModuleType, sample: Sample, scale: float) -> None:
    for name, smoothing in strategies.CASES:
        scaled = sum_pairs(sample._replace(weights=scale * fill_weights(sample)), name, smoothing)
        assert_sums_equal(scaled, sum_pairs(sample, name, smoothing), sample, smoothing)


@each_case
@given(sample=strategies.lattice_samples())
def test_curvature_equals_double_loop(twin: ModuleType, name: str, smoothing: Smoothing, sample: Sample) -> None:
    curvature = bind(sample).curve(LOSSES[name](), sample.scores, smoothing=smoothing)
    assert_curvature_is_double_loop(curvature, name, smoothing, sample.scores, sample)


def assert_curvature_is_double_loop(curvature, name: str, smoothing: Smoothing, scores, sample: Sample) -> None:
    wanted = reference.curvature_matrix(reference.LOSSES[name](*smoothing), scores, list_pairs(sample))
    rng = np.random.default_rng(len(scores))
    V = rng.integers(-8, 9, (len(scores), 3)).astype(np.float64)
    rtol, bend = allow(sample), LOSSES[name]().ramp(smoothing).curvature
    noise = NOISE * bend * share_classes(sample)
    assert_within(curvature.diagonal(), np.diagonal(wanted), rtol * np.diagonal(wanted) + noise)
    tolerance = rtol * np.abs(wanted) @ np.abs(V) + 16.0 * noise[:, None]
    product = curvature @ V
    assert_within(product, wanted @ V, tolerance)
    assert_within(curvature @ V[:, 0], product[:, 0], 2.0 * tolerance[:, 0])
    tolerance = rtol * np.abs(V).T @ np.abs(wanted) @ np.abs(V) + 256.0 * NOISE * bend
    for form in FORMS.values():
        gram = curvature.gram(form(V))
        assert type(gram) is np.ndarray
        assert_within(gram, V.T @ wanted @ V, tolerance)


@pytest.mark.parametrize("n_rows", [0, 1, 1311, 5000])
def test_a_weighted_gram_matrix_in_blocks_is_that_of_the_whole(n_rows: int) -> None:
    rng = np.random.default_rng(0)
    features, weights = rng.normal(size=(n_rows, 50)), rng.uniform(size=n_rows)
    wanted = np.einsum("ia,i,ib->ab", features, weights, features)
    for form in (np.asarray, np.asfortranarray):
        np.testing.assert_allclose(weigh_gram(form(features), weights), wanted, rtol=1e-12, atol=1e-12 * n_rows)


@given(sample=strategies.lattice_samples())
def test_curvature_of_a_constant_is_nothing(twin: ModuleType, sample: Sample) -> None:
    for name, smoothing in strategies.CASES:
        curvature = bind(sample).curve(LOSSES[name](), sample.scores, smoothing=smoothing)
        ones = np.ones(len(sample.scores))
        bend = LOSSES[name]().ramp(smoothing).curvature
        assert_within(curvature @ ones, 0.0 * ones, allow(sample) * curvature.diagonal() + 2.0 * bend * NOISE)


@given(drawn=counted_samples())
def test_rounded_sums_are_those_of_scores_moved_to_the_means_of_their_cells(
    twin: ModuleType, drawn: tuple[Sample, float]
) -> None:
    for name, smoothing in strategies.CASES:
        sample, rounding = drawn
        loss, pairs = LOSSES[name](), bind(sample)
        moved = move_scores(sample, rounding)
        sums = pairs.sum(loss, sample.scores, smoothing=smoothing, rounding=rounding)
        assert_sums_within_bracket(sums, name, smoothing, moved, list_pairs(sample), sample)
        alone = sums._replace(pull=pairs.pull(loss.ramp(smoothing), sample.scores, rounding))
        assert_sums_within_bracket(alone, name, smoothing, moved, list_pairs(sample), sample)


def move_scores(sample: Sample, rounding: float) -> np.ndarray:
    """Return the scores that rounding moves them to; `test_order.py` proves them to be the means of cells."""
    counted = count_scores(sample.scores, sample.positive, sample.weights, rounding)
    assert counted is not None
    return counted.expand(counted.pos.scores, counted.neg.scores)


@given(drawn=counted_samples(), other=st.integers(0, 2**32 - 1))
def test_rounded_sums_are_of_pair_weights_that_the_dual_allows(
    twin: ModuleType, drawn: tuple[Sample, float], other: int
) -> None:
    for name, smoothing in strategies.CASES:
        sample, rounding = drawn
        sums = bind(sample).sum(LOSSES[name](), sample.scores, smoothing=smoothing, rounding=rounding)
        moved = move_scores(sample, rounding)
        rng = np.random.default_rng(other)
        anywhere = rng.normal(size=len(moved)) * 10.0 ** rng.integers(-2, 3)
        for scores in (sample.scores, moved, moved + anywhere, anywhere):
            assert_dual_allows(sums, name, scores, list_pairs(sample))


@given(
    sample=strategies.lattice_samples() | strategies.float_samples(), rounding=st.sampled_from([0.0, 1e-9, 0.1, 9.0])
)
def test_any_rounding_leaves_pair_weights_that_the_dual_allows(
    twin: ModuleType, sample: Sample, rounding: float
) -> None:
    for name, smoothing in strategies.CASES:
        sums = bind(sample).sum(LOSSES[name](), sample.scores, smoothing=smoothing, rounding=rounding)
        assert_dual_allows(sums, name, sample.scores, list_pairs(sample))
        assert_dual_allows(sums, name, np.zeros(len(sample.scores)), list_pairs(sample))


@given(drawn=counted_samples())
def test_rounded_curvature_equals_double_loop_at_moved_scores(twin: ModuleType, drawn: tuple[Sample, float]) -> None:
    for name, smoothing in strategies.CASES:
        sample, rounding = drawn
        moved = move_scores(sample, rounding)
        margins = moved[sample.positive][:, None] - moved[~sample.positive]
        kinks = np.array(reference.LOSSES[name](*smoothing).kinks)
        if np.abs(margins[..., None] - kinks).min() < 1e-13 * (1.0 + np.abs(moved).max()):
            continue  # on which side of a kink a moved margin falls is up to rounding
        curvature = bind(sample).curve(LOSSES[name](), sample.scores, smoothing=smoothing, rounding=rounding)
        assert_curvature_is_double_loop(curvature, name, smoothing, moved, sample)


@each_case
@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_equal_double_loop(twin: ModuleType, name: str, smoothing: Smoothing, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    n = 400
    scores = rng.integers(-64, 64, n) / 16.0 + 2.0**30 * rng.integers(-1, 2, n)
    sample = Sample(scores, rng.random(n) < 0.2, rng.uniform(0.5, 2.0, n) if weighted else None)
    pairs = list_pairs(sample)
    assert_sums_are_double_loop(sum_pairs(sample, name, smoothing), name, smoothing, scores, pairs, sample)
    curvature = bind(sample).curve(LOSSES[name](), scores, smoothing=smoothing)
    assert_curvature_is_double_loop(curvature, name, smoothing, scores, sample)


@each_case
def test_counting_many_rows_equals_sorting_them_moved(twin: ModuleType, name: str, smoothing: Smoothing) -> None:
    rng = np.random.default_rng(0)
    n = 300_000
    sample = Sample(4.0 * rng.normal(size=n), rng.random(n) < 0.1, rng.uniform(0.5, 2.0, n))
    sample.scores[:100] = 100.0 * rng.standard_cauchy(100)
    loss, pairs, rounding = LOSSES[name](), bind(sample), 0.01
    moved = move_scores(sample, rounding)
    # NumPy's prefix sums start at the outermost score, whose distance, squared, takes digits from the rest.
    rtol = 1e-8 if twin is _numpy else 1e-12
    assert 0.0 < np.abs(moved - sample.scores).max() <= rounding
    sums = pairs.sum(loss, sample.scores, smoothing=smoothing, rounding=rounding)
    wanted = pairs.sum(loss, moved, smoothing=smoothing)
    for value, other in zip((*sums[:2], sums.pull), (*wanted[:2], wanted.pull), strict=True):
        assert value == pytest.approx(other, rel=rtol)
    shares = share_classes(sample)
    np.testing.assert_allclose(sums.slope / shares, wanted.slope / shares, rtol=rtol, atol=rtol)


@given(sample=strategies.lattice_samples())
def test_share_is_half_of_what_the_pairs_of_a_row_weigh(sample: Sample) -> None:
    wanted = np.zeros(len(sample.scores))
    for i, j, weight in list_pairs(sample):
        wanted[[i, j]] += 0.5 * weight
    shares = bind(sample).share()
    np.testing.assert_allclose(shares, wanted, rtol=1e-12)
    assert shares.sum() == pytest.approx(1.0, rel=1e-14)


def make_sample(weighted: bool, n: int = 60, n_pos: int = 20) -> Sample:
    rng = np.random.default_rng(3)
    positive = rng.permutation(np.arange(n) < n_pos)
    return Sample(rng.normal(size=n) + positive, positive, rng.uniform(0.2, 3.0, n) if weighted else None)


@pytest.mark.parametrize("n_pos", [1, 5, 20, 55, 59])
@pytest.mark.parametrize("size", [2, 3, 10, 30, 59, 60, 1000])
def test_sample_holds_half_of_each_class_or_the_whole_of_a_smaller_one(size: int, n_pos: int) -> None:
    sample = make_sample(weighted=True, n_pos=n_pos)
    rows, pairs = bind(sample).sample(size, np.random.default_rng(0))
    n_neg = 60 - n_pos
    assert pairs.size == len(rows) == len(np.unique(rows)) == min(size, 60)
    np.testing.assert_array_equal(pairs.positive, sample.positive[rows])
    np.testing.assert_array_equal(pairs.weights, sample.weights[rows])
    drawn_pos, drawn_neg = int(pairs.positive.sum()), int((~pairs.positive).sum())
    assert drawn_pos == n_pos or drawn_pos >= min(size, 60) // 2
    assert drawn_neg == n_neg or drawn_neg >= min(size, 60) // 2


@pytest.mark.parametrize("importance", [None, np.linspace(0.0, 1.0, 60)])
@pytest.mark.parametrize("weighted", [False, True])
def test_sample_of_all_rows_is_all_pairs(twin: ModuleType, weighted: bool, importance) -> None:
    sample = make_sample(weighted)
    rows, pairs = bind(sample).sample(60, np.random.default_rng(0), importance)
    loss = LOSSES["hinge"]()
    wanted = bind(sample).sum(loss, sample.scores)
    sums = pairs.sum(loss, sample.scores[rows])
    assert_sums_equal(sums, wanted._replace(slope=wanted.slope[rows]), sample.take(rows), Smoothing())


@each_loss
def test_mean_over_a_sample_is_unbiased(twin: ModuleType, name: str) -> None:
    sample, loss, rng = make_sample(weighted=False), LOSSES[name](), np.random.default_rng(4)
    values = []
    for _ in range(1000):
        rows, pairs = bind(sample).sample(16, rng)
        values.append(pairs.value(loss, sample.scores[rows]))
    assert_unbiased(np.array(values)[:, None], bind(sample).value(loss, sample.scores))


@each_loss
@pytest.mark.parametrize("kind", ["none", "outliers", "zero"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_pos", [20, 4])
def test_sum_over_a_sample_is_unbiased(twin: ModuleType, name: str, kind: str, weighted: bool, n_pos: int) -> None:
    # With weights, or drawn by importance, the mean is the ratio of two sums, each of them unbiased.
    sample, loss, rng = make_sample(weighted, n_pos=n_pos), LOSSES[name](), np.random.default_rng(5)
    n_neg = 60 - n_pos
    importance = {"none": None, "outliers": sample.scores**4, "zero": np.zeros(60)}[kind]

    def total(scores: np.ndarray, pairs: AllPairSums) -> tuple[float, float]:
        weights = np.ones(pairs.size) if pairs.weights is None else pairs.weights
        mass = weights[pairs.positive].sum() * weights[~pairs.positive].sum()
        return pairs.value(loss, scores) * mass, mass

    draws = []
    for _ in range(1500):
        rows, pairs = bind(sample).sample(32, rng, importance)
        np.testing.assert_array_equal(pairs.positive, sample.positive[rows])
        stands = 1.0
        if importance is None:
            stands = n_pos / pairs.positive.sum() * n_neg / (~pairs.positive).sum()
        draws.append(np.array(total(sample.scores[rows], pairs)) * stands)
    assert_unbiased(np.array(draws), np.array(total(sample.scores, bind(sample))))


def assert_unbiased(draws: np.ndarray, wanted) -> None:
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - wanted) <= 4.0 * error + 1e-12 * np.abs(wanted))


def test_importance_prefers_rows_and_leaves_out_none() -> None:
    sample, rng = make_sample(weighted=False), np.random.default_rng(6)
    importance = np.full(60, 0.1)
    for own in (sample.positive, ~sample.positive):
        importance[np.flatnonzero(own)[::10]] = 50.0
    counts = np.zeros(60)
    sizes = []
    for _ in range(400):
        rows, _ = bind(sample).sample(24, rng, importance)
        assert len(np.unique(rows)) == len(rows)
        counts[rows] += 1
        sizes.append(len(rows))
    assert counts.min() > 0
    for own in (sample.positive, ~sample.positive):
        assert counts[own & (importance > 1.0)].min() > 1.5 * counts[own & (importance < 1.0)].max()
    # Rows that would be drawn more than once are drawn once: there are at most as many as asked for.
    assert 12.0 < np.mean(sizes) <= 24.0
