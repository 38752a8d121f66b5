"""The path: at each alpha what a fit to that alpha finds, within the gaps that both prove."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

from rocsvm import LinearROCSVM, rocsvm_path
from rocsvm.estimators import _path
from rocsvm.losses import LOSSES
from tests.estimators.data import draw_data

X, Y = draw_data()
ALPHAS = [1e-3, 1.0, 0.03]
COUNTS = np.random.default_rng(2).integers(0, 4, size=len(X))


def assert_near(path: Any, other: Any) -> None:
    """Compare two paths: each point lies within ``sqrt(2 * gap / alpha)`` of the optimum."""
    assert path.alphas == pytest.approx(other.alphas, rel=1e-12)
    reach = np.sqrt(2.0 * path.dual_gaps / path.alphas) + np.sqrt(2.0 * other.dual_gaps / other.alphas)
    assert (np.linalg.norm(path.coefs - other.coefs, axis=1) <= reach + 1e-9).all()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weights", [None, COUNTS])
def test_each_point_is_the_model_of_its_alpha(weights: Any, loss: str) -> None:
    path = rocsvm_path(X, Y, ALPHAS, loss=loss, tol=1e-6, sample_weight=weights, random_state=0)
    assert path.alphas.tolist() == [1.0, 0.03, 1e-3]
    for place, alpha in enumerate(path.alphas):
        model = LinearROCSVM(alpha, loss=loss, tol=1e-6).fit(X, Y, weights)
        assert path.objectives[place] - path.dual_gaps[place] <= model.objective_ * (1.0 + 1e-12)
        assert model.objective_ - model.dual_gap_ <= path.objectives[place] * (1.0 + 1e-12)
        reach = np.sqrt(2.0 * path.dual_gaps[place] / alpha) + np.sqrt(2.0 * model.dual_gap_ / alpha)
        assert np.linalg.norm(path.coefs[place] - model.coef_[0]) <= reach + 1e-9
    assert (path.dual_gaps <= 1e-6 * path.objectives).all()


@pytest.mark.parametrize("weights", [None, COUNTS])
def test_areas_are_those_of_scikit_learn(weights: Any) -> None:
    path = rocsvm_path(X, Y, 4, sample_weight=weights)
    wanted = [roc_auc_score(Y, X @ w, sample_weight=weights) for w in path.coefs]
    assert path.aucs == pytest.approx(wanted, rel=1e-12)


def test_objectives_fall_and_weights_grow_as_alpha_falls() -> None:
    path = rocsvm_path(X, Y, tol=1e-7)
    assert path.alphas.shape == (20,)
    assert (np.diff(path.objectives) < 0.0).all()
    assert (np.diff(np.linalg.norm(path.coefs, axis=1)) > -1e-3).all()


def test_the_first_point_of_a_found_grid_is_the_difference_of_the_means() -> None:
    path = rocsvm_path(X, Y, 3, tol=1e-10)
    wanted = (X[Y == 1].mean(axis=0) - X[Y == 0].mean(axis=0)) / path.alphas[0]
    assert path.coefs[0] == pytest.approx(wanted, rel=1e-4)


def test_whole_weights_are_as_good_as_repeated_rows() -> None:
    repeated = rocsvm_path(X.repeat(COUNTS, axis=0), Y.repeat(COUNTS), 4, tol=1e-6)
    assert_near(rocsvm_path(X, Y, 4, sample_weight=COUNTS, tol=1e-6), repeated)


@pytest.mark.parametrize("wrap", [sparse.csr_array, sparse.csc_array, pd.DataFrame, np.asfortranarray])
def test_rows_of_any_kind_have_the_same_path(wrap: Any) -> None:
    assert_near(rocsvm_path(wrap(X), Y, 4, tol=1e-6), rocsvm_path(X, Y, 4, tol=1e-6))


def test_a_frame_lends_the_names_of_its_columns() -> None:
    path = rocsvm_path(pd.DataFrame(X, columns=list("abc")), Y, 2)
    assert path.feature_names is not None
    assert path.feature_names.tolist() == ["a", "b", "c"]
    assert rocsvm_path(X, Y, 2).feature_names is None


def test_a_seed_gives_the_same_path_and_another_other_pairs() -> None:
    paths = [rocsvm_path(X, Y, 3, pairs="incomplete", random_state=seed) for seed in (0, 0, 1)]
    assert np.array_equal(paths[0].coefs, paths[1].coefs)
    assert not np.array_equal(paths[0].coefs, paths[2].coefs)


def test_steps_that_run_out_are_told_with_the_worst_gap() -> None:
    with pytest.warns(ConvergenceWarning, match="dual_gaps") as caught:
        path = rocsvm_path(X, Y, 5, tol=1e-6, max_iter=2)
    gaps = path.dual_gaps / path.objectives
    short = int((gaps > 1e-6).sum())
    assert f"{short} of 5 fits stopped above tol=1e-06, the worst at a relative gap of {gaps.max():.1e}" in str(
        caught[0].message
    )
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"alphas": []}, "alphas is empty"),
        ({"alphas": 0}, "alphas=0 leaves nothing"),
        ({"alphas": [1.0, -1.0]}, r"alphas holds -1.0, which is not a positive number"),
        ({"tol": 0}, "tol=0 is not a positive number"),
        ({"loss": "hinges"}, "loss='hinges' names no loss"),
        ({"sample_weight": -np.ones(len(X))}, "negative values"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(
    parameters: dict[str, Any], match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_path, "find_largest_alpha", None)
    with pytest.raises(ValueError, match=match):
        rocsvm_path(X, Y, **parameters)
