"""Drawn pairs against the double loop over them, and their draws against what chance promises."""

from __future__ import annotations

import sys
import tracemalloc
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rocsvm.losses import LOSSES, Ramp, Smoothing
from rocsvm.pairs import PAIRS, AllPairs, IncompletePairs
from rocsvm.pairs._incomplete import IncompletePairSums, draw_distinct, draw_places, measure_memory
from tests import reference, strategies
from tests.pairs.checks import (
    NOISE,
    assert_between,
    assert_dual_allows,
    assert_sums_equal,
    assert_within,
    fill_weights,
    find_slack,
)
from tests.strategies import Sample

each_loss = pytest.mark.parametrize("name", LOSSES)
each_replace = pytest.mark.parametrize("replace", [True, False])
FORMS = {"dense": np.asarray, "fortran": np.asfortranarray, "csr": sparse.csr_array, "csc": sparse.csc_array}


@st.composite
def drawn_pairs(draw: st.DrawFn, samples: st.SearchStrategy[Sample]) -> tuple[Sample, IncompletePairSums]:
    """Return a sample and pairs drawn from it, with or without replacement."""
    sample = draw(samples)
    n_all = int(sample.positive.sum() * (~sample.positive).sum())
    replace = draw(st.booleans())
    n_pairs = draw(st.integers(1, 60) if replace else st.integers(1, min(n_all, 60)))
    return sample, bind(sample, n_pairs, replace, draw(st.integers(0, 99)))


def bind(sample: Sample, n_pairs: int, replace: bool, seed: Any) -> IncompletePairSums:
    rng = np.random.default_rng(seed)
    return IncompletePairs(n_pairs, replace).bind(sample.positive, sample.weights, rng)


def list_pairs(pairs: IncompletePairSums) -> list[reference.Pair]:
    return list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.weights.tolist(), strict=True))


def make_sample(weighted: bool, n: int = 24) -> Sample:
    rng = np.random.default_rng(3)
    positive = np.arange(n) % 4 == 0
    return Sample(rng.normal(size=n) + positive, positive, rng.uniform(0.2, 3.0, n) if weighted else None)


def assert_unbiased(draws: np.ndarray, wanted: Any) -> None:
    """Assert that the mean of draws is within 4 standard errors of what is wanted."""
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - wanted) <= 4.0 * error + 1e-12 * np.abs(wanted))


def test_incomplete_pairs_are_registered() -> None:
    assert PAIRS["incomplete"]() == IncompletePairs(n_pairs=None, replace=True)


@given(sample=strategies.lattice_samples(), n_pairs=st.integers(1, 60), replace=st.booleans(), seed=st.integers(0, 99))
def test_drawn_pairs_are_of_both_classes_and_weigh_what_their_rows_do(
    sample: Sample, n_pairs: int, replace: bool, seed: int
) -> None:
    n_pairs = n_pairs if replace else min(n_pairs, int(sample.positive.sum() * (~sample.positive).sum()))
    pairs = bind(sample, n_pairs, replace, seed)
    assert len(pairs.first) == len(pairs.second) == len(pairs.weights) == pairs.size == n_pairs
    assert sample.positive[pairs.first].all()
    assert not sample.positive[pairs.second].any()
    weights = np.ones(len(sample.scores)) if replace else fill_weights(sample)
    mean = np.mean(np.outer(weights[sample.positive], weights[~sample.positive]))
    wanted = weights[pairs.first] * weights[pairs.second] / mean / n_pairs
    np.testing.assert_allclose(pairs.weights, wanted, rtol=1e-13)


@given(
    sample=strategies.lattice_samples(weights="integer"),
    n_pairs=st.integers(1, 200),
    seed=st.integers(0, 99),
    power=st.integers(-60, 60),
)
def test_whole_weights_draw_the_pairs_that_repeated_rows_draw(
    sample: Sample, n_pairs: int, seed: int, power: int
) -> None:
    origin = np.repeat(np.arange(len(sample.scores)), fill_weights(sample).astype(int))
    repeated = bind(sample.take(origin)._replace(weights=None), n_pairs, True, seed)
    pairs = bind(sample._replace(weights=2.0**power * fill_weights(sample)), n_pairs, True, seed)
    np.testing.assert_array_equal(pairs.first, origin[repeated.first])
    np.testing.assert_array_equal(pairs.second, origin[repeated.second])
    np.testing.assert_array_equal(pairs.weights, repeated.weights)


