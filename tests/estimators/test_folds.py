"""Folds: what numbers, splitters and lists of splits stand for, among the rows that weigh anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import (
    BaseCrossValidator,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from rocsvm.estimators._base import Rows
from rocsvm.estimators._folds import Fold, restrict_folds, split_folds
from rocsvm.validation import split_labels
from tests.estimators.data import draw_data

X, Y = draw_data(60)
GROUPS = np.arange(60) % 12
WEIGHTS = np.random.default_rng(3).integers(0, 3, size=60).astype(float)
KEPT = np.flatnonzero(WEIGHTS)


def make_rows(labels: Any = Y, weights: Any = None) -> Rows:
    classes, positive = split_labels(np.asarray(labels))
    return Rows(X, positive, weights, classes)


def assert_same_folds(folds: list[Fold], splits: Any) -> None:
    wanted = list(splits)
    assert [fold.number for fold in folds] == list(range(len(wanted)))
    for fold, (train, test) in zip(folds, wanted, strict=True):
        assert np.array_equal(fold.train, train)
        assert np.array_equal(fold.test, test)


@pytest.mark.parametrize("n_folds", [2, 5, np.int64(3)])
def test_a_number_stands_for_stratified_folds(n_folds: Any) -> None:
    folds = split_folds(n_folds, make_rows(), None)
    assert_same_folds(folds, StratifiedKFold(int(n_folds)).split(X, Y))
    assert np.array_equal(np.sort(np.concatenate([fold.test for fold in folds])), np.arange(60))
    for fold in folds:
        assert abs(Y[fold.test].sum() - Y.sum() / n_folds) < 1.0


def test_a_number_with_groups_keeps_each_on_one_side() -> None:
    folds = split_folds(4, make_rows(), GROUPS)
    assert_same_folds(folds, StratifiedGroupKFold(4).split(X, Y, GROUPS))
    for fold in folds:
        assert not set(GROUPS[fold.train]) & set(GROUPS[fold.test])


SPLITTERS: list[Any] = [
    KFold(3),
    StratifiedKFold(4, shuffle=True, random_state=0),
    RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    ShuffleSplit(3, test_size=0.5, random_state=0),
    StratifiedShuffleSplit(2, test_size=0.3, random_state=0),
    GroupKFold(3),
    StratifiedGroupKFold(3),
    LeaveOneGroupOut(),
]


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda splitter: type(splitter).__name__)
def test_any_splitter_is_asked(splitter: Any) -> None:
    groups = GROUPS % 4 if "Group" in type(splitter).__name__ else None
    assert_same_folds(split_folds(splitter, make_rows(), groups), splitter.split(X, Y, groups))


def test_a_list_of_splits_is_taken_as_it_is() -> None:
    splits = list(KFold(3).split(X))
    masks = [tuple(np.isin(np.arange(60), side) for side in sides) for sides in splits]
    negative = [(train - 60, test.tolist()) for train, test in splits]
    for given in (splits, iter(splits), tuple(splits), masks, negative):
        assert_same_folds(split_folds(given, make_rows(), None), splits)


@pytest.mark.parametrize("cv", [3, StratifiedKFold(3)])
@pytest.mark.parametrize(
    "labels", [Y.astype(object), np.array(["no", "yes"])[Y], np.array(["no", "yes"], object)[Y], Y == 1, Y + 1.0]
)
def test_labels_of_any_kind_are_split_alike(labels: Any, cv: Any) -> None:
    assert_same_folds(split_folds(cv, make_rows(labels), None), StratifiedKFold(3).split(X, Y))


def test_fractions_as_labels_are_split_by_a_number() -> None:
    assert_same_folds(split_folds(3, make_rows(np.where(Y, 0.9, 0.1)), None), StratifiedKFold(3).split(X, Y))


def test_a_splitter_sees_the_rows_and_labels_as_given() -> None:
    words = np.array(["no", "yes"])[Y]

    class Spy(BaseCrossValidator):
        def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
            seen.append((X, y, groups))
            return KFold(2).split(X)

        def get_n_splits(self, *given: Any) -> int:
            return 2

    seen: list[Any] = []
    split_folds(Spy(), make_rows(words, WEIGHTS), GROUPS)
    assert seen[0][0] is X
    assert np.array_equal(seen[0][1], words)
    assert seen[0][2] is GROUPS


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_a_number_splits_as_if_rows_of_no_weight_were_not_there(groups: Any) -> None:
    folds = split_folds(3, make_rows(weights=WEIGHTS), groups)
    few = Rows(X[KEPT], Y[KEPT] == 1, None, np.array([0, 1]))
    wanted = split_folds(3, few, None if groups is None else groups[KEPT])
    assert_same_folds(folds, [(fold.train, fold.test) for fold in wanted])


@pytest.mark.parametrize("cv", [KFold(3), list(KFold(3).split(X))])
def test_other_splits_lose_their_rows_of_no_weight(cv: Any) -> None:
    for fold, (train, test) in zip(split_folds(cv, make_rows(weights=WEIGHTS), None), KFold(3).split(X), strict=True):
        assert np.array_equal(KEPT[fold.train], np.intersect1d(train, KEPT))
        assert np.array_equal(KEPT[fold.test], np.intersect1d(test, KEPT))


def test_restricted_folds_hold_the_chosen_rows_on_the_sides_they_had() -> None:
    folds = split_folds(3, make_rows(), None)
    chosen = np.sort(np.random.default_rng(0).choice(60, 30, replace=False))
    few = restrict_folds(folds, chosen, Y == 1)
    assert few is not None
    for fold, less in zip(folds, few, strict=True):
        assert less.number == fold.number
        assert np.array_equal(chosen[less.train], np.intersect1d(chosen, fold.train))
        assert np.array_equal(chosen[less.test], np.intersect1d(chosen, fold.test))


def test_folds_without_both_classes_are_not_restricted() -> None:
    folds = split_folds(3, make_rows(), None)
    without = np.setdiff1d(np.arange(60), np.intersect1d(folds[1].test, np.flatnonzero(Y)))
    assert restrict_folds(folds, without, Y == 1) is None
