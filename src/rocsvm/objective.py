"""The ridge-penalised mean loss over pairs, its gradient, curvature and dual bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from rocsvm.features import AbstractMatrix, wrap_matrix
from rocsvm.losses import AbstractLoss, Ramp, Smoothing
from rocsvm.pairs import AbstractCurvature, AbstractPairSums, PairSums

Floats = NDArray[np.float64]

# A mean of so many deviations is far from zero; entries up to which features are then copied: 320 MB.
FAR, MAX_CENTRED = 1e3, 40_000_000
# The slope of a dual point that keeps none.
NO_SLOPE: Floats = np.empty(0)
# A deviation of this share of the mean, or less, is rounding.
ROUNDING = 1e-10


@dataclass(frozen=True)
class Objective:
    """``mean loss(margin) + alpha / 2 * norm(w)**2`` over the pairs of the rows of Z, with scores Z w.

    The dual value of pair weights ``a`` is ``mean -conjugate(-a) - norm(q)**2 / (2 alpha)`` with
    ``q = -Z.T @ slope``, and bounds the objective of every w from below.
    """

    matrix: AbstractMatrix
    pairs: AbstractPairSums
    loss: AbstractLoss
    alpha: float

    def at(self, alpha: float) -> Objective:
        """Return the same objective with another penalty."""
        return replace(self, alpha=alpha)

    def recentre(self) -> Objective:
        """Return the same objective of features less their means, where one lies far from zero.

        Pairs see differences of rows only, while scores lose the digits that a mean has more than the deviation
        about it: with a mean of a million deviations and tiny weights the objective was off by 1e-3 of itself.
        """
        n_rows, n_features = self.matrix.shape
        if n_rows * n_features > MAX_CENTRED:
            return self
        some = self.matrix.take(np.arange(0, n_rows, 1 + n_rows // 256))
        mean = some.gather(np.full(some.shape[0], 1.0 / some.shape[0]))
        deviation = np.mean(np.abs(some.centre()), axis=0)
        # A column that is the same in these rows deviates by rounding alone, which tells nothing of the others.
        far = (np.abs(mean) > FAR * deviation) & (deviation > ROUNDING * np.abs(mean))
        if not far.any():
            return self
        return replace(self, matrix=wrap_matrix(self.matrix.centre()))

    def sample(self, size: int, rng: np.random.Generator, importance: Floats | None = None) -> Objective:
        """Return the same objective over a random sample of about ``size`` rows or pairs."""
        rows, pairs = self.pairs.sample(size, rng, importance)
        return replace(self, matrix=self.matrix.sample(rows), pairs=pairs)

    def weigh_rows(self) -> Floats:
        """Return each row's squared distance from the mean, every feature in units of its deviation."""
        shares = self.pairs.share()
        mean = self.matrix.gather(shares)
        variance = self.matrix.weigh_squares(shares) - mean**2
        scale = np.divide(1.0, variance, out=np.zeros_like(variance), where=variance > 1e-12 * (mean**2 + variance))
        return np.maximum(
            self.matrix.score_squares(scale) - 2.0 * self.matrix.score(scale * mean) + scale @ mean**2, 0.0
        )

    def sum(self, scores: Floats, smoothing: Smoothing, rounding: float) -> PairSums:
        """Return the sums over pairs at these scores."""
        return self.pairs.sum(self.loss, scores, smoothing=smoothing, rounding=rounding)

    def curve(self, weights: Floats, smoothing: Smoothing, rounding: float) -> AbstractCurvature:
        """Return the curvature of the smoothed loss in the scores."""
        return self.pairs.curve(self.loss, self.matrix.score(weights), smoothing=smoothing, rounding=rounding)

    def find_lean(self, scores: Floats, smoothing: Smoothing, pull: float, rounding: float) -> float:
        """Return the mean pull of the pairs on the slope of the smoothed loss, half at most.

        Smoothed with that lean, the loss holds its typical such pair at the kink, whatever the width.
        A smooth loss has no kink, and keeps the lean it came with.
        """
        if self.loss.is_smooth:
            return smoothing.lean
        ramp = self.loss.ramp(smoothing)
        active = self.pairs.pull(Ramp(ramp.upper, 0.0, 0.0, 1.0), scores, rounding)
        far = self.pairs.pull(Ramp(ramp.upper - ramp.width, 0.0, 0.0, 1.0), scores, rounding)
        return min(0.5, max(pull - far, 0.0) / (active - far)) if active > far else smoothing.lean

    def penalise(self, weights: Floats) -> float:
        """Return the penalty."""
        return 0.5 * self.alpha * float(weights @ weights)

    def value(self, weights: Floats, scores: Floats) -> float:
        """Return the objective itself, neither smoothed nor rounded."""
        return self.pairs.value(self.loss, scores) + self.penalise(weights)


@dataclass(frozen=True)
class DualPoint:
    """Pair weights that the dual allows, known by what their value needs.

    ``linear`` is the mean of ``-conjugate(-a)`` or less; ``pull`` the vector q. ``slope`` is what q gathers, which
    proves a bound on any other features of the same rows too; it is empty where nobody asks for that. The set of such
    points is convex, so that any mixture of two, or with the zero weights, is one too.
    """

    linear: float
    pull: Floats
    slope: Floats

    def value(self, alpha: float) -> float:
        """Return the lower bound that it proves on the objective."""
        return self.linear - float(self.pull @ self.pull) / (2.0 * alpha)

    def mix(self, other: DualPoint, alpha: float) -> DualPoint:
        """Return the best mixture ``s * self + t * other`` with ``s, t >= 0`` and ``s + t <= 1``."""
        own, cross, others = (
            float(a @ b) / alpha for a, b in combinations_with_replacement((self.pull, other.pull), 2)
        )
        between = _shrink(other.linear - self.linear - (cross - own), own - 2.0 * cross + others)
        candidates = [
            (_shrink(self.linear, own), 0.0),
            (0.0, _shrink(other.linear, others)),
            (1.0 - between, between),
        ]
        determinant = own * others - cross * cross
        if determinant > 1e-12 * own * others:
            s = (self.linear * others - other.linear * cross) / determinant
            t = (other.linear * own - self.linear * cross) / determinant
            if min(s, t) >= 0.0 and s + t <= 1.0:
                candidates.append((s, t))

        def value(shares: tuple[float, float]) -> float:
            s, t = shares
            return s * self.linear + t * other.linear - 0.5 * (s * s * own + 2.0 * s * t * cross + t * t * others)

        s, t = max(candidates, key=value)
        has_slope = len(self.slope) and len(other.slope)
        slope = s * self.slope + t * other.slope if has_slope else NO_SLOPE
        mixed = DualPoint(s * self.linear + t * other.linear, s * self.pull + t * other.pull, slope)
        # Of nearly opposite pulls the products cancel; what is returned is no worse than either point.
        better = max(self, other, key=lambda one: one.value(alpha))
        return mixed if mixed.value(alpha) >= better.value(alpha) else better


def _shrink(rise: float, bend: float) -> float:
    """Return the maximiser on [0, 1] of ``rise * t - bend / 2 * t**2``."""
    if rise <= 0.0:
        return 0.0
    return 1.0 if rise >= bend else float(rise / bend)
