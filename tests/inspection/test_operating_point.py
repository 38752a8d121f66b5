"""Operating points against a search over every threshold."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocsvm.inspection import OperatingPoint, _curve, _operating_point, check_operating_point, find_threshold
from tests.inspection.strategies import Ranking, rankings

TARGETS = st.sampled_from([0.0, 0.5, 0.9, 1.0]) | st.floats(0.0, 1.0)
TWO_TARGETS = st.fixed_dictionaries({"sensitivity": TARGETS, "specificity": TARGETS})
ONE_BEST = st.one_of(
    st.just("youden"),
    st.fixed_dictionaries({"sensitivity": TARGETS}),
    st.fixed_dictionaries({"specificity": TARGETS}),
)
LOWEST_FLOAT = -float(np.finfo(float).max)


class Point(NamedTuple):
    """A cut: its exact rates, and the scores on its two sides, None where there is none."""

    sensitivity: Fraction
    specificity: Fraction
    lower: float | None
    upper: float | None


def list_points(y, scores, weights) -> list[Point]:
    """Return every cut that a threshold can make, ascending."""
    weights = np.ones(len(y)) if weights is None else weights
    y, scores, weights = y[weights > 0], scores[weights > 0], weights[weights > 0]
    points = []
    for lower, upper in pairwise([None, *np.unique(scores).tolist(), None]):
        above = scores > lower if lower is not None else np.ones(len(y), dtype=bool)
        if upper != -np.inf:
            points.append(Point(share(weights, y & above, y), share(weights, ~y & ~above, ~y), lower, upper))
    return points


def share(weights, part, whole) -> Fraction:
    return sum(map(Fraction, weights[part]), Fraction(0)) / sum(map(Fraction, weights[whole]))


def choose_point(points: list[Point], operating_point) -> Point:
    """Return the best point by its definition; a target is met if the float that is reported meets it."""
    if operating_point == "youden":
        return max(points, key=lambda point: (point.sensitivity + point.specificity, point.sensitivity))
    ((kind, target),) = operating_point.items()
    if kind == "sensitivity":
        return [point for point in points if float(point.sensitivity) >= target][-1]
    return next(point for point in points if float(point.specificity) >= target)


def look_up(points: list[Point], found: OperatingPoint) -> Point:
    """Return the cut that a threshold makes, after a look at the rates found for it and at its place."""
    (point,) = (
        point
        for point in points
        if (point.lower is None or point.lower <= found.threshold)
        and (point.upper is None or found.threshold < point.upper)
    )
    assert found[1:] == pytest.approx((float(point.sensitivity), float(point.specificity)), rel=1e-12, abs=1e-15)
    check_place(found.threshold, point.lower, point.upper)
    return point


def measure_distance(point: Point, operating_point) -> float:
    """Return by how much both targets are missed; below zero, by how much both are passed together."""
    missed = (
        Fraction(operating_point["sensitivity"]) - point.sensitivity,
        Fraction(operating_point["specificity"]) - point.specificity,
    )
    return float(sum(missed)) if max(missed) <= 0 else math.hypot(*(max(float(one), 0.0) for one in missed))


def check_place(threshold: float, lower, upper) -> None:
    """Assert that a threshold lies on the right side of its neighbours, and midway where that can be told."""
    assert lower is None or lower <= threshold
    assert upper is None or threshold < upper
    if lower is not None and upper is not None and np.isfinite([lower, upper]).all():
        middle = float((Fraction(lower) + Fraction(upper)) / 2)
        assert threshold == lower or threshold == pytest.approx(middle, rel=1e-15, abs=1e-323)
        assert threshold > lower or np.nextafter(lower, upper) == upper or upper - lower < 1e-322
    elif lower is None and np.isfinite(upper) and abs(upper) < 1e15:
        assert threshold == upper - 1.0
    elif upper is None and np.isfinite(lower) and abs(lower) < 1e15:
        assert threshold == lower + 1.0


both_ways = pytest.mark.parametrize("n_cells", [None, 3, 8, 64])


def find_through(n_cells: int | None, ranking: Ranking, operating_point) -> OperatingPoint:
    """Return what is found when all rows are sorted, or when they are counted into cells first, as many rows are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_operating_point, "MIN_ROWS_FOR_CELLS", len(ranking[0]) + 1 if n_cells is None else 0)
        patch.setattr(_curve, "N_CELLS", n_cells or _curve.N_CELLS)
        return find_threshold(*ranking, operating_point=operating_point)


