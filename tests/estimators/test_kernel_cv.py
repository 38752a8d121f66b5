"""A search along penalty and width chooses what fits to each fold alone would choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from rocsvm import KernelROCSVM, KernelROCSVMCV
from rocsvm.estimators import _search
from rocsvm.estimators._search import draw_screen, find_hopeful
from rocsvm.features import NystroemFeatures
from tests.shared import DATA

Floats = NDArray[np.float64]
ALPHAS, GAMMAS = [1.0, 0.03, 1e-3], [0.02, 0.3, 5.0]


def draw_rings(n_rows: int = 240, *, seed: int = 0) -> tuple[Floats, NDArray[np.int64]]:
    """Return rows of which those far out tend to be positive."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    return X, (np.hypot(*X.T) + 0.5 * rng.normal(size=n_rows) > 1.6).astype(np.int64)


X, Y = draw_rings()
LANDMARKS = X[:20]
COUNTS = np.random.default_rng(1).integers(0, 4, size=len(X))
GROUPS = np.arange(len(X)) % 11


def search(**parameters: Any) -> KernelROCSVMCV:
    settled = {"alphas": ALPHAS, "gammas": GAMMAS, "cv": 3, "n_landmarks": 20, "random_state": 0}
    return KernelROCSVMCV(**(settled | parameters))


def gather_scores(model: Any) -> Floats:
    """Return the scores of all points, a column for each fold."""
    return np.stack([model.cv_results_[f"split{fold}_test_score"] for fold in range(model.n_splits_)], axis=1)


def score_cold(splits: Any, points: Any, weights: Any = None, data: Any = (X, Y), **parameters: Any) -> Floats:
    """Return what fits of each fold alone score, a row for each point."""
    rows, labels = data
    scores = []
    for train, test in splits:
        own, held = (None, None) if weights is None else (weights[train], weights[test])
        models = [
            KernelROCSVM(n_landmarks=20, **point, **parameters).fit(rows[train], labels[train], own) for point in points
        ]
        scores.append([model.score(rows[test], labels[test], held) for model in models])
    return np.array(scores).T


def assert_same_search(model: Any, other: Any) -> None:
    assert np.array_equal(gather_scores(model), gather_scores(other), equal_nan=True)
    assert np.array_equal(model.alphas_, other.alphas_)
    assert np.array_equal(model.gammas_, other.gammas_)
    assert np.array_equal(model.landmarks_, other.landmarks_)
    assert np.array_equal(model.coef_, other.coef_)
    assert np.array_equal(model.intercept_, other.intercept_)
    assert (model.alpha_, model.gamma_, model.best_score_) == (other.alpha_, other.gamma_, other.best_score_)


# --- The choice ---


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("strict", [False, True])
def test_the_choice_is_that_of_an_exhaustive_cold_search(strict: bool, seed: int) -> None:
    data = draw_rings(seed=seed)
    landmarks = data[0][:20]
    model = search(landmarks=landmarks, strict=strict, tol=1e-5).fit(*data)
    splits = StratifiedKFold(3).split(*data)
    cold = score_cold(splits, model.cv_results_["params"], data=data, landmarks=landmarks, tol=1e-8)
    assert model.best_index_ == int(np.argmax(cold.mean(axis=1)))
    assert model.best_score_ == pytest.approx(cold.mean(axis=1).max(), abs=2e-3)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("weights", [None, COUNTS])
def test_each_fold_scores_as_a_model_fitted_to_its_rows(weights: Any, kernel: str) -> None:
    splits = list(StratifiedKFold(3).split(X, Y))
    options: dict[str, Any] = {"kernel": kernel, "degree": 2, "coef0": 0.5, "landmarks": LANDMARKS, "tol": 1e-6}
    model = search(cv=splits, gammas=[0.1, 1.0], alphas=[1.0, 0.03], **options).fit(X, Y, weights)
    cold = score_cold(splits, model.cv_results_["params"], weights, **options)
    assert gather_scores(model) == pytest.approx(cold, abs=5e-3)


