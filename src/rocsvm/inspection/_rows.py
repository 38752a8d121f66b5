"""Checked labels, scores and weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocsvm.validation import find_labels, read_weights, scale_weights


class Rows(NamedTuple):
    """Rows of both classes; every weight is positive, and None stands for ones."""

    positive: NDArray[np.bool_]
    scores: NDArray[np.floating[Any]]
    weights: NDArray[np.float64] | None

    def select(self, keep: NDArray[np.bool_]) -> Rows:
        """Return the rows marked in ``keep``."""
        weights = None if self.weights is None else self.weights[keep]
        return Rows(self.positive[keep], self.scores[keep], weights)


def check_rows(y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None, *, asker: str) -> Rows:
    """Return the rows that carry weight, or raise in the name of the function that asks.

    A row of weight zero is left out, as if it were not there.
    """
    scores = _check_scores(scores, asker)
    positive, names = _find_positive(y, asker)
    if len(positive) != len(scores):
        raise ValueError(
            f"{asker} needs one label per score, but y has {len(positive)} rows and scores has {len(scores)}; "
            "give both for the same rows."
        )
    weights = read_weights(sample_weight, scores)
    for name, own in zip(names, (~positive, positive), strict=True):
        if not (own.any() if weights is None else (weights[own] > 0.0).any()):
            raise ValueError(
                f"{asker} compares positive rows with negative ones, but no row of the {name} class has a positive "
                "weight; give rows of both classes."
            )
    if weights is None:
        return Rows(positive, scores, None)
    weights = scale_weights(weights, positive)
    rows = Rows(positive, scores, weights)
    return rows if weights.all() else rows.select(weights > 0.0)


def _check_scores(scores: ArrayLike, asker: str) -> NDArray[np.floating[Any]]:
    values = np.asarray(scores)
    if values.ndim != 1:
        raise ValueError(
            f"{asker} needs one score per row, but scores has shape {values.shape}; "
            "give one column, such as decision_function(X) or predict_proba(X)[:, 1]."
        )
    # Floats keep their type: float32 sorts faster, and its thresholds must be float32 numbers too.
    if values.dtype.kind != "f" or values.dtype.itemsize < 4:
        values = values.astype(np.float64)
    if np.isnan(values).any():
        raise ValueError(
            f"{asker} puts scores in order, but {int(np.isnan(values).sum())} of them are NaN, which have no place in "
            "any order; impute or drop these rows."
        )
    return values


def _find_positive(y: ArrayLike, asker: str) -> tuple[NDArray[np.bool_], tuple[str, str]]:
    """Return which rows are positive, and names of the negative and the positive class for messages."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"{asker} needs one label per row, but y has shape {labels.shape}; give a flat array.")
    if len(labels) == 0:
        raise ValueError(f"{asker} compares positive rows with negative ones, but y is empty; give rows of both.")
    if labels.dtype.kind == "b":
        return labels, ("negative", "positive")
    classes = find_labels(labels)
    if len(classes) != 2:
        some = ", ".join(str(label) for label in classes[:5]) + (", ..." if len(classes) > 5 else "")
        raise ValueError(
            f"{asker} compares positive rows with negative ones, but y holds {len(classes)} labels ({some}); give rows "
            "of two classes, or y == label for one class against the rest."
        )
    return np.asarray(labels == classes[1]), (f"negative ({classes[0]})", f"positive ({classes[1]})")
