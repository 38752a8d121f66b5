"""Landmarks drawn uniformly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rocsvm.landmarks._base import AbstractLandmarks, Candidates
from rocsvm.landmarks._distinct import draw_distinct


@dataclass
class UniformLandmarks(AbstractLandmarks):
    """Rows drawn uniformly at random, as the paper's theorem assumes."""

    def choose(self, candidates: Candidates, n_landmarks: int, rng: np.random.Generator) -> Any:
        """Return distinct rows."""
        return candidates.X[draw_distinct(candidates.X, n_landmarks, rng, candidates.weights)]
