"""What cannot be is refused before any work, with what was asked, why it cannot be, and what to write instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from rocsvm import Hinge, IncompletePairs, LinearROCSVM, Newton
from tests.estimators.data import draw_data

X, Y = draw_data(20)
WORDS = np.array(["low", "high"])[np.arange(20) % 2]


def put(array: Any, place: Any, value: float) -> np.ndarray:
    changed = np.array(array, dtype=float)
    changed[place] = value
    return changed


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a solver is reached."""

    def refuse(*given: Any, **options: Any) -> None:
        raise AssertionError("the solver was reached")

    monkeypatch.setattr(Newton, "solve", refuse)


@pytest.mark.usefixtures("no_work")
def test_the_watch_for_work_sees_work() -> None:
    with pytest.raises(AssertionError, match="reached"):
        LinearROCSVM().fit(X, Y)


def assert_refused(match: str, *data: Any, error: type[Exception] = ValueError, **parameters: Any) -> None:
    model = LinearROCSVM(**parameters)
    with pytest.raises(error, match=match) as caught:
        model.fit(*data)
    assert type(caught.value) is error
    assert not hasattr(model, "coef_")


# --- Arguments ---

POSITIVE = "is not a positive number; write, for example"
COUNT = "is not a whole number from 1 up; write one, or None"
TARGET = "which names none; use 'youden', a dict such as"
SHARE = "not a share of rows; use a number from 0 to 1"
FLAG = "is neither yes nor no; write True or False"
VERBOSE = "write 0, 1 for a line a step, or a callable that takes a Step"
SEED = "seeds no generator; write a whole number from 0 up, a Generator"
LOSS = r"names no loss; write 'hinge', 'squared_hinge' or an object such as Hinge\(\)"
PAIRS = r"names no pairs; write 'all', 'incomplete', a number of pairs or an object such as AllPairs\(\)"
SOLVER = r"names no solver; write 'newton', 'adamax', 'gd', 'auto' or an object such as Newton\(\)"

ARGUMENTS: list[tuple[str, Any, str]] = [
    *(("alpha", value, POSITIVE) for value in (0, -1.0, np.nan, np.inf, "1e-3", True, None, [1.0], 1j)),
    ("alpha", 1e-200, "so small that double precision proves nothing under it; write 1e-100 or more"),
    *(("tol", value, POSITIVE) for value in (0.0, -1e-3, np.nan, np.inf, "small", False, None)),
    *(("max_iter", value, COUNT) for value in (0, -1, 2.0, np.nan, "10", True)),
    *(("loss", value, LOSS) for value in ("hinges", None, 1, Hinge, ["hinge"], Newton())),
    *(("pairs", value, PAIRS) for value in ("every", None, True, np.True_, IncompletePairs, [5], Hinge())),
    *(("solver", value, SOLVER) for value in ("adam", None, 1, Newton, Hinge())),
    *(("operating_point", value, TARGET) for value in ("f1", 0.5, {}, ["youden"], True)),
    *(("operating_point", {"sensitivity": value}, SHARE) for value in (1.2, -0.1, np.nan, "0.9", True, None)),
    ("operating_point", {"specificity": 2}, SHARE),
    ("operating_point", {"recall": 0.9}, "'recall', which is not known; use 'sensitivity', 'specificity' or both"),
    *(("warm_start", value, FLAG) for value in ("no", 1, None)),
    *(("verbose", value, VERBOSE) for value in ("yes", -1, 0.5, None)),
    *(("random_state", value, SEED) for value in ("seed", -1, 1.5)),
]


@pytest.mark.parametrize(("name", "value", "match"), ARGUMENTS)
@pytest.mark.usefixtures("no_work")
def test_an_argument_that_cannot_be_is_refused_before_the_data_are_looked_at(name: str, value: Any, match: str) -> None:
    assert_refused(f"{name}.*{match}", X, Y, **{name: value})
    assert_refused(match, "no rows at all", None, **{name: value})


