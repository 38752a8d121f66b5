"""What a scheme of pairs must offer: sums over pairs from scores alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rocsvm.losses import AbstractLoss, Ramp, Smoothing

Floats = NDArray[np.float64]
Rows = NDArray[np.integer]


class PairSums(NamedTuple):
    """Means over pairs at given scores.

    ``loss`` is that of the loss itself; ``smoothed`` that of its ramp; ``slope`` the derivative of
    ``smoothed`` in each row's score; ``pull`` the mean of minus the ramp's derivative.
    """

    loss: float
    smoothed: float
    slope: Floats
    pull: float


class AbstractCurvature(ABC):
    """The second derivative of a mean over pairs in the scores, a weighted graph Laplacian."""

    @abstractmethod
    def __matmul__(self, vectors: Floats) -> Floats:
        """Return its product with a vector or with each column of a matrix, one entry per row."""

    @abstractmethod
    def diagonal(self) -> Floats:
        """Return its diagonal."""

    @abstractmethod
    def gram(self, features: Any) -> Floats:
        """Return ``features.T @ self @ features`` for an array or a sparse array."""


class AbstractPairSums(ABC):
    """Pairs of rows with given labels and weights, ready to be summed over."""

    size: int

    @abstractmethod
    def sum(
        self, loss: AbstractLoss, scores: Floats, *, smoothing: Smoothing = Smoothing(), rounding: float = 0.0
    ) -> PairSums:
        """Return the sums at these scores, each of which may be moved by up to ``rounding``."""

    @abstractmethod
    def pull(self, ramp: Ramp, scores: Floats, rounding: float = 0.0) -> float:
        """Return the mean pull of a ramp at these scores, each of which may be moved by up to ``rounding``."""

    @abstractmethod
    def value(self, loss: AbstractLoss, scores: Floats) -> float:
        """Return the mean loss alone, neither smoothed nor rounded."""

    @abstractmethod
    def curve(
        self, loss: AbstractLoss, scores: Floats, *, smoothing: Smoothing = Smoothing(), rounding: float = 0.0
    ) -> AbstractCurvature:
        """Return the curvature at these scores, each of which may be moved by up to ``rounding``."""

    @abstractmethod
    def share(self) -> Floats:
        """Return each row's share of the pairs: how much of the mean it takes part in, summing to one."""

    @abstractmethod
    def sample(
        self, size: int, rng: np.random.Generator, importance: Floats | None = None
    ) -> tuple[Rows, AbstractPairSums]:
        """Return about ``size`` random rows and the pairs among them, an unbiased picture of these.

        With ``importance``, a number of no sign for each row, half of the sample is drawn in proportion
        to it, and what is drawn weighs as much as it stands for.
        """


def draw(own: Rows, size: int, rng: np.random.Generator, importance: Floats | None) -> tuple[Rows, Floats | None]:
    """Return about ``size`` of these rows and how many each stands for, None meaning all alike."""
    if importance is None or size >= len(own):
        return rng.choice(own, min(size, len(own)), replace=False, shuffle=False), None
    total = importance[own].sum()
    shares = importance[own] / total if total > 0.0 else np.full(len(own), 1.0 / len(own))
    chance = np.minimum(0.5 * size * (shares + 1.0 / len(own)), 1.0)
    drawn = np.flatnonzero(rng.random(len(own)) < chance)
    if len(drawn) == 0:
        drawn = rng.integers(len(own), size=1)
    return own[drawn], 1.0 / chance[drawn]


class AbstractPairs(BaseEstimator, ABC):  # type: ignore[misc]
    """A scheme that says which positive-negative pairs the loss runs over.

    As a scikit-learn object it lends its arguments to grid searches, such as ``pairs__n_pairs``.
    """

    @abstractmethod
    def bind(self, positive: NDArray[np.bool_], weights: Floats | None, rng: np.random.Generator) -> AbstractPairSums:
        """Return the pairs of these rows; ``weights`` are positive, ``None`` means all ones."""

    def sum(
        self,
        loss: AbstractLoss,
        scores: Floats,
        y: NDArray[np.bool_],
        sample_weight: Floats | None = None,
        *,
        smoothing: Smoothing = Smoothing(),
        random_state: int | np.random.Generator | None = None,
    ) -> tuple[float, Floats]:
        """Return the mean loss over the pairs and its derivative in each score.

        It equals the mean of ``loss(scores[i] - scores[j])``, weighted by
        ``sample_weight[i] * sample_weight[j]``, over the scheme's positive i and negative j.
        """
        sums = self.bind(y, sample_weight, np.random.default_rng(random_state)).sum(loss, scores, smoothing=smoothing)
        return sums.smoothed, sums.slope
