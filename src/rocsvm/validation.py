"""Checks of what users hand in: each error says what was asked, why it cannot be, and what to write."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real
from reprlib import repr as shorten
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import column_or_1d, validate_data

Part = TypeVar("Part")
Floats = NDArray[np.float64]

# Weights grow with the root of one over the penalty, and squares of weights are squared again.
LEAST_ALPHA = 1e-100
# Weights of one class stay this many powers of two apart from those of the other, at most.
MAX_APART = 200

# Packages between a user's line and what warns.
BETWEEN = ("rocsvm", "sklearn", "joblib")


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's that led here, whatever lies between."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def resolve_part(
    name: str, given: Any, registry: Mapping[str, type[Part]], contract: type[Part], *, others: Sequence[str] = ()
) -> Part:
    """Return the part that a string is short for, or the object given; ``others`` are further choices to tell of."""
    if isinstance(given, contract):
        return given
    if isinstance(given, str) and given in registry:
        return registry[given]()
    choices = ", ".join([*map(repr, registry), *others])
    example = next(iter(registry.values())).__name__
    raise ValueError(f"{name}={given!r} names no {name}; write {choices} or an object such as {example}().")


def check_positive(name: str, given: Any, *, example: str = "1e-3") -> float:
    """Return a finite number above zero."""
    if isinstance(given, bool) or not isinstance(given, Real) or not 0.0 < float(given) < np.inf:
        raise ValueError(f"{name}={given!r} is not a positive number; write, for example, {name}={example}.")
    return float(given)


def check_alpha(given: Any) -> float:
    """Return a penalty under which the squares of weights stay within floating point."""
    alpha = check_positive("alpha", given)
    if alpha < LEAST_ALPHA:
        raise ValueError(
            f"alpha={given!r} is so small that double precision proves nothing under it; write {LEAST_ALPHA:g} or "
            "more, for example alpha=1e-3."
        )
    return alpha


def check_number(name: str, given: Any, *, example: str) -> float:
    """Return a finite number."""
    if isinstance(given, bool) or not isinstance(given, Real) or not np.isfinite(float(given)):
        raise ValueError(f"{name}={given!r} is not a finite number; write, for example, {name}={example}.")
    return float(given)


def check_count(name: str, given: Any) -> int | None:
    """Return a whole number from 1 up, or None."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise ValueError(
            f"{name}={given!r} is not a whole number from 1 up; write one, or None for the solver's own limit."
        )
    return int(given)


def check_whole(name: str, given: Any, *, example: int) -> int:
    """Return a whole number from 1 up."""
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise ValueError(f"{name}={given!r} is not a whole number from 1 up; write, for example, {name}={example}.")
    return int(given)


def check_flag(name: str, given: Any) -> bool:
    """Return a truth value."""
    if not isinstance(given, bool | np.bool_):
        raise ValueError(f"{name}={given!r} is neither yes nor no; write True or False.")
    return bool(given)


def check_features(
    estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool = True, accept_sparse: bool = True
) -> Any:
    """Return X, and y with it where one is given, as arrays of numbers; with ``reset`` the estimator notes its columns.

    Either precision and any layout stays as it is.
    """
    formats = ("csr", "csc") if accept_sparse else False
    dates = _find_dates(X)
    if dates is not None:
        raise TypeError(_tell_cell(*dates))
    try:
        return validate_data(estimator, X, y, accept_sparse=formats, dtype=(np.float64, np.float32), reset=reset)
    except (TypeError, ValueError, OverflowError) as error:
        found = _find_cell(X)
        if found is None:
            raise
        if isinstance(found[1], str | bytes):
            column, text = found
            raise ValueError(
                f"X holds text, {shorten(str(text))} in column {column!r}, but a score is a sum of numbers. Encode "
                "such columns, for example by sklearn.preprocessing.OneHotEncoder in "
                "sklearn.compose.make_column_transformer."
            ) from error
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{_tell_cell(*found)} ({error})") from error


def _tell_cell(column: Any, cell: Any) -> str:
    return (
        f"X holds {shorten(cell)}, of type {type(cell).__name__}, in column {column!r}, but a score is a sum of "
        "numbers. Give one number per cell, such as the days since a fixed date in place of a date."
    )


def _list_columns(X: Any) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Yield the columns of a frame or an array with their names."""
    if hasattr(X, "columns"):
        yield from ((name, np.asarray(X[name])) for name in X.columns)
    elif not sparse.issparse(X):
        cells = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
        yield from enumerate(cells.T if cells.ndim == 2 else ())


def _find_dates(X: Any) -> tuple[Any, Any] | None:
    """Return the first column of dates or durations, which NumPy would take for numbers, and its first cell."""
    if not hasattr(X, "columns") and getattr(getattr(X, "dtype", None), "kind", None) not in ("m", "M"):
        return None
    dates = ((name, column) for name, column in _list_columns(X[:1]) if column.dtype.kind in "mM" and column.size)
    return next(((name, column.flat[0]) for name, column in dates), None)


def _find_cell(X: Any) -> tuple[Any, Any] | None:
    """Return the first column, and the first cell in it, that holds what is no number."""
    for name, column in _list_columns(X):
        if column.dtype.kind in "OUS":
            for cell in column.ravel().tolist():
                if cell is not None and not _is_number(cell):
                    return name, cell
    return None


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def make_generator(random_state: Any) -> np.random.Generator:
    """Return a generator from whatever scikit-learn takes as a random state."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(np.iinfo(np.int32).max, size=4))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state={random_state!r} seeds no generator; write a whole number from 0 up, a Generator, a "
            "RandomState, or None for another draw each time."
        ) from error