@pytest.mark.parametrize("weights", [None, COUNTS])
def test_the_refit_is_the_model_of_the_point_chosen(weights: Any) -> None:
    model = search(tol=1e-6).fit(X, Y, weights)
    wanted = KernelROCSVM(model.alpha_, gamma=model.gamma_, n_landmarks=20, landmarks=model.landmarks_, tol=1e-6).fit(
        X, Y, weights
    )
    assert abs(model.objective_ - wanted.objective_) <= model.dual_gap_ + wanted.dual_gap_
    assert model.dual_gap_ <= 1e-6 * model.objective_
    # A function of norm r is at most r anywhere, for rbf.
    reach = np.sqrt(2.0 * model.dual_gap_ / model.alpha_) + np.sqrt(2.0 * wanted.dual_gap_ / model.alpha_)
    scores, others = model.decision_function(X) - model.intercept_, wanted.decision_function(X) - wanted.intercept_
    assert np.abs(scores - others).max() <= reach + 1e-7


def test_fit_returns_the_model_with_all_it_documents() -> None:
    model = search()
    table = pd.DataFrame(X, columns=["height", "width"])
    assert model.fit(table, Y) is model
    assert {name for name in vars(model) if name.endswith("_")} == {
        "alpha_", "alphas_", "best_index_", "best_score_", "classes_", "coef_", "cv_results_", "dual_coef_",
        "dual_gap_", "feature_names_in_", "features_", "gamma_", "gammas_", "intercept_", "landmarks_",
        "n_features_in_", "n_iter_", "n_splits_", "objective_",
    }  # fmt: skip
    assert model.cv_results_["params"][model.best_index_] == {"gamma": model.gamma_, "alpha": model.alpha_}
    assert model.features_.gamma == model.gamma_
    assert 18 <= len(model.landmarks_) <= 20  # one or two of twenty follow from the others
    rows = model.features_.compute(X) @ model.coef_[0]
    assert model.decision_function(table) - model.intercept_ == pytest.approx(rows, abs=1e-9)


def test_the_table_has_a_row_for_each_gamma_and_alpha() -> None:
    model = search(gammas=[5.0, 0.02], alphas=[1e-3, 1.0]).fit(X, Y)
    table, scores = model.cv_results_, gather_scores(model)
    assert set(table) == {
        "param_gamma", "param_alpha", "params", "split0_test_score", "split1_test_score", "split2_test_score",
        "mean_test_score", "std_test_score", "rank_test_score", "mean_fit_time", "std_fit_time", "max_gap",
    }  # fmt: skip
    assert table["param_gamma"].tolist() == [0.02, 0.02, 5.0, 5.0]
    assert table["param_alpha"].tolist() == [1.0, 1e-3] * 2
    assert [(point["gamma"], point["alpha"]) for point in table["params"]] == list(
        zip(table["param_gamma"], table["param_alpha"], strict=True)
    )
    assert table["mean_test_score"] == pytest.approx(scores.mean(axis=1), rel=1e-15)
    assert table["std_test_score"] == pytest.approx(scores.std(axis=1), rel=1e-12)
    assert table["rank_test_score"][model.best_index_] == 1
    assert (table["max_gap"] <= 1e-3).all()


@pytest.mark.parametrize("kernel", ["linear", "cosine", lambda one, other: (1.0 + one @ other.T) ** 2])
def test_a_kernel_without_a_width_has_a_path_alone(kernel: Any) -> None:
    model = KernelROCSVMCV(ALPHAS, cv=3, kernel=kernel, n_landmarks=20, random_state=0).fit(X, Y)
    assert model.cv_results_["params"] == [{"alpha": alpha} for alpha in ALPHAS]
    assert "param_gamma" not in model.cv_results_
    assert not hasattr(model, "gamma_")
    assert not hasattr(model, "gammas_")


def test_one_standard_error_is_taken_along_the_alphas_of_the_best_gamma() -> None:
    model, best = (search(alphas=20, rule=rule).fit(X, Y) for rule in ("one_se", "best"))
    scores = gather_scores(best).reshape(3, 20, 3)
    means = scores.mean(axis=2)
    gamma, alpha = np.unravel_index(np.argmax(means), means.shape)
    assert best.best_index_ == gamma * 20 + alpha
    floor = means[gamma, alpha] - scores[gamma, alpha].std(ddof=1) / np.sqrt(3.0)
    assert model.gamma_ == best.gamma_ == best.gammas_[gamma]
    assert model.alpha_ == max(one for one, mean in zip(best.alphas_, means[gamma], strict=True) if mean >= floor)
    assert model.alpha_ > best.alpha_


