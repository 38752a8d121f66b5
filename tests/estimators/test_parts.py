"""Strings, numbers and objects for parts, and their own arguments as nested parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rocsvm import Adamax, AllPairs, GradientDescent, Hinge, IncompletePairs, LinearROCSVM, Newton, SquaredHinge
from rocsvm.losses import LOSSES, AbstractLoss, Ramp, Smoothing
from rocsvm.pairs import PAIRS
from rocsvm.solvers import SOLVERS
from tests.estimators.data import draw_data

X, Y = draw_data()
N_ROWS = len(X)

SHORT: list[tuple[str, Any, Any]] = [
    ("loss", "hinge", Hinge()),
    ("loss", "squared_hinge", SquaredHinge()),
    ("pairs", "all", AllPairs()),
    ("pairs", "incomplete", IncompletePairs()),
    ("pairs", "incomplete", IncompletePairs(n_pairs=N_ROWS, replace=True)),
    ("pairs", 500, IncompletePairs(n_pairs=500)),
    ("pairs", np.int32(500), IncompletePairs(n_pairs=500)),
    ("pairs", 2.5, IncompletePairs(n_pairs=2.5)),
    ("pairs", 2.5, IncompletePairs(n_pairs=round(2.5 * N_ROWS))),
    ("pairs", np.float32(2.0), IncompletePairs(n_pairs=2 * N_ROWS)),
    ("solver", "auto", Newton()),
    ("solver", "newton", Newton()),
    ("solver", "adamax", Adamax()),
    ("solver", "gd", GradientDescent()),
]


class Stretched(AbstractLoss):
    """The squared hinge about a margin of one's own, as a user might write it: no dataclass."""

    def __init__(self, target: float = 1.0) -> None:
        self.target = target

    def ramp(self, smoothing: Smoothing = Smoothing()) -> Ramp:
        return Ramp(upper=self.target, width=float("inf"), curvature=2.0, steepness=0.0)

    @property
    def is_smooth(self) -> bool:
        return True

    def dual(self, value: float, pull: float) -> float:
        return self.target * pull - value


def fit(**parameters: Any) -> LinearROCSVM:
    return LinearROCSVM(**({"random_state": 0} | parameters)).fit(X, Y)


def assert_equal(model: LinearROCSVM, other: LinearROCSVM) -> None:
    assert np.array_equal(model.coef_, other.coef_)
    assert model.objective_ == other.objective_


# The paper's solvers stop where their steps are short.
@pytest.mark.filterwarnings("ignore:Stopped at a relative gap:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("name", "short", "part"), SHORT)
def test_what_is_short_for_a_part_gives_its_model(name: str, short: Any, part: Any) -> None:
    assert_equal(fit(**{name: short}), fit(**{name: part}))


@pytest.mark.parametrize(("name", "registry"), [("loss", LOSSES), ("pairs", PAIRS), ("solver", SOLVERS)])
def test_every_name_of_a_registry_is_short_for_a_part(name: str, registry: dict[str, Any]) -> None:
    assert set(registry) <= {short for each, short, _ in SHORT if each == name}


def test_all_pairs_drawn_without_replacement_are_all_pairs() -> None:
    n_pairs = int(Y.sum() * (1 - Y).sum())
    model, wanted = (
        fit(pairs=pairs, tol=1e-8, alpha=0.1) for pairs in (IncompletePairs(n_pairs, replace=False), "all")
    )
    assert model.coef_ == pytest.approx(wanted.coef_, abs=1e-3)
    assert model.objective_ == pytest.approx(wanted.objective_, rel=2e-8)


# --- Nested parameters ---


def test_the_arguments_of_a_part_are_nested_parameters() -> None:
    model = LinearROCSVM(pairs=IncompletePairs(100, replace=False), loss=Stretched(2.0))
    deep = model.get_params(deep=True)
    assert deep["pairs__n_pairs"] == 100
    assert deep["pairs__replace"] is False
    assert deep["loss__target"] == 2.0
    assert not any("__" in name for name in model.get_params(deep=False))


def test_nested_parameters_are_set_within_the_part() -> None:
    model = LinearROCSVM(pairs=IncompletePairs(100), loss=Stretched())
    model.set_params(pairs__n_pairs=7, pairs__replace=False, loss__target=3.0)
    assert model.pairs == IncompletePairs(7, replace=False)
    assert model.loss.target == 3.0
    assert_equal(model.set_params(random_state=0).fit(X, Y), fit(pairs=model.pairs, loss=Stretched(3.0)))


def test_a_part_and_its_argument_are_set_in_one_call() -> None:
    model = LinearROCSVM().set_params(pairs=IncompletePairs(), pairs__n_pairs=9)
    assert model.pairs == IncompletePairs(9)


def test_setting_a_clone_leaves_the_original_alone() -> None:
    model = LinearROCSVM(pairs=IncompletePairs(100))
    clone(model).set_params(pairs__n_pairs=7)
    assert model.pairs == IncompletePairs(100)


def test_an_argument_that_a_part_does_not_have_is_told() -> None:
    with pytest.raises(ValueError, match="Invalid parameter 'size' for estimator IncompletePairs"):
        LinearROCSVM(pairs=IncompletePairs()).set_params(pairs__size=7)


def test_a_part_that_is_set_wrongly_is_told_at_fit() -> None:
    model = LinearROCSVM(pairs=IncompletePairs()).set_params(pairs__n_pairs=-5)
    with pytest.raises(ValueError, match="n_pairs=-5"):
        model.fit(X, Y)


def test_a_grid_search_walks_nested_parameters() -> None:
    grid = {"pairs__n_pairs": [1, 2000], "loss__target": [0.5, 1.0], "alpha": [1e-2]}
    model = LinearROCSVM(pairs=IncompletePairs(5), loss=Stretched(), random_state=0)
    search = GridSearchCV(model, grid, cv=3, scoring="roc_auc", error_score="raise").fit(X, Y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_params_["pairs__n_pairs"] == 2000
    assert search.best_estimator_.pairs == IncompletePairs(2000)
    assert model.pairs == IncompletePairs(5)


def test_a_grid_search_reaches_a_part_within_a_pipeline() -> None:
    model = make_pipeline(StandardScaler(), LinearROCSVM(pairs=IncompletePairs(5), random_state=0))
    grid = {"linearrocsvm__pairs__n_pairs": [1, 2000], "linearrocsvm__loss": ["hinge", SquaredHinge()]}
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, Y)
    assert search.best_params_["linearrocsvm__pairs__n_pairs"] == 2000


def test_parts_show_their_arguments() -> None:
    assert repr(IncompletePairs(5, replace=False)) == "IncompletePairs(n_pairs=5, replace=False)"
    assert repr(LinearROCSVM(pairs=IncompletePairs(5))) == "LinearROCSVM(pairs=IncompletePairs(n_pairs=5))"
    assert repr(LinearROCSVM(loss=SquaredHinge())) == "LinearROCSVM(loss=SquaredHinge())"
    assert "IncompletePairs" in LinearROCSVM(pairs=IncompletePairs(5))._repr_html_()


def test_parts_of_equal_arguments_are_equal() -> None:
    assert IncompletePairs(5) == IncompletePairs(n_pairs=5, replace=True) != IncompletePairs(6)
    assert Hinge() == Hinge() != SquaredHinge()
    assert AllPairs() == clone(AllPairs())
