"""What a fit leaves behind, what each argument does, and that the same call gives the same model."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

from rocsvm import AllPairs, IncompletePairs, LinearROCSVM
from rocsvm.losses import LOSSES
from rocsvm.solvers import AbstractSolver, Newton, Solution, Status, Step
from tests.estimators.data import assert_same_model, draw_data, exact
from tests.optimum import minimise_over_all_pairs

X, Y = draw_data()
MANY = draw_data(6000)

each_loss = pytest.mark.parametrize("loss", LOSSES)


class Idle(AbstractSolver):
    """Takes one step to nowhere, and claims to have arrived."""

    def solve(self, objective: Any, w0: Any = None, **options: Any) -> Solution:
        w = np.zeros(objective.matrix.shape[1])
        return Solution(w, Status.CONVERGED, 1, objective.value(w, objective.matrix.score(w)), 0.0)


# --- What is fitted ---


@each_loss
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
def test_the_objective_is_within_its_gap_of_the_optimum(alpha: float, loss: str) -> None:
    rows, labels = X[:40], Y[:40]
    model = LinearROCSVM(alpha, loss=loss, tol=1e-6).fit(rows, labels)
    optimum = minimise_over_all_pairs(loss, rows, labels == 1, alpha)
    assert optimum.upper - optimum.lower <= 1e-8 * optimum.upper
    assert model.objective_ >= optimum.lower * (1.0 - 1e-12)
    assert model.objective_ - model.dual_gap_ <= optimum.upper * (1.0 + 1e-12)
    assert model.dual_gap_ <= 1e-6 * model.objective_


@each_loss
def test_the_objective_is_its_definition_at_the_weights_found(loss: str) -> None:
    model = LinearROCSVM(loss=loss).fit(X, Y)
    value, _ = AllPairs().sum(LOSSES[loss](), X @ model.coef_[0], Y == 1)
    assert model.objective_ == pytest.approx(value + 0.5e-3 * np.sum(model.coef_**2), rel=1e-12)


def test_fit_returns_the_model_with_all_it_documents() -> None:
    model = LinearROCSVM()
    assert model.fit(X, Y) is model
    assert {name for name in vars(model) if name.endswith("_")} == {
        "classes_", "coef_", "dual_gap_", "intercept_", "n_features_in_", "n_iter_", "objective_",
    }  # fmt: skip
    assert model.coef_.shape == (1, 3)
    assert model.intercept_.shape == (1,)
    assert model.classes_.tolist() == [0, 1]
    assert model.n_features_in_ == 3
    assert model.n_iter_ >= 1
    assert 0.0 <= model.dual_gap_ <= 1e-3 * model.objective_
    assert type(model.n_iter_) is int
    assert type(model.objective_) is type(model.dual_gap_) is float


def test_the_decision_is_the_score_and_the_intercept() -> None:
    model = LinearROCSVM().fit(X, Y)
    assert model.decision_function(X) == pytest.approx(X @ model.coef_[0] + model.intercept_[0], abs=1e-12)
    assert np.array_equal(model.predict(X), (model.decision_function(X) > 0.0).astype(int))


@pytest.mark.parametrize("weights", [None, np.random.default_rng(0).random(len(X))])
def test_score_equals_that_of_scikit_learn(weights: Any) -> None:
    model = LinearROCSVM().fit(X, Y)
    rounded = np.round(X, 1)
    wanted = roc_auc_score(Y, model.decision_function(rounded), sample_weight=weights)
    assert model.score(rounded, Y, weights) == pytest.approx(wanted, rel=1e-12)


def test_the_larger_label_is_positive() -> None:
    words = np.array(["b", "a"])[Y]
    model, other = exact().fit(X, Y), exact().fit(X, words)
    assert other.classes_.tolist() == ["a", "b"]
    assert other.coef_ == pytest.approx(-model.coef_, abs=1e-3)
    assert other.score(X, words) == pytest.approx(model.score(X, Y), abs=1e-3)


def test_shifted_rows_have_the_same_weights() -> None:
    assert exact().fit(X + 100.0, Y).coef_ == pytest.approx(exact().fit(X, Y).coef_, abs=1e-3)


def test_a_constant_column_weighs_nothing() -> None:
    model = exact().fit(np.column_stack([X, np.full(len(X), 7.0)]), Y)
    assert model.coef_[0, 3] == pytest.approx(0.0, abs=1e-9)
    assert model.coef_[:, :3] == pytest.approx(exact().fit(X, Y).coef_, abs=1e-3)


@each_loss
@pytest.mark.parametrize("pairs", ["all", "incomplete", IncompletePairs(1, replace=False)])
@pytest.mark.parametrize("n_features", [1, 5])
def test_one_row_of_each_class_suffices(n_features: int, pairs: Any, loss: str) -> None:
    rows = np.zeros((2, n_features))
    rows[1] = 2.0
    model = LinearROCSVM(1e-3, loss=loss, pairs=pairs, random_state=0).fit(rows, [0, 1])
    assert np.array_equal(model.predict(rows), [0, 1])
    assert model.score(rows, [0, 1]) == 1.0
    # One margin m = |difference| |w|: the hinge is zero from 1 on, the squared hinge not quite.
    margin = float(np.diff(rows @ model.coef_[0])[0])
    span = 4.0 * n_features
    wanted = 1.0 if loss == "hinge" else 2.0 * span / (2.0 * span + 1e-3)
    assert margin == pytest.approx(wanted, abs=0.05)


def test_rows_all_alike_are_ranked_by_chance() -> None:
    model = LinearROCSVM().fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert np.array_equal(model.coef_, [[0.0, 0.0]])
    assert model.objective_ == 1.0
    assert model.dual_gap_ == 0.0
    assert model.score(np.ones((2, 2)), [0, 1]) == 0.5


# --- What each argument does ---

# Each argument with a value that is not its default, beside what it needs to show.
CHANGES: dict[str, tuple[Any, dict[str, Any]]] = {
    "alpha": (0.1, {}),
    "loss": ("squared_hinge", {}),
    "pairs": ("incomplete", {}),
    "solver": (Idle(), {}),
    "operating_point": ({"sensitivity": 0.95}, {}),
    "tol": (1e-8, {}),
    "max_iter": (1, {}),
    "warm_start": (True, {}),
    "random_state": (1, {"pairs": "incomplete"}),
    "verbose": (1, {}),
}


def observe(capsys: pytest.CaptureFixture[str], **parameters: Any) -> tuple[Any, ...]:
    """Return all that can be seen of a second fit."""
    model = LinearROCSVM(**({"random_state": 0} | parameters))
    given = dict(parameters)
    model.fit(*draw_data(seed=9))
    capsys.readouterr()
    model.fit(X, Y)
    assert {name: model.get_params(deep=False)[name] for name in given} == given
    seen = (model.coef_.tolist(), model.intercept_.tolist(), model.n_iter_, model.objective_, model.dual_gap_)
    return *seen, capsys.readouterr().err


def test_every_argument_has_a_change_to_show() -> None:
    assert set(CHANGES) == set(LinearROCSVM().get_params(deep=False))


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_argument_changes_something(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    value, beside = CHANGES[name]
    assert observe(capsys, **beside) == observe(capsys, **beside)
    assert observe(capsys, **beside, **{name: value}) != observe(capsys, **beside)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_arguments_stay_as_given(name: str) -> None:
    value, beside = CHANGES[name]
    model = LinearROCSVM(**beside, **{name: value})
    before = dict(vars(model))
    model.fit(X, Y).set_operating_point(X, Y, sensitivity=0.5)
    for argument, given in before.items():
        assert getattr(model, argument) is given


def test_a_larger_alpha_makes_smaller_weights() -> None:
    norms = [np.linalg.norm(LinearROCSVM(alpha).fit(X, Y).coef_) for alpha in (1e-3, 1e-1, 10.0)]
    assert norms[0] > norms[1] > norms[2]


def test_the_gap_is_at_most_tol() -> None:
    steps = []
    for tol in (0.5, 1e-3, 1e-8):
        model = LinearROCSVM(tol=tol).fit(X, Y)
        assert model.dual_gap_ <= tol * model.objective_
        steps.append(model.n_iter_)
    assert steps[0] < steps[1] < steps[2]


@pytest.mark.parametrize("data", [(X, Y), MANY])
def test_steps_that_run_out_are_told_with_the_gap_reached(data: Any) -> None:
    with pytest.warns(ConvergenceWarning, match="max_iter") as caught:
        model = LinearROCSVM(max_iter=1, random_state=0).fit(*data)
    gap = model.dual_gap_ / model.objective_
    assert f"relative gap of {gap:.1e}, above tol=0.001" in str(caught[0].message)
    assert "Raise max_iter" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert len(caught) == 1
    assert gap > 1e-3
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("max_iter", [3, 8])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_max_iter_bounds_the_steps(max_iter: int) -> None:
    assert LinearROCSVM(max_iter=max_iter, tol=1e-9).fit(X, Y).n_iter_ <= max_iter


def test_a_warm_start_takes_fewer_steps() -> None:
    model = LinearROCSVM(warm_start=True, random_state=0).fit(*MANY)
    cold = model.n_iter_
    model.fit(*MANY)
    assert model.n_iter_ < cold
    assert model.dual_gap_ <= 1e-3 * model.objective_


def test_without_warm_start_a_second_fit_is_the_first() -> None:
    model = LinearROCSVM(random_state=0).fit(X, Y)
    wanted = clone(model).fit(*draw_data(seed=9)).fit(X, Y)
    assert np.array_equal(model.coef_, wanted.coef_)
    assert model.n_iter_ == wanted.n_iter_


@pytest.mark.parametrize("shape", [(120, 3), (30, 40)])
def test_a_warm_start_ends_where_a_cold_one_does(shape: tuple[int, int]) -> None:
    rows, labels = draw_data(*shape, seed=5)
    model = exact(warm_start=True).fit(*draw_data(*shape, seed=9)).fit(rows, labels)
    assert_same_model(model, exact().fit(rows, labels))


def test_a_model_can_be_fitted_again_to_other_columns_and_labels() -> None:
    model = LinearROCSVM(random_state=0).fit(*draw_data(n_features=6))
    rows, labels = X[:, :2], np.array(["no", "yes"])[Y]
    wanted = LinearROCSVM(random_state=0).fit(rows, labels)
    model.fit(rows, labels)
    assert np.array_equal(model.coef_, wanted.coef_)
    assert np.array_equal(model.predict(rows), wanted.predict(rows))
    assert model.n_features_in_ == 2


def test_a_warm_start_takes_other_labels() -> None:
    model = LinearROCSVM(warm_start=True, random_state=0).fit(X, 1 - Y)
    model.fit(X, np.array(["no", "yes"])[Y])
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X, np.array(["no", "yes"])[Y]) > 0.8


TABLE = pd.DataFrame(X, columns=list("xyz"))


@pytest.mark.parametrize(
    ("rows", "fitted", "match"),
    [
        (X[:, :2], X, "X has 2 features, but LinearROCSVM is expecting 3 features"),
        (TABLE[list("zyx")], TABLE, "(?s)feature names should match.* same order"),
    ],
)
def test_a_warm_start_refuses_other_columns_and_keeps_the_model(rows: Any, fitted: Any, match: str) -> None:
    model = LinearROCSVM(warm_start=True).fit(fitted, Y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=match):
        model.fit(rows, Y)
    assert all(vars(model)[name] is value for name, value in before.items())


def test_silence_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    LinearROCSVM().fit(X, Y)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("verbose", [1, True, 2])
def test_verbose_writes_a_line_a_step_to_standard_error(verbose: int, capsys: pytest.CaptureFixture[str]) -> None:
    model = LinearROCSVM(verbose=verbose).fit(X, Y)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert len(lines) == model.n_iter_
    assert f"objective {model.objective_:.6g}" in lines[-1]
    assert "gap" in lines[-1]


def test_a_callable_is_handed_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[Step] = []
    model = LinearROCSVM(verbose=steps.append).fit(X, Y)
    assert all(isinstance(step, Step) for step in steps)
    assert [step.n_iter for step in steps] == list(range(1, model.n_iter_ + 1))
    assert steps[-1].objective == model.objective_
    assert steps[-1].relative_gap * model.objective_ == pytest.approx(model.dual_gap_, abs=1e-15)
    assert capsys.readouterr() == ("", "")


# --- The same call, the same model ---

RANDOM: dict[str, dict[str, Any]] = {"sampled start": {}, "random pairs": {"pairs": "incomplete"}}


@pytest.mark.parametrize("case", RANDOM)
@pytest.mark.parametrize("seed", [0, np.int64(7), (1, 2), np.random.SeedSequence(3)])
def test_a_seed_gives_the_same_model_bit_for_bit(seed: Any, case: str) -> None:
    model, other = (LinearROCSVM(random_state=seed, **RANDOM[case]).fit(*MANY) for _ in range(2))
    assert np.array_equal(model.coef_, other.coef_)
    assert np.array_equal(model.intercept_, other.intercept_)
    assert (model.n_iter_, model.objective_, model.dual_gap_) == (other.n_iter_, other.objective_, other.dual_gap_)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_is_drawn_from(make: Any) -> None:
    models = [LinearROCSVM(pairs=50, random_state=make(4)).fit(X, Y) for _ in range(2)]
    assert np.array_equal(models[0].coef_, models[1].coef_)
    again = models[0].coef_.copy()
    assert not np.array_equal(models[0].fit(X, Y).coef_, again)


def test_no_seed_draws_anew_each_time() -> None:
    model = LinearROCSVM(pairs=50)
    assert not np.array_equal(model.fit(X, Y).coef_, clone(model).fit(X, Y).coef_)


def test_the_global_generator_is_left_alone() -> None:
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    LinearROCSVM(pairs="incomplete").fit(X, Y)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


FIT_AND_PRINT = """
from rocsvm import LinearROCSVM
from tests.estimators.data import draw_data
for parameters in ({}, {"pairs": "incomplete"}, {"loss": "squared_hinge"}):
    model = LinearROCSVM(random_state=0, **parameters).fit(*draw_data(3000, 40))
    print(model.coef_.tobytes().hex(), model.intercept_.tobytes().hex(), model.n_iter_)