# --- Whose landmarks ---


class Learned(list[tuple[NystroemFeatures, Any]]):
    """Each features object that learned, and from what rows."""


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> Learned:
    seen, learn = Learned(), NystroemFeatures.learn

    def spy(self: NystroemFeatures, rows: Any, *given: Any) -> NystroemFeatures:
        seen.append((self, rows))
        return learn(self, rows, *given)

    monkeypatch.setattr(NystroemFeatures, "learn", spy)
    return seen


def find_places(rows: Any) -> set[int]:
    """Return where rows of X stand; each stands there once."""
    return {int(np.flatnonzero(np.all(row == X, axis=1))[0]) for row in rows}


@pytest.mark.parametrize("scheme", ["uniform", "stratified", "rpcholesky"])
def test_strict_features_are_made_of_training_rows_alone(scheme: str, learned: Learned) -> None:
    splits = list(StratifiedShuffleSplit(3, test_size=0.4, random_state=0).split(X, Y))
    model = search(strict=True, landmarks=scheme, cv=splits).fit(X, Y)
    own = [(features, rows) for features, rows in learned if len(rows) < len(X)]
    assert len(own) == 3 * len(splits)
    for place, (features, rows) in enumerate(own):
        train, test = splits[place % 3]
        assert np.array_equal(rows, X[train])
        assert find_places(features.landmarks_) <= set(train)
        assert not find_places(features.landmarks_) & set(test)
        assert features.gamma == model.gammas_[place // 3]


@pytest.mark.parametrize("scheme", ["kmeans", "uniform"])
def test_one_set_of_landmarks_serves_all_folds_alphas_and_gammas(scheme: str, learned: Learned) -> None:
    search(landmarks=scheme).fit(X, Y)
    assert [len(rows) for _, rows in learned] == [len(X)] * 3
    for features, _ in learned[1:]:
        # A wide kernel needs fewer of them.
        few, many = sorted((features.landmarks_, learned[0][0].landmarks_), key=len)
        assert set(map(tuple, few)) <= set(map(tuple, many))


def test_strict_scores_are_those_of_models_fitted_to_the_training_rows() -> None:
    # Landmarks drawn from few training rows differ from draw to draw, but a fit of all of them is one model.
    model = search(strict=True, n_landmarks=160, landmarks="uniform", alphas=[0.03], gammas=[0.3], tol=1e-7).fit(X, Y)
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, Y)):
        wanted = KernelROCSVM(0.03, gamma=0.3, features="exact", tol=1e-7).fit(X[train], Y[train])
        found = model.cv_results_[f"split{fold}_test_score"][0]
        assert found == pytest.approx(wanted.score(X[test], Y[test]), abs=2e-3)


# --- Folds, groups, scores, weights ---


def test_any_splitter_the_list_of_its_splits_and_groups() -> None:
    cv = GroupKFold(3)
    model = search(cv=cv).fit(X, Y, groups=GROUPS)
    assert_same_search(model, search(cv=list(cv.split(X, Y, GROUPS))).fit(X, Y))
    twice, labels, groups = np.tile(X, (2, 1)), np.tile(Y, 2), np.tile(np.arange(len(X)), 2)
    # Rows of one group stand on one side: each is a copy of one beside it.
    model = search(alphas=[1e-3], gammas=[5.0]).fit(twice, labels, groups=groups)
    assert model.best_score_ < search(alphas=[1e-3], gammas=[5.0]).fit(twice, labels).best_score_


@pytest.mark.parametrize(
    "scoring", ["average_precision", "balanced_accuracy", lambda model, rows, labels: model.score(rows, labels)]
)
def test_a_score_is_that_of_the_model_fitted_to_the_fold(scoring: Any) -> None:
    model = search(scoring=scoring, landmarks=LANDMARKS, tol=1e-7, alphas=[0.1]).fit(X, Y)
    scorer = sklearn.metrics.get_scorer(scoring)
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, Y)):
        for place, gamma in enumerate(GAMMAS):
            one = KernelROCSVM(0.1, gamma=gamma, n_landmarks=20, landmarks=LANDMARKS, tol=1e-7)
            wanted = scorer(one.fit(X[train], Y[train]), X[test], Y[test])
            assert model.cv_results_[f"split{fold}_test_score"][place] == pytest.approx(wanted, abs=0.03)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("screened", [False, True])
