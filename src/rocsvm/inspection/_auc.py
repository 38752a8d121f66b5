"""The area under the ROC curve."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocsvm.inspection._rows import check_rows


def auc(y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the area under the ROC curve, the probability that a positive outscores a negative.

    It equals the mean over all pairs (positive i, negative j), weighted by ``w[i] * w[j]``, of 1 where
    ``scores[i] > scores[j]``, 1/2 where they tie and 0 elsewhere. Sorting each class takes O(n log n);
    without weights the pairs are counted in integers, so only the final division rounds.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two classes; the positive is True, or the larger label.
    scores : array-like of shape (n_samples,)
        Scores that should be larger for positives. They may be infinite, but not NaN.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of at least 0; an integer weight equals repeating the row.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    positive, values, weights = check_rows(y, scores, sample_weight, asker="auc")
    if weights is None:
        return _count(np.sort(values[positive]), np.sort(values[~positive]))
    return _weigh(*_sort(values[positive], weights[positive]), *_sort(values[~positive], weights[~positive]))


def _count(pos: NDArray[Any], neg: NDArray[Any]) -> float:
    # Looking the fewer up among the more takes 16 ms for 0.2 + 0.8 million, the reverse 50.
    few, many = (pos, neg) if len(pos) <= len(neg) else (neg, pos)
    halves = int(np.searchsorted(many, few, "left").sum()) + int(np.searchsorted(many, few, "right").sum())
    n_halves = 2 * len(pos) * len(neg)
    return (halves if few is pos else n_halves - halves) / n_halves


def _sort(values: NDArray[Any], weights: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    order = np.argsort(values)
    return values[order], weights[order]


def _weigh(
    pos: NDArray[Any], weights_pos: NDArray[np.float64], neg: NDArray[Any], weights_neg: NDArray[np.float64]
) -> float:
    sums = np.concatenate(([0.0], np.cumsum(weights_neg)))
    below = sums[np.searchsorted(neg, pos, "left")] + sums[np.searchsorted(neg, pos, "right")]
    won = float(weights_pos @ below)
    lost = float(weights_pos @ (2.0 * sums[-1] - below))
    # Over their own sum, the result is 0 or 1 exactly where nothing is won or lost, and never beyond.
    return won / (won + lost)
