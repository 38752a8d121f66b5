"""What no search can do is refused before any work, with the reason and what to write instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import KFold, LeaveOneOut

from rocsvm import KernelROCSVMCV, LinearROCSVMCV, Newton
from rocsvm.features import NystroemFeatures
from tests.estimators.data import draw_data

X, Y = draw_data(60)
SORTED = np.sort(Y)
HALVES = (np.arange(0, 60, 2), np.arange(1, 60, 2))

SEARCHES: list[Any] = [LinearROCSVMCV, KernelROCSVMCV]
each_search = pytest.mark.parametrize("search", SEARCHES)


@pytest.fixture(autouse=True)
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where landmarks are chosen or a solver is reached."""

    def refuse(*given: Any, **options: Any) -> None:
        raise AssertionError("work was done")

    for part, name in ((Newton, "solve"), (Newton, "follow"), (NystroemFeatures, "learn")):
        monkeypatch.setattr(part, name, refuse)


def assert_refused(search: Any, match: str, *data: Any, groups: Any = None, **parameters: Any) -> None:
    model = search(**parameters)
    with pytest.raises(ValueError, match=match) as caught:
        model.fit(*(data or (X, Y)), groups=groups)
    assert type(caught.value) is ValueError
    assert not hasattr(model, "coef_")


@each_search
def test_the_watch_for_work_sees_work(search: Any) -> None:
    with pytest.raises(AssertionError, match="work was done"):
        search().fit(X, Y)


# --- Arguments ---

EMPTY = "leaves nothing to choose from; write how many to try, such as"
NO_GRID = "is no grid; write how many to try, such as"
NOT_POSITIVE = "which is not a positive number; leave it out"
GRIDS: list[tuple[Any, str]] = [
    *((value, EMPTY) for value in (0, -1, [], (), np.array([]), np.int64(0))),
    *(([0.1, value], NOT_POSITIVE) for value in (0.0, -1e-3, np.nan, np.inf, "1", None, True, 1j)),
    *((value, NO_GRID) for value in (0.1, -0.1, None, True, "auto", np.array(0.1), np.nan)),
    (np.ones((2, 2)), NOT_POSITIVE),
]
FLAG = "is neither yes nor no; write True or False"
VERBOSE = "tells no one; write 0, 1 for a line a grid point, or a callable that is handed each Progress"
JOBS = "is no number of folds at a time; write one from 1 up, -1 for one a core, or None"
BOTH: list[tuple[str, Any, str]] = [
    *(("alphas", value, match) for value, match in GRIDS),
    (
        "alphas",
        [1.0, 1e-200],
        "holds 1e-200, so small that double precision proves nothing under it; write 1e-100 or more",
    ),
    *(("rule", value, "names no rule; write 'best' or 'one_se'") for value in ("1se", None, 1, "BEST", ["best"])),
    *(("verbose", value, VERBOSE) for value in ("yes", -1, 0.5, None)),
    *(("n_jobs", value, JOBS) for value in (0, "two", 1.5, True, [1])),
    *(("tol", value, "is not a positive number") for value in (0.0, -1.0, np.nan, "small")),
    ("max_iter", 0, "is not a whole number from 1 up"),
    ("loss", "hinges", "names no loss"),
    ("pairs", "every", "names no pairs"),
    ("solver", "adam", "names no solver"),
    ("operating_point", "f1", "which names none; use 'youden'"),
    ("random_state", "seed", "seeds no generator"),
]
KERNEL: list[tuple[str, Any, str]] = [
    *(("gammas", value, match) for value, match in GRIDS),
    *(("screen", value, FLAG) for value in ("no", 1, None)),
    *(("strict", value, FLAG) for value in ("no", 1, None)),
    *(("n_landmarks", value, "is not a whole number from 1 up") for value in ("auto", 2.0, True, 0, -1, None)),
    ("landmarks", "best", "names no landmarks"),
    ("kernel", "rbff", "is no kernel"),
    ("kernel", "precomputed", "has no rows to choose landmarks among"),
]
ARGUMENTS = [
    *((search, *case) for search in SEARCHES for case in BOTH),
    *((KernelROCSVMCV, *case) for case in KERNEL),
]


