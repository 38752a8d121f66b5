"""Scores near the threshold as predictions see them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocsvm.estimators._base import Rows
from rocsvm.features import AbstractKernelFeatures
from rocsvm.inspection import find_threshold
from rocsvm.landmarks import group_rows

Floats = NDArray[np.float64]

# Rows whose scores tell how far those of a fit are from those of a prediction, and how much farther any may be.
SAMPLE, SAFETY = 256, 10.0


def sharpen_scores(features: AbstractKernelFeatures, folded: Floats, rows: Rows, scores: Floats, target: Any) -> Floats:
    """Return the scores of a fit, those near the threshold of the operating point as `predict` computes them.

    A fit scores features, in single precision if there are many rows; a prediction scores similarities in double
    precision. A row between the two would be put on the wrong side of the threshold. Only rows about as near to it
    as the two differ are scored once more, since for all rows that would take as long as the features did. Rows alike
    then score alike: a product rounds by the place a row has in it, and no threshold is to part them.
    """
    scores = scores.copy()
    is_sharp = np.zeros(len(scores), dtype=np.bool_)
    stale = np.arange(0, len(scores), 1 + len(scores) // SAMPLE)
    reach = 0.0
    while len(stale):
        first, groups = group_rows(rows.X, stale)
        fresh = features.score_rows(rows.X[stale[first]], folded)[groups]
        reach = max(reach, SAFETY * float(np.abs(fresh - scores[stale]).max()))
        scores[stale], is_sharp[stale] = fresh, True
        threshold = find_threshold(rows.positive, scores, rows.weights, operating_point=target).threshold
        near = np.flatnonzero(np.abs(scores - threshold) <= reach)
        stale = near[:0] if is_sharp[near].all() else near
    return scores
