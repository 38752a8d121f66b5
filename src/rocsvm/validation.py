"""Checks of what users hand in: each error says what was asked, why it cannot be, and what to write."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

Part = TypeVar("Part")
Floats = NDArray[np.float64]


def resolve_part(name: str, given: Any, registry: Mapping[str, type[Part]], contract: type[Part]) -> Part:
    """Return the part that a string is short for, or the object given."""
    if isinstance(given, contract):
        return given
    if isinstance(given, str) and given in registry:
        return registry[given]()
    choices = ", ".join(repr(key) for key in registry)
    raise ValueError(f"{name}={given!r} is no {name}; write one of {choices}, or a {contract.__name__} object.")


def check_positive(name: str, given: Any) -> float:
    """Return a finite number above zero."""
    if isinstance(given, bool) or not isinstance(given, Real) or not 0.0 < float(given) < np.inf:
        raise ValueError(f"{name}={given!r} is not a positive number; write, for example, {name}=1e-3.")
    return float(given)


def check_count(name: str, given: Any) -> int | None:
    """Return a whole number from 1 up, or None."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise ValueError(f"{name}={given!r} is not a whole number from 1 up; write one, or None for no limit.")
    return int(given)


def split_labels(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the two labels in order and which rows hold the second, the positive one."""
    classes = _find_pair(y)
    if classes is None:
        check_classification_targets(y)
        classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y holds {len(classes)} classes. Wrap the estimator in sklearn.multiclass.OneVsRestClassifier."
        )
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only, {classes[0]!r}: without a positive and a negative row there is no pair to rank. "
            "Give rows of both classes."
        )
    return classes, np.asarray(y == classes[1])


def _find_pair(y: NDArray[Any]) -> NDArray[Any] | None:
    """Return the labels where they are two numbers, without sorting."""
    if y.dtype.kind not in "biu":
        return None
    low, high = y.min(), y.max()
    if low == high or not ((y == low) | (y == high)).all():
        return None
    return np.array([low, high])


def check_weights(sample_weight: Any, X: Any, positive: NDArray[np.bool_]) -> Floats | None:
    """Return the weights, or None where all are alike; both classes must have some."""
    if sample_weight is None:
        return None
    weights: Floats = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0.0).any():
        raise ValueError(
            f"sample_weight holds negative values, the least {weights.min():g}; a pair cannot count less than nothing. "
            "Write weights from 0 up."
        )
    for name, rows in (("positive", positive), ("negative", ~positive)):
        if not weights[rows].any():
            raise ValueError(
                f"All sample weights of the {name} class are zero, so that no pair is left to rank. "
                "Give some row of each class a weight above 0."
            )
    return None if (weights == weights[0]).all() else weights / weights.max()