@pytest.mark.parametrize(("search", "name", "value", "match"), ARGUMENTS)
def test_an_argument_that_cannot_be_is_refused(search: Any, name: str, value: Any, match: str) -> None:
    assert_refused(search, f"(?s){name}.*{match}", **{name: value})


@pytest.mark.parametrize("kernel", ["linear", "cosine", lambda one, other: one @ other.T])
@pytest.mark.parametrize("gammas", [3, [0.1]])
def test_a_kernel_without_a_width_takes_no_gammas(gammas: Any, kernel: Any) -> None:
    assert_refused(KernelROCSVMCV, "has no width to choose. Leave gammas out", kernel=kernel, gammas=gammas)


# --- Scores ---


@each_search
@pytest.mark.parametrize("scoring", [5, ["roc_auc"], {"auc": "roc_auc"}, True])
def test_what_is_no_score_is_refused(scoring: Any, search: Any) -> None:
    assert_refused(search, "is no score to choose by; write one name, such as 'average_precision'", scoring=scoring)


@each_search
def test_a_score_that_scikit_learn_does_not_know_is_refused(search: Any) -> None:
    assert_refused(search, "'auc' is not a valid scoring value. Use sklearn.metrics.get_scorer_names", scoring="auc")


@each_search
def test_weights_need_a_score_that_takes_some(search: Any) -> None:
    match = "takes no sample_weight, but rows are weighted. Give it a parameter of that name, or leave"
    assert_refused(search, match, X, Y, np.arange(1.0, 61.0), scoring=lambda model, rows, labels: 0.5)


