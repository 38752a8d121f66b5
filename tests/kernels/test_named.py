"""Each named kernel against its formula, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rocsvm.kernels import KERNELS, AbstractKernel, KernelFault, resolve_kernel
from tests.kernels.definition import COEF0, DEGREE, FORMULAS, GAMMA, LAYOUTS, compare_rows, draw_rows

X = draw_rows()
LANDMARKS = X[[0, 3, 8, 21, 39]]

each_kernel = pytest.mark.parametrize("name", KERNELS)
each_layout = pytest.mark.parametrize("layout", LAYOUTS)
each_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def make_kernel(name: str, *, gamma: float = GAMMA, degree: float = DEGREE, coef0: float = COEF0) -> AbstractKernel:
    return resolve_kernel(name, gamma, degree, coef0, X, None, np.random.default_rng(0))


def test_every_kernel_has_a_formula_here() -> None:
    assert set(KERNELS) == set(FORMULAS)


@each_dtype
@each_layout
@each_kernel
def test_a_comparison_equals_the_formula(name: str, layout: str, dtype: Any) -> None:
    rows, others = X.astype(dtype), LANDMARKS.astype(dtype)
    compared = make_kernel(name).compare(LAYOUTS[layout](rows), LAYOUTS[layout](others))
    assert type(compared) is np.ndarray
    assert compared.dtype == np.float64
    wanted = compare_rows(name, rows.astype(np.float64), others.astype(np.float64))
    np.testing.assert_allclose(compared, wanted, rtol=1e-12, atol=1e-13)


@each_dtype
@each_layout
@each_kernel
def test_the_diagonal_is_that_of_the_comparison(name: str, layout: str, dtype: Any) -> None:
    rows = LAYOUTS[layout](X.astype(dtype))
    diagonal = make_kernel(name).diagonal(rows)
    assert diagonal.dtype == np.float64
    wanted = compare_rows(name, X.astype(dtype).astype(np.float64), X.astype(dtype).astype(np.float64))
    np.testing.assert_allclose(diagonal, wanted.diagonal(), rtol=1e-12, atol=1e-13)


@each_dtype
@pytest.mark.parametrize("landmarks", ["dense", "csr"])
@pytest.mark.parametrize("rows", LAYOUTS)
@each_kernel
def test_columns_equal_the_formula(name: str, rows: str, landmarks: str, dtype: Any) -> None:
    columns = make_kernel(name).against(LAYOUTS[landmarks](LANDMARKS), dtype)
    for part in (slice(0, 7), slice(7, None)):
        compared = columns(LAYOUTS[rows](X[part]))
        assert compared.dtype == dtype
        np.testing.assert_allclose(
            compared, compare_rows(name, X[part], LANDMARKS), rtol=10.0 * np.finfo(dtype).eps, atol=1e-6
        )


def test_columns_are_the_callers_to_overwrite() -> None:
    for name in KERNELS:
        columns = make_kernel(name).against(LANDMARKS, np.float64)
        first = columns(X)
        kept = first.copy()
        first[:] = np.nan
        assert np.array_equal(columns(X), kept)


@pytest.mark.parametrize("name", ["poly", "linear"])
@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_what_overflows_is_told(name: str, layout: str) -> None:
    kernel, huge = make_kernel(name), LAYOUTS[layout](1e160 * X)
    for ask in (lambda: kernel.compare(huge, huge), lambda: kernel.diagonal(huge)):
        with pytest.raises(KernelFault, match=rf"kernel='{name}' with .* overflows on these rows. Scale the features"):
            ask()


@pytest.mark.parametrize("name", ["sigmoid", "cosine", "rbf", "laplacian"])
def test_a_kernel_that_is_bounded_bears_huge_rows(name: str) -> None:
    kernel, huge = make_kernel(name), 1e150 * X
    compared = kernel.compare(huge, huge)
    assert np.abs(compared).max() <= 1.0 + 1e-12
    np.testing.assert_allclose(compared.diagonal(), kernel.diagonal(huge), atol=1e-12)


def test_a_root_of_a_negative_number_is_told() -> None:
    kernel = make_kernel("poly", degree=2.5)
    with pytest.raises(KernelFault, match=r"degree=2.5 would take a root of -.*Write a whole degree, such as degree=3"):
        kernel.compare(X, -X)
    with pytest.raises(KernelFault, match=r"degree=2.5 would take a root of -5, since"):
        make_kernel("poly", degree=2.5, coef0=-5.0).diagonal(X)


def test_a_root_of_what_is_positive_is_taken() -> None:
    rows = np.abs(X)
    compared = make_kernel("poly", degree=2.5).compare(rows, rows)
    np.testing.assert_allclose(compared, (GAMMA * rows @ rows.T + COEF0) ** 2.5, rtol=1e-12)
