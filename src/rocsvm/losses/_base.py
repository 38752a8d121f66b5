"""What a loss of one margin must tell the rest of the library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

Floats = NDArray[np.float64]


class Ramp(NamedTuple):
    """A convex loss whose slope falls linearly from ``-steepness`` to 0 over one stretch of margins.

    With excess ``e = upper - margin`` the loss is 0 for ``e <= 0``, ``curvature / 2 * e**2`` for
    ``0 < e < width`` and ``steepness * (e - width / 2)`` from there on. Sums of such a loss over all
    pairs are prefix sums over sorted scores, which is all that `AllPairs` needs to know of it.
    """

    upper: float
    width: float
    curvature: float
    steepness: float

    def value(self, margin: Floats) -> Floats:
        """Return the loss at each margin."""
        excess = np.maximum(self.upper - margin, 0.0)
        if self.width == 0.0:
            return self.steepness * excess
        near = np.minimum(excess, self.width)
        far = excess - near if np.isfinite(self.width) else 0.0
        return 0.5 * self.curvature * near**2 + self.steepness * far

    def pull(self, margin: Floats) -> Floats:
        """Return minus the derivative at each margin: how hard the pair asks for a larger one."""
        excess = self.upper - margin
        if self.width == 0.0:
            return np.where(excess > 0.0, self.steepness, 0.0)
        return self.curvature * np.clip(excess, 0.0, self.width)

    def bend(self, margin: Floats) -> Floats:
        """Return the second derivative at each margin; at either end of the stretch, that from the right."""
        excess = self.upper - margin
        return np.where((excess > 0.0) & (excess <= self.width), self.curvature, 0.0)


class Smoothing(NamedTuple):
    """How a kink at margin 1 is smoothed: the slope turns over ``width`` on either side of its middle.

    ``lean`` is the pull at the kink itself, half in the middle of the turn. Pairs that pull less than
    that come to lie above the kink; a lean of 0 has the turn end at it.
    """

    width: float = 0.0
    lean: float = 0.5


class AbstractLoss(BaseEstimator, ABC):  # type: ignore[misc]
    """A convex loss of the margin, positive score minus negative score.

    As a scikit-learn object it lends its arguments to grid searches, as ``loss__...``.
    """

    @abstractmethod
    def ramp(self, smoothing: Smoothing = Smoothing()) -> Ramp:
        """Return the loss, with its kink smoothed where it has one."""

    @property
    @abstractmethod
    def is_smooth(self) -> bool:
        """Whether ``ramp`` is the loss itself, whatever the smoothing."""

    @abstractmethod
    def dual(self, value: float, pull: float) -> float:
        """Return the mean of ``-conjugate(-pull)`` over pairs, from the ramp's mean value and mean pull."""
