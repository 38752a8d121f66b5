"""Ridge leverage against its definition by an inverse of n rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import linalg

from rocsvm.kernels import AbstractKernel, NamedKernel
from rocsvm.landmarks._leverage import BLOCK, measure_leverage
from tests.landmarks.data import RBF, choose

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))


@pytest.mark.parametrize("weights", [None, RNG.uniform(0.2, 3.0, size=90)], ids=["alike", "weighed"])
@pytest.mark.parametrize("kernel", [RBF, NamedKernel("laplacian", {"gamma": 0.4})], ids=["rbf", "laplacian"])
def test_leverage_equals_its_definition(kernel: AbstractKernel, weights: Any) -> None:
    pilot = X[:12]
    counts = np.ones(90) if weights is None else weights * 90 / weights.sum()
    columns = kernel.compare(X, pilot)
    explained = columns @ linalg.inv(kernel.compare(pilot, pilot)) @ columns.T
    left = np.ones(90) - explained.diagonal()
    ridge = counts @ left / 12
    # z (Z'Z + ridge)^-1 z is the diagonal of A (A + ridge / counts)^-1 / counts.
    own = (explained @ linalg.inv(explained + np.diag(ridge / counts))).diagonal() / counts
    wanted = np.minimum(own + left / ridge, 1.0)
    np.testing.assert_allclose(measure_leverage(X, kernel, pilot, weights), wanted, rtol=1e-9)


def test_leverage_is_the_same_by_the_block() -> None:
    rows = np.random.default_rng(0).normal(size=(2 * BLOCK + 100, 2))
    leverage = measure_leverage(rows, RBF, rows[:10], None)
    doubled = measure_leverage(rows[::-1], RBF, rows[:10], None)
    np.testing.assert_allclose(leverage, doubled[::-1], rtol=1e-9)


def test_a_row_like_no_other_has_most_leverage() -> None:
    rows = np.vstack([0.1 * X, [[50.0, 50.0, 50.0]]])
    leverage = measure_leverage(rows, RBF, rows[:10], None)
    assert leverage.argmax() == 90
    # Drawn uniformly it would be among two of twenty, on average.
    assert sum((choose("leverage", rows, 10, seed=seed) == 50.0).any() for seed in range(20)) >= 10


def test_a_pilot_that_explains_all_or_nothing_leaves_chances() -> None:
    linear = NamedKernel("linear")
    assert np.all(measure_leverage(X, linear, X[:10], None) > 0.0)
    assert np.all(measure_leverage(X, linear, np.zeros((1, 3)), None) == 1.0)
    orthogonal = np.repeat(np.eye(3), [1, 5, 5], axis=0)
    assert np.isfinite(measure_leverage(orthogonal, linear, orthogonal[:1], None)).all()