@both_ways
@given(rankings(weights="none", lowest=LOWEST_FLOAT) | rankings(weights="integer", lowest=LOWEST_FLOAT), ONE_BEST)
def test_threshold_is_the_best_of_all(n_cells, ranking: Ranking, operating_point):
    wanted = choose_point(list_points(*ranking), operating_point)
    found = find_through(n_cells, ranking, operating_point)
    assert found[1:] == (float(wanted.sensitivity), float(wanted.specificity))
    check_place(found.threshold, wanted.lower, wanted.upper)


@both_ways
@given(rankings(), TWO_TARGETS)
def test_no_threshold_is_nearer_to_both_targets(n_cells, ranking: Ranking, operating_point):
    points = list_points(*ranking)
    found = find_through(n_cells, ranking, operating_point)
    nearest = min(measure_distance(point, operating_point) for point in points)
    assert measure_distance(look_up(points, found), operating_point) == pytest.approx(nearest, rel=1e-9, abs=1e-12)


@both_ways
@given(rankings(weights="float"))
def test_no_threshold_has_a_higher_youden_index_with_weights(n_cells, ranking: Ranking):
    points = list_points(*ranking)
    found = look_up(points, find_through(n_cells, ranking, "youden"))
    best = max(point.sensitivity + point.specificity for point in points)
    assert float(found.sensitivity + found.specificity) == pytest.approx(float(best), rel=1e-12)


@both_ways
@given(rankings(weights="float", lowest=LOWEST_FLOAT), TARGETS)
def test_targets_are_met_at_the_least_cost_with_weights(n_cells, ranking: Ranking, target):
    points = list_points(*ranking)
    for kind, other in (("sensitivity", "specificity"), ("specificity", "sensitivity")):
        found = find_through(n_cells, ranking, {kind: target})
        assert getattr(found, kind) >= target
        point = look_up(points, found)
        assert getattr(point, other) >= max(
            (getattr(point, other) for point in points if getattr(point, kind) >= target + 1e-12), default=0
        )


@both_ways
@given(rankings())
def test_minus_infinity_lies_above_no_threshold(n_cells, ranking: Ranking):
    y, scores, weights = ranking
    if weights is not None:
        weights += 1.0
    scores[np.flatnonzero(y)[0]] = scores[np.flatnonzero(~y)[0]] = -np.inf
    points = list_points(*ranking)
    found = find_through(n_cells, ranking, "youden")
    best = max(point.sensitivity + point.specificity for point in points)
    point = look_up(points, found)
    assert float(point.sensitivity + point.specificity) == pytest.approx(float(best), rel=1e-12)
    reachable = find_through(n_cells, ranking, {"specificity": 0.0})
    assert look_up(points, reachable) == points[0]


def test_sensitivity_beyond_minus_infinity_is_an_error():
    y, scores = [0, 1, 1, 1, 1], [0.0, -np.inf, 1.0, 2.0, 3.0]
    assert find_threshold(y, scores, operating_point={"sensitivity": 0.75}) == (0.5, 0.75, 1.0)
    with pytest.raises(ValueError, match=r"at least 0.8, but positives that score -inf .* at most 0.75; ask for that"):
        find_threshold(y, scores, operating_point={"sensitivity": 0.8})


@both_ways
@given(rankings(weights="integer", lowest=LOWEST_FLOAT), ONE_BEST | TWO_TARGETS)
def test_integer_weight_equals_repetition(n_cells, ranking: Ranking, operating_point):
    y, scores, weights = ranking
    counts = weights.astype(int)
    repeated = np.repeat(y, counts), np.repeat(scores, counts), None
    assert find_through(n_cells, ranking, operating_point) == find_through(n_cells, repeated, operating_point)


