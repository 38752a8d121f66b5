"""A search along the penalty chooses what fits to each fold alone would choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import average_precision_score, f1_score, get_scorer, make_scorer, roc_auc_score
from sklearn.model_selection import (
    KFold,
    LeaveOneGroupOut,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from rocsvm import LinearROCSVM, LinearROCSVMCV
from rocsvm.estimators._search import choose_point
from rocsvm.losses import LOSSES
from tests.estimators.data import draw_data
from tests.shared import DATA

X, Y = draw_data(240, 6)
COUNTS = np.random.default_rng(1).integers(0, 4, size=len(X))
GROUPS = np.arange(len(X)) % 11
ALPHAS = [10.0, 1.0, 0.1, 0.01, 1e-3]


def search(**parameters: Any) -> LinearROCSVMCV:
    return LinearROCSVMCV(**({"alphas": ALPHAS, "cv": 4, "random_state": 0} | parameters))


def gather_scores(model: Any) -> np.ndarray:
    """Return the scores of all points, a column for each fold."""
    return np.stack([model.cv_results_[f"split{fold}_test_score"] for fold in range(model.n_splits_)], axis=1)


def score_cold(splits: Any, alphas: Any, weights: Any = None, data: Any = (X, Y), **parameters: Any) -> np.ndarray:
    """Return what fits of each fold alone score, a row for each alpha."""
    rows, labels = data
    scores = []
    for train, test in splits:
        own, held = (None, None) if weights is None else (weights[train], weights[test])
        models = [LinearROCSVM(alpha, **parameters).fit(rows[train], labels[train], own) for alpha in alphas]
        scores.append([model.score(rows[test], labels[test], held) for model in models])
    return np.array(scores).T


def assert_same_search(model: Any, other: Any) -> None:
    assert np.array_equal(model.coefs_path_, other.coefs_path_)
    assert np.array_equal(gather_scores(model), gather_scores(other))
    assert np.array_equal(model.alphas_, other.alphas_)
    assert np.array_equal(model.coef_, other.coef_)
    assert np.array_equal(model.intercept_, other.intercept_)
    assert (model.alpha_, model.best_index_, model.best_score_) == (other.alpha_, other.best_index_, other.best_score_)


# --- The choice ---


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_choice_is_that_of_an_exhaustive_cold_search(seed: int, loss: str) -> None:
    data = draw_data(300, 20, seed=seed)
    model = search(loss=loss, tol=1e-5).fit(*data)
    cold = score_cold(StratifiedKFold(4).split(*data), model.alphas_, data=data, loss=loss, tol=1e-8).mean(axis=1)
    assert model.best_index_ == int(np.argmax(cold))
    assert model.best_score_ == pytest.approx(cold.max(), abs=1e-3)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_at_the_default_tolerance_the_choice_is_as_good(seed: int) -> None:
    data = draw_data(6000, 20, seed=seed)
    model = search().fit(*data)
    cold = score_cold(StratifiedKFold(4).split(*data), model.alphas_, data=data, tol=1e-4).mean(axis=1)
    assert cold[model.best_index_] >= cold.max() - 0.0005
    assert model.best_score_ == pytest.approx(cold.max(), abs=0.0005)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weights", [None, COUNTS, COUNTS + 0.5])
def test_each_fold_scores_as_a_model_fitted_to_its_rows(weights: Any, loss: str) -> None:
    model = search(loss=loss, tol=1e-7, cv=list(StratifiedKFold(4).split(X, Y))).fit(X, Y, weights)
    cold = score_cold(StratifiedKFold(4).split(X, Y), ALPHAS, weights, loss=loss, tol=1e-7)
    # A few of some 800 pairs may turn where weights differ by their gaps.
    assert gather_scores(model) == pytest.approx(cold, abs=4e-3)


def test_the_weights_of_each_fold_are_within_their_gaps_of_the_optimum() -> None:
    model = search(tol=1e-6).fit(X, Y)
    assert model.coefs_path_.shape == (4, 5, 6)
    for fold, (train, _) in enumerate(StratifiedKFold(4).split(X, Y)):
        for place, alpha in enumerate(ALPHAS):
            wanted = LinearROCSVM(alpha, tol=1e-6).fit(X[train], Y[train]).coef_[0]
            # No objective is above one, which it is at zero weights.
            assert np.linalg.norm(model.coefs_path_[fold, place] - wanted) <= 2.0 * np.sqrt(2e-6 / alpha)


@pytest.mark.parametrize("weights", [None, COUNTS])
def test_the_refit_is_the_model_of_the_alpha_chosen(weights: Any) -> None:
    model = search(tol=1e-6).fit(X, Y, weights)
    wanted = LinearROCSVM(model.alpha_, tol=1e-6).fit(X, Y, weights)
    assert np.linalg.norm(model.coef_ - wanted.coef_) <= 2.0 * np.sqrt(2e-6 / model.alpha_)
    assert abs(model.objective_ - wanted.objective_) <= model.dual_gap_ + wanted.dual_gap_
    assert model.dual_gap_ <= 1e-6 * model.objective_
    assert model.fitted_alpha == model.alpha_
    assert np.mean(model.predict(X) == wanted.predict(X)) > 0.98


def test_fit_returns_the_model_with_all_it_documents() -> None:
    model = search()
    assert model.fit(pd.DataFrame(X, columns=list("abcdef")), Y) is model
    assert {name for name in vars(model) if name.endswith("_")} == {
        "alpha_", "alphas_", "best_index_", "best_score_", "classes_", "coef_", "coefs_path_", "cv_results_",
        "dual_gap_", "feature_names_in_", "intercept_", "n_features_in_", "n_iter_", "n_splits_", "objective_",
    }  # fmt: skip
    assert model.alpha_ == model.alphas_[model.best_index_]
    assert type(model.alpha_) is type(model.best_score_) is float
    assert type(model.best_index_) is type(model.n_splits_) is int


def test_the_table_has_a_row_for_each_alpha() -> None:
    model = search(alphas=[0.1, 10.0, 1.0]).fit(X, Y)
    table, scores = model.cv_results_, gather_scores(model)
    assert set(table) == {
        "param_alpha", "params", *(f"split{fold}_test_score" for fold in range(4)), "mean_test_score",
        "std_test_score", "rank_test_score", "mean_fit_time", "std_fit_time", "max_gap",
    }  # fmt: skip
    assert table["param_alpha"].tolist() == [10.0, 1.0, 0.1] == [point["alpha"] for point in table["params"]]
    assert table["mean_test_score"] == pytest.approx(scores.mean(axis=1), rel=1e-15)
    assert table["std_test_score"] == pytest.approx(scores.std(axis=1), rel=1e-12)
    assert table["rank_test_score"][model.best_index_] == 1
    assert sorted(table["rank_test_score"]) == [1, 2, 3]
    assert (table["mean_fit_time"] > 0.0).all()
    assert ((table["max_gap"] >= 0.0) & (table["max_gap"] <= 1e-3)).all()
    assert pd.DataFrame(table).shape == (3, 12)


# --- The rule ---


@pytest.mark.parametrize("seed", range(20))
def test_one_standard_error_is_by_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = 0.8 + 0.02 * rng.normal(size=(8, 5)) + 0.01 * rng.normal(size=5)
    means = scores.mean(axis=1)
    best = int(np.argmax(means))
    error = np.sqrt(np.sum((scores[best] - means[best]) ** 2) / 4) / np.sqrt(5)
    within = [place for place in range(8) if means[place] >= means[best] - error]
    assert choose_point(scores, "best") == best
    # Alphas fall, so that the first is the largest.
    assert choose_point(scores, "one_se") == within[0] <= best


def test_of_equal_scores_the_largest_alpha_is_chosen() -> None:
    scores = np.array([[0.7, 0.7], [0.9, 0.9], [0.9, 0.9]])
    assert choose_point(scores, "best") == choose_point(scores, "one_se") == 1


def test_one_fold_knows_no_error() -> None:
    split = next(StratifiedShuffleSplit(1, random_state=0).split(X, Y))
    models = [search(cv=[split], rule=rule).fit(X, Y) for rule in ("best", "one_se")]
    assert models[0].best_index_ == models[1].best_index_


def test_one_standard_error_chooses_and_refits_the_larger_alpha() -> None:
    model, best = (search(alphas=15, rule=rule).fit(X, Y) for rule in ("one_se", "best"))
    assert np.array_equal(gather_scores(model), gather_scores(best))
    folds = gather_scores(best)[best.best_index_]
    floor = folds.mean() - folds.std(ddof=1) / 2.0
    means = best.cv_results_["mean_test_score"]
    assert model.alpha_ == max(alpha for alpha, mean in zip(best.alphas_, means, strict=True) if mean >= floor)
    assert model.alpha_ > best.alpha_
    wanted = LinearROCSVM(model.alpha_, tol=1e-3).fit(X, Y)
    assert abs(model.objective_ - wanted.objective_) <= model.dual_gap_ + wanted.dual_gap_


# --- Folds, groups, scores ---


@pytest.mark.parametrize(
    "cv",
    [KFold(3), StratifiedKFold(3, shuffle=True, random_state=1), ShuffleSplit(2, random_state=0)],
    ids=lambda cv: type(cv).__name__,
)
def test_any_splitter_and_the_list_of_its_splits_are_alike(cv: Any) -> None:
    model, listed = search(cv=cv).fit(X, Y), search(cv=list(cv.split(X, Y))).fit(X, Y)
    assert_same_search(model, listed)
    assert gather_scores(model) == pytest.approx(score_cold(cv.split(X, Y), ALPHAS, tol=1e-6), abs=0.02)


def test_groups_reach_the_splitter() -> None:
    groups = GROUPS % 3
    model = search(cv=LeaveOneGroupOut()).fit(X, Y, groups=groups)
    assert model.n_splits_ == 3
    assert_same_search(model, search(cv=list(LeaveOneGroupOut().split(X, Y, groups))).fit(X, Y))


def test_a_number_with_groups_keeps_them_together() -> None:
    # Each row stands twice: only groups keep its copy off the other side.
    rows, labels, groups = np.tile(X, (2, 1)), np.tile(Y, 2), np.tile(np.arange(len(X)), 2)
    model = search().fit(rows, labels, groups=groups)
    splits = list(StratifiedGroupKFold(4).split(rows, labels, groups))
    assert_same_search(model, search(cv=splits).fit(rows, labels))


SCORES: list[Any] = [
    "average_precision",
    "balanced_accuracy",
    "f1",
    make_scorer(f1_score, average="macro"),
    lambda model, rows, labels: average_precision_score(labels, model.decision_function(rows)),
    lambda model, rows, labels: model.score(rows, labels),
]


@pytest.mark.parametrize("scoring", SCORES)
@pytest.mark.parametrize("operating_point", ["youden", {"sensitivity": 0.9}, None])
def test_a_score_is_that_of_the_model_fitted_to_the_fold(scoring: Any, operating_point: Any) -> None:
    model = search(scoring=scoring, operating_point=operating_point, tol=1e-8, alphas=[1.0, 0.1]).fit(X, Y)
    scorer = get_scorer(scoring)
    for fold, (train, test) in enumerate(StratifiedKFold(4).split(X, Y)):
        for place, alpha in enumerate([1.0, 0.1]):
            one = LinearROCSVM(alpha, operating_point=operating_point, tol=1e-8).fit(X[train], Y[train])
            wanted = scorer(one, X[test], Y[test])
            assert model.cv_results_[f"split{fold}_test_score"][place] == pytest.approx(wanted, abs=0.03)
    assert model.best_score_ == model.cv_results_["mean_test_score"].max()


def test_the_area_is_the_score_unless_told() -> None:
    models = [search(scoring=scoring).fit(X, Y) for scoring in (None, "roc_auc", get_scorer("roc_auc"))]
    assert_same_search(models[0], models[1])
    assert gather_scores(models[2]) == pytest.approx(gather_scores(models[0]), rel=1e-12)


@pytest.mark.parametrize("scoring", ["roc_auc", "balanced_accuracy"])
@pytest.mark.parametrize(
    "labels", [np.array(["no", "yes"])[Y], np.array(["no", "yes"], object)[Y], Y == 1, Y.astype(object)]
)
def test_labels_of_any_kind_are_scored_alike(labels: Any, scoring: str) -> None:
    model, wanted = search(scoring=scoring).fit(X, labels), search(scoring=scoring).fit(X, Y)
    assert_same_search(model, wanted)
    assert np.array_equal(model.predict(X), labels[[np.argmin(Y), np.argmax(Y)]][wanted.predict(X)])


def test_a_score_may_be_told_which_label_counts() -> None:
    words = np.array(["no", "yes"])[Y]
    model = search(scoring=make_scorer(f1_score, pos_label="yes")).fit(X, words)
    assert gather_scores(model) == pytest.approx(gather_scores(search(scoring="f1").fit(X, Y)), rel=1e-12)


# --- Weights ---


def test_rows_of_no_weight_are_as_if_not_there() -> None:
    weights = np.where(COUNTS > 0, 1.0 + COUNTS / 7.0, 0.0)
    kept = weights > 0
    for groups in (None, GROUPS):
        model = search(alphas=6).fit(X, Y, weights, groups)
        wanted = search(alphas=6).fit(X[kept], Y[kept], weights[kept], None if groups is None else groups[kept])
        assert_same_search(model, wanted)


def test_whole_weights_are_as_good_as_repeated_rows_on_the_same_side() -> None:
    places = np.arange(len(X)).repeat(COUNTS)
    splits = list(StratifiedKFold(4).split(X, Y))
    repeated = [tuple(np.flatnonzero(np.isin(places, side)) for side in sides) for sides in splits]
    model = search(cv=splits, tol=1e-8).fit(X, Y, COUNTS)
    wanted = search(cv=repeated, tol=1e-8).fit(X[places], Y[places])
    assert gather_scores(model) == pytest.approx(gather_scores(wanted), abs=2e-3)
    assert model.alpha_ == wanted.alpha_
    assert model.coef_ == pytest.approx(wanted.coef_, abs=2.0 * np.sqrt(2e-8 / model.alpha_))


@pytest.mark.parametrize(
    "scoring",
    [
        "average_precision",
        lambda model, rows, labels, sample_weight=None: model.score(rows, labels, sample_weight),
        lambda model, rows, labels, sample_weight=None: roc_auc_score(
            labels, model.decision_function(rows), sample_weight=sample_weight
        ),
    ],
)
def test_weights_count_in_the_score(scoring: Any) -> None:
    model = search(scoring=scoring, cv=2).fit(X, Y, COUNTS)
    unlike = [search(scoring=scoring, cv=2).fit(X, Y), search(cv=2).fit(X, Y, COUNTS)]
    assert not np.array_equal(gather_scores(model), gather_scores(unlike[0]))
    if callable(scoring):
        assert gather_scores(model) == pytest.approx(gather_scores(unlike[1]), rel=1e-12)


# --- The same call, the same choice ---


@pytest.mark.parametrize("pairs", ["all", "incomplete"])
@pytest.mark.parametrize("n_rows", [240, 4000])
def test_threads_change_nothing(n_rows: int, pairs: str) -> None:
    data = draw_data(n_rows, 6)
    models = [search(pairs=pairs, n_jobs=n_jobs).fit(*data) for n_jobs in (None, 1, 2, -1)]
    for model in models[1:]:
        assert_same_search(model, models[0])


def test_a_seed_gives_the_same_search_and_another_other_pairs() -> None:
    models = [search(pairs="incomplete", random_state=seed).fit(X, Y) for seed in (0, 0, 1)]
    assert_same_search(models[0], models[1])
    assert not np.array_equal(models[0].coef_, models[2].coef_)


@pytest.mark.parametrize(
    "wrap", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, pd.DataFrame, np.asfortranarray]
)
def test_rows_of_any_kind_are_searched_alike(wrap: Any) -> None:
    model, wanted = search(tol=1e-8).fit(wrap(X), Y), search(tol=1e-8).fit(X, Y)
    assert model.alpha_ == wanted.alpha_
    assert gather_scores(model) == pytest.approx(gather_scores(wanted), abs=2e-3)


def test_arguments_stay_as_given() -> None:
    model = search(cv=StratifiedKFold(3), scoring="f1", n_jobs=2)
    before = dict(vars(model))
    model.fit(X, Y)
    assert all(getattr(model, name) is given for name, given in before.items())


def test_the_threshold_can_be_moved_after_the_search() -> None:
    model = search().fit(X, Y).set_operating_point(X, Y, sensitivity=0.9)
    share = np.mean(model.predict(X)[Y == 1])
    assert 0.9 <= share <= 0.9 + 2.0 / Y.sum()
    assert model.score(X, Y) == pytest.approx(roc_auc_score(Y, model.decision_function(X)), rel=1e-12)


# --- Warnings ---


def test_steps_that_run_out_are_told_with_the_worst_gap() -> None:
    with pytest.warns(ConvergenceWarning) as caught:
        model = search(alphas=[0.01, 1e-3], tol=1e-6, max_iter=1).fit(X, Y)
    gaps, messages = model.cv_results_["max_gap"], [str(one.message) for one in caught]
    assert [one.filename for one in caught] == [__file__] * 2
    assert f"of 8 fits stopped above tol=1e-06, the worst at a relative gap of {gaps.max():.1e}" in messages[0]
    assert "see cv_results_['max_gap']. Raise max_iter or" in messages[0]
    assert f"Stopped at a relative gap of {model.dual_gap_ / model.objective_:.1e}" in messages[1]


# --- Metadata ---


def test_weights_and_groups_are_routed_through_a_pipeline() -> None:
    weights = COUNTS + 0.5
    with sklearn.config_context(enable_metadata_routing=True):
        model = search().set_fit_request(sample_weight=True, groups=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        routed = make_pipeline(scaler, model).fit(X, Y, sample_weight=weights, groups=GROUPS)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="groups"):
            make_pipeline(StandardScaler(), search()).fit(X, Y, groups=GROUPS)
    wanted = search().fit(StandardScaler().fit_transform(X), Y, weights, GROUPS)
    assert_same_search(routed[-1], wanted)


def test_a_nested_search_takes_weights_and_groups() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = search(alphas=3).set_fit_request(sample_weight=True, groups=True).set_score_request(sample_weight=True)
        nested = cross_validate(
            model, X, Y, cv=3, params={"sample_weight": COUNTS, "groups": GROUPS}, return_estimator=True
        )
    for place, (train, test) in enumerate(StratifiedKFold(3).split(X, Y)):
        wanted = search(alphas=3).fit(X[train], Y[train], COUNTS[train], GROUPS[train])
        assert_same_search(nested["estimator"][place], wanted)
        assert nested["test_score"][place] == wanted.score(X[test], Y[test], COUNTS[test])


# --- Real data ---


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ijcnn1", "mammography", "magic_gamma_telescope"])
def test_on_real_data_the_choice_is_as_good_as_that_of_an_exhaustive_cold_search(name: str) -> None:
    file = DATA / f"{name}.csv.gz"
    if not file.is_file():
        pytest.skip("no copies of the real sets: set ROCSVM_DATA to their folder")
    table = pd.read_csv(file)
    data = scale(table.drop(columns="target").to_numpy(dtype=float)), table["target"].to_numpy()
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    model = LinearROCSVMCV(8, cv=cv, random_state=0).fit(*data)
    cold = score_cold(cv.split(*data), model.alphas_, data=data, tol=1e-5, random_state=0).mean(axis=1)
    assert cold[model.best_index_] >= cold.max() - 0.0005
