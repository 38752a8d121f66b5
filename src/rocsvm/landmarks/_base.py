"""What a way to choose landmarks must offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rocsvm.kernels import AbstractKernel

Floats = NDArray[np.float64]
Rows = NDArray[np.integer]


@dataclass(frozen=True)
class Candidates:
    """The rows that landmarks are chosen among, and what a choice may look at.

    ``positive`` says which rows are of the positive class, where labels are known; ``weights`` how many rows
    each counts for, where they are not all alike.
    """

    X: Any
    kernel: AbstractKernel
    positive: NDArray[np.bool_] | None = None
    weights: Floats | None = None


class AbstractLandmarks(BaseEstimator, ABC):  # type: ignore[misc]
    """A way to choose landmarks, no two of them alike.

    As a scikit-learn object it lends its arguments to grid searches, as ``landmarks__...``.
    """

    needs_labels: ClassVar[bool] = False

    @abstractmethod
    def choose(self, candidates: Candidates, n_landmarks: int, rng: np.random.Generator) -> Any:
        """Return ``n_landmarks`` rows, or fewer where no more are distinct or these explain all; at least one."""