def find_labels(y: NDArray[Any]) -> NDArray[Any]:
    """Return the different labels, in order."""
    if y.dtype.kind in "biuf":
        # Two passes for the extremes take 1 ms where np.unique takes 22 at a million rows.
        low, high = y.min(), y.max()
        if low < high and ((y == low) | (y == high)).all():
            return np.array([low, high])
    try:
        return np.unique(y)
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in y}))
        raise ValueError(
            f"Unknown label type: y mixes labels of the types {kinds}, so that none is the larger, positive one. "
            "Give two labels of one type, such as 0 and 1."
        ) from error


def split_labels(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the two labels in order and which rows hold the second, the positive one."""
    classes = find_labels(y)
    if len(classes) > 2 and y.dtype.kind == "f" and (classes % 1.0).any():
        raise ValueError(
            f"Unknown label type: continuous. y holds {len(classes)} different numbers, not two classes. "
            "Divide them in two, for example by y > threshold."
        )
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y holds {len(classes)} classes. Wrap the estimator in sklearn.multiclass.OneVsRestClassifier."
        )
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only, {classes.tolist()[0]!r}: without a positive and a negative row there is no pair "
            "to rank. Give rows of both classes."
        )
    return classes, np.asarray(y == classes[1])


def match_labels(y: Any, classes: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows hold the second of the labels that a model was fitted on; they may hold no other."""
    labels = column_or_1d(y)
    unknown = ~np.isin(labels, classes)
    if unknown.any():
        negative, positive = classes.tolist()
        raise ValueError(
            f"y holds {labels[unknown].tolist()[0]!r}, which is neither of the labels fitted, "
            f"{negative!r} and {positive!r}. Give labels of these two."
        )
    return np.asarray(labels == classes[1])


def check_weights(sample_weight: Any, X: Any, positive: NDArray[np.bool_]) -> Floats | None:
    """Return the weights, or None where all are alike; both classes must have some."""
    weights = read_weights(sample_weight, X)
    if weights is None:
        return None
    for name, rows in (("positive", positive), ("negative", ~positive)):
        if not weights[rows].any():
            raise ValueError(
                f"All sample weights of the {name} class are zero, so that no pair is left to rank. "
                "Give some row of each class a weight above 0."
            )
    return None if (weights == weights[0]).all() else scale_weights(weights, positive)


def scale_weights(weights: Floats, positive: NDArray[np.bool_]) -> Floats:
    """Return the weights divided by a power of two, which rounds none, so that the largest is just below 1.

    Pairs weigh by products: a class that weighs next to nothing beside the other is lifted, lest it vanish.
    """
    exponents = np.array([np.frexp(weights[own].max())[1] for own in (~positive, positive)])
    shifts = np.minimum(exponents.max(), exponents + MAX_APART)
    scaled: Floats = np.ldexp(weights, -shifts[positive.astype(np.intp)])
    return scaled


def read_weights(sample_weight: Any, X: Any) -> Floats | None:
    """Return a weight from 0 up for each row, or None where none are given."""
    if sample_weight is None:
        return None
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind not in "biufO":
            raise TypeError(given.dtype)
        weights = given.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"sample_weight={shorten(sample_weight)} is not a number for each row. Give an array, for example of "
            'sklearn.utils.class_weight.compute_sample_weight("balanced", y).'
        ) from error
    n_rows = X.shape[0]
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but there are {n_rows} rows; give one number per row, or None "
            "for equal weights."
        )
    unknown = np.flatnonzero(~np.isfinite(weights))
    if len(unknown):
        raise ValueError(
            f"sample_weight holds {weights[unknown[0]]} for row {unknown[0]}, which is in no proportion to the others. "
            "Write finite numbers from 0 up; 0 leaves a row out."
        )
    if (weights < 0.0).any():
        raise ValueError(
            f"sample_weight holds negative values, the least {weights.min():g}; a pair cannot count less than nothing. "
            "Write weights from 0 up; 0 leaves a row out."
        )
    return weights


def drop_weightless(
    X: Any, positive: NDArray[np.bool_], weights: Floats | None
) -> tuple[Any, NDArray[np.bool_], Floats | None]:
    """Return the rows that weigh anything: one of weight zero is as if it were not there."""
    if weights is None or weights.all():
        return X, positive, weights
    kept = np.flatnonzero(weights)
    if len(kept) == 0:
        raise ValueError("All sample weights are zero, so that no row is left. Give some row a weight above 0.")
    return X[kept], positive[kept], weights[kept]
