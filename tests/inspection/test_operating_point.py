"""Operating points against a search over every threshold."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rocsvm.inspection import OperatingPoint, _curve, _operating_point, check_operating_point, find_threshold
from tests.inspection.strategies import Ranking, rankings

TARGETS = st.sampled_from([0.0, 0.5, 0.9, 1.0]) | st.floats(0.0, 1.0)
OPERATING_POINTS = st.one_of(
    st.just("youden"),
    st.fixed_dictionaries({"sensitivity": TARGETS}),
    st.fixed_dictionaries({"specificity": TARGETS}),
    st.fixed_dictionaries({"sensitivity": TARGETS, "specificity": TARGETS}),
)
LOWEST_FLOAT = -float(np.finfo(float).max)


def list_points(y, scores, weights) -> list[tuple[Fraction, Fraction, float, float]]:
    """Return exact sensitivity and specificity of every cut, ascending, and the scores on its two sides."""
    weights = np.ones(len(y)) if weights is None else weights
    y, scores, weights = y[weights > 0], scores[weights > 0], weights[weights > 0]
    points = []
    for lower, upper in pairwise([None, *np.unique(scores), None]):
        above = scores > lower if lower is not None else np.ones(len(y), dtype=bool)
        hit = sum(map(Fraction, weights[y & above]), Fraction(0)) / sum(map(Fraction, weights[y]))
        rejected = sum(map(Fraction, weights[~y & ~above]), Fraction(0)) / sum(map(Fraction, weights[~y]))
        if upper != -np.inf:
            points.append((hit, rejected, lower, upper))
    return points


def choose_point(points, operating_point):
    """Return the best point by its definition, in exact arithmetic but for the targets' own comparison."""
    if operating_point == "youden":
        return max(points, key=lambda point: (point[0] + point[1], point[0]))
    if len(operating_point) == 2:
        return min(points, key=lambda point: (measure_distance(point, operating_point), -point[0]))
    ((kind, target),) = operating_point.items()
    if kind == "sensitivity":
        return [point for point in points if float(point[0]) >= target][-1]
    return next(point for point in points if float(point[1]) >= target)


def measure_distance(point, operating_point) -> Fraction:
    return (point[0] - Fraction(operating_point["sensitivity"])) ** 2 + (
        point[1] - Fraction(operating_point["specificity"])
    ) ** 2


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


def force_cells(n_cells: int):
    """Return a context in which any number of rows is counted into this many cells first."""
    patch = pytest.MonkeyPatch()
    patch.setattr(_operating_point, "MIN_ROWS_FOR_CELLS", 0)
    patch.setattr(_curve, "N_CELLS", n_cells)
    return patch


@pytest.fixture(params=[None, 3, 8, 64], ids=["sorted", "3 cells", "8 cells", "64 cells"], autouse=True)
def _both_ways(request, monkeypatch):
    if request.param is not None:
        monkeypatch.setattr(_operating_point, "MIN_ROWS_FOR_CELLS", 0)
        monkeypatch.setattr(_curve, "N_CELLS", request.param)
