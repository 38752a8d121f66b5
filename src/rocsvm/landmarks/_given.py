"""Landmarks that the user gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rocsvm.landmarks._base import AbstractLandmarks, Candidates
from rocsvm.landmarks._distinct import find_first


@dataclass
class GivenLandmarks(AbstractLandmarks):
    """Rows given by the user, repeats left out.

    Parameters
    ----------
    rows : array or sparse array of shape (n_landmarks, n_features)
        The landmarks.
    """

    rows: Any

    def choose(self, candidates: Candidates, n_landmarks: int, rng: np.random.Generator) -> Any:
        """Return the rows given, however many are asked for."""
        n_features, width = candidates.X.shape[1], self.rows.shape[1]
        if width != n_features:
            raise ValueError(
                f"landmarks is an array of rows with {width} features, but X has {n_features}. "
                "Give landmarks in the same columns as X."
            )
        return self.rows[find_first(self.rows, np.arange(self.rows.shape[0]))]
