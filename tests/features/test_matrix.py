"""Features of every precision and layout against the dense formula in double precision."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rocsvm.features import AbstractMatrix, wrap_matrix
from rocsvm.features._matrix import BLOCK_ENTRIES, DenseMatrix, SparseMatrix

DENSE: dict[str, Callable[[Any], Any]] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "reversed": lambda X: np.ascontiguousarray(X[::-1])[::-1],
}
SPARSE: dict[str, Callable[[Any], Any]] = {
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "csr matrix": sparse.csr_matrix,
    "csc matrix": sparse.csc_matrix,
}
# One block, several and a last one cut short, a row longer than a block, a single entry.
SHAPES = [(20, 3), (BLOCK_ENTRIES // 130 * 2 + 7, 130), (3, BLOCK_ENTRIES + 5), (5, 1), (1, 1)]

each_layout = pytest.mark.parametrize("layout", [*DENSE, *SPARSE])
each_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


def make_matrix(layout: str, dtype: Any, shape: tuple[int, int] = SHAPES[0]) -> tuple[AbstractMatrix, np.ndarray]:
    """Return features as a solver sees them, and the same numbers as an array of double precision."""
    rng = np.random.default_rng(0)
    # Columns of any scale, and far enough from zero that single precision would show.
    Z = rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, shape[1]) + 3.0
    if layout in SPARSE:
        Z[rng.random(shape) < 0.7] = 0.0
    Z = Z.astype(dtype)
    return wrap_matrix({**DENSE, **SPARSE}[layout](Z)), Z.astype(np.float64)


def assert_product(product: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    """Assert that a product equals ``left @ right`` to nearly the last digit of double precision."""
    assert type(product) is np.ndarray
    assert product.dtype == np.float64
    wanted, size = left @ right, np.abs(left) @ np.abs(right)
    assert product.shape == wanted.shape
    assert np.all(np.abs(product - wanted) <= 1e-13 * size)


@each_shape
@each_dtype
@each_layout
def test_products_equal_the_dense_formula(layout: str, dtype: Any, shape: tuple[int, int]) -> None:
    matrix, Z = make_matrix(layout, dtype, shape)
    rng = np.random.default_rng(1)
    w, slope = rng.normal(size=shape[1]), rng.normal(size=shape[0])
    assert matrix.shape == shape
    assert_product(matrix.score(w), Z, w)
    assert_product(matrix.gather(slope), slope, Z)
    assert_product(matrix.weigh_squares(slope), slope, Z**2)
    assert_product(matrix.score_squares(w), Z**2, w)


@pytest.mark.parametrize("length", [0, 2, 4])
def test_vectors_of_another_length_are_refused(length: int) -> None:
    matrix, _ = make_matrix("rows", np.float32, (3, 3))
    for product in (matrix.score, matrix.gather):
        with pytest.raises(ValueError, match=rf"shape \({length},\) does not fit features; give one of shape \(3,\)"):
            product(np.ones(length))


@pytest.mark.parametrize("dtype", [">f4", ">f8", np.float16])
def test_other_types_are_widened(dtype: Any) -> None:
    Z = np.random.default_rng(0).normal(size=(20, 3)).astype(dtype)
    matrix = wrap_matrix(Z)
    assert_product(matrix.score(np.arange(3.0)), Z.astype(np.float64), np.arange(3.0))
    assert_product(matrix.gather(np.arange(20.0)), np.arange(20.0), Z.astype(np.float64))


@each_dtype
@each_layout
def test_products_leave_the_features_as_they_are(layout: str, dtype: Any) -> None:
    matrix, Z = make_matrix(layout, dtype)
    w, slope = np.ones(Z.shape[1]), np.ones(Z.shape[0])
    matrix.score(w), matrix.gather(slope), matrix.weigh_squares(slope), matrix.score_squares(w)
    matrix.centre()[:] = 0.0
    matrix.take(np.arange(3)).score(w)
    array = matrix.array.toarray() if layout in SPARSE else matrix.array
    assert array.dtype == dtype
    np.testing.assert_array_equal(array, Z)


@each_dtype
@each_layout
@pytest.mark.parametrize("rows", [[0], [7, 2, 2, 19], list(range(20))], ids=str)
def test_take_is_those_rows_in_that_order(layout: str, dtype: Any, rows: list[int]) -> None:
    matrix, Z = make_matrix(layout, dtype)
    taken = matrix.take(np.array(rows))
    w = np.random.default_rng(1).normal(size=Z.shape[1])
    assert type(taken) is type(matrix)
    assert taken.shape == (len(rows), Z.shape[1])
    assert_product(taken.score(w), Z[rows], w)
    np.testing.assert_array_equal(taken.centre(), Z[rows] - Z[rows].mean(axis=0))


@each_dtype
@pytest.mark.parametrize("layout", DENSE)
def test_taken_dense_rows_are_a_copy_in_the_same_precision(layout: str, dtype: Any) -> None:
    matrix, _ = make_matrix(layout, dtype)
    taken = matrix.take(np.arange(20))
    assert taken.array.dtype == dtype
    assert not np.shares_memory(taken.array, matrix.array)


@each_dtype
@each_layout
def test_a_sample_is_opened_without_another_copy(layout: str, dtype: Any) -> None:
    matrix, Z = make_matrix(layout, dtype)
    rows = np.array([7, 2, 2, 19])
    sampled = matrix.sample(rows)
    opened = sampled.open()
    if layout in SPARSE:
        np.testing.assert_array_equal(opened.toarray(), Z[rows])
    else:
        assert opened is sampled.array
        np.testing.assert_array_equal(opened, Z[rows] - Z[rows].mean(axis=0))
    np.testing.assert_array_equal(matrix.array.toarray() if layout in SPARSE else matrix.array, Z)


@each_shape
@each_dtype
@each_layout
def test_centred_features_have_no_column_means(layout: str, dtype: Any, shape: tuple[int, int]) -> None:
    matrix, Z = make_matrix(layout, dtype, shape)
    centred = matrix.centre()
    assert type(centred) is np.ndarray
    assert centred.dtype == np.float64
    size = np.abs(Z).max(axis=0)
    assert np.all(np.abs(centred - (Z - Z.mean(axis=0))) <= 1e-13 * size)
    assert np.all(np.abs(centred.mean(axis=0)) <= 1e-13 * size)


@each_dtype
@each_layout
def test_open_is_centred_or_sparse_rows(layout: str, dtype: Any) -> None:
    matrix, Z = make_matrix(layout, dtype)
    opened = matrix.open()
    assert opened.dtype == np.float64
    if layout in SPARSE:
        assert opened.format == "csr"
        np.testing.assert_array_equal(opened.toarray(), Z)
    else:
        np.testing.assert_array_equal(opened, matrix.centre())


def test_rows_that_are_sparse_in_double_precision_are_opened_without_a_copy() -> None:
    features = sparse.csr_array(np.eye(5))
    assert np.shares_memory(wrap_matrix(features).open().data, features.data)


@each_dtype
@each_layout
def test_wrapping_copies_nothing(layout: str, dtype: Any) -> None:
    matrix, Z = make_matrix(layout, dtype)
    features = {**DENSE, **SPARSE}[layout](Z.astype(dtype))
    matrix = wrap_matrix(features)
    assert isinstance(matrix, SparseMatrix if layout in SPARSE else DenseMatrix)
    assert matrix.array is features


def test_wrapping_takes_features_that_cannot_be_written() -> None:
    X = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    X.flags.writeable = False
    matrix = wrap_matrix(X)
    np.testing.assert_array_equal(matrix.centre(), [[-2.0, -2.0], [0.0, 0.0], [2.0, 2.0]])
    np.testing.assert_array_equal(matrix.take(np.array([2])).score(np.ones(2)), [9.0])


@each_layout
def test_squares_of_single_precision_neither_round_nor_overflow(layout: str) -> None:
    X = np.array([[0.1, 1e30], [0.3, -1e-30]], dtype=np.float32)
    matrix, Z = wrap_matrix({**DENSE, **SPARSE}[layout](X)), X.astype(np.float64)
    np.testing.assert_allclose(matrix.weigh_squares(np.array([0.25, 0.75])), [0.25, 0.75] @ Z**2, rtol=1e-15)
    np.testing.assert_allclose(matrix.score_squares(np.array([2.0, 1e-60])), Z**2 @ [2.0, 1e-60], rtol=1e-15)


@pytest.fixture
def peak() -> Callable[[Callable[[], Any]], int]:
    """Return a function that measures the most memory taken during a call, in bytes."""

    def measure(call: Callable[[], Any]) -> int:
        tracemalloc.start()
        try:
            call()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return measure


@each_dtype
@pytest.mark.parametrize("layout", DENSE)
def test_dense_features_are_never_copied_whole(peak, layout: str, dtype: Any) -> None:
    features = DENSE[layout](np.random.default_rng(0).normal(size=(60_000, 50)).astype(dtype))
    w, slope, rows = np.ones(50), np.ones(60_000), np.arange(0, 60_000, 600)
    matrix = wrap_matrix(features)
    # Blocks, the result, and what a block becomes when it is widened and squared.
    allowed = 3 * 8 * BLOCK_ENTRIES + 8 * 60_000
    assert allowed < features.nbytes // 5
    for call in (
        lambda: matrix.score(w),
        lambda: matrix.gather(slope),
        lambda: matrix.weigh_squares(slope),
        lambda: matrix.score_squares(w),
        lambda: matrix.take(rows),
    ):
        call()  # once beforehand, since compiling takes memory too
        assert peak(call) < allowed
