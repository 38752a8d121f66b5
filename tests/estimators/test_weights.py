"""Sample weights: a whole number is as many rows, and only proportions count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rocsvm import AllPairs, Hinge, IncompletePairs, LinearROCSVM
from tests.estimators.data import assert_same_model, draw_data, exact
from tests.optimum import minimise_over_all_pairs

X, Y = draw_data(60)
COUNTS = np.random.default_rng(3).integers(0, 4, size=len(X))
FLOATS = 10.0 ** np.random.default_rng(4).uniform(-2, 2, size=len(X))

each_loss = pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
each_container = pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array, sparse.csc_array])
each_point = pytest.mark.parametrize("point", ["youden", {"sensitivity": 0.8}, {"specificity": 0.8}, None])


@each_loss
@each_container
@each_point
def test_a_whole_weight_equals_as_many_rows(loss: str, wrap: Callable[[Any], Any], point: Any) -> None:
    model = exact(loss=loss, operating_point=point)
    weighted = model.fit(wrap(X), Y, sample_weight=COUNTS)
    repeated = exact(loss=loss, operating_point=point).fit(wrap(X.repeat(COUNTS, axis=0)), Y.repeat(COUNTS))
    assert_same_model(weighted, repeated)


@each_loss
@each_container
def test_a_whole_weight_equals_as_many_rows_beside_each_other_for_drawn_pairs(
    loss: str, wrap: Callable[[Any], Any]
) -> None:
    # Rows of no weight too: drawn are places among those that weigh.
    weighted = exact(loss=loss, pairs=200).fit(wrap(X), Y, sample_weight=COUNTS)
    repeated = exact(loss=loss, pairs=200).fit(wrap(X.repeat(COUNTS, axis=0)), Y.repeat(COUNTS))
    assert_same_model(weighted, repeated)
    other = exact(loss=loss, pairs=200, random_state=1).fit(wrap(X), Y, sample_weight=COUNTS)
    assert np.linalg.norm(other.coef_ - repeated.coef_) > 1e-3


@pytest.mark.parametrize("pairs", ["all", "incomplete", 200, IncompletePairs(100, replace=False)])
def test_a_weight_of_zero_leaves_the_row_out(pairs: Any) -> None:
    weights = np.where(COUNTS > 0, FLOATS, 0.0)
    model = exact(pairs=pairs).fit(X, Y, weights)
    wanted = exact(pairs=pairs).fit(X[COUNTS > 0], Y[COUNTS > 0], weights[COUNTS > 0])
    assert np.array_equal(model.coef_, wanted.coef_)
    assert np.array_equal(model.intercept_, wanted.intercept_)


@each_loss
def test_float_weights_reach_the_optimum_of_the_weighted_pairs(loss: str) -> None:
    weights = FLOATS[:40]
    model = exact(loss=loss, tol=1e-6).fit(X[:40], Y[:40], weights)
    optimum = minimise_over_all_pairs(loss, X[:40], Y[:40] == 1, model.alpha, weights)
    # Prefix sums of weights that span four decades, over pairs a tiny smoothing apart, leave some ten digits.
    rounding = 1e-10 * optimum.upper
    assert optimum.upper - optimum.lower <= rounding
    assert optimum.lower - rounding <= model.objective_ <= optimum.upper + model.dual_gap_ + rounding
    assert model.dual_gap_ <= 1e-6 * model.objective_


def test_weights_change_the_model() -> None:
    assert np.linalg.norm(exact().fit(X, Y, FLOATS).coef_ - exact().fit(X, Y).coef_) > 0.01


@pytest.mark.parametrize("pairs", ["all", "incomplete"])
@pytest.mark.parametrize("factor", [1e-150, 0.3, 2.0, 1e150])
def test_weights_count_by_their_proportions_alone(factor: float, pairs: str) -> None:
    model, wanted = exact(pairs=pairs).fit(X, Y, factor * FLOATS), exact(pairs=pairs).fit(X, Y, FLOATS)
    assert_same_model(model, wanted)
    assert np.array_equal(model.predict(X), wanted.predict(X))


@pytest.mark.parametrize("pairs", ["all", "incomplete"])
@pytest.mark.parametrize("weight", [1, 0.3, 1e-300, 1e300])
def test_weights_that_are_all_alike_are_none(weight: float, pairs: str) -> None:
    wanted = exact(pairs=pairs).fit(X, Y)
    for given in (np.full(len(X), weight), weight):
        model = exact(pairs=pairs).fit(X, Y, given)
        assert np.array_equal(model.coef_, wanted.coef_)
        assert np.array_equal(model.intercept_, wanted.intercept_)


def test_weights_are_proportional_within_each_class_alone() -> None:
    model, wanted = exact().fit(X, Y, FLOATS * np.where(Y, 7.0, 1.0)), exact().fit(X, Y, FLOATS)
    assert np.linalg.norm(model.coef_ - wanted.coef_) <= 2.0 * np.sqrt(
        2.0 * (model.dual_gap_ + wanted.dual_gap_) / 0.01
    )


@pytest.mark.parametrize("weights", [COUNTS, FLOATS])
def test_many_weighted_random_pairs_come_near_all_pairs(weights: Any) -> None:
    model = exact(pairs=IncompletePairs(100_000), tol=1e-4, alpha=0.1, loss="squared_hinge").fit(X, Y, weights)
    positive, rows = Y[weights > 0] == 1, X[weights > 0]
    kept = weights[weights > 0].astype(float)
    wanted = exact(tol=1e-6, alpha=0.1, loss="squared_hinge").fit(rows, positive, kept)
    assert model.coef_ == pytest.approx(wanted.coef_, abs=0.03)


def test_the_score_counts_a_whole_weight_as_that_many_rows() -> None:
    model = LinearROCSVM().fit(X, Y)
    repeated = model.score(X.repeat(COUNTS, axis=0), Y.repeat(COUNTS))
    assert model.score(X, Y, COUNTS) == pytest.approx(repeated, rel=1e-12)


def test_the_objective_is_its_definition_at_the_weights_found() -> None:
    model = exact().fit(X, Y, FLOATS)
    scores = model.decision_function(X)
    value, _ = AllPairs().sum(Hinge(), scores, Y == 1, FLOATS)
    assert model.objective_ == pytest.approx(value + 0.5 * model.alpha * np.sum(model.coef_**2), rel=1e-12)