@pytest.mark.parametrize("n_rows", [2, 20])
@pytest.mark.parametrize("value", [0, -3, 0.0, -1.0, np.nan, np.inf])
@pytest.mark.usefixtures("no_work")
def test_a_number_of_pairs_that_cannot_be_is_refused(value: float, n_rows: int) -> None:
    rows, labels = X[:n_rows], np.arange(n_rows) % 2
    match = "n_pairs=.* Write a whole number from 1 up, or a float, a multiple of the number of rows"
    assert_refused(match, rows, labels, pairs=value)
    assert_refused(match, rows, labels, pairs=IncompletePairs(value))


@pytest.mark.parametrize("value", [True, "many", [3], np.nan])
@pytest.mark.usefixtures("no_work")
def test_what_is_no_number_of_pairs_is_refused(value: Any) -> None:
    assert_refused("n_pairs=.* names no number of pairs. Write", X, Y, pairs=IncompletePairs(value))


@pytest.mark.usefixtures("no_work")
def test_more_distinct_pairs_than_there_are_is_refused() -> None:
    n_pairs = int(Y.sum() * (1 - Y).sum())
    match = f'make {n_pairs}. Write replace=True, fewer pairs, or pairs="all"'
    assert_refused(match, X, Y, pairs=IncompletePairs(n_pairs + 1, replace=False))


@pytest.mark.usefixtures("no_work")
def test_replacement_is_yes_or_no() -> None:
    assert_refused(f"replace='no' {FLAG}", X, Y, pairs=IncompletePairs(5, replace="no"))


# --- Rows ---