@pytest.mark.parametrize("n", [1, 2, 3, 1000, 2**20 - 1])
def test_the_largest_number_below_one_draws_the_last_row(n: int) -> None:
    class Last:
        def random(self, size: int) -> np.ndarray:
            return np.full(size, np.nextafter(1.0, 0.0))

    for weights in (None, np.ones(n), np.full(n, 0.1), np.random.default_rng(n).random(n) + 0.1):
        assert draw_places(np.arange(n), weights, 1, Last()).tolist() == [n - 1]


@given(drawn=drawn_pairs(strategies.lattice_samples()))
def test_incomplete_pairs_equal_double_loop(twin: ModuleType, drawn: tuple[Sample, IncompletePairSums]) -> None:
    sample, pairs = drawn
    triples = list_pairs(pairs)
    for name, smoothing in strategies.CASES:
        loss, exact, smoothed = LOSSES[name](), reference.LOSSES[name](), reference.LOSSES[name](*smoothing)
        sums = pairs.sum(loss, sample.scores, smoothing=smoothing)
        for value, own in ((sums.loss, exact), (sums.smoothed, smoothed)):
            assert value == pytest.approx(reference.mean_loss(own, sample.scores, triples), rel=1e-12, abs=0.0)
        slope = reference.slope_rows(smoothed, sample.scores, triples)
        np.testing.assert_allclose(sums.slope, slope, rtol=1e-12, atol=0.0)
        pull = reference.mean_pull(smoothed, sample.scores, triples)
        assert sums.pull == pytest.approx(pull, rel=1e-12, abs=0.0)
        assert pairs.value(loss, sample.scores) == pytest.approx(sums.loss, rel=1e-13, abs=0.0)
        assert pairs.pull(loss.ramp(smoothing), sample.scores) == pytest.approx(pull, rel=1e-12, abs=0.0)


@given(drawn=drawn_pairs(strategies.float_samples()))
def test_rounded_margins_keep_drawn_pairs_within_their_bracket(
    twin: ModuleType, drawn: tuple[Sample, IncompletePairSums]
) -> None:
    sample, pairs = drawn
    triples, slack = list_pairs(pairs), find_slack(sample.scores)
    behind, ahead = sample.scores - slack * sample.positive, sample.scores + slack * sample.positive
    for name, smoothing in strategies.CASES:
        smoothed = reference.LOSSES[name](*smoothing)
        sums = pairs.sum(LOSSES[name](), sample.scores, smoothing=smoothing)
        for value, mean in ((sums.smoothed, reference.mean_loss), (sums.pull, reference.mean_pull)):
            assert_between(value, mean(smoothed, ahead, triples), mean(smoothed, behind, triples), 1e-12, 0.0)
        assert_between(sums.slope, *reference.bracket_slopes(smoothed, sample.scores, triples, slack), 1e-12, 0.0)


@given(drawn=drawn_pairs(strategies.lattice_samples()), rounding=st.sampled_from([1e-9, 0.1, 1e9]))
def test_rounding_moves_no_score_of_drawn_pairs(
    twin: ModuleType, drawn: tuple[Sample, IncompletePairSums], rounding: float
) -> None:
    sample, pairs = drawn
    loss, smoothing = LOSSES["hinge"](), Smoothing(0.5)
    sums = pairs.sum(loss, sample.scores, smoothing=smoothing)
    rounded = pairs.sum(loss, sample.scores, smoothing=smoothing, rounding=rounding)
    np.testing.assert_array_equal(np.concatenate([sums.slope, sums[:2]]), np.concatenate([rounded.slope, rounded[:2]]))
    ramp = Ramp(1.0, 0.0, 0.0, 1.0)
    assert pairs.pull(ramp, sample.scores, rounding) == pairs.pull(ramp, sample.scores)
    own, other = (pairs.curve(loss, sample.scores, smoothing=smoothing, rounding=own) for own in (0.0, rounding))
    np.testing.assert_array_equal(own.diagonal(), other.diagonal())


