"""scikit-learn's own checks of the kernel model, and its compositions."""

from __future__ import annotations

import pickle
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocsvm import ExactKernelFeatures, IncompletePairs, KernelROCSVM, LinearROCSVM, NystroemFeatures
from rocsvm.datasets import make_roc_radial
from rocsvm.landmarks import KMeansLandmarks
from tests.estimators.data import draw_data

X, Y = draw_data(80)
RING = make_roc_radial(150, random_state=1)
NAMES = ["age", "dose", "size"]


def make(**parameters: Any) -> KernelROCSVM:
    return KernelROCSVM(**({"alpha": 1e-3, "gamma": 0.5, "n_landmarks": 12, "random_state": 0} | parameters))


# Some checks have five rows, and some a single one; one negates a kernel matrix.
@pytest.mark.filterwarnings("ignore:kernel='precomputed' is indefinite:UserWarning")
@pytest.mark.filterwarnings("ignore:n_landmarks=4, but only:UserWarning")
@parametrize_with_checks(
    [
        KernelROCSVM(n_landmarks=4),
        KernelROCSVM(n_landmarks="auto", alpha=1e-2),
        KernelROCSVM(features="exact"),
        # Weighted and repeated rows are compared to 1e-7, which is more than the default tol promises.
        KernelROCSVM(features="exact", kernel="poly", loss="squared_hinge", alpha=0.1, tol=1e-10),
        KernelROCSVM(features="exact", kernel="precomputed"),
    ]
)
def test_scikit_learn_finds_nothing_wrong(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_is_a_binary_classifier_that_takes_sparse_rows_unless_they_are_similarities() -> None:
    assert is_classifier(KernelROCSVM())
    for model in (KernelROCSVM(), KernelROCSVM(features="exact"), KernelROCSVM(features=NystroemFeatures())):
        tags = model.__sklearn_tags__()
        assert not tags.classifier_tags.multi_class
        assert tags.input_tags.sparse
        assert not tags.input_tags.pairwise
    features = ExactKernelFeatures("precomputed")
    for model in (KernelROCSVM(features="exact", kernel="precomputed"), KernelROCSVM(features=features)):
        tags = model.__sklearn_tags__()
        assert tags.input_tags.pairwise
        assert not tags.input_tags.sparse


# --- Copies ---

PARTS: dict[str, dict[str, Any]] = {
    "names": {},
    "rows": {"landmarks": X[:10]},
    "scheme": {"landmarks": KMeansLandmarks(max_iter=2)},
    "exact": {"features": "exact", "n_landmarks": 300},
    "auto": {"n_landmarks": "auto"},
    "objects": {
        "gamma": "scale",
        "n_landmarks": 300,
        "features": NystroemFeatures("poly", n_landmarks=9),
        "pairs": 500,
    },
}


@pytest.mark.parametrize("kind", PARTS)
def test_a_model_survives_clone_pickle_and_joblib(kind: str, tmp_path: Any) -> None:
    model = make(**PARTS[kind]).fit(X, Y)
    fresh = clone(model)
    assert not [name for name in vars(fresh) if name.endswith("_")]
    assert np.array_equal(fresh.fit(X, Y).decision_function(X), model.decision_function(X))
    joblib.dump(model, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(copy.decision_function(X), model.decision_function(X))
        assert np.array_equal(copy.predict(X), model.predict(X))
        assert np.array_equal(copy.fit(X, Y).dual_coef_, model.dual_coef_)


def test_a_clone_shares_no_part() -> None:
    features = NystroemFeatures(n_landmarks=9)
    copy = clone(KernelROCSVM(features=features))
    assert copy.features is not features
    assert copy.features.get_params() == features.get_params()


# --- Searches ---


def test_a_grid_search_chooses_alpha_and_gamma() -> None:
    rows, labels = RING
    grid = {"alpha": [1e-3, 1e-1], "gamma": [1e-3, 0.5, 100.0]}
    search = GridSearchCV(make(), grid, cv=3).fit(rows, labels)
    assert search.best_params_["gamma"] == 0.5
    wanted = make(**search.best_params_).fit(rows, labels)
    assert np.array_equal(search.best_estimator_.dual_coef_, wanted.dual_coef_)
    assert search.score(rows, labels) == wanted.score(rows, labels)
    table = dict(zip(map(str, search.cv_results_["params"]), search.cv_results_["mean_test_score"], strict=True))
    one = cross_val_score(make(alpha=1e-3, gamma=0.5), rows, labels, cv=3)
    assert table[str({"alpha": 1e-3, "gamma": 0.5})] == pytest.approx(one.mean(), rel=1e-12)


def test_a_grid_search_reaches_into_features_and_pairs() -> None:
    features = NystroemFeatures(gamma=0.5, landmarks=KMeansLandmarks())
    model = KernelROCSVM(1e-2, features=features, pairs=IncompletePairs(100), random_state=0)
    grid = {"features__n_landmarks": [2, 20], "pairs__n_pairs": [50, 5000], "features__landmarks__max_iter": [2]}
    search = GridSearchCV(model, grid, cv=3).fit(*RING)
    best = search.best_estimator_
    assert (best.features.n_landmarks, best.pairs.n_pairs) == tuple(
        search.best_params_[name] for name in ("features__n_landmarks", "pairs__n_pairs")
    )
    assert len(best.landmarks_) == best.features.n_landmarks
    assert best.features.landmarks.max_iter == 2
    assert len(np.unique(search.cv_results_["mean_test_score"])) > 2
    assert (features.n_landmarks, model.pairs.n_pairs) == (300, 100)


def test_a_given_matrix_is_split_both_ways() -> None:
    rows, labels = RING
    similar = np.exp(-0.5 * ((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    given = KernelROCSVM(1e-3, kernel="precomputed", features="exact", tol=1e-6)
    named = KernelROCSVM(1e-3, gamma=0.5, features="exact", tol=1e-6)
    scores = [cross_val_score(model, data, labels) for model, data in ((given, similar), (named, rows))]
    assert scores[0] == pytest.approx(scores[1], abs=5e-3)


# --- Compositions ---


def test_a_pipeline_fits_and_scores() -> None:
    model = make_pipeline(StandardScaler(), make()).fit(X, Y)
    wanted = make().fit(StandardScaler().fit_transform(X), Y)
    assert np.array_equal(model[-1].dual_coef_, wanted.dual_coef_)
    assert model.score(X, Y) == pytest.approx(roc_auc_score(Y, model.decision_function(X)), rel=1e-12)


def test_features_and_a_linear_model_are_the_kernel_model() -> None:
    features = NystroemFeatures(gamma=0.5, landmarks=X[:12])
    pipeline = make_pipeline(features, LinearROCSVM(1e-3, tol=1e-8)).fit(X, Y)
    model = make(landmarks=X[:12], tol=1e-8).fit(X, Y)
    assert model.coef_ == pytest.approx(pipeline[-1].coef_, abs=1e-3)
    assert model.objective_ == pytest.approx(pipeline[-1].objective_, rel=1e-7)


def test_calibration_turns_scores_into_probabilities() -> None:
    rows, labels = RING
    model = CalibratedClassifierCV(make(), cv=3).fit(rows, labels)
    shares = model.predict_proba(rows)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert roc_auc_score(labels, shares[:, 1]) > 0.9


def test_one_against_the_rest_takes_three_classes() -> None:
    labels = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.4, 0.4])]
    model = OneVsRestClassifier(make()).fit(X, labels)
    assert model.decision_function(X).shape == (len(X), 3)
    assert np.mean(model.predict(X) == labels) > 0.8


# --- Containers ---


@pytest.mark.parametrize("features", [{"n_landmarks": 12}, {"features": "exact", "n_landmarks": 300}], ids=str)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_give_the_model_of_their_numbers(frame: Any, features: dict[str, Any]) -> None:
    table = frame(dict(zip(NAMES, X.T, strict=True)))
    labels = np.array(["ill", "well"])[Y]
    model, wanted = make(**features).fit(table, labels), make(**features).fit(X, Y)
    assert model.feature_names_in_.tolist() == NAMES
    assert model.decision_function(table) == pytest.approx(wanted.decision_function(X), abs=1e-9)
    assert np.array_equal(model.predict(table), np.array(["ill", "well"])[wanted.predict(X)])
    with pytest.raises(ValueError, match="same order"):
        model.predict(table[NAMES[::-1]])


SPARSE: dict[str, Any] = {
    "csr array": sparse.csr_array,
    "csc array": sparse.csc_array,
    "coo array": sparse.coo_array,
    "csr matrix": sparse.csr_matrix,
    "csc matrix": sparse.csc_matrix,
}


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear", "laplacian", "cosine"])
@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_rows_give_the_model_of_dense_ones(kind: str, kernel: str) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(80, 6)) * (rng.random((80, 6)) < 0.4)
    thin = SPARSE[kind](rows)
    for features in ({"landmarks": rows[:15]}, {"features": "exact", "n_landmarks": 300}):
        options = {"kernel": kernel, "alpha": 0.01, "tol": 1e-8} | features
        model, wanted = make(**options).fit(thin, Y), make(**options).fit(rows, Y)
        assert model.objective_ == pytest.approx(wanted.objective_, rel=1e-6)
        assert model.decision_function(thin) == pytest.approx(wanted.decision_function(rows), abs=1e-2)
        assert model.decision_function(rows) == pytest.approx(model.decision_function(thin), abs=1e-9)
        assert np.array_equal(model.predict(thin), model.predict(rows))


@pytest.mark.parametrize("landmarks", ["kmeans", "uniform", "stratified", "leverage", "rpcholesky"])
def test_landmarks_of_sparse_rows_are_chosen_as_of_dense_ones(landmarks: str) -> None:
    model = make(landmarks=landmarks).fit(sparse.csr_array(X), Y)
    wanted = make(landmarks=landmarks).fit(X, Y)
    chosen = model.landmarks_.toarray() if sparse.issparse(model.landmarks_) else model.landmarks_
    assert chosen == pytest.approx(wanted.landmarks_, abs=1e-9)
    grown = make(landmarks=landmarks, n_landmarks="auto").fit(sparse.csr_array(X), Y)
    assert grown.kernel_gap_ <= 0.01


def test_nothing_handed_in_is_changed() -> None:
    for wrap in (np.array, np.asfortranarray, sparse.csr_array, sparse.csc_array):
        for features in ({}, {"features": "exact", "n_landmarks": 300}, {"n_landmarks": "auto"}):
            rows, labels, weights = wrap(X), Y.copy(), np.arange(80) % 3 * 1.0
            make(**features).fit(rows, labels, weights).set_operating_point(rows, labels, sensitivity=0.9)
            assert np.array_equal(rows.toarray() if sparse.issparse(rows) else rows, X)
            assert np.array_equal(labels, Y)
            assert np.array_equal(weights, np.arange(80) % 3)
    similar = X @ X.T
    kept = similar.copy()
    KernelROCSVM(kernel="precomputed", features="exact").fit(similar, Y).predict(similar)
    assert np.array_equal(similar, kept)


@pytest.mark.parametrize("dtype", [np.float32, ">f8", np.int64])
def test_rows_of_any_type_are_the_model_of_their_numbers(dtype: Any) -> None:
    rows = np.round(4.0 * X).astype(dtype)
    # Of either precision, k-means ends at centres of its own.
    for features in ({"landmarks": rows[:15]}, {"features": "exact", "n_landmarks": 300}):
        model, wanted = make(**features).fit(rows, Y), make(**features).fit(rows.astype(np.float64), Y)
        assert model.decision_function(rows).dtype == np.float64
        assert model.objective_ == pytest.approx(wanted.objective_, rel=1e-3)
        assert model.decision_function(rows) == pytest.approx(wanted.decision_function(rows), abs=0.1)
