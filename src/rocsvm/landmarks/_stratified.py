"""Landmarks drawn from each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rocsvm.landmarks._base import AbstractLandmarks, Candidates
from rocsvm.landmarks._distinct import draw_distinct, find_first


@dataclass
class StratifiedLandmarks(AbstractLandmarks):
    """Rows drawn from each class in proportion to its size, at least one from either, as in the paper's simulations."""

    needs_labels: ClassVar[bool] = True

    def choose(self, candidates: Candidates, n_landmarks: int, rng: np.random.Generator) -> Any:
        """Return distinct rows; where a class has too few, the other makes up for it."""
        X, positive, weights = candidates.X, candidates.positive, candidates.weights
        if positive is None:
            raise ValueError(
                "landmarks='stratified' keeps the shares of the classes, but no labels were given. "
                "Call fit(X, y), or write landmarks='uniform'."
            )
        share = float(positive.mean() if weights is None else weights[positive].sum() / weights.sum())
        n_pos = int(np.clip(round(n_landmarks * share), min(1, n_landmarks - 1), max(n_landmarks - 1, 1)))
        pos = draw_distinct(X, n_landmarks, rng, weights, np.flatnonzero(positive))
        neg = draw_distinct(X, n_landmarks, rng, weights, np.flatnonzero(~positive))
        # Shares first, the remainder after them; of a row in both classes the first place counts, so that it is
        # the negatives who have lost a place.
        n_neg = n_landmarks - n_pos
        ordered = np.concatenate([pos[:n_pos], neg[:n_neg], neg[n_neg:], pos[n_pos:]])
        return X[ordered[find_first(X, ordered)[:n_landmarks]]]