def test_rows_of_no_weight_are_as_if_not_there(screened: bool, strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_search, "SCREEN_ROWS", 40 if screened else 5000)
    weights = np.where(COUNTS > 0, 1.0 + COUNTS / 7.0, 0.0)
    kept = weights > 0
    for groups in (None, GROUPS):
        model = search(gammas=2, strict=strict).fit(X, Y, weights, groups)
        wanted = search(gammas=2, strict=strict).fit(
            X[kept], Y[kept], weights[kept], None if groups is None else groups[kept]
        )
        assert ("mean_screen_score" in model.cv_results_) == screened
        assert_same_search(model, wanted)


# --- The same call, the same choice ---


@pytest.mark.parametrize("parameters", [{}, {"strict": True}, {"pairs": "incomplete"}, {"landmarks": "rpcholesky"}])
@pytest.mark.parametrize("screened", [False, True])
def test_threads_change_nothing(screened: bool, parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_search, "SCREEN_ROWS", 60 if screened else 5000)
    models = [search(n_jobs=n_jobs, **parameters).fit(X, Y) for n_jobs in (1, 2)]
    assert_same_search(*models)


def test_a_seed_gives_the_same_search_and_another_other_landmarks() -> None:
    models = [search(random_state=seed, landmarks="uniform").fit(X, Y) for seed in (0, 0, 1)]
    assert_same_search(models[0], models[1])
    assert not np.array_equal(models[0].landmarks_, models[2].landmarks_)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("wrap", [sparse.csr_array, sparse.csc_array, pd.DataFrame])
def test_rows_of_any_kind_are_searched_alike(wrap: Any, strict: bool) -> None:
    options: dict[str, Any] = {"landmarks": "uniform", "strict": strict, "tol": 1e-6}
    model, wanted = search(**options).fit(wrap(X), Y), search(**options).fit(X, Y)
    assert gather_scores(model) == pytest.approx(gather_scores(wanted), abs=5e-3)
    assert model.best_score_ == pytest.approx(wanted.best_score_, abs=2e-3)


def test_arguments_stay_as_given() -> None:
    model = search(cv=StratifiedKFold(3), landmarks=LANDMARKS, scoring="f1", n_jobs=2)
    before = dict(vars(model))
    model.fit(X, Y)
    assert all(getattr(model, name) is given for name, given in before.items())


def test_rows_in_single_precision_are_predicted_where_the_threshold_has_them() -> None:
    # Large weights on a wide kernel: as the features round, one positive row would fall short of this target.
    rows, labels = draw_rings(10_000)
    target = {"sensitivity": 0.7}
    model = search(alphas=[1e-6], gammas=[0.02], cv=2, n_landmarks=60, operating_point=target).fit(rows, labels)
    assert model.features_.compute(rows).dtype == np.float32
    assert model.predict(rows)[labels == 1].sum() == np.ceil(0.7 * labels.sum())


# --- Warnings ---


def test_steps_that_run_out_are_told_with_the_worst_gap() -> None:
    with pytest.warns(ConvergenceWarning) as caught:
        model = search(alphas=[0.01, 1e-3], tol=1e-6, max_iter=1).fit(X, Y)
    gaps, messages = model.cv_results_["max_gap"], [str(one.message) for one in caught]
    assert [one.filename for one in caught] == [__file__] * 2
    assert f"of 18 fits stopped above tol=1e-06, the worst at a relative gap of {gaps.max():.1e}" in messages[0]
    assert f"Stopped at a relative gap of {model.dual_gap_ / model.objective_:.1e}" in messages[1]


# --- Metadata ---


