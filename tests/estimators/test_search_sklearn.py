"""The searches under scikit-learn's own checks, and each model inside scikit-learn's own tools."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.stats import loguniform
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingRandomSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocsvm import IncompletePairs, KernelROCSVM, KernelROCSVMCV, LinearROCSVM, LinearROCSVMCV
from rocsvm.features import NystroemFeatures
from rocsvm.solvers import Newton
from tests.estimators.data import draw_data
from tests.estimators.test_sklearn import list_checks

X, Y = draw_data(150)
TABLE = pd.DataFrame(X, columns=["height", "weight", "age"])
WEIGHTS = np.random.default_rng(1).integers(0, 4, size=len(X)).astype(float)
GROUPS = np.arange(len(X)) % 10
# What the tools draw from a fit is compared to a fit by hand, so that everything is drawn from a seed.
MODELS: list[Any] = [LinearROCSVM(random_state=0), KernelROCSVM(n_landmarks=20, random_state=0)]
SEARCHES: list[Any] = [
    LinearROCSVMCV(4, cv=3, random_state=0),
    KernelROCSVMCV([0.1, 0.01], [0.1, 1.0], cv=2, n_landmarks=10, random_state=0),
]


def name(model: Any) -> str:
    return type(model).__name__


each_model = pytest.mark.parametrize("model", MODELS, ids=name)
each_search = pytest.mark.parametrize("search", SEARCHES, ids=name)
each = pytest.mark.parametrize("model", [*MODELS, *SEARCHES], ids=name)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# Checks that compare fits do so to 1e-7, and some have four distinct rows only.
@parametrize_with_checks(
    [
        LinearROCSVMCV(3, cv=2),
        LinearROCSVMCV([1.0, 0.1], cv=2, rule="one_se", loss="squared_hinge", tol=1e-10, n_jobs=2),
        KernelROCSVMCV([1.0, 0.1], 2, cv=2, n_landmarks=4),
    ]
)
def test_scikit_learn_finds_nothing_wrong(estimator: Any, check: Any) -> None:
    check(estimator)


# Landmarks of a fold are drawn by the places of its rows, as pairs are: in another order a seed draws others.
@pytest.mark.parametrize(
    ("estimator", "check"), list_checks(KernelROCSVMCV([0.1], [0.1], cv=2, n_landmarks=2, strict=True))
)
def test_scikit_learn_finds_nothing_wrong_with_landmarks_of_each_fold(estimator: Any, check: Any) -> None:
    check(estimator)


# --- Pipelines and frames ---


@each
def test_a_pipeline_fits_and_scores(model: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X, Y)
    rows = StandardScaler().fit_transform(X)
    wanted = clone(model).fit(rows, Y)
    assert np.array_equal(pipeline.decision_function(X), wanted.decision_function(rows))
    assert np.array_equal(pipeline.predict(X), wanted.predict(rows))
    assert pipeline.score(X, Y) == pytest.approx(roc_auc_score(Y, wanted.decision_function(rows)), rel=1e-12)


@each
def test_frames_between_steps_keep_their_names(model: Any) -> None:
    with sklearn.config_context(transform_output="pandas"):
        pipeline = make_pipeline(StandardScaler(), clone(model)).fit(TABLE, Y)
        assert pipeline[-1].feature_names_in_.tolist() == ["height", "weight", "age"]
        scores = pipeline.decision_function(TABLE)
    rows = StandardScaler().set_output(transform="pandas").fit_transform(TABLE)
    assert np.array_equal(scores, clone(model).fit(rows, Y).decision_function(rows))


def test_features_come_as_a_frame_for_the_model_after_them() -> None:
    pipeline = make_pipeline(NystroemFeatures(n_landmarks=20, random_state=0), LinearROCSVM(1e-4, random_state=0))
    with sklearn.config_context(transform_output="pandas"):
        pipeline.fit(TABLE, Y)
        names = pipeline[-1].feature_names_in_
        assert names.tolist() == pipeline[0].get_feature_names_out().tolist()
        assert pipeline.score(TABLE, Y) > 0.8
    assert len(names) == pipeline[-1].n_features_in_ <= 20


# --- Searches of scikit-learn over parameters of parts ---

NESTED: list[tuple[Any, dict[str, list[Any]]]] = [
    (LinearROCSVM(pairs=IncompletePairs(50), random_state=0), {"pairs__n_pairs": [20, 400], "pairs__replace": [True]}),
    (LinearROCSVM(solver=Newton(), random_state=0), {"solver__sample_size": [64, 16384], "alpha": [1e-2, 1.0]}),
    (
        KernelROCSVM(n_landmarks=20, pairs=IncompletePairs(50), solver=Newton(), random_state=0),
        {"pairs__n_pairs": [20, 400], "solver__sample_size": [64], "gamma": [0.1, 1.0]},
    ),
    (
        KernelROCSVM(features=NystroemFeatures(n_landmarks=20), random_state=0),
        {"features__n_landmarks": [5, 20], "features__gamma": [0.1], "alpha": [1e-3]},
    ),
]


@pytest.mark.parametrize(("model", "grid"), NESTED)
def test_a_grid_search_reaches_into_the_parts(model: Any, grid: dict[str, list[Any]]) -> None:
    found = GridSearchCV(
        make_pipeline(StandardScaler(), model),
        {f"{name(model).lower()}__{key}": value for key, value in grid.items()},
        cv=3,
    ).fit(X, Y)
    chosen = found.best_estimator_[-1].get_params()
    for key, value in found.best_params_.items():
        assert chosen[key.split("__", 1)[1]] == value
    wanted = clone(make_pipeline(StandardScaler(), model)).set_params(**found.best_params_).fit(X, Y)
    assert np.array_equal(found.decision_function(X), wanted.decision_function(X))
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    assert found.best_score_ > 0.7


@pytest.mark.parametrize(
    ("search", "key"), [(LinearROCSVMCV(3, cv=2), "rule"), (KernelROCSVMCV(2, 2, cv=2, n_landmarks=10), "kernel")]
)
def test_a_grid_search_runs_over_a_search(search: Any, key: str) -> None:
    grid = {key: ["best", "one_se"] if key == "rule" else ["rbf", "laplacian"], "solver__sample_size": [64]}
    found = GridSearchCV(clone(search).set_params(solver=Newton(), random_state=0), grid, cv=2).fit(X, Y)
    assert found.best_estimator_.get_params()[key] == found.best_params_[key]
    assert found.best_estimator_.best_score_ > 0.7


@each_model
def test_halving_ends_at_a_point_that_it_drew(model: Any) -> None:
    found = HalvingRandomSearchCV(
        clone(model), {"alpha": loguniform(1e-4, 1e1)}, n_candidates=6, cv=3, min_resources=50, random_state=0
    ).fit(X, Y)
    assert found.n_iterations_ == 2
    assert found.best_params_["alpha"] in found.cv_results_["param_alpha"]
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    wanted = clone(model).set_params(**found.best_params_).fit(X, Y)
    assert np.array_equal(found.decision_function(X), wanted.decision_function(X))


@each
def test_cross_validation_fits_and_scores_each_fold(model: Any) -> None:
    found = cross_validate(
        clone(model),
        X,
        Y,
        cv=3,
        scoring=["roc_auc", "balanced_accuracy"],
        return_estimator=True,
        return_train_score=True,
    )
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, Y)):
        wanted = clone(model).fit(X[train], Y[train])
        assert np.array_equal(found["estimator"][fold].coef_, wanted.coef_)
        assert found["test_roc_auc"][fold] == pytest.approx(wanted.score(X[test], Y[test]), rel=1e-12)
        assert found["test_balanced_accuracy"][fold] == balanced_accuracy_score(Y[test], wanted.predict(X[test]))


# --- Wrappers ---


@each
def test_calibration_makes_probabilities_that_rank_alike(model: Any) -> None:
    calibrated = CalibratedClassifierCV(clone(model), cv=3, ensemble=False).fit(X, Y)
    shares = calibrated.predict_proba(X)[:, 1]
    # With one classifier, its probabilities are an increasing function of its scores.
    assert roc_auc_score(Y, shares) == pytest.approx(clone(model).fit(X, Y).score(X, Y), abs=1e-3)
    assert shares.mean() == pytest.approx(Y.mean(), abs=0.1)


@each
def test_a_threshold_is_tuned_on_the_decision(model: Any) -> None:
    tuned = TunedThresholdClassifierCV(clone(model), scoring="balanced_accuracy", cv=3).fit(X, Y)
    wanted = clone(model).fit(X, Y)
    scores = wanted.decision_function(X)
    assert scores.min() < tuned.best_threshold_ < scores.max()
    assert np.array_equal(tuned.predict(X), (scores >= tuned.best_threshold_).astype(int))
    assert balanced_accuracy_score(Y, tuned.predict(X)) > 0.7


@pytest.mark.parametrize("model", [MODELS[1], *SEARCHES], ids=name)
def test_one_against_the_rest_takes_three_classes(model: Any) -> None:
    labels = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.4, 0.4])]
    wrapped = OneVsRestClassifier(clone(model)).fit(X, labels)
    assert wrapped.decision_function(X).shape == (len(X), 3)
    for place, label in enumerate(wrapped.classes_):
        wanted = clone(model).fit(X, (labels == label).astype(int))
        assert np.array_equal(wrapped.estimators_[place].coef_, wanted.coef_)
    ends = labels != "middle"
    assert np.mean(wrapped.predict(X)[ends] == labels[ends]) > 0.8


# --- Copies ---


@each
def test_a_clone_has_the_parameters_and_no_fit(model: Any) -> None:
    fitted = clone(model).set_params(solver=Newton(sample_size=512), pairs=IncompletePairs(80)).fit(X, Y)
    copy = clone(fitted)
    assert not hasattr(copy, "coef_")
    assert copy.get_params()["solver__sample_size"] == 512
    assert copy.pairs is not fitted.pairs
    assert np.array_equal(copy.fit(X, Y).decision_function(X), fitted.decision_function(X))


@each
def test_a_fitted_model_survives_pickle_and_joblib(model: Any, tmp_path: Path) -> None:
    fitted = clone(model).fit(TABLE, Y)
    joblib.dump(fitted, tmp_path / "model.joblib", compress=3)
    for copy in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(copy.decision_function(TABLE), fitted.decision_function(TABLE))
        assert np.array_equal(copy.predict(TABLE), fitted.predict(TABLE))
        assert copy.feature_names_in_.tolist() == fitted.feature_names_in_.tolist()
        assert str(copy.get_params()) == str(fitted.get_params())


@each_search
def test_the_table_of_a_search_survives_pickle(search: Any) -> None:
    fitted = clone(search).fit(X, Y)
    copy = pickle.loads(pickle.dumps(fitted))
    assert pd.DataFrame(copy.cv_results_).equals(pd.DataFrame(fitted.cv_results_))
    assert copy.alpha_ == fitted.alpha_


# --- Metadata ---


@each
@pytest.mark.usefixtures("routing")
def test_weights_are_routed_to_fit_and_score_where_asked_for(model: Any) -> None:
    asking = clone(model).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    pipeline = Pipeline([("scale", StandardScaler().set_fit_request(sample_weight=False)), ("model", asking)])
    pipeline.fit(X, Y, sample_weight=WEIGHTS)
    rows = StandardScaler().fit_transform(X)
    wanted = clone(model).fit(rows, Y, WEIGHTS)
    assert np.array_equal(pipeline[-1].coef_, wanted.coef_)
    assert pipeline.score(X, Y, sample_weight=WEIGHTS) == wanted.score(rows, Y, WEIGHTS)
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
        make_pipeline(StandardScaler(), clone(model)).fit(X, Y, sample_weight=WEIGHTS)


@each_search
@pytest.mark.usefixtures("routing")
def test_groups_are_routed_through_a_grid_search(search: Any) -> None:
    asking = clone(search).set_fit_request(groups=True, sample_weight=False)
    found = GridSearchCV(asking, {"rule": ["best", "one_se"]}, cv=2).fit(X, Y, groups=GROUPS)
    wanted = clone(search).set_params(**found.best_params_).fit(X, Y, groups=GROUPS)
    assert np.array_equal(found.best_estimator_.coef_, wanted.coef_)
    assert found.best_estimator_.best_score_ == wanted.best_score_
