"""Widths against their definitions, weights and repeats included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC

from rocsvm.kernels import GAMMAS, find_gamma
from rocsvm.kernels._gamma import MEDIAN_ROWS
from tests.kernels.definition import LAYOUTS, draw_rows

X = draw_rows(60, 4)
each_name = pytest.mark.parametrize("name", GAMMAS)


def find(name: str | float, rows: Any, weights: np.ndarray | None = None, seed: int = 0) -> float:
    return find_gamma(name, rows, weights, np.random.default_rng(seed))


def define(name: str, rows: np.ndarray) -> float:
    """Return the width by its definition, on few enough rows."""
    if name == "auto":
        return 1.0 / rows.shape[1]
    if name == "scale":
        return float(1.0 / (rows.shape[1] * rows.var()))
    distances = [float(((a - b) ** 2).sum()) for place, a in enumerate(rows) for b in rows[:place]]
    return float(1.0 / np.median([distance for distance in distances if distance > 0.0]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
@each_name
def test_a_name_stands_for_its_definition(name: str, layout: str, dtype: Any) -> None:
    rows = X.astype(dtype)
    assert find(name, LAYOUTS[layout](rows)) == pytest.approx(define(name, rows.astype(np.float64)), rel=1e-12)


def test_scale_is_that_of_scikit_learn() -> None:
    assert find("scale", X) == pytest.approx(SVC(gamma="scale").fit(X, X[:, 0] > 0)._gamma, rel=1e-12)


@given(offset=st.floats(-1e7, 1e7), power=st.integers(-60, 60))
def test_scale_loses_no_digits_to_an_offset(offset: float, power: int) -> None:
    shifted = 2.0**power * (X + offset)
    centred = (shifted - shifted[0]) * 2.0**-power
    assert find("scale", shifted) == pytest.approx(4.0**-power * define("scale", centred), rel=1e-6)


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_whole_weights_scale_as_repeated_rows_do(layout: str) -> None:
    counts = np.random.default_rng(0).integers(1, 5, size=len(X))
    repeated = LAYOUTS[layout](np.repeat(X, counts, axis=0))
    assert find("scale", LAYOUTS[layout](X), counts.astype(float)) == pytest.approx(find("scale", repeated), rel=1e-12)


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_the_median_passes_over_repeats(layout: str) -> None:
    repeated = np.repeat(np.random.default_rng(0).normal(size=(3, 4)), [40, 2, 2], axis=0)
    assert find("median", LAYOUTS[layout](repeated)) == pytest.approx(define("median", repeated), rel=1e-9)


def test_the_median_of_many_rows_is_of_a_sample_by_seed() -> None:
    rows = np.random.default_rng(0).normal(size=(4 * MEDIAN_ROWS, 3))
    found = find("median", rows, seed=1)
    assert found == find("median", rows, seed=1)
    assert found != find("median", rows, seed=2)
    # The median of a squared distance is within a tenth, which is more than ten standard errors.
    assert found == pytest.approx(define("median", rows[:300]), rel=0.1)


def test_the_median_weighs_rows() -> None:
    near, far = np.random.default_rng(0).normal(size=(2, 100, 3))
    rows, weights = np.vstack([near, 100.0 * far]), np.repeat([1.0, 1e-9], 100)
    assert find("median", rows, weights) == pytest.approx(define("median", near), rel=0.2)


def test_the_median_of_wide_sparse_rows_fills_none() -> None:
    wide = sparse.random_array((500, 10**7), density=1e-6, format="csr", rng=np.random.default_rng(0))
    assert 0.0 < find("median", wide) < np.inf


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize(
    "rows", [np.full((20, 3), 3.7), np.full((1, 1), 1e9), np.zeros((5, 3))], ids=["alike", "one", "zero"]
)
@each_name
def test_rows_that_are_all_alike_have_a_width(name: str, rows: np.ndarray, layout: str) -> None:
    alike = LAYOUTS[layout](rows)
    assert find(name, alike) == (1.0 / rows.shape[1] if name == "auto" else 1.0)


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("name", ["scale", "median"])
def test_a_spread_beyond_double_precision_is_told(name: str, layout: str) -> None:
    with pytest.raises(ValueError, match=rf"gamma='{name}' is .* spread is beyond double precision. Scale the feat"):
        find(name, LAYOUTS[layout](1e200 * X))


@pytest.mark.parametrize("number", [0.5, 3, np.float32(0.25)])
def test_a_number_is_a_width(number: Any) -> None:
    assert find(number, X) == float(number)