# The scores themselves are only known after some work.
@each_search
@pytest.mark.parametrize(
    ("scoring", "match"),
    [
        ("neg_log_loss", "asks for what a ranking has not, as probabilities. Write one that looks at decisions or"),
        (make_scorer(roc_auc_score, response_method="predict_proba"), "asks for what a ranking has not"),
        (lambda model, rows, labels: np.nan, "returned nan, which is no score to choose by. Return a finite number"),
        (lambda model, rows, labels: np.inf, "returned inf, which is no score"),
        (lambda model, rows, labels: "high", "returned 'high', which is no score"),
        (lambda model, rows, labels: None, "returned None, which is no score"),
        (lambda model, rows, labels: {"auc": 0.5}, "returned {'auc': 0.5}, which is no score"),
    ],
)
def test_a_score_that_is_none_stops_the_search(
    scoring: Any, match: str, search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    options = {} if search is LinearROCSVMCV else {"gammas": 1, "n_landmarks": 5}
    assert_refused(search, match, alphas=2, cv=2, scoring=scoring, **options)


# --- Folds ---


@each_search
@pytest.mark.parametrize("cv", [0, 1, -3, True])
def test_fewer_than_two_folds_are_refused(cv: Any, search: Any) -> None:
    assert_refused(search, f"cv={cv} leaves nothing to score; write at least 2 folds", cv=cv)


@each_search
def test_more_folds_than_rows_of_the_rarer_class_are_refused(search: Any) -> None:
    few = np.where(np.arange(60) < 3, 1, 0)
    match = "cv=5 folds need 5 rows of each class, but the smaller class has 3 rows. Write cv=3 or less, or give more"
    assert_refused(search, match, X, few)
    assert_refused(search, match, X, 1 - few)
    assert_refused(search, "smaller class has one row only. Give more rows", X, np.where(np.arange(60) < 1, 1, 0), cv=2)


@each_search
def test_rows_of_no_weight_are_no_rows_of_a_class(search: Any) -> None:
    weights = np.where(np.cumsum(Y) <= 4, 1.0, 1.0 - Y)
    assert_refused(search, "cv=5 folds need 5 rows of each class, but the smaller class has 4 rows", X, Y, weights)


@each_search
@pytest.mark.parametrize("cv", [2.5, "five", object(), {"n_splits": 5}.get])
def test_what_makes_no_folds_is_refused(cv: Any, search: Any) -> None:
    assert_refused(search, "Expected `cv` as an integer, a cross-validation object", cv=cv)


@each_search
def test_no_folds_at_all_are_refused(search: Any) -> None:
    assert_refused(search, r"cv=\[\] splits the rows into no folds at all; write a number of folds", cv=[])


@each_search
@pytest.mark.parametrize("second", [1, "ab", (HALVES[0],), (*HALVES, HALVES[0]), None])
def test_a_list_of_anything_but_pairs_is_refused(second: Any, search: Any) -> None:
    match = r"Fold 1 of cv is no pair of rows to fit to and rows to score. Write cv as a list of pairs \(train, test\)"
    assert_refused(search, match, cv=[HALVES, second])


@each_search
@pytest.mark.parametrize("side", [[60], [-61], [0.5], ["a"], np.ones(59, dtype=bool)])
@pytest.mark.parametrize("place", [0, 1])
def test_rows_that_are_not_there_are_refused(place: int, side: Any, search: Any) -> None:
    sides = [HALVES[0], HALVES[1]]
    sides[place] = side
    match = r"(?s)Fold 1 names rows that are not there \(.*row numbers from 0 to 59, or a splitter"
    assert_refused(search, match, cv=[HALVES, tuple(sides)])


ONE_CLASS = "so that no pair is left to rank there. Use fewer folds, or a splitter that keeps the shares of the classes"


@each_search
def test_a_fold_with_one_class_is_named_with_the_remedy(search: Any) -> None:
    assert_refused(search, f"Fold 0 has rows of class 0 only on its test side, {ONE_CLASS}", X, SORTED, cv=KFold(3))
    assert_refused(search, f"Fold 0 has rows of class 1 only on its test side, {ONE_CLASS}", X, 1 - SORTED, cv=KFold(3))
    words = np.array(["no", "yes"])[SORTED]
    match = f"Fold 0 has rows of class 'no' only on its test side, {ONE_CLASS}, such as StratifiedKFold"
    assert_refused(search, match, X, words, cv=LeaveOneOut())
    split = (np.flatnonzero(Y), np.arange(60))
    assert_refused(search, f"Fold 1 has rows of class 1 only on its train side, {ONE_CLASS}", cv=[HALVES, split])


@each_search
def test_an_empty_side_is_named(search: Any) -> None:
    assert_refused(search, f"Fold 1 has no row on its test side, {ONE_CLASS}", cv=[HALVES, (HALVES[0], [])])
    weights = np.where(np.isin(np.arange(60), HALVES[0]), 1.0, 0.0)
    assert_refused(search, f"Fold 0 has no row on its test side, {ONE_CLASS}", X, Y, weights, cv=[HALVES])


@each_search
@pytest.mark.parametrize("cv", [2, 5])
def test_groups_that_leave_a_class_out_are_told(cv: int, search: Any) -> None:
    groups = np.where(Y, 0, np.arange(60))
    match = "on its (test|train) side, so that no pair .* Use fewer folds, or groups that each hold both classes"
    assert_refused(search, match, groups=groups, cv=cv)


@each_search
def test_groups_are_one_for_each_row(search: Any) -> None:
    assert_refused(search, "inconsistent numbers of samples", groups=np.arange(59))
    assert_refused(search, "should be a 1d array", groups=np.ones((60, 2)))


# --- Rows, as in a model without a search ---


@each_search
@pytest.mark.parametrize(
    ("data", "match"),
    [
        ((X, np.zeros(60)), "y holds one class only"),
        ((X, np.arange(60) % 3), "y holds 3 classes. Wrap the estimator"),
        ((np.where(X > 2.0, np.nan, X), Y), "Input X contains NaN"),
        ((X[:-1], Y), "inconsistent numbers of samples"),
        ((X, Y, -np.ones(60)), "negative values"),
        ((X, Y, Y), "All sample weights of the negative class are zero"),
    ],
)
def test_rows_that_cannot_be_are_refused(data: Any, match: str, search: Any) -> None:
    assert_refused(search, match, *data)