@given(drawn=drawn_pairs(strategies.lattice_samples() | strategies.float_samples()), seed=st.integers(0, 99))
def test_drawn_pairs_have_weights_that_the_dual_allows(
    twin: ModuleType, drawn: tuple[Sample, IncompletePairSums], seed: int
) -> None:
    sample, pairs = drawn
    anywhere = 3.0 * np.random.default_rng(seed).normal(size=len(sample.scores))
    for name, smoothing in strategies.CASES:
        sums = pairs.sum(LOSSES[name](), sample.scores, smoothing=smoothing)
        for scores in (sample.scores, anywhere, sample.scores + anywhere):
            assert_dual_allows(sums, name, scores, list_pairs(pairs))


@given(drawn=drawn_pairs(strategies.lattice_samples()))
def test_curvature_of_drawn_pairs_equals_double_loop(
    twin: ModuleType, drawn: tuple[Sample, IncompletePairSums]
) -> None:
    sample, pairs = drawn
    n = len(sample.scores)
    V = np.random.default_rng(n).integers(-8, 9, (n, 3)).astype(np.float64)
    for name, smoothing in strategies.CASES:
        curvature = pairs.curve(LOSSES[name](), sample.scores, smoothing=smoothing)
        wanted = reference.curvature_matrix(reference.LOSSES[name](*smoothing), sample.scores, list_pairs(pairs))
        np.testing.assert_allclose(curvature.diagonal(), np.diagonal(wanted), rtol=1e-12, atol=0.0)
        tolerance = 1e-12 * np.abs(wanted) @ np.abs(V)
        assert_within(curvature @ V, wanted @ V, tolerance)
        assert_within(curvature @ V[:, 0], wanted @ V[:, 0], tolerance[:, 0])
        for form in FORMS.values():
            gram = curvature.gram(form(V))
            assert type(gram) is np.ndarray
            assert_within(gram, V.T @ wanted @ V, np.abs(V).T @ tolerance)


@pytest.mark.parametrize("weights", ["none", "integer", "float"])
@given(data=st.data())
def test_all_pairs_without_replacement_are_all_pairs(twin: ModuleType, weights: str, data: st.DataObject) -> None:
    sample = data.draw(strategies.lattice_samples(weights=weights))
    n_all = int(sample.positive.sum() * (~sample.positive).sum())
    drawn = bind(sample, n_all, replace=False, seed=data.draw(st.integers(0, 99)))
    every = AllPairs().bind(sample.positive, sample.weights, np.random.default_rng(0))
    assert len(set(zip(drawn.first.tolist(), drawn.second.tolist(), strict=True))) == n_all
    np.testing.assert_allclose(drawn.share(), every.share(), rtol=1e-12)
    V = np.random.default_rng(0).integers(-8, 9, (len(sample.scores), 2)).astype(np.float64)
    for name, smoothing in strategies.CASES:
        loss = LOSSES[name]()
        sums = every.sum(loss, sample.scores, smoothing=smoothing)
        assert_sums_equal(drawn.sum(loss, sample.scores, smoothing=smoothing), sums, sample, smoothing)
        own, other = (pairs.curve(loss, sample.scores, smoothing=smoothing) for pairs in (drawn, every))
        noise = 256.0 * NOISE * max(1.0, loss.ramp(smoothing).curvature)
        np.testing.assert_allclose(own.gram(V), other.gram(V), rtol=1e-9, atol=noise)


def test_same_seed_draws_the_same_pairs() -> None:
    sample = make_sample(weighted=True)
    for replace in (True, False):
        first, again, other = (bind(sample, 40, replace, seed) for seed in (0, 0, 1))
        assert list_pairs(first) == list_pairs(again)
        assert list_pairs(first) != list_pairs(other)


