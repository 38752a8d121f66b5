"""The folds of a search, each with both classes on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from rocsvm.estimators._base import Rows

Places = NDArray[np.intp]


class Fold(NamedTuple):
    """The places of the rows to fit to and of those to score."""

    number: int
    train: Places
    test: Places


def split_folds(cv: Any, rows: Rows, groups: Any) -> list[Fold]:
    """Return the folds that a number, a splitter or a list of splits stands for, of the rows that weigh anything.

    Their places are those among these rows: one of no weight is on no side, and a number splits the others as if it
    were not there. A number with groups keeps each group on one side.
    """
    n_rows = len(rows.positive)
    weighs = np.ones(n_rows, dtype=np.bool_) if rows.weights is None else rows.weights > 0.0
    weighty = np.flatnonzero(weighs)
    if isinstance(cv, int | np.integer):
        positive = rows.positive[weighty]
        _check_number(cv, positive)
        splitter = StratifiedKFold(int(cv)) if groups is None else StratifiedGroupKFold(int(cv))
        own = None if groups is None else groups[weighty]
        splits = [(weighty[train], weighty[test]) for train, test in splitter.split(weighty[:, None], positive, own)]
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        splits = [_check_sides(number, sides) for number, sides in enumerate(cv)]
    else:
        labels = name_labels(rows)
        splits = list(check_cv(cv, labels, classifier=True).split(rows.X, labels, groups))
    if not splits:
        raise ValueError(f"cv={cv!r} splits the rows into no folds at all; write a number of folds, such as cv=5.")
    kept, place = rows.tell(weighty), np.cumsum(weighs) - 1
    folds = []
    for number, sides in enumerate(splits):
        train, test = (_find_places(number, side, n_rows) for side in sides)
        folds.append(Fold(number, place[train[weighs[train]]], place[test[weighs[test]]]))
        _check_classes(folds[-1], kept, grouped=groups is not None)
    return folds


def name_labels(rows: Rows) -> NDArray[Any]:
    """Return the label of each row, as a number or a string where it came as an object: scikit-learn refuses others."""
    labels: NDArray[Any] = np.array(rows.classes.tolist())[rows.positive.astype(np.intp)]
    return labels


def _check_number(cv: int | np.integer[Any], positive: NDArray[np.bool_]) -> None:
    """Raise ValueError unless there can be so many folds with both classes."""
    smaller = int(min(positive.sum(), (~positive).sum()))
    if isinstance(cv, bool) or cv < 2:
        raise ValueError(f"cv={cv!r} leaves nothing to score; write at least 2 folds.")
    if cv > smaller:
        remedy = f"Write cv={smaller} or less, or give more rows" if smaller > 1 else "Give more rows"
        count = f"{smaller} rows" if smaller > 1 else "one row only"
        raise ValueError(f"cv={cv} folds need {cv} rows of each class, but the smaller class has {count}. {remedy}.")


def _check_sides(number: int, sides: Any) -> Any:
    """Return the pair that a list of splits holds."""
    if not isinstance(sides, Sequence | np.ndarray) or isinstance(sides, str) or len(sides) != 2:
        raise ValueError(
            f"Fold {number} of cv is no pair of rows to fit to and rows to score. Write cv as a list of pairs "
            "(train, test) of row numbers, a splitter, or a number of folds, such as cv=5."
        )
    return sides


def _find_places(number: int, side: Any, n_rows: int) -> Places:
    """Return the places, from 0 up, that a side of a split names by numbers or by a mask."""
    named = np.asarray(side)
    try:
        places: Places = np.arange(n_rows)[named if named.size else named.astype(np.intp)]
    except IndexError as error:
        raise ValueError(
            f"Fold {number} names rows that are not there ({error}). Write cv as a list of pairs (train, test) of row "
            f"numbers from 0 to {n_rows - 1}, or a splitter."
        ) from error
    return places


def restrict_folds(folds: list[Fold], chosen: Places, positive: NDArray[np.bool_]) -> list[Fold] | None:
    """Return the folds of some of the rows, numbered anew; None where one has not both classes on both sides."""
    few = [
        Fold(fold.number, np.flatnonzero(np.isin(chosen, fold.train)), np.flatnonzero(np.isin(chosen, fold.test)))
        for fold in folds
    ]
    sides = (positive[chosen[side]] for fold in few for side in (fold.train, fold.test))
    return few if all(0 < side.sum() < len(side) for side in sides) else None


def _check_classes(fold: Fold, rows: Rows, *, grouped: bool) -> None:
    for side, places in (("train", fold.train), ("test", fold.test)):
        n_pos = int(rows.positive[places].sum())
        if 0 < n_pos < len(places):
            continue
        held = "no row" if len(places) == 0 else f"rows of class {rows.classes.tolist()[int(n_pos > 0)]!r} only"
        remedy = (
            "Use fewer folds, or groups that each hold both classes"
            if grouped
            else "Use fewer folds, or a splitter that keeps the shares of the classes, such as StratifiedKFold"
        )
        raise ValueError(
            f"Fold {fold.number} has {held} on its {side} side, so that no pair is left to rank there. {remedy}."
        )
