"""Each check returns what was meant, or says what to write."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocsvm.losses import LOSSES, AbstractLoss, Hinge, SquaredHinge
from rocsvm.validation import check_count, check_flag, check_positive, check_weights, resolve_part, split_labels


@pytest.mark.parametrize("name", LOSSES)
def test_a_name_stands_for_its_part(name: str) -> None:
    assert resolve_part("loss", name, LOSSES, AbstractLoss) == LOSSES[name]()


def test_a_part_stands_for_itself() -> None:
    part = SquaredHinge()
    assert resolve_part("loss", part, LOSSES, AbstractLoss) is part


@pytest.mark.parametrize("given", ["Hinge", "", None, 0, Hinge, ["hinge"], {"hinge": 1}])
def test_what_names_no_part_is_told_every_choice(given: Any) -> None:
    with pytest.raises(ValueError) as caught:
        resolve_part("loss", given, LOSSES, AbstractLoss, others=["a wish"])
    assert str(caught.value) == (
        f"loss={given!r} names no loss; write 'hinge', 'squared_hinge', a wish or an object such as Hinge()."
    ).replace("'squared_hinge', a wish or", ", ".join([*map(repr, list(LOSSES)[1:]), "a wish or"]))


@pytest.mark.parametrize("given", [1, 1e-300, 1e300, 0.5, np.float32(0.5), np.int64(3), Fraction(1, 3)])
def test_a_positive_number_is_returned_as_a_float(given: Any) -> None:
    checked = check_positive("alpha", given)
    assert type(checked) is float
    assert checked == float(given)


@pytest.mark.parametrize("given", [0, -0.0, -1, np.nan, np.inf, -np.inf, True, np.True_, "1", None, 1j, [1.0]])
def test_what_is_no_positive_number_is_told(given: Any) -> None:
    with pytest.raises(ValueError, match=r"alpha=.* is not a positive number; write, for example, alpha=1e-3"):
        check_positive("alpha", given)


@pytest.mark.parametrize(("given", "wanted"), [(None, None), (1, 1), (10**12, 10**12), (np.int8(5), 5)])
def test_a_count_is_a_whole_number_or_none(given: Any, wanted: int | None) -> None:
    checked = check_count("max_iter", given)
    assert checked == wanted
    assert type(checked) in (int, type(None))


@pytest.mark.parametrize("given", [0, -1, 1.0, np.float64(3.0), True, np.True_, "3", np.nan])
def test_what_is_no_count_is_told(given: Any) -> None:
    with pytest.raises(ValueError, match=r"max_iter=.* is not a whole number from 1 up; write one, or None"):
        check_count("max_iter", given)


@pytest.mark.parametrize("given", [True, False, np.True_, np.False_])
def test_a_flag_is_a_truth_value(given: Any) -> None:
    assert check_flag("warm_start", given) is bool(given)


@pytest.mark.parametrize("given", [0, 1, "True", None, 1.0])
def test_what_is_no_flag_is_told(given: Any) -> None:
    with pytest.raises(ValueError, match=r"warm_start=.* is neither yes nor no; write True or False"):
        check_flag("warm_start", given)


@given(
    labels=st.sampled_from([(0, 1), (-1, 1), (5, 2**62), (False, True), (0.5, 0.75), (-1e300, 1e-300), ("a", "b")]),
    positive=st.lists(st.booleans(), min_size=2).filter(lambda drawn: len(set(drawn)) == 2),
    dtype=st.sampled_from([None, object]),
)
def test_the_larger_of_two_labels_is_positive(labels: tuple[Any, Any], positive: list[bool], dtype: Any) -> None:
    y = np.array([labels[each] for each in positive], dtype=dtype)
    classes, found = split_labels(y)
    assert classes.tolist() == list(labels)
    assert found.dtype == np.bool_
    assert found.tolist() == positive


@pytest.mark.parametrize("y", [np.array([3]), np.array(["a", "a"]), np.array([True]), np.array([0.5, 0.5])])
def test_one_label_is_told_with_the_label(y: Any) -> None:
    with pytest.raises(ValueError, match=f"one class only, {y.tolist()[0]!r}: .* Give rows of both classes"):
        split_labels(y)


@pytest.mark.parametrize("y", [np.arange(4), np.array([0.0, 1.0, 2.0, 2.0]), np.array(list("abca"))])
def test_more_labels_are_told_how_to_be_wrapped(y: Any) -> None:
    with pytest.raises(ValueError, match=f"holds {len(np.unique(y))} classes. Wrap .*OneVsRestClassifier"):
        split_labels(y)


def test_continuous_targets_are_told_apart_from_classes() -> None:
    with pytest.raises(
        ValueError, match=r"Unknown label type: continuous\. y holds 3 different numbers.* y > threshold"
    ):
        split_labels(np.array([0.0, 0.5, 1.0]))


def test_labels_without_an_order_are_told_by_their_types() -> None:
    with pytest.raises(ValueError, match="Unknown label type: y mixes labels of the types NoneType, int, str"):
        split_labels(np.array([1, None, "a"], dtype=object))


# --- Weights ---

POSITIVE = np.array([True, False, False])
ROWS = np.zeros((3, 1))


def test_no_weights_are_none() -> None:
    assert check_weights(None, ROWS, POSITIVE) is None


@pytest.mark.parametrize("given", [1.0, 7, np.full(3, 0.1), [2, 2, 2]])
def test_weights_all_alike_are_none(given: Any) -> None:
    assert check_weights(given, ROWS, POSITIVE) is None


@given(powers=st.lists(st.floats(-300, 300), min_size=3, max_size=3))
def test_weights_keep_their_proportions_within_each_class_and_are_below_one(powers: list[float]) -> None:
    given = 10.0 ** np.array(powers)
    weights = check_weights(given, ROWS, POSITIVE)
    if weights is not None:
        assert 0.5 <= weights.max() < 1.0
        assert weights[0] > 0.0
        exponents = np.frexp(given)[1]
        if np.ptp(exponents) <= 200:
            # By one power of two: the digits of each are as they were.
            assert np.array_equal(np.frexp(weights)[0], np.frexp(given)[0])
            assert len(set(exponents - np.frexp(weights)[1])) == 1
        shift = np.frexp(weights[1:].max())[1] - np.frexp(given[1:].max())[1]
        assert np.array_equal(weights[1:], np.ldexp(given[1:], shift))


@pytest.mark.parametrize("tiny", [5e-324, 1e-300, 1e-200])
@pytest.mark.parametrize("swapped", [False, True])
def test_no_class_vanishes_beside_a_heavy_one(tiny: float, swapped: bool) -> None:
    positive = swapped != POSITIVE
    weights = check_weights(np.where(positive, 1e300, [tiny, tiny, 2.0 * tiny]), ROWS, positive)
    assert weights is not None
    assert weights.min() > 1e-100
    assert swapped or weights[2] == 2.0 * weights[1]


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ([1.0, -2.0, -3.0], "sample_weight holds negative values, the least -3; .* Write weights from 0 up"),
        ([0.0, 1.0, 1.0], "weights of the positive class are zero, .* Give some row of each class a weight above 0"),
        ([1.0, 0.0, 0.0], "weights of the negative class are zero"),
        ([0.0, 0.0, 0.0], "weights of the positive class are zero"),
        ([1.0, np.nan, 1.0], "sample_weight holds nan for row 1, .* Write finite numbers from 0 up"),
        ([1.0, np.inf, 1.0], "sample_weight holds inf for row 1, "),
        ([1.0, 1.0], r"shape \(2,\), but there are 3 rows; give one number per row, or None for equal weights"),
        ([[1.0], [1.0], [1.0]], r"shape \(3, 1\), but there are 3 rows"),
        ([[1.0], [1.0, 2.0]], r"sample_weight=\[\[1.0\], \[1.0, 2.0\]\] is not a number for each row"),
        ({"a": 1.0}, "sample_weight={'a': 1.0} is not a number for each row"),
        ([1.0, 1j, 1.0], "is not a number for each row"),
        (["a", "b", "c"], r"sample_weight=\['a', 'b', 'c'\] is not a number for each row"),
        ([1.0, None, 1.0], "sample_weight holds nan for row 1"),
        (np.array(["2020-01-01"] * 3, dtype="datetime64[D]"), "is not a number for each row"),
        ("balanced", "sample_weight='balanced' is not a number for each row.*compute_sample_weight"),
    ],
)
def test_weights_that_cannot_be_are_told(given: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        check_weights(given, ROWS, POSITIVE)
