"""The model is that of the numbers and the two labels, in whatever container they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from rocsvm import LinearROCSVM
from tests.estimators.data import assert_same_model, draw_data, exact

X, Y = draw_data()
NAMES = ["age", "dose", "size"]
WORDS = np.array(["ill", "well"])


def widen_indices(matrix: Any) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


CONTAINERS: dict[str, Callable[[], Any]] = {
    "list": X.tolist,
    "Fortran": lambda: np.asfortranarray(X),
    "every other row": lambda: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda: X[::-1, ::-1].copy()[::-1, ::-1],
    "long double": lambda: X.astype(np.longdouble),
    "big-endian": lambda: X.astype(">f8"),
    "read-only": lambda: np.frombuffer(X.tobytes()).reshape(X.shape),
    "CSR array": lambda: sparse.csr_array(X),
    "CSC array": lambda: sparse.csc_array(X),
    "COO array": lambda: sparse.coo_array(X),
    "CSR matrix": lambda: sparse.csr_matrix(X),
    "CSC matrix": lambda: sparse.csc_matrix(X),
    "CSR of long indices": lambda: widen_indices(sparse.csr_array(X)),
    "CSC of long indices": lambda: widen_indices(sparse.csc_array(X)),
    "pandas": lambda: pd.DataFrame(X, columns=NAMES),
    "pandas, another index": lambda: pd.DataFrame(X, columns=NAMES, index=np.arange(len(X))[::-1]),
    "pandas, nullable": lambda: pd.DataFrame(X, columns=NAMES).astype("Float64"),
    "pandas, Arrow": lambda: pd.DataFrame(X, columns=NAMES).astype("double[pyarrow]"),
    "polars": lambda: pl.DataFrame(X, schema=NAMES),
}

LABELS: dict[str, Callable[[], Any]] = {
    "list": Y.tolist,
    "booleans": lambda: Y == 1,
    "-1 and 1": lambda: 2 * Y - 1,
    "bytes": lambda: Y.astype(np.uint8),
    "far integers": lambda: Y + 2**53,
    "floats": lambda: Y.astype(float),
    "broken floats": lambda: Y + 0.5,
    "strings": lambda: WORDS[Y],
    "list of strings": WORDS[Y].tolist,
    "objects": lambda: WORDS[Y].astype(object),
    "integer objects": lambda: Y.astype(object),
    "Categorical": lambda: pd.Categorical(WORDS[Y]),
    "Categorical, ordered otherwise": lambda: pd.Categorical(WORDS[Y], categories=WORDS[::-1], ordered=True),
    "Series": lambda: pd.Series(Y),
    "Series, another index": lambda: pd.Series(Y, index=np.arange(len(Y))[::-1]),
    "Series of strings": lambda: pd.Series(WORDS[Y]),
    "Series, categorical": lambda: pd.Series(pd.Categorical(WORDS[Y])),
    "Series, nullable": lambda: pd.Series(Y, dtype="Int64"),
    "Series, nullable booleans": lambda: pd.Series(Y == 1, dtype="boolean"),
    "polars Series": lambda: pl.Series(Y),
    "polars Series of strings": lambda: pl.Series(WORDS[Y].tolist()),
    "polars Series, categorical": lambda: pl.Series(WORDS[Y].tolist(), dtype=pl.Categorical),
}


@pytest.fixture(scope="module")
def wanted() -> LinearROCSVM:
    return exact().fit(X, Y)


@pytest.mark.parametrize("kind", CONTAINERS)
def test_every_container_of_rows_gives_the_same_model(kind: str, wanted: LinearROCSVM) -> None:
    rows = CONTAINERS[kind]()
    model = exact().fit(rows, Y)
    assert_same_model(model, wanted)
    assert model.decision_function(rows) == pytest.approx(wanted.decision_function(X), abs=1e-4)
    assert model.decision_function(rows).dtype == np.float64
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("wrap", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_single_precision_is_the_model_of_the_rounded_rows(wrap: Callable[[Any], Any]) -> None:
    narrow = X.astype(np.float32)
    model = exact().fit(wrap(narrow), Y)
    assert_same_model(model, exact().fit(narrow.astype(np.float64), Y))
    assert model.coef_.dtype == model.intercept_.dtype == np.float64
    assert model.decision_function(wrap(narrow)).dtype == np.float64


@pytest.mark.parametrize("wrap", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_rows_mostly_zero_give_the_model_of_the_full_array(loss: str, wrap: Callable[[Any], Any]) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(120, 8)) * (rng.random((120, 8)) < 0.2)
    assert_same_model(exact(loss=loss).fit(wrap(rows), Y), exact(loss=loss).fit(rows, Y))


@pytest.mark.parametrize("kind", LABELS)
def test_any_two_labels_give_the_same_model_and_come_back(kind: str, wanted: LinearROCSVM) -> None:
    labels = LABELS[kind]()
    model = exact().fit(X, labels)
    assert np.array_equal(model.coef_, wanted.coef_)
    assert np.array_equal(model.intercept_, wanted.intercept_)
    plain = np.asarray(labels)
    assert list(model.classes_) == sorted(set(plain.tolist()))
    above = wanted.predict(X) == 1
    assert np.array_equal(model.predict(X), np.where(above, model.classes_[1], model.classes_[0]))
    assert model.score(X, labels) == wanted.score(X, Y)


def test_labels_in_a_column_are_flattened_with_a_warning(wanted: LinearROCSVM) -> None:
    with pytest.warns(UserWarning, match="column-vector"):
        model = exact().fit(X, Y[:, None])
    assert np.array_equal(model.coef_, wanted.coef_)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_columns_are_kept_and_checked(frame: Callable[[Any], Any]) -> None:
    table = frame(dict(zip(NAMES, X.T, strict=True)))
    model = LinearROCSVM().fit(table, Y)
    assert model.feature_names_in_.tolist() == NAMES
    with pytest.raises(ValueError, match="same order"):
        model.predict(table[NAMES[::-1]])
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(X)


def test_rows_without_names_leave_none() -> None:
    model = LinearROCSVM().fit(pd.DataFrame(X, columns=NAMES), Y)
    assert not hasattr(model.fit(X, Y), "feature_names_in_")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_whole_numbers_and_booleans_in_a_frame_count_as_numbers(frame: Callable[[Any], Any]) -> None:
    columns = {"old": X[:, 0] > 0.0, "visits": np.arange(len(X)) % 5, "dose": X[:, 1]}
    plain = np.column_stack(list(columns.values())).astype(float)
    assert_same_model(exact().fit(frame(columns), Y), exact().fit(plain, Y))


def test_nullable_columns_of_pandas_count_as_numbers() -> None:
    columns = {"old": X[:, 0] > 0.0, "visits": np.arange(len(X)) % 5, "dose": X[:, 1]}
    table = pd.DataFrame(columns).astype({"old": "boolean", "visits": "Int32", "dose": "Float32"})
    plain = np.column_stack([columns["old"], columns["visits"], X[:, 1].astype(np.float32)]).astype(float)
    assert_same_model(exact().fit(table, Y), exact().fit(plain, Y))


@pytest.mark.parametrize("kind", [pd.Series, pl.Series, np.ndarray.tolist])
def test_sample_weights_come_in_any_sequence(kind: Callable[[Any], Any]) -> None:
    weights = np.random.default_rng(2).random(len(X))
    model, wanted = exact().fit(X, Y, kind(weights)), exact().fit(X, Y, weights)
    assert np.array_equal(model.coef_, wanted.coef_)


@pytest.mark.parametrize("wrap", [np.array, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nothing_handed_in_is_changed(dtype: type, wrap: Callable[[Any], Any]) -> None:
    rows, labels = wrap(X.astype(dtype)), Y.copy()
    weights = np.where(np.arange(len(X)) % 7 == 0, 0.0, 2.0 + X[:, 0] ** 2)
    kept = weights.copy()
    model = LinearROCSVM(pairs="incomplete", random_state=0).fit(rows, labels, weights)
    model.set_operating_point(rows, labels, sensitivity=0.5, sample_weight=weights)
    model.score(rows, labels, weights)
    dense = rows.toarray() if sparse.issparse(rows) else rows
    assert np.array_equal(dense, X.astype(dtype))
    assert np.array_equal(labels, Y)
    assert np.array_equal(weights, kept)


@pytest.mark.parametrize("solver", ["dense", "rotated", "sampled"])
def test_memory_mapped_rows_labels_and_weights_suffice(tmp_path: Any, solver: str) -> None:
    shape = {"dense": (120, 3), "rotated": (30, 40), "sampled": (4000, 3)}[solver]
    rows, labels = draw_data(*shape)
    weights = 1.0 + np.arange(len(rows)) % 3
    mapped = []
    for name, array in (("X", rows), ("y", labels), ("w", weights)):
        np.save(tmp_path / f"{name}.npy", array)
        mapped.append(np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    model, wanted = (LinearROCSVM(random_state=0).fit(*given) for given in (mapped, (rows, labels, weights)))
    assert np.array_equal(model.coef_, wanted.coef_)
    assert np.array_equal(model.decision_function(mapped[0]), wanted.decision_function(rows))


def test_sparse_rows_that_cannot_be_written_suffice(wanted: LinearROCSVM) -> None:
    for wrap in (sparse.csr_array, sparse.csc_array):
        rows = wrap(X)
        for array in (rows.data, rows.indices, rows.indptr):
            array.flags.writeable = False
        assert_same_model(exact().fit(rows, Y), wanted)