@given(rankings())
def test_point_is_what_the_threshold_does_to_these_rows(ranking: Ranking):
    y, scores, weights = ranking
    for operating_point in ("youden", None):
        threshold, sensitivity, specificity = find_threshold(y, scores, weights, operating_point=operating_point)
        above = scores > threshold
        assert sensitivity == pytest.approx(np.average(above[y], weights=None if weights is None else weights[y]))
        assert specificity == pytest.approx(np.average(~above[~y], weights=None if weights is None else weights[~y]))


@pytest.mark.parametrize("draw", ["standard_normal", "standard_cauchy"])
@pytest.mark.parametrize("shift", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("digits", [0, 2, 15])
@pytest.mark.parametrize("share", [0.001, 0.2, 0.9])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_many_rows_give_the_same_through_cells_as_sorted(draw, shift, digits, share, is_weighted):
    rng = np.random.default_rng(3)
    n = 40_000
    assert n > _operating_point.MIN_ROWS_FOR_CELLS
    y = rng.random(n) < share
    scores = np.round(getattr(rng, draw)(n) + shift * y, digits)
    weights = rng.integers(0, 4, n) if is_weighted else None
    asked = ["youden", {"sensitivity": 0.9}, {"specificity": 0.9}, {"sensitivity": 1.0}, {"specificity": 1.0}]
    asked += [{"sensitivity": 0.0}, {"specificity": 0.0}, {"sensitivity": 0.8, "specificity": 0.9}]
    through_cells = [find_threshold(y, scores, weights, operating_point=point) for point in asked]
    assert through_cells == [find_through(None, (y, scores, weights), point) for point in asked]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threshold_between_neighbouring_floats_is_the_lower(dtype):
    lower = dtype(1.0)
    upper = np.nextafter(lower, dtype(2.0))
    scores = np.array([lower, upper])
    threshold = find_threshold([0, 1], scores).threshold
    assert threshold == lower
    assert list(scores > threshold) == [False, True]


def test_threshold_of_float32_scores_is_a_float32_number():
    scores = np.array([1.0, 1.0 + 3 * 2**-23], dtype=np.float32)
    threshold = find_threshold([0, 1], scores).threshold
    assert np.float32(threshold) == threshold


@pytest.mark.parametrize(
    ("scores", "operating_point", "threshold"),
    [
        ([1e308, 1.5e308], "youden", 1.25e308),
        ([-1.5e308, 1.5e308], "youden", 0.0),
        ([-5e-324, 5e-324], "youden", 0.0),
        ([0.0, 5e-324], "youden", 0.0),
        ([-np.inf, np.inf], "youden", 0.0),
        ([-np.inf, 3.0], "youden", 2.0),
        ([3.0, np.inf], "youden", 4.0),
        ([np.inf, np.inf], {"sensitivity": 1.0}, 0.0),
        ([np.inf, np.inf], {"specificity": 1.0}, np.inf),
        ([-np.inf, -np.inf], {"specificity": 1.0}, 0.0),
        ([2.0, 2.0], {"sensitivity": 1.0}, 1.0),
        ([2.0, 2.0], {"specificity": 1.0}, 3.0),
        ([1e300, 1e300], {"sensitivity": 1.0}, 1e300 - np.spacing(1e300)),
        ([1e300, 1e300], {"specificity": 1.0}, 1e300 + np.spacing(1e300)),
        ([-1e300, -1e300], {"specificity": 1.0}, -1e300 + np.spacing(1e300)),
        ([LOWEST_FLOAT, LOWEST_FLOAT], {"sensitivity": 1.0}, -np.inf),
        ([-LOWEST_FLOAT, -LOWEST_FLOAT], {"specificity": 1.0}, -LOWEST_FLOAT),
    ],
)
def test_threshold_never_overflows(scores, operating_point, threshold):
    assert find_threshold([0, 1], scores, operating_point=operating_point).threshold == threshold


def test_youden_tie_goes_to_the_higher_sensitivity():
    assert find_threshold([1, 0, 1, 0], [1.0, 2.0, 3.0, 4.0]) == (0.0, 1.0, 0.0)
    assert find_threshold([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0]) == (1.5, 1.0, 0.5)


def test_sensitivity_is_the_highest_threshold_even_among_positives():
    y, scores = [0, 1, 1, 1, 1], [1.0, 2.0, 3.0, 4.0, 5.0]
    assert find_threshold(y, scores, operating_point={"sensitivity": 0.5}) == (3.5, 0.5, 1.0)


@pytest.mark.parametrize("target", [0.75, 0.5])
def test_of_cuts_equally_good_for_both_targets_that_of_the_higher_sensitivity_is_taken(target):
    point = {"sensitivity": target, "specificity": target}
    assert find_threshold([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], operating_point=point) == (1.5, 1.0, 0.5)


def test_targets_that_can_both_be_reached_are_and_no_perfect_cut_is_given_away():
    y, scores = [0] * 7 + [1] * 3, np.arange(10.0)
    for sensitivity, specificity in [(0.9, 0.75), (0.9, 0.7), (0.1, 0.1), (1.0, 1.0)]:
        point = {"sensitivity": sensitivity, "specificity": specificity}
        assert find_threshold(y, scores, operating_point=point) == (6.5, 1.0, 1.0)


def test_none_is_the_threshold_zero():
    assert find_threshold([0, 1, 1, 0], [0.0, 1.0, -1.0, 2.0], operating_point=None) == (0.0, 0.5, 0.5)


def test_result_is_a_named_tuple_of_floats():
    point = find_threshold(np.array([0, 1]), np.array([0.0, 1.0], dtype=np.float32))
    assert isinstance(point, OperatingPoint)
    assert [type(value) for value in point] == [float, float, float]


def test_arguments_are_left_as_they_were():
    rng = np.random.default_rng(0)
    n = 40_000
    arguments = rng.random(n) < 0.5, rng.standard_normal(n), rng.integers(0, 3, n).astype(float)
    copies = [argument.copy() for argument in arguments]
    find_threshold(*arguments)
    for argument, copy in zip(arguments, copies, strict=True):
        np.testing.assert_array_equal(argument, copy)


@pytest.mark.parametrize(
    "operating_point",
    [
        None,
        "youden",
        {"sensitivity": 0},
        {"specificity": 1},
        {"sensitivity": np.float32(0.5), "specificity": np.int64(1)},
        MappingProxyType({"specificity": Fraction(1, 3)}),
    ],
    ids=repr,
)
def test_valid_operating_points_pass(operating_point):
    check_operating_point(operating_point)
    assert find_threshold([0, 1], [0.0, 1.0], operating_point=operating_point).threshold in {0.0, 0.5, 2.0}


@pytest.mark.parametrize(
    ("operating_point", "message"),
    [
        ("Youden", "operating_point is 'Youden', which names none; use 'youden', a dict such as .*, or None"),
        ("f1", "is 'f1', which names none"),
        ({}, "is {}, which names none"),
        (0.5, "is 0.5, which names none"),
        (["sensitivity"], r"is \['sensitivity'\], which names none"),
        ({"recall": 0.9}, "has the key 'recall', which is not known; use 'sensitivity', 'specificity' or both"),
        ({"sensitivity": 0.9, "youden": 1}, "has the key 'youden'"),
        ({3: 0.9}, "has the key 3"),
        ({"sensitivity": 1.1}, "asks for a sensitivity of 1.1, which is not a share of rows; use a number from 0 to 1"),
        ({"specificity": -0.1}, "asks for a specificity of -0.1"),
        ({"specificity": np.nan}, "asks for a specificity of nan"),
        ({"sensitivity": "0.9"}, "asks for a sensitivity of '0.9'"),
        ({"sensitivity": None}, "asks for a sensitivity of None"),
        ({"sensitivity": True}, "asks for a sensitivity of True"),
        ({"sensitivity": 0.9, "specificity": 90}, "asks for a specificity of 90"),
    ],
)
def test_error_says_which_operating_points_there_are(operating_point, message):
    with pytest.raises(ValueError, match=f"^operating_point {message.removeprefix('operating_point ')}"):
        check_operating_point(operating_point)
    with pytest.raises(ValueError, match=r"^operating_point "):
        find_threshold([0, 1], [0.0, 1.0], operating_point=operating_point)


def test_rows_are_checked_in_the_name_of_the_function():
    with pytest.raises(ValueError, match=r"^find_threshold compares .* y holds 1 labels \(1\)"):
        find_threshold([1, 1], [0.0, 1.0])
