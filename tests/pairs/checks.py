"""What the tests of pairs share: scores that can be counted, and tolerances that follow from the arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rocsvm.losses import LOSSES, Smoothing
from rocsvm.pairs import PairSums
from tests import reference, strategies
from tests.strategies import Sample

Floats = NDArray[np.float64]
Pairs = Sequence[reference.Pair]

EPS = float(np.finfo(np.float64).eps)
# A sum over the pairs of a row loses digits to the sum over its neighbours' pairs that it is a difference of.
NOISE = 16.0 * EPS


@st.composite
def counted_samples(draw: st.DrawFn, *, weights: str = "any") -> tuple[Sample, float]:
    """Return a sample and a rounding for which scores are counted: a heap of scores, and outliers up to an eighth."""
    n = draw(st.integers(8, strategies.MAX_ROWS))
    unit = 2.0 ** draw(st.integers(-3, 0) | st.integers(-30, 20))
    offset = draw(st.sampled_from([0.0, 0.0, 1e3, -1e6]))
    scores = unit * (np.array(draw(st.lists(st.integers(-32, 32), min_size=n, max_size=n)), dtype=np.float64) + offset)
    span = max(float(np.ptp(scores)), unit)
    for _ in range(draw(st.integers(0, n // 8))):
        scores[draw(st.integers(0, n - 1))] += span * draw(st.sampled_from([-1e6, -20.0, -2.0, 2.0, 20.0, 1e6]))
    rounding = 2.5 * span / (n // 4) * draw(st.floats(1.0, 8.0))
    return Sample(scores, draw(strategies.labels(n)), draw(strategies.choose_weights(n, weights))), rounding


def fill_weights(sample: Sample) -> Floats:
    """Return the weights, ones where there are none."""
    return np.ones(len(sample.scores)) if sample.weights is None else sample.weights


def share_classes(sample: Sample) -> Floats:
    """Return each row's share of its own class."""
    weights = fill_weights(sample)
    return weights / np.where(sample.positive, weights[sample.positive].sum(), weights[~sample.positive].sum())


def allow(sample: Sample) -> float:
    """Return a relative tolerance: 1e-12, and more where prefix sums lose the digits by which weights differ."""
    weights = fill_weights(sample)
    return max(1e-12, len(weights) * EPS * float(weights.max() / weights.min()))


def assert_sums_equal(sums: PairSums, other: PairSums, sample: Sample, smoothing: Smoothing) -> None:
    """Assert that two sums over the pairs of one sample are the same up to rounding."""
    rtol = allow(sample)
    for value, wanted in zip(sums[:2], other[:2], strict=True):
        np.testing.assert_allclose(value, wanted, rtol=rtol, atol=NOISE * smoothing.width)
    assert_within(sums.slope, other.slope, rtol * np.abs(other.slope) + NOISE * share_classes(sample))
    np.testing.assert_allclose(sums.pull, other.pull, rtol=rtol, atol=NOISE)


def assert_sums_are_double_loop(
    sums: PairSums, name: str, smoothing: Smoothing, scores: Floats, pairs: Pairs, sample: Sample
) -> None:
    """Assert that sums at scores whose margins are exact equal the double loop."""
    loss, smoothed = reference.LOSSES[name](), reference.LOSSES[name](*smoothing)
    wanted = PairSums(
        reference.mean_loss(loss, scores, pairs),
        reference.mean_loss(smoothed, scores, pairs),
        reference.slope_rows(smoothed, scores, pairs),
        reference.mean_pull(smoothed, scores, pairs),
    )
    assert_sums_equal(sums, wanted, sample, smoothing)


def assert_sums_within_bracket(
    sums: PairSums, name: str, smoothing: Smoothing, scores: Floats, pairs: Pairs, sample: Sample
) -> None:
    """Assert that sums at scores whose margins round lie between those at margins a little smaller and larger."""
    loss, smoothed = reference.LOSSES[name](), reference.LOSSES[name](*smoothing)
    slack = find_slack(scores)
    behind, ahead = scores - slack * sample.positive, scores + slack * sample.positive
    rtol, width = allow(sample), smoothing.width
    for value, own in ((sums.loss, loss), (sums.smoothed, smoothed)):
        assert_between(
            value, reference.mean_loss(own, ahead, pairs), reference.mean_loss(own, behind, pairs), rtol, NOISE * width
        )
    lower, upper = reference.mean_pull(smoothed, ahead, pairs), reference.mean_pull(smoothed, behind, pairs)
    assert_between(sums.pull, lower, upper, rtol, NOISE)
    lower, upper = reference.bracket_slopes(smoothed, scores, pairs, slack)
    assert_between(sums.slope, lower, upper, rtol, NOISE * share_classes(sample))
    assert LOSSES[name]().is_smooth == (sums.loss is sums.smoothed)


def find_slack(scores: Floats) -> float:
    """Return how far the rounding of scores, carried from row to row, may move a margin."""
    return 2.0 * len(scores) * EPS * (float(np.abs(scores).max()) + 2.0)


def assert_between(values: Floats | float, lower: Floats | float, upper: Floats | float, rtol: float, atol: object):
    """Assert that values lie between bounds, up to a tolerance."""
    slack = rtol * np.maximum(np.abs(lower), np.abs(upper)) + np.asarray(atol)
    assert np.all(values >= lower - slack), (values, lower)
    assert np.all(values <= upper + slack), (values, upper)


def assert_within(values: Floats, wanted: Floats, tolerance: Floats | float) -> None:
    """Assert that each value is within its own tolerance of the wanted one."""
    assert np.shape(values) == np.shape(wanted)
    np.testing.assert_array_less(np.abs(values - wanted), tolerance + np.finfo(np.float64).tiny)


def assert_dual_allows(sums: PairSums, name: str, scores: Floats, pairs: Pairs) -> None:
    """Assert Fenchel's inequality for pair weights known by their sums: no scores have a mean loss below the bound.

    With pair weights a, ``mean loss(m) >= mean -conjugate(-a) - mean a m``, and ``mean a m = -slope @ scores``.
    """
    value = reference.mean_loss(reference.LOSSES[name](), scores, pairs)
    linear = LOSSES[name]().dual(sums.smoothed, sums.pull)
    terms = sums.slope * (scores - scores[0])
    noise = 1e-12 * (sums.pull + sums.smoothed + value + np.abs(terms).sum())
    assert value - terms.sum() >= linear - noise