def test_weights_and_groups_are_routed_through_a_pipeline() -> None:
    weights = COUNTS + 0.5
    with sklearn.config_context(enable_metadata_routing=True):
        model = search().set_fit_request(sample_weight=True, groups=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        routed = make_pipeline(scaler, model).fit(X, Y, sample_weight=weights, groups=GROUPS)
    assert_same_search(routed[-1], search().fit(StandardScaler().fit_transform(X), Y, weights, GROUPS))


@pytest.mark.parametrize("scoring", ["recall", "precision", "f1", "average_precision"])
def test_scores_by_name_are_those_of_the_positive_class_whatever_its_label(scoring: str) -> None:
    wanted = search(scoring=scoring).fit(X, Y)
    for labels in (Y + 1, np.array(["no", "yes"])[Y], 10 * Y - 5):
        assert_same_search(search(scoring=scoring).fit(X, labels), wanted)


# --- Screening ---


def test_a_screen_keeps_the_shares_of_the_classes_and_all_of_a_rare_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_search, "SCREEN_ROWS", 100)
    for n_pos, wanted in ((200, 50), (100, 25), (40, 20), (7, 7)):
        positive = np.arange(400) < n_pos
        rows = _search.Rows(None, positive, None, np.array([0, 1]))
        chosen = draw_screen(rows, np.random.default_rng(0))
        assert chosen is not None
        assert len(np.unique(chosen)) == len(chosen)
        assert positive[chosen].sum() == wanted
        assert (~positive[chosen]).sum() == round(100 * (400 - n_pos) / 400)
    assert draw_screen(rows._replace(positive=positive[:399]), np.random.default_rng(0)) is None


@pytest.mark.parametrize("seed", range(10))
def test_hopeless_is_by_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = 0.9 - 0.02 * rng.random((4, 3, 1)) + 0.001 * rng.normal(size=(4, 3, 5))
    means = scores.mean(axis=2)
    best = scores[np.unravel_index(np.argmax(means), means.shape)]
    for point in np.ndindex(4, 3):
        behind = best - scores[point]
        wanted = behind.mean() <= max(0.005, 4.0 * behind.std(ddof=1) / np.sqrt(5.0))
        assert find_hopeful(scores)[point] == wanted


@pytest.mark.parametrize("strict", [False, True])
def test_a_screening_leaves_points_out_and_chooses_the_same(strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_search, "SCREEN_ROWS", 400)
    data = draw_rings(2000)
    options: dict[str, Any] = {"gammas": [1e-3, 0.3, 300.0], "alphas": [1e4, 1e-1, 1e-3], "strict": strict}
    model, whole = (search(screen=screen, **options).fit(*data) for screen in (True, False))
    left_out = np.isnan(model.cv_results_["mean_test_score"])
    assert 0 < left_out.sum() < 9
    assert np.isnan(gather_scores(model)[left_out]).all()
    assert np.isnan(model.cv_results_["max_gap"]).tolist() == left_out.tolist()
    assert np.isfinite(model.cv_results_["mean_screen_score"]).all()
    assert "mean_screen_score" not in whole.cv_results_
    assert (model.alpha_, model.gamma_) == (whole.alpha_, whole.gamma_)
    assert model.best_score_ == pytest.approx(whole.best_score_, abs=2e-3 if not strict else 0.01)
    assert model.cv_results_["rank_test_score"][left_out].min() > (~left_out).sum()


def read_real(name: str) -> tuple[Floats, NDArray[np.int64]]:
    """Return the numeric columns of a published table, standardised, and its labels."""
    file = DATA / f"{name}.csv.gz"
    if not file.is_file():
        pytest.skip("no copies of the real sets: set ROCSVM_DATA to their folder")
    table = pd.read_csv(file)
    labels = table["target"].to_numpy()
    columns = table.drop(columns=["target", "timestamp", "Activity"], errors="ignore").select_dtypes("number")
    return scale(columns.to_numpy(dtype=float)), labels


@pytest.mark.slow
@pytest.mark.parametrize("name", ["accelerometer_gyro_mobile_phone", "ijcnn1"])
def test_on_real_data_a_screening_leaves_points_out_and_chooses_the_same(name: str) -> None:
    rows, labels = read_real(name)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    model, whole = (
        KernelROCSVMCV(5, 4, cv=cv, n_landmarks=100, screen=screen, random_state=0, n_jobs=2).fit(rows, labels)
        for screen in (True, False)
    )
    assert np.isnan(model.cv_results_["mean_test_score"]).any()
    assert (model.alpha_, model.gamma_) == (whole.alpha_, whole.gamma_)
