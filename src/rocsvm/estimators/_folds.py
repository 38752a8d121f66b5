"""The folds of a search, each with both classes on both sides."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, check_cv

from rocsvm.estimators._base import Rows

Places = NDArray[np.intp]


class Fold(NamedTuple):
    """The places of the rows to fit to and of those to score."""

    number: int
    train: Places
    test: Places


def split_folds(cv: Any, rows: Rows, groups: Any) -> list[Fold]:
    """Return the folds that a number, a splitter or a list of splits stands for.

    Rows of no weight are on no side. A number with groups keeps each group on one side.
    """
    smaller = int(min(rows.positive.sum(), (~rows.positive).sum()))
    if isinstance(cv, bool) or (isinstance(cv, int | np.integer) and cv < 2):
        raise ValueError(f"cv={cv!r} leaves nothing to score; write at least 2 folds.")
    if isinstance(cv, int | np.integer) and cv > smaller:
        raise ValueError(
            f"cv={cv} folds need {cv} rows of each class, but the smaller class has {smaller}. "
            f"Write cv={smaller} or less, or give more rows."
            if smaller > 1
            else f"cv={cv} folds need {cv} rows of each class, but the smaller class has one row only. Give more rows."
        )
    labels = rows.classes[rows.positive.astype(np.intp)]
    splitter = StratifiedGroupKFold(int(cv)) if groups is not None and isinstance(cv, int | np.integer) else cv
    splits = check_cv(splitter, labels, classifier=True).split(rows.X, labels, groups)
    folds = [Fold(number, np.asarray(train), np.asarray(test)) for number, (train, test) in enumerate(splits)]
    if rows.weights is not None and not rows.weights.all():
        folds = [fold._replace(train=_weigh(fold.train, rows), test=_weigh(fold.test, rows)) for fold in folds]
    if not folds:
        raise ValueError(f"cv={cv!r} splits the rows into no folds at all; write a number of folds, such as cv=5.")
    for fold in folds:
        _check_classes(fold, rows, grouped=groups is not None)
    return folds


def restrict_folds(folds: list[Fold], chosen: Places, positive: NDArray[np.bool_]) -> list[Fold] | None:
    """Return the folds of some of the rows, numbered anew; None where one has not both classes on both sides."""
    few = [
        Fold(fold.number, np.flatnonzero(np.isin(chosen, fold.train)), np.flatnonzero(np.isin(chosen, fold.test)))
        for fold in folds
    ]
    sides = (positive[chosen[side]] for fold in few for side in (fold.train, fold.test))
    return few if all(0 < side.sum() < len(side) for side in sides) else None


def _weigh(places: Places, rows: Rows) -> Places:
    """Return the places of rows that weigh anything."""
    assert rows.weights is not None
    return places[rows.weights[places] > 0.0]


def _check_classes(fold: Fold, rows: Rows, *, grouped: bool) -> None:
    for side, places in (("train", fold.train), ("test", fold.test)):
        n_pos = int(rows.positive[places].sum())
        if 0 < n_pos < len(places):
            continue
        held = "no row" if len(places) == 0 else f"rows of class {rows.classes[int(n_pos > 0)]!r} only"
        remedy = (
            "Use fewer folds, or groups that each hold both classes"
            if grouped
            else "Use fewer folds, or a splitter that keeps the shares of the classes, such as StratifiedKFold"
        )
        raise ValueError(
            f"Fold {fold.number} has {held} on its {side} side, so that no pair is left to rank there. {remedy}."
        )
