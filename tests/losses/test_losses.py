"""Every loss of the registry against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rocsvm.losses import LOSSES, Smoothing
from tests import reference
from tests.strategies import SMOOTHINGS

CASES = [(name, smoothing) for name in LOSSES for smoothing in SMOOTHINGS]

margins = st.floats(-4, 4) | st.floats(-1e9, 1e9) | st.integers(-40, 40).map(lambda place: place / 8)
each_case = pytest.mark.parametrize(("name", "smoothing"), CASES)
each_loss = pytest.mark.parametrize("name", LOSSES)


def test_every_loss_has_a_reference() -> None:
    assert set(LOSSES) == set(reference.LOSSES)


@each_case
@given(margin=margins)
def test_ramp_value_equals_definition(name: str, smoothing: Smoothing, margin: float) -> None:
    wanted = reference.LOSSES[name](*smoothing).value(margin)
    value = LOSSES[name]().ramp(smoothing).value(np.array([margin]))[0]
    # Next to its upper end the loss is a small square of a difference of numbers near 1.
    assert value == pytest.approx(wanted, rel=1e-12, abs=1e-17)


@each_case
@given(margin=margins)
def test_ramp_pull_equals_definition(name: str, smoothing: Smoothing, margin: float) -> None:
    wanted = -reference.LOSSES[name](*smoothing).derivative(margin)
    assert LOSSES[name]().ramp(smoothing).pull(np.array([margin]))[0] == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@each_case
@given(margin=margins)
def test_ramp_bend_equals_definition(name: str, smoothing: Smoothing, margin: float) -> None:
    loss = reference.LOSSES[name](*smoothing)
    assume(margin not in loss.kinks)
    assert LOSSES[name]().ramp(smoothing).bend(np.array([margin]))[0] == pytest.approx(loss.second(margin), rel=1e-12)


@each_case
@given(margin=st.floats(-6, 6))
def test_ramp_pull_is_minus_the_slope_of_its_value(name: str, smoothing: Smoothing, margin: float) -> None:
    step = 1e-5
    assume(all(abs(margin - kink) > 2.0 * step for kink in reference.LOSSES[name](*smoothing).kinks))
    ramp = LOSSES[name]().ramp(smoothing)
    behind, ahead = ramp.value(np.array([margin - step, margin + step]))
    assert ramp.pull(np.array([margin]))[0] == pytest.approx((behind - ahead) / (2.0 * step), abs=1e-8)


@each_case
@given(margin=st.floats(-6, 6))
def test_ramp_bend_is_minus_the_slope_of_its_pull(name: str, smoothing: Smoothing, margin: float) -> None:
    step = 1e-5
    assume(all(abs(margin - kink) > 2.0 * step for kink in reference.LOSSES[name](*smoothing).kinks))
    ramp = LOSSES[name]().ramp(smoothing)
    behind, ahead = ramp.pull(np.array([margin - step, margin + step]))
    assert ramp.bend(np.array([margin]))[0] == pytest.approx((behind - ahead) / (2.0 * step), abs=1e-8)


@each_case
@given(margin=margins)
def test_smoothing_costs_no_more_than_at_the_kink_and_far_below(name: str, smoothing: Smoothing, margin: float) -> None:
    loss = LOSSES[name]()
    exact, smoothed = (loss.ramp(how).value(np.array([margin]))[0] for how in (Smoothing(), smoothing))
    width, lean = Smoothing(0.0) if loss.is_smooth else smoothing
    noise = 1e-15 * (1.0 + exact)
    assert (2.0 * lean - 1.0) * width - noise <= smoothed - exact <= lean**2 * width + noise


@each_case
@given(margin=margins)
def test_evenly_smoothed_loss_is_never_below_the_loss(name: str, smoothing: Smoothing, margin: float) -> None:
    loss = LOSSES[name]()
    exact, smoothed = (loss.ramp(how).value(np.array([margin]))[0] for how in (Smoothing(), Smoothing(smoothing.width)))
    assert smoothed >= exact - 1e-15 * (1.0 + exact)


@each_loss
def test_a_smooth_loss_is_its_own_ramp(name: str) -> None:
    loss = LOSSES[name]()
    ramps = {loss.ramp(smoothing) for smoothing in SMOOTHINGS}
    assert (len(ramps) == 1) == loss.is_smooth


@each_case
def test_ramp_keeps_its_limits_at_infinite_margins(name: str, smoothing: Smoothing) -> None:
    ramp = LOSSES[name]().ramp(smoothing)
    ends = np.array([-np.inf, np.inf])
    np.testing.assert_array_equal(ramp.value(ends), [np.inf, 0.0])
    np.testing.assert_array_equal(ramp.pull(ends), [reference.DUAL_RANGE[name][1], 0.0])


@each_case
@given(margin=st.floats(-50, 50), other=st.floats(-50, 50))
@example(margin=1.0, other=1.0)
def test_pulls_satisfy_the_fenchel_inequality(name: str, smoothing: Smoothing, margin: float, other: float) -> None:
    loss = LOSSES[name]()
    pull = loss.ramp(smoothing).pull(np.array([margin]))[0]
    smallest = reference.negate_conjugate(reference.LOSSES[name](), pull)
    value = loss.ramp().value(np.array([other]))[0]
    assert value + pull * other >= smallest - 1e-8 * (1.0 + abs(smallest))


@each_case
@given(margin=margins)
def test_pulls_are_what_the_dual_allows(name: str, smoothing: Smoothing, margin: float) -> None:
    low, high = reference.DUAL_RANGE[name]
    assert low <= LOSSES[name]().ramp(smoothing).pull(np.array([margin]))[0] <= high


@each_case
@given(own=st.lists(st.floats(-20, 20), min_size=1, max_size=8))
def test_dual_equals_the_mean_of_brute_force_conjugates(name: str, smoothing: Smoothing, own: list[float]) -> None:
    loss, ramp = LOSSES[name](), LOSSES[name]().ramp(smoothing)
    values, pulls = ramp.value(np.array(own)), ramp.pull(np.array(own))
    wanted = np.mean([reference.negate_conjugate(reference.LOSSES[name](), pull) for pull in pulls])
    assert loss.dual(values.mean(), pulls.mean()) == pytest.approx(wanted, rel=1e-8, abs=1e-8)


@each_case
@given(margin=st.floats(-20, 20))
def test_dual_touches_the_loss_where_it_is_not_smoothed(name: str, smoothing: Smoothing, margin: float) -> None:
    # Fenchel's inequality is an equality at a = -loss'(m); smoothing costs no more than its error.
    loss, ramp = LOSSES[name](), LOSSES[name]().ramp(smoothing)
    value, pull = (part(np.array([margin]))[0] for part in (ramp.value, ramp.pull))
    slack = loss.ramp().value(np.array([margin]))[0] + pull * margin - loss.dual(value, pull)
    assert -1e-12 * (1.0 + value) <= slack <= (0.0 if loss.is_smooth else smoothing.width) + 1e-12 * (1.0 + value)
