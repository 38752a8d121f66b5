"""Distinct rows against a dictionary of rows, and random ones against their chances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from rocsvm.landmarks import find_distinct, group_rows
from rocsvm.landmarks._distinct import draw_distinct, find_first, shuffle
from tests.kernels.definition import LAYOUTS

each_layout = pytest.mark.parametrize("layout", LAYOUTS)
tables = hnp.arrays(
    st.sampled_from([np.float64, np.float32]),
    st.tuples(st.integers(1, 30), st.integers(1, 3)),
    elements=st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0**-100]),
)


def list_first(rows: np.ndarray) -> list[int]:
    """Return the places at which a row stands for the first time."""
    first: dict[tuple[float, ...], int] = {}
    for place, row in enumerate(rows.tolist()):
        first.setdefault(tuple(row), place)
    return list(first.values())


@each_layout
@given(X=tables, data=st.data())
def test_first_places_equal_those_of_a_dictionary(layout: str, X: np.ndarray, data: st.DataObject) -> None:
    rows = np.array(data.draw(st.lists(st.integers(0, len(X) - 1), max_size=40)), dtype=np.intp)
    assert find_first(LAYOUTS[layout](X), rows).tolist() == list_first(X[rows])


@each_layout
@given(X=tables)
def test_groups_say_which_row_each_equals(layout: str, X: np.ndarray) -> None:
    first, groups = group_rows(LAYOUTS[layout](X), np.arange(len(X)))
    assert sorted(first) == list_first(X)
    assert np.array_equal(X[first][groups], X)
    assert sorted(find_distinct(LAYOUTS[layout](X))) == list_first(X)


@each_layout
@given(X=tables, seed=st.integers(0, 2**20))
def test_distinct_rows_come_in_one_order_however_shuffled(layout: str, X: np.ndarray, seed: int) -> None:
    shuffled = np.random.default_rng(seed).permutation(X)
    assert np.array_equal(X[find_distinct(LAYOUTS[layout](X))], shuffled[find_distinct(LAYOUTS[layout](shuffled))])


def test_stored_zeros_and_repeated_entries_do_not_tell_rows_apart() -> None:
    # Row 1 stores a zero, row 2 the same entry in two parts, row 3 its columns in another order.
    data, columns = [1.0, 2.0, 1.0, 2.0, 0.0, 0.5, 0.5, 2.0, 2.0, 1.0], [0, 1, 0, 1, 2, 0, 0, 1, 1, 0]
    X = sparse.csr_array((data, columns, [0, 2, 5, 8, 10]), shape=(4, 3))
    kept = X.copy()
    assert find_first(X, np.arange(4)).tolist() == [0]
    assert np.array_equal(X.data, kept.data)


@each_layout
@pytest.mark.parametrize("wanted", [1, 5, 12, 13, 100])
def test_a_draw_finds_distinct_rows_among_many_repeats(wanted: int, layout: str) -> None:
    X = np.zeros((5000, 2))
    X[:11, 0] = np.arange(1, 12)
    drawn = draw_distinct(LAYOUTS[layout](X), wanted, np.random.default_rng(0))
    assert len(drawn) == len(list_first(X[drawn])) == min(wanted, 12)


def test_a_draw_is_among_the_rows_it_is_told_of() -> None:
    X, among = np.arange(100.0)[:, None] // 2, np.arange(40, 60)
    drawn = draw_distinct(X, 50, np.random.default_rng(0), np.linspace(1.0, 2.0, 100), among)
    assert sorted(X[drawn, 0]) == list(range(20, 30))


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 4.0, 1.0])], ids=["alike", "weighed"])
def test_the_chance_to_come_first_is_in_proportion_to_the_weight(weights: Any) -> None:
    rng, n_draws = np.random.default_rng(0), 8000
    first = np.bincount([shuffle(4, rng, weights)[0] for _ in range(n_draws)], minlength=4) / n_draws
    chance = np.full(4, 0.25) if weights is None else weights / weights.sum()
    assert np.all(np.abs(first - chance) <= 4.0 * np.sqrt(chance * (1.0 - chance) / n_draws))


def test_weights_of_any_size_order_rows() -> None:
    order = shuffle(600, np.random.default_rng(0), np.repeat([1e-300, 1.0, 1e300], 200))
    assert np.array_equal(np.sort(order.reshape(3, 200)), np.arange(600).reshape(3, 200)[::-1])
