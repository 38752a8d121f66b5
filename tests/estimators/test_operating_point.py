"""Where `predict` divides the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocsvm import LinearROCSVM
from rocsvm.inspection import find_threshold
from tests.estimators.data import draw_data

X, Y = draw_data(200)
HELD_X, HELD_Y = draw_data(150, seed=1)
WEIGHTS = np.random.default_rng(2).random(len(X))
TARGETS: list[Any] = ["youden", {"sensitivity": 0.9}, {"specificity": 0.9}, {"sensitivity": 0.8, "specificity": 0.7}]


def rates(model: LinearROCSVM, X: Any, y: Any, weights: Any = None) -> tuple[float, float]:
    """Return sensitivity and specificity of the predictions."""
    hits = model.predict(X) == y
    return tuple(
        np.average(hits[y == label], weights=None if weights is None else weights[y == label]) for label in (1, 0)
    )


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("target", TARGETS)
def test_fit_sets_the_threshold_of_the_training_scores(target: Any, weights: Any) -> None:
    model = LinearROCSVM(operating_point=target).fit(X, Y, weights)
    found = find_threshold(Y, X @ model.coef_[0], weights, operating_point=target)
    assert model.intercept_ == pytest.approx([-found.threshold], abs=1e-12)
    assert rates(model, X, Y, weights) == pytest.approx(found[1:], rel=1e-12)


def test_youden_finds_the_best_sum_of_rates_of_any_threshold() -> None:
    model = LinearROCSVM().fit(X, Y)
    scores = model.decision_function(X)
    sums = [np.mean(scores[Y == 1] > cut) + np.mean(scores[Y == 0] <= cut) for cut in [-np.inf, *scores]]
    assert sum(rates(model, X, Y)) == pytest.approx(max(sums), rel=1e-12)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 1.0])
def test_a_target_is_met_on_the_training_rows(share: float, weights: Any) -> None:
    model = LinearROCSVM(operating_point={"sensitivity": share}).fit(X, Y, weights)
    assert rates(model, X, Y, weights)[0] >= share - 1e-12
    model = LinearROCSVM(operating_point={"specificity": share}).fit(X, Y, weights)
    assert rates(model, X, Y, weights)[1] >= share - 1e-12


def test_none_leaves_the_intercept_zero() -> None:
    model = LinearROCSVM(operating_point=None).fit(X, Y)
    assert np.array_equal(model.intercept_, [0.0])
    assert np.array_equal(model.decision_function(X), X @ model.coef_[0])


def test_the_operating_point_leaves_the_ranking_alone() -> None:
    models = [LinearROCSVM(operating_point=target, random_state=0).fit(X, Y) for target in [*TARGETS, None]]
    assert all(np.array_equal(model.coef_, models[0].coef_) for model in models)
    assert len({model.intercept_[0] for model in models}) == len(models)


@given(sensitivity=st.none() | st.floats(0.0, 1.0), specificity=st.none() | st.floats(0.0, 1.0))
def test_held_out_rows_move_the_intercept_alone(sensitivity: float | None, specificity: float | None) -> None:
    model = LinearROCSVM(random_state=0).fit(X, Y)
    before = {name: np.copy(value) for name, value in vars(model).items() if name != "intercept_"}
    assert model.set_operating_point(HELD_X, HELD_Y, sensitivity=sensitivity, specificity=specificity) is model
    for name, value in before.items():
        assert np.array_equal(getattr(model, name), value)
    target = {"sensitivity": sensitivity, "specificity": specificity}
    named = {name: share for name, share in target.items() if share is not None} or "youden"
    found = find_threshold(HELD_Y, HELD_X @ model.coef_[0], operating_point=named)
    assert model.intercept_[0] == -found.threshold
    assert rates(model, HELD_X, HELD_Y) == pytest.approx(found[1:], rel=1e-12)
    if len(named) == 1:
        ((name, share),) = named.items()
        assert rates(model, HELD_X, HELD_Y)[name == "specificity"] >= share - 1e-12


@pytest.mark.parametrize("target", [*TARGETS, None])
def test_without_a_target_held_out_rows_serve_the_parameter(target: Any) -> None:
    model = LinearROCSVM(operating_point=target).fit(X, Y).set_operating_point(HELD_X, HELD_Y)
    found = find_threshold(HELD_Y, HELD_X @ model.coef_[0], operating_point=target)
    assert model.intercept_[0] == -found.threshold


def test_held_out_rows_may_carry_weights_and_other_labels_of_the_same_value() -> None:
    counts = np.random.default_rng(5).integers(0, 4, size=len(HELD_X))
    model = LinearROCSVM(random_state=0).fit(X, Y)
    model.set_operating_point(HELD_X, HELD_Y, sensitivity=0.7, sample_weight=counts)
    weighted = model.intercept_
    model.set_operating_point(HELD_X.repeat(counts, axis=0), HELD_Y.repeat(counts) == 1, sensitivity=0.7)
    assert np.array_equal(model.intercept_, weighted)


def test_predict_is_positive_above_zero_only() -> None:
    model = LinearROCSVM(operating_point=None).fit(X, Y)
    assert np.array_equal(model.predict(np.zeros((1, 3))), [0])
    scores = model.decision_function(X)
    assert np.array_equal(model.predict(X), np.where(scores > 0.0, 1, 0))
