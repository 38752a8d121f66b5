"""Kernels that a user writes, and what is said of those that are none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from rocsvm.kernels import CallableKernel, KernelFault
from tests.kernels.definition import LAYOUTS, draw_rows

X = draw_rows(150)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_callable_is_asked_for_the_matrix(layout: str) -> None:
    kernel, rows = CallableKernel(partial(rbf_kernel, gamma=0.5)), LAYOUTS[layout](X)
    wanted = rbf_kernel(X, gamma=0.5)
    np.testing.assert_allclose(kernel.compare(rows, rows), wanted, atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(rows), 1.0, atol=1e-12)
    single = kernel.against(rows[:3], np.float32)(rows)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, wanted[:, :3], atol=1e-6)


@pytest.mark.parametrize(
    "convert",
    [sparse.csr_array, sparse.csr_matrix, np.ndarray.tolist, lambda K: K > 0.0, lambda K: K.astype(np.int8)],
    ids=["sparse array", "sparse matrix", "lists", "truth values", "whole numbers"],
)
def test_whatever_holds_numbers_is_a_matrix(convert: Callable[[Any], Any]) -> None:
    compared = CallableKernel(lambda a, b: convert(linear_kernel(a, b))).compare(X, X[:4])
    assert type(compared) is np.ndarray
    assert compared.dtype == np.float64
    given = convert(linear_kernel(X, X[:4]))
    assert np.array_equal(compared, given.toarray() if sparse.issparse(given) else given)


def nonsense(rows: Any, others: Any, returned: Any) -> Any:
    return returned(rows.shape[0], others.shape[0]) if callable(returned) else returned


@pytest.mark.parametrize(
    ("returned", "complaint"),
    [
        (lambda n, m: np.ones((m, n)), r"an array of shape \(2, 3\) for 3 and 2 rows"),
        (lambda n, m: np.ones(n), r"an array of shape \(3,\)"),
        (0.5, r"an array of shape \(\)"),
        (None, r"an array of shape \(\)"),
        (lambda n, m: [[1.0] * (m + row) for row in range(n)], "list of uneven rows"),
        (lambda n, m: np.full((n, m), 1j), "values of type complex128"),
        (lambda n, m: np.full((n, m), "similar"), "values of type <U7"),
        (lambda n, m: np.full((n, m), None), "values of type object"),
        (lambda n, m: np.full((n, m), np.nan), "NaN or infinity"),
        (lambda n, m: np.full((n, m), -np.inf), "NaN or infinity"),
    ],
)
def test_nonsense_is_told_with_what_to_return(returned: Any, complaint: str) -> None:
    def similarity(rows: Any, others: Any) -> Any:
        return nonsense(rows, others, returned)

    remedy = r"Have it take two arrays of rows and return a real, finite array of shape \(3, 2\) for these two\."
    with pytest.raises(KernelFault, match=rf"kernel=similarity returned {complaint}.* {remedy}"):
        CallableKernel(similarity).compare(X[:3], X[:2])


def test_a_callable_without_a_name_is_called_by_its_type() -> None:
    with pytest.raises(KernelFault, match="kernel=partial returned NaN"):
        CallableKernel(partial(nonsense, returned=lambda n, m: np.full((n, m), np.nan))).compare(X, X)