@pytest.mark.parametrize("wrap", [np.asarray, np.asfortranarray, sparse.csr_array, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(("value", "match"), [(np.nan, "NaN.*imputer"), (np.inf, "infinity"), (-np.inf, "infinity")])
@pytest.mark.usefixtures("no_work")
def test_missing_or_infinite_numbers_are_refused(value: float, match: str, wrap: Any) -> None:
    assert_refused(f"(?s)Input X contains {match}", wrap(put(X, (3, 1), value)), Y)


TEXT: dict[str, tuple[Any, str]] = {
    "pandas": (pd.DataFrame({"dose": X[:, 0], "ward": WORDS}), "'low' in column 'ward'"),
    "pandas, categorical": (pd.DataFrame({"ward": pd.Categorical(WORDS)}), "'low' in column 'ward'"),
    "pandas, objects": (pd.DataFrame({"dose": X[:, 0], "ward": WORDS.astype(object)}), "'low' in column 'ward'"),
    "pandas, among numbers": (pd.DataFrame({"dose": [*X[:-1, 0], "?"]}), r"'\?' in column 'dose'"),
    "polars": (pl.DataFrame({"dose": X[:, 0], "ward": WORDS}), "'low' in column 'ward'"),
    "polars, categorical": (
        pl.DataFrame({"dose": X[:, 0], "ward": WORDS}, schema_overrides={"ward": pl.Categorical}),
        "'low' in column 'ward'",
    ),
    "objects": (np.column_stack([X.astype(object), WORDS]), "'low' in column 3"),
    "strings": (WORDS[:, None], "'low' in column 0"),
    "lists": ([[1.0, word] for word in WORDS], "'low' in column 1"),
}


@pytest.mark.parametrize("kind", TEXT)
@pytest.mark.usefixtures("no_work")
def test_text_is_refused_with_its_column_and_how_to_encode_it(kind: str) -> None:
    rows, place = TEXT[kind]
    assert_refused(f"X holds text, {place}.* Encode such columns, for example by sklearn.*OneHotEncoder", rows, Y)


def hold(cell: Any) -> np.ndarray:
    cells = X.astype(object)
    cells[4, 1] = cell
    return cells


DAYS = pd.date_range("2020-01-01", periods=20)
ODD: dict[str, tuple[Any, type[Exception], str]] = {
    "dict": (hold({"a": 1}), TypeError, "{'a': 1}, of type dict, in column 1"),
    "list": (hold([1, 2]), ValueError, r"\[1, 2\], of type list, in column 1"),
    "complex": (hold(1j), TypeError, "1j, of type complex, in column 1"),
    "date": (hold(DAYS[0].date()), TypeError, "2020, 1, 1.*, of type date, in column 1"),
    "too large": (hold(10**400), ValueError, "of type int, in column 1"),
    "pandas, missing": (
        pd.DataFrame({"dose": X[:, 0], "size": [1, pd.NA] * 10}),
        TypeError,
        "<NA>, of type NAType, in column 'size'",
    ),
    "pandas, dates": (pd.DataFrame({"dose": X[:, 0], "when": DAYS}), TypeError, "of type datetime64, in column 'when'"),
    "pandas, dates of a zone": (
        pd.DataFrame({"dose": X[:, 0], "when": DAYS.tz_localize("UTC")}),
        TypeError,
        "of type Timestamp, in column 'when'",
    ),
    "pandas, periods": (pd.DataFrame({"when": DAYS.to_period("D")}), TypeError, "of type Period, in column 'when'"),
    "polars, dates": (pl.DataFrame({"when": DAYS.to_numpy()}), TypeError, "of type datetime64, in column 'when'"),
    "polars, lists": (pl.DataFrame({"s": [[1, 2]] * 20}), ValueError, "of type ndarray, in column 's'"),
    "dates": (DAYS.to_numpy()[:, None], TypeError, "of type datetime64, in column 0"),
    "durations": ((DAYS - DAYS[0]).to_numpy()[:, None], TypeError, "of type timedelta64, in column 0"),
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.usefixtures("no_work")
def test_what_is_no_number_is_refused_with_its_column(kind: str) -> None:
    rows, error, place = ODD[kind]
    match = f"X holds .*{place}, but a score is a sum of numbers. Give one number per cell, such as the days since"
    assert_refused(match, rows, Y, error=error)


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (X[:0], r"0 sample\(s\).* minimum of 1 is required"),
        (X[:, :0], r"0 feature\(s\).* minimum of 1 is required"),
        (X[:, 0], "(?s)Expected 2D array, got 1D array.*Reshape"),
        (X[None], "dim 3, while dim <= 2"),
        (X * 1j, "Complex data not supported"),
        (sparse.csr_array(X * 1j), "Complex data not supported"),
        (3.0, "Expected 2D array, got scalar array"),
        (X[:-1], r"inconsistent numbers of samples: \[19, 20\]"),
    ],
)
@pytest.mark.usefixtures("no_work")
def test_rows_of_another_shape_or_kind_are_refused(rows: Any, match: str) -> None:
    assert_refused(match, rows, Y if np.shape(rows) != X[:0].shape else Y[:0])


# --- Labels ---


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        (put(Y, 2, np.nan), "Input y contains NaN"),
        (put(Y, 2, np.inf), "Input y contains infinity"),
        (pd.Series([*Y[:-1], pd.NA], dtype="Int64"), "Input y contains NaN"),
        ([*WORDS[:-1].tolist(), None], "y mixes labels of the types NoneType, str.* two labels of one type"),
        (np.array([1, "a"] * 10, dtype=object), "y mixes labels of the types int, str.* two labels of one type"),
        (np.zeros(20), "y holds one class only, 0.0: .* no pair to rank. Give rows of both classes"),
        (["a"] * 20, "y holds one class only, 'a'"),
        ([True] * 20, "y holds one class only, True"),
        (np.arange(20) % 3, "binary.*y holds 3 classes. Wrap the estimator in sklearn.multiclass.OneVsRestClassifier"),
        (np.array(list("abc"))[np.arange(20) % 3], "y holds 3 classes. Wrap the estimator"),
        (X[:, 0], "y holds 20 different numbers, not two classes. Divide them in two, for example by y > threshold"),
        (Y * 1j, "Complex data not supported"),
        (Y[:-1], r"inconsistent numbers of samples: \[20, 19\]"),
        (np.column_stack([Y, Y]), "y should be a 1d array"),
        (None, "requires y to be passed"),
    ],
)
@pytest.mark.usefixtures("no_work")
def test_labels_that_are_not_two_are_refused(labels: Any, match: str) -> None:
    assert_refused(match, X, labels)


@pytest.mark.usefixtures("no_work")
def test_a_single_row_is_refused() -> None:
    assert_refused("y holds one class only", X[:1], Y[:1])