"""


def test_the_model_does_not_depend_on_the_threads_of_blas() -> None:
    printed = set()
    for n_threads in ("1", "2"):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": n_threads, "OMP_NUM_THREADS": n_threads}
        printed.add(
            subprocess.run(
                [sys.executable, "-c", FIT_AND_PRINT], env=environment, check=True, capture_output=True, text=True
            ).stdout
        )
    assert len(printed) == 1
    assert len(printed.pop()) > 3 * 40 * 16


# --- Copies ---


@pytest.mark.parametrize("name", CHANGES)
def test_a_clone_has_equal_arguments_and_no_fit(name: str) -> None:
    value, beside = CHANGES[name]
    model = LinearROCSVM(**beside, **{name: value})
    copy = clone(model)
    if name != "solver":
        assert copy.get_params() == model.get_params()
    assert not hasattr(clone(LinearROCSVM().fit(X, Y)), "coef_")


def test_a_clone_shares_no_part() -> None:
    pairs = IncompletePairs(100)
    copy = clone(LinearROCSVM(pairs=pairs))
    assert copy.pairs == pairs
    assert copy.pairs is not pairs


@pytest.mark.parametrize(
    "parts", [{}, {"loss": LOSSES["squared_hinge"](), "pairs": IncompletePairs(99), "solver": Newton()}]
)
def test_a_model_survives_pickle_and_joblib(parts: dict[str, Any], tmp_path: Any) -> None:
    model = LinearROCSVM(random_state=0, **parts).fit(X, Y)
    joblib.dump(model, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert copy.get_params() == model.get_params()
        assert np.array_equal(copy.decision_function(X), model.decision_function(X))
        assert np.array_equal(copy.fit(X, Y).coef_, model.coef_)