def test_scheme_sums_the_pairs_of_its_seed(twin: ModuleType) -> None:
    sample, loss = make_sample(weighted=True), LOSSES["hinge"]()
    scheme = IncompletePairs(40)
    value, slope = scheme.sum(loss, sample.scores, sample.positive, sample.weights, random_state=7)
    sums = bind(sample, 40, True, 7).sum(loss, sample.scores)
    assert value == sums.smoothed
    np.testing.assert_array_equal(slope, sums.slope)


@each_loss
@each_replace
@pytest.mark.parametrize("weighted", [False, True])
def test_incomplete_pairs_are_unbiased(twin: ModuleType, name: str, replace: bool, weighted: bool) -> None:
    sample, loss, smoothing = make_sample(weighted), LOSSES[name](), Smoothing(0.5)
    every = AllPairs().bind(sample.positive, sample.weights, np.random.default_rng(0))
    rng = np.random.default_rng(8)
    draws = [bind(sample, 30, replace, rng).sum(loss, sample.scores, smoothing=smoothing) for _ in range(1500)]
    wanted = every.sum(loss, sample.scores, smoothing=smoothing)
    assert_unbiased(np.array([[sums.loss, sums.smoothed, sums.pull] for sums in draws]), [*wanted[:2], wanted.pull])
    assert_unbiased(np.array([sums.slope for sums in draws]), wanted.slope)


@each_loss
@pytest.mark.parametrize("weighted", [False, True])
def test_variance_falls_as_one_over_the_number_of_pairs(name: str, weighted: bool) -> None:
    sample, loss, rng = make_sample(weighted), LOSSES[name](), np.random.default_rng(10)
    n_draws, sizes = 1500, [5, 20, 80, 320]
    spread = []
    for n_pairs in sizes:
        values = [bind(sample, n_pairs, True, rng).value(loss, sample.scores) for _ in range(n_draws)]
        spread.append(np.var(values, ddof=1) * n_pairs)
    # Four standard errors of a variance of nearly normal means, and of their ratio to that of single pairs.
    weights = np.ones(24) if sample.weights is None else sample.weights
    pairs = reference.list_pairs(sample.positive, weights)
    own = reference.LOSSES[name]()
    losses = np.array([own.value(sample.scores[i] - sample.scores[j]) for i, j, _ in pairs])
    share = np.array([weight for _, _, weight in pairs])
    wanted = share @ (losses - share @ losses) ** 2
    fourth = share @ (losses - share @ losses) ** 4 / wanted**2
    error = np.sqrt((2.0 + fourth / np.array(sizes)) / n_draws)
    assert np.all(np.abs(np.array(spread) / wanted - 1.0) <= 4.0 * error)


def test_without_replacement_the_variance_falls_to_none() -> None:
    sample, loss, rng = make_sample(False), LOSSES["hinge"](), np.random.default_rng(11)
    margins = sample.scores[sample.positive][:, None] - sample.scores[~sample.positive]
    losses, n_draws = np.maximum(1.0 - margins, 0.0), 1500
    assert losses.size == 108
    for n_pairs in (2, 27, 54, 100, 108):
        values = [bind(sample, n_pairs, False, rng).value(loss, sample.scores) for _ in range(n_draws)]
        # The variance of a mean of a simple random sample.
        wanted = losses.var(ddof=1) / n_pairs * (1.0 - n_pairs / 108)
        assert np.var(values, ddof=1) == pytest.approx(wanted, rel=4.0 * np.sqrt(4.0 / n_draws), abs=1e-25)