# --- Weights ---


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        (put(np.ones(20), 3, -1.0), "negative values, the least -1; .* Write weights from 0 up"),
        (-1.0, "negative values"),
        (put(np.ones(20), 3, np.nan), "sample_weight holds nan for row 3, .* Write finite numbers from 0 up"),
        (put(np.ones(20), 3, np.inf), "sample_weight holds inf for row 3"),
        (np.zeros(20), "All sample weights of the positive class are zero"),
        (1.0 - Y, "All sample weights of the positive class are zero.* Give some row of each class a weight above 0"),
        (Y, "All sample weights of the negative class are zero"),
        (np.ones(19), r"sample_weight has shape \(19,\), but there are 20 rows; give one number per row"),
        (np.ones((20, 2)), r"sample_weight has shape \(20, 2\), but there are 20 rows"),
        ("balanced", "sample_weight='balanced' is not a number for each row.*compute_sample_weight"),
    ],
)
@pytest.mark.usefixtures("no_work")
def test_weights_that_cannot_be_are_refused(weights: Any, match: str) -> None:
    assert_refused(match, X, Y, weights)


# --- After the fit ---


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.decision_function(X),
        lambda model: model.predict(X),
        lambda model: model.score(X, Y),
        lambda model: model.set_operating_point(X, Y),
    ],
)
def test_a_model_without_a_fit_says_so(call: Any) -> None:
    with pytest.raises(NotFittedError, match=r"not fitted yet\. Call 'fit'"):
        call(LinearROCSVM())


@pytest.mark.parametrize("name", ["decision_function", "predict", "score", "set_operating_point"])
@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (X[:, :2], "X has 2 features, but LinearROCSVM is expecting 3 features"),
        (np.column_stack([X, X]), "X has 6 features"),
        (put(X, (0, 0), np.nan), "Input X contains NaN"),
        (np.column_stack([X[:, :2].astype(object), WORDS]), "X holds text, 'low' in column 2.*OneHotEncoder"),
        (X[:, 0], "Expected 2D array"),
    ],
)
def test_rows_unlike_those_fitted_are_refused(rows: Any, match: str, name: str) -> None:
    model = LinearROCSVM().fit(X, Y)
    labels = () if name in ("decision_function", "predict") else (Y,)
    with pytest.raises(ValueError, match=match):
        getattr(model, name)(rows, *labels)


@pytest.mark.parametrize("name", ["score", "set_operating_point"])
@pytest.mark.parametrize(
    ("labels", "match"),
    [
        (Y + 1, "y holds 2, which is neither of the labels fitted, 0 and 1. Give labels of these two"),
        (WORDS, "y holds 'low', which is neither of the labels fitted, 0 and 1"),
        (put(Y, 2, np.nan), "y holds nan, which is neither"),
        (np.zeros(20), "no row of the positive class .* give rows of both classes"),
        (Y[:-1], "y has 19 rows and scores has 20; give both for the same rows"),
    ],
)
def test_labels_unlike_those_fitted_are_refused(labels: Any, match: str, name: str) -> None:
    model = LinearROCSVM().fit(X, Y)
    before = model.intercept_.copy()
    with pytest.raises(ValueError, match=match):
        getattr(model, name)(X, labels)
    assert np.array_equal(model.intercept_, before)


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        (-np.ones(20), "holds negative values, the least -1"),
        (np.ones(19), r"shape \(19,\), but there are 20 rows"),
        (Y, "negative class"),
    ],
)
def test_weights_of_held_out_rows_are_checked(weights: Any, match: str) -> None:
    model = LinearROCSVM().fit(X, Y)
    for call in (model.score, model.set_operating_point):
        with pytest.raises(ValueError, match=match):
            call(X, Y, sample_weight=weights)


def test_a_target_is_checked_before_the_held_out_rows_are_looked_at() -> None:
    model = LinearROCSVM().fit(X, Y)
    for target in ({"sensitivity": 1.2}, {"specificity": -0.1}, {"sensitivity": 0.5, "specificity": np.nan}):
        with pytest.raises(ValueError, match=SHARE):
            model.set_operating_point("no rows", None, **target)
