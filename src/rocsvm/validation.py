"""Checks of what users hand in: each error says what was asked, why it cannot be, and what to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight, validate_data

Part = TypeVar("Part")
Floats = NDArray[np.float64]


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
    try:
        return validate_data(estimator, X, y, accept_sparse=formats, dtype=(np.float64, np.float32), reset=reset)
    except ValueError as error:
        found = _find_text(X)
        if found is None:
            raise
        column, text = found
        raise ValueError(
            f"X holds text, {text!r} in column {column!r}, but a score is a sum of numbers. Encode such columns, "
            "for example by sklearn.preprocessing.OneHotEncoder in sklearn.compose.make_column_transformer."
        ) from error


def _find_text(X: Any) -> tuple[Any, str] | None:
    """Return the first column, and the first cell in it, that holds text which is no number."""
    cells = None if sparse.issparse(X) else np.asarray(X)
    if cells is None or cells.ndim != 2 or cells.dtype.kind not in "OUS":
        return None
    names = getattr(X, "columns", range(cells.shape[1]))
    for name, column in zip(names, cells.T, strict=True):
        for cell in column.tolist():
            if isinstance(cell, str | bytes) and not _is_number(cell):
                return name, str(cell)
    return None


def _is_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
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


def split_labels(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the two labels in order and which rows hold the second, the positive one."""
    classes = _find_pair(y)
    if classes is None:
        classes = _sort_labels(y)
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


def _find_pair(y: NDArray[Any]) -> NDArray[Any] | None:
    """Return the labels where they are two numbers, without sorting."""
    if y.dtype.kind not in "biuf":
        return None
    low, high = y.min(), y.max()
    if low == high or not ((y == low) | (y == high)).all():
        return None
    return np.array([low, high])


def _sort_labels(y: NDArray[Any]) -> NDArray[Any]:
    try:
        return np.unique(y)
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in y}))
        raise ValueError(
            f"Unknown label type: y mixes labels of the types {kinds}, so that none is the larger, positive one. "
            "Give two labels of one type, such as 0 and 1."
        ) from error


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
    return None if (weights == weights[0]).all() else weights / weights.max()


def read_weights(sample_weight: Any, X: Any) -> Floats | None:
    """Return a weight from 0 up for each row, or None where none are given."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, str):
        raise ValueError(
            f"sample_weight={sample_weight!r} is text, but each row needs a number. Give an array, for example of "
            'sklearn.utils.class_weight.compute_sample_weight("balanced", y).'
        )
    weights: Floats = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0.0).any():
        raise ValueError(
            f"sample_weight holds negative values, the least {weights.min():g}; a pair cannot count less than nothing. "
            "Write weights from 0 up."
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
