"""scikit-learn's own checks, and its compositions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from rocsvm import IncompletePairs, LinearROCSVM
from tests.estimators.data import draw_data

X, Y = draw_data()
WEIGHTS = np.random.default_rng(1).integers(0, 4, size=len(X)).astype(float)

# These two checks compare a fit to repeated rows with one to weighted rows in another order. Pairs are drawn by the
# places of rows, since pairs know no features: in another order a seed draws other pairs. That whole weights are as
# good as rows in the same order `test_weights.py` proves, and that others are on average.
SHUFFLED = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")


def list_checks(*estimators: LinearROCSVM) -> list[Any]:
    """Return each check of each estimator, but for those that shuffle rows."""
    return [
        pytest.param(*pair, id=f"{pair[0]}-{pair[1].func.__name__}")
        for estimator in estimators
        for pair in estimator_checks_generator(estimator)
        if pair[1].func.__name__ not in SHUFFLED
    ]


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@parametrize_with_checks(
    [
        LinearROCSVM(),
        # Weighted and repeated rows are compared to 1e-7, which is more than the default tol promises.
        LinearROCSVM(loss="squared_hinge", tol=1e-10),
        LinearROCSVM(warm_start=True),
        LinearROCSVM(operating_point={"sensitivity": 0.9}),
    ]
)
def test_scikit_learn_finds_nothing_wrong(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("estimator", "check"), list_checks(LinearROCSVM(pairs="incomplete"), LinearROCSVM(pairs=IncompletePairs(200)))
)
def test_scikit_learn_finds_nothing_wrong_with_drawn_pairs(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_is_a_binary_classifier_that_takes_sparse_rows() -> None:
    tags = LinearROCSVM().__sklearn_tags__()
    assert is_classifier(LinearROCSVM())
    assert not tags.classifier_tags.multi_class
    assert tags.input_tags.sparse


def test_a_pipeline_fits_and_scores() -> None:
    model = make_pipeline(StandardScaler(), LinearROCSVM(random_state=0)).fit(X, Y)
    wanted = LinearROCSVM(random_state=0).fit(StandardScaler().fit_transform(X), Y)
    assert np.array_equal(model[-1].coef_, wanted.coef_)
    assert model.score(X, Y) == roc_auc_score(Y, model.decision_function(X))


def test_text_columns_are_encoded_as_the_error_advises() -> None:
    table = pd.DataFrame({"dose": X[:, 0], "ward": np.array(["a", "b", "c"])[np.arange(len(X)) % 3]})
    with pytest.raises(ValueError, match="OneHotEncoder"):
        LinearROCSVM().fit(table, Y)
    encoder = make_column_transformer((OneHotEncoder(), ["ward"]), remainder="passthrough")
    assert make_pipeline(encoder, LinearROCSVM()).fit(table, Y)[-1].n_features_in_ == 4


def test_cross_validation_ranks_by_the_decision() -> None:
    model = make_pipeline(StandardScaler(), LinearROCSVM(random_state=0))
    scores = cross_val_score(model, X, Y, scoring="roc_auc", cv=4)
    assert scores == pytest.approx(cross_val_score(model, X, Y, cv=4), rel=1e-12)
    assert (scores > 0.7).all()
    assert cross_val_predict(model, X, Y, method="decision_function", cv=4).shape == (len(X),)


def test_a_grid_search_runs_in_two_processes() -> None:
    grid = {"alpha": [1e-3, 1e-1], "loss": ["hinge", "squared_hinge"]}
    found = [GridSearchCV(LinearROCSVM(random_state=0), grid, cv=3, n_jobs=n).fit(X, Y) for n in (1, 2)]
    assert np.array_equal(found[0].cv_results_["mean_test_score"], found[1].cv_results_["mean_test_score"])


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_turns_scores_into_probabilities(method: str) -> None:
    model = CalibratedClassifierCV(LinearROCSVM(random_state=0), method=method, cv=3).fit(X, Y)
    shares = model.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert roc_auc_score(Y, shares[:, 1]) > 0.8
    assert shares[:, 1].mean() == pytest.approx(Y.mean(), abs=0.05)


def test_one_against_the_rest_takes_three_classes() -> None:
    labels = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.4, 0.4])]
    model = OneVsRestClassifier(LinearROCSVM(random_state=0)).fit(X, labels)
    assert model.decision_function(X).shape == (len(X), 3)
    for place, label in enumerate(model.classes_):
        wanted = LinearROCSVM(random_state=0).fit(X, labels == label)
        assert np.array_equal(model.estimators_[place].coef_, wanted.coef_)
    ends = labels != "middle"
    assert np.mean(model.predict(X)[ends] == labels[ends]) > 0.9


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_a_pipeline() -> None:
    model = LinearROCSVM(random_state=0).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    routed = make_pipeline(scaler, model).fit(X, Y, sample_weight=WEIGHTS)
    rows = StandardScaler().fit_transform(X)
    wanted = LinearROCSVM(random_state=0).fit(rows, Y, WEIGHTS)
    assert np.array_equal(routed[-1].coef_, wanted.coef_)
    assert routed.score(X, Y, sample_weight=WEIGHTS) == wanted.score(rows, Y, WEIGHTS)
    assert not np.array_equal(wanted.coef_, LinearROCSVM(random_state=0).fit(rows, Y).coef_)


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_a_grid_search() -> None:
    model = LinearROCSVM(random_state=0).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    search = GridSearchCV(model, {"alpha": [1e-3, 1.0]}, cv=3).fit(X, Y, sample_weight=WEIGHTS)
    wanted = LinearROCSVM(search.best_params_["alpha"], random_state=0).fit(X, Y, WEIGHTS)
    assert np.array_equal(search.best_estimator_.coef_, wanted.coef_)
    # Weights of zero leave rows out of the score of each fold too.
    kept = WEIGHTS > 0.0
    assert search.score(X, Y, sample_weight=WEIGHTS) == pytest.approx(
        search.score(X[kept], Y[kept], sample_weight=WEIGHTS[kept]), rel=1e-12
    )


@pytest.mark.usefixtures("routing")
def test_weights_that_nobody_asked_for_are_refused() -> None:
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
        make_pipeline(StandardScaler(), LinearROCSVM()).fit(X, Y, sample_weight=WEIGHTS)