@each_replace
@pytest.mark.parametrize("n_pairs", [1, 20, 60, 100])
def test_every_pair_is_as_likely(replace: bool, n_pairs: int) -> None:
    sample, rng = make_sample(weighted=False), np.random.default_rng(9)
    counts = []
    for _ in range(1500):
        pairs = bind(sample, n_pairs, replace, rng)
        counts.append(np.bincount(pairs.first // 4 * 24 + pairs.second, minlength=144).reshape(6, 24))
    counts = np.array(counts)[:, :, ~sample.positive].reshape(1500, -1)
    assert replace or counts.max() == 1
    assert_unbiased(counts, n_pairs / 108)


@pytest.mark.parametrize(("n", "size"), [(1, 1), (5, 5), (40, 2), (40, 3), (40, 20), (40, 21), (40, 39)])
def test_draw_distinct_draws_each_number_as_often_and_once(n: int, size: int) -> None:
    rng = np.random.default_rng(0)
    drawn = [draw_distinct(n, size, rng) for _ in range(600)]
    assert all(len(np.unique(own)) == len(own) == size and own.min() >= 0 and own.max() < n for own in drawn)
    share = np.mean([np.bincount(own, minlength=n) for own in drawn], axis=0)
    assert np.abs(share - size / n).max() <= 4.0 * np.sqrt(size / n * (1.0 - size / n) / 600)


@each_replace
def test_pairs_too_many_to_number_in_32_bits_are_drawn_in_no_more_memory_than_theirs(replace: bool) -> None:
    n = 120_000
    positive = np.arange(n) % 2 == 0
    scheme, rng = IncompletePairs(n_pairs=20_000, replace=replace), np.random.default_rng(0)
    tracemalloc.start()
    pairs = scheme.bind(positive, None, rng)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000
    assert positive[pairs.first].all()
    assert not positive[pairs.second].any()
    numbers = pairs.first // 2 * (n // 2) + pairs.second // 2
    assert numbers.max() > 2**31
    assert replace or len(np.unique(numbers)) == 20_000
    assert np.mean(pairs.first) == pytest.approx(n / 2, rel=0.03)
    assert np.mean(pairs.second) == pytest.approx(n / 2, rel=0.03)


def test_a_good_part_of_all_pairs_is_drawn_without_listing_them_all() -> None:
    positive = np.arange(4000) % 2 == 0
    tracemalloc.start()
    pairs = IncompletePairs(n_pairs=220_000, replace=False).bind(positive, None, np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(np.unique(pairs.first * 4000 + pairs.second)) == 220_000
    assert peak < 2000 * 2000 * 4


@pytest.mark.parametrize(
    ("n_pairs", "wanted"),
    [
        (None, 10),
        (1, 1),
        (7, 7),
        (1_000, 1_000),
        (np.int64(5), 5),
        (1.0, 10),
        (0.26, 3),
        (2.5, 25),
        (np.float32(2), 20),
    ],
)
def test_count_is_a_number_or_a_multiple_of_the_rows(n_pairs: Any, wanted: int) -> None:
    count = IncompletePairs(n_pairs).count(4, 6)
    assert type(count) is int
    assert count == wanted


@pytest.mark.parametrize(("n_pairs", "asked"), [(0, 0), (-3, -3), (0.0, 0), (0.04, 0), (-1.0, -10)])
def test_fewer_than_one_pair_is_refused(n_pairs: float, asked: int) -> None:
    with pytest.raises(ValueError) as refusal:
        IncompletePairs(n_pairs).count(4, 6)
    assert str(refusal.value) == (
        f"IncompletePairs(n_pairs={n_pairs}) asks for {asked} pairs; a mean needs at least one. "
        "Write a whole number from 1 up, or a float, a multiple of the number of rows."
    )


@pytest.mark.parametrize("n_pairs", [float("nan"), float("inf"), -float("inf"), True, "many", "7", [5], 1j])
def test_what_is_no_number_of_pairs_is_refused(n_pairs: Any) -> None:
    with pytest.raises(ValueError) as refusal:
        IncompletePairs(n_pairs).count(4, 6)
    assert str(refusal.value) == (
        f"IncompletePairs(n_pairs={n_pairs!r}) names no number of pairs. "
        "Write a whole number from 1 up, or a float, a multiple of the number of rows."
    )


def test_more_distinct_pairs_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError) as refusal:
        IncompletePairs(2.5, replace=False).bind(np.arange(10) < 4, None, np.random.default_rng(0))
    assert str(refusal.value) == (
        "IncompletePairs(n_pairs=2.5, replace=False) asks for 25 distinct pairs, but 4 positive and 6 negative rows "
        'make 24. Write replace=True, fewer pairs, or pairs="all".'
    )
    assert IncompletePairs(24, replace=False).count(4, 6) == 24
    assert IncompletePairs(25, replace=True).count(4, 6) == 25


@pytest.mark.parametrize("n_pairs", [10**12, 10**30, 1e12, 1e300, 1e308])
@each_replace
def test_more_pairs_than_memory_holds_are_refused(n_pairs: float, replace: bool, monkeypatch: Any) -> None:
    monkeypatch.setattr("rocsvm.pairs._incomplete.measure_memory", lambda: 16 * 10**9)
    with pytest.raises(ValueError, match="asks for more pairs than there is memory for") as refusal:
        IncompletePairs(n_pairs, replace).count(10**6, 10**6)
    assert str(refusal.value).endswith(
        "each takes 24 bytes, and this machine has 16 GB. "
        'Write fewer than 666,666,666 pairs, or pairs="all", which takes no memory for pairs.'
    )
    assert IncompletePairs(10**8, replace).count(10**5, 10**5) == 10**8


def test_memory_is_measured_in_bytes(monkeypatch: Any) -> None:
    assert 10**8 < measure_memory() <= sys.maxsize
    monkeypatch.delattr("os.sysconf", raising=False)
    assert measure_memory() == sys.maxsize


@given(drawn=drawn_pairs(strategies.lattice_samples()))
def test_share_is_half_of_what_the_drawn_pairs_of_a_row_weigh(drawn: tuple[Sample, IncompletePairSums]) -> None:
    sample, pairs = drawn
    wanted = np.zeros(len(sample.scores))
    for i, j, weight in list_pairs(pairs):
        wanted[[i, j]] += 0.5 * weight / pairs.weights.sum()
    shares = pairs.share()
    np.testing.assert_allclose(shares, wanted, rtol=1e-12, atol=0.0)
    assert shares.sum() == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize("importance", [None, np.linspace(0.0, 1.0, 24)])
@pytest.mark.parametrize("size", [1, 7, 50, 80, 1000])
def test_sample_joins_some_of_the_pairs(size: int, importance: Any) -> None:
    sample = make_sample(weighted=True)
    pairs = bind(sample, 80, replace=False, seed=0)
    rows, some = pairs.sample(size, np.random.default_rng(0), importance)
    np.testing.assert_array_equal(rows, np.unique(np.append(rows[some.first], rows[some.second])))
    drawn = {(int(i), int(j)) for i, j in zip(rows[some.first], rows[some.second], strict=True)}
    assert len(drawn) == some.size
    assert drawn <= {(i, j) for i, j, _ in list_pairs(pairs)}
    assert some.n_rows == len(rows)
    if importance is None or size >= 80:
        assert some.size == min(size, 80)


def test_sample_of_all_pairs_is_the_same_sum(twin: ModuleType) -> None:
    sample, loss = make_sample(weighted=True), LOSSES["squared_hinge"]()
    pairs = bind(sample, 80, replace=True, seed=0)
    wanted = pairs.sum(loss, sample.scores)
    for importance in (None, np.linspace(0.0, 1.0, 24)):
        rows, same = pairs.sample(80, np.random.default_rng(0), importance)
        sums = same.sum(loss, sample.scores[rows])
        assert_sums_equal(sums, wanted._replace(slope=wanted.slope[rows]), sample.take(rows), Smoothing())


@each_loss
@each_replace
@pytest.mark.parametrize("kind", ["none", "outliers", "zero"])
def test_sample_of_drawn_pairs_is_unbiased(twin: ModuleType, name: str, replace: bool, kind: str) -> None:
    sample, loss, rng = make_sample(weighted=True), LOSSES[name](), np.random.default_rng(5)
    importance = {"none": None, "outliers": sample.scores**4, "zero": np.zeros(24)}[kind]
    pairs = bind(sample, 80, replace, seed=0)
    wanted = pairs.sum(loss, sample.scores)
    draws = np.zeros((1200, 26))
    for draw in draws:
        rows, some = pairs.sample(25, rng, importance)
        sums = some.sum(loss, sample.scores[rows])
        draw[rows] = sums.slope
        draw[24:] = sums.loss, some.weights.sum()
    assert_unbiased(draws, [*wanted.slope, wanted.loss, pairs.weights.sum()])
