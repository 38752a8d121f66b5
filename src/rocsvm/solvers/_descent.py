"""The descent of one objective at one alpha: evaluate, bound, shrink the smoothing or step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rocsvm.losses import Smoothing
from rocsvm.objective import NO_SLOPE, DualPoint, Objective
from rocsvm.pairs import PairSums
from rocsvm.solvers._base import Status, relate_gap
from rocsvm.solvers._direction import CUT_SHORT, ROUNDING, AbstractDirections, round_scores

Floats = NDArray[np.float64]

# Steps without a tenth off the gap after which the descent is said to have stalled.
PATIENCE = 40
# Long steps in a row that hardly lessen the slack, after which rounded scores are taken to hide where to go.
VAIN = 2
# By what factor a smoothing that is too narrow to begin with is widened, and up to what.
WIDEN, WIDEST = 10.0, 0.5
# Trials on one line; the best of them is taken where none is good enough.
MAX_TRIALS = 30
# What weights gain over none is taken for this share of the objective at least, which sums tell from rounding.
LEAST_GAIN = 0.01


@dataclass(frozen=True)
class Point:
    """Weights and what the sums over pairs say there."""

    objective: Objective
    w: Floats
    scores: Floats
    smoothing: Smoothing
    sums: PairSums

    @cached_property
    def pull(self) -> Floats:
        """The mean of pull times feature difference over pairs: minus the gradient of the loss."""
        return -self.objective.matrix.gather(self.sums.slope)

    @cached_property
    def gradient(self) -> Floats:
        """The gradient of the smoothed objective."""
        return self.objective.alpha * self.w - self.pull

    def at(self, alpha: float) -> Point:
        """Return the same weights under another penalty, with all that does not depend on it."""
        point = replace(self, objective=self.objective.at(alpha))
        point.__dict__["pull"] = self.pull
        return point

    @property
    def value(self) -> float:
        """The objective itself."""
        return self.sums.loss + self.objective.penalise(self.w)

    @property
    def smoothed(self) -> float:
        """The smoothed objective, which the descent lowers."""
        return self.sums.smoothed + self.objective.penalise(self.w)

    @property
    def dual(self) -> DualPoint:
        """The dual point of the pair weights found here."""
        return DualPoint(self.objective.loss.dual(self.sums.smoothed, self.sums.pull), self.pull, self.sums.slope)

    @property
    def slack(self) -> float:
        """The part of this point's own gap that a descent of the smoothed objective would close."""
        return float(self.gradient @ self.gradient) / (2.0 * self.objective.alpha)

    @property
    def smoothing_error(self) -> float:
        """The part of this point's own gap that smoothing causes; the slack is the rest."""
        return self.sums.loss - self.dual.linear + float(self.w @ self.pull)


class Descent:
    """Descents of one objective at any alpha, with the best dual point found on the way, its slope if that is kept."""

    def __init__(
        self, objective: Objective, directions: AbstractDirections, finest: float, *, keeps_slope: bool = True
    ) -> None:
        self.objective = objective
        self.directions = directions
        self.rounding = ROUNDING * finest
        # The least factor by which the smoothing shrinks at once, raised where such a shrink led nowhere.
        self.boldness = 0.1
        self._nothing = float(objective.loss.ramp().value(np.zeros(1))[0])
        n_rows, n_features = objective.matrix.shape
        self.dual = DualPoint(0.0, np.zeros(n_features), np.zeros(n_rows) if keeps_slope else NO_SLOPE)

    def visit(self, objective: Objective, w: Floats, smoothing: Smoothing, scores: Floats | None = None) -> Point:
        """Return the point at w, having improved the dual point by it."""
        scores = objective.matrix.score(w) if scores is None else scores
        point = Point(objective, w, scores, smoothing, self._sum(objective, scores, smoothing))
        self.dual = self.dual.mix(point.dual, objective.alpha)
        return point

    def _sum(self, objective: Objective, scores: Floats, smoothing: Smoothing) -> PairSums:
        return objective.sum(scores, smoothing, self._round(smoothing))

    def _round(self, smoothing: Smoothing) -> float:
        return min(round_scores(self.objective, smoothing), self.rounding)

    def _blur(self, point: Point) -> Smoothing:
        """Return the smoothing to measure curvature with: that of a loss with no kink is as fine as its sums.

        Curvature is rounded by a share of it, and one of 0.5 mistakes which pairs bend where all are ranked right.
        """
        if not point.objective.loss.is_smooth:
            return point.smoothing
        return Smoothing(self._round(point.smoothing) / ROUNDING)

    def gap(self, point: Point) -> float:
        """Return how far at most, as a share of itself, the point's objective is from the minimum."""
        return relate_gap(point.value - self.dual.value(point.objective.alpha), point.value)

    def run(
        self,
        point: Point,
        tol: float,
        max_steps: int,
        on_step: Callable[[Point, float], None],
        *,
        last: bool,
        widen: bool = False,
    ) -> tuple[Point, Status]:
        """Return the point with the least objective on the way to a relative gap of ``tol``, and why it ended.

        Where this is the ``last`` descent, it goes on until the gap is as small a share of what the weights gain over
        none, too: with a large alpha that is so little that the gap says nothing of where they point. A smoothing that
        is one for another alpha may be too narrow here, and is then widened (``widen``).
        """
        best, status = self._approach(point, tol, max_steps, on_step, last=last, widen=widen)
        return best, Status.CONVERGED if self.gap(best) <= tol else status

    def _approach(
        self,
        point: Point,
        tol: float,
        max_steps: int,
        on_step: Callable[[Point, float], None],
        *,
        last: bool,
        widen: bool,
    ) -> tuple[Point, Status]:
        best, alpha = point, point.objective.alpha
        least, stale, vain = np.inf, 0, 0
        anchor: Point | None = None
        has_begun = not widen or point.objective.loss.is_smooth
        self.directions.restart()
        self.dual = self.dual.mix(point.dual, alpha)
        for _ in range(max_steps):
            if point.value < best.value:
                best = point
            gap, goal = self.gap(best), tol * self._weigh_gain(best) if last else tol
            if gap <= goal:
                return best, Status.CONVERGED
            distance = min(gap, point.slack / point.value)
            stale = 0 if distance < 0.9 * least else stale + 1
            least = min(least, distance)
            if stale > PATIENCE:
                # Rounded scores may hide which pairs bend, as where few rows are all ranked right.
                if not self._refine(point):
                    return best, Status.STALLED
                point, stale = self.visit(point.objective, point.w, point.smoothing, point.scores), 0
                continue
            on_step(best, gap)
            allowed = 0.3 * goal * point.value
            if anchor is None and point.smoothing_error > 2.0 * allowed and point.slack < 2.0 * point.smoothing_error:
                anchor, least, stale = point, gap, 0
                shrink = float(np.clip(0.8 * np.sqrt(allowed / point.smoothing_error), self.boldness, 0.7))
                point = self._shrink(anchor, shrink)
                continue
            length, moved = self._step(point)
            if led_nowhere(point, length, moved) and self.directions.renew():
                length, moved = self._step(point)
            if moved is None:
                if not self._refine(point):
                    return best, Status.STALLED
                point = self.visit(point.objective, point.w, point.smoothing, point.scores)
                continue
            if anchor is not None and led_nowhere(point, length, moved) and self.boldness < 0.5:
                self.boldness = np.sqrt(self.boldness)
                point = self._shrink(anchor, self.boldness)
                continue
            if not has_begun and led_nowhere(point, length, moved) and point.smoothing.width < WIDEST:
                point = self._widen(point)
                continue
            has_begun = True
            anchor = None
            vain = vain + 1 if length >= CUT_SHORT and moved.slack > 0.5 * point.slack else 0
            gain = point.slack / moved.slack if moved.slack > 0.0 else np.inf
            self.directions.learn(moved.w - point.w, moved.gradient - point.gradient, gain, length)
            point = moved
            if vain >= VAIN and self._refine(point):
                point, vain = self.visit(point.objective, point.w, point.smoothing, point.scores), 0
        return best, Status.OUT_OF_STEPS

    def _step(self, point: Point) -> tuple[float, Point | None]:
        """Return how far a Newton step goes, and where to; no point where it leads nowhere."""
        broad = point.sums.loss > point.objective.penalise(point.w)
        direction = self.directions.find(point.objective.alpha, point.w, self._blur(point), point.gradient, broad=broad)
        return self._search(point, direction, point.objective.matrix.score(direction))

    def _weigh_gain(self, point: Point) -> float:
        """Return how much less the objective is than without weights, as a share of itself: from a hundredth to one."""
        return float(np.clip(self._nothing / point.value - 1.0, LEAST_GAIN, 1.0)) if point.value > 0.0 else 1.0

    def _shrink(self, point: Point, factor: float) -> Point:
        """Return the point under a smaller smoothing, on the ray through w where that is least.

        Where every pair can be ranked right, the weights of the old smoothing keep all margins beyond the
        new one, and no pair would tell where to go. Nearer zero the pairs that matter come back together.
        """
        self.directions.restart()
        point = self._lean(point, factor * point.smoothing.width)
        if float(point.gradient @ point.w) <= 0.0:
            return point
        return self._search(point, -point.w, -point.scores)[1] or point

    def _widen(self, point: Point) -> Point:
        """Return the point under a wider smoothing.

        That of the last alpha is too narrow for what is far from the minimum at this one: where few pairs bend, each
        step ends at the next of them.
        """
        self.directions.restart()
        return self._lean(point, min(WIDEN * point.smoothing.width, WIDEST))

    def _lean(self, point: Point, width: float) -> Point:
        """Return the point under a smoothing of this width that leans as its pairs do."""
        rounding = self._round(point.smoothing)
        lean = point.objective.find_lean(point.scores, point.smoothing, point.sums.pull, rounding)
        return self.visit(point.objective, point.w, Smoothing(width, lean), point.scores)

    def _refine(self, point: Point) -> bool:
        """Round scores ten times less, which is as good as a search can see; False where it is not at all."""
        rounding = self._round(point.smoothing)
        if rounding <= 1e-12 * np.ptp(point.scores):
            return False
        self.rounding = 0.1 * rounding
        return True

    def _search(self, point: Point, direction: Floats, score_step: Floats) -> tuple[float, Point | None]:
        """Return how far along the direction the smoothed objective is nearly least, and the point there.

        Its slope rises along the line: a root of it is bracketed and closed in on by regula falsi (in
        the Illinois form). Only scores move, by multiples of one product: a trial reads no features.
        """
        objective, alpha = point.objective, point.objective.alpha
        start_slope = float(point.gradient @ direction)
        if not start_slope < 0.0:
            return 0.0, None
        low, low_slope, high, high_slope, length = 0.0, start_slope, np.inf, np.inf, 1.0
        lowest: Point | None = None
        noise = 1e-13 * abs(point.smoothed)
        for _ in range(MAX_TRIALS):
            w = point.w + length * direction
            scores = point.scores + length * score_step
            sums = self._sum(objective, scores, point.smoothing)
            slope = float(sums.slope @ score_step) + alpha * float(w @ direction)
            moved = Point(objective, w, scores, point.smoothing, sums)
            lower = moved.smoothed <= point.smoothed + noise
            if lower and 0.5 * start_slope <= slope <= -0.3 * start_slope:
                self.dual = self.dual.mix(moved.dual, alpha)
                return length, moved
            if slope <= 0.0 and lower:
                if low > 0.0:
                    high_slope *= 0.5
                low, low_slope, lowest = length, slope, moved
            else:
                if high < np.inf:
                    low_slope *= 0.5
                high, high_slope = length, max(slope, 0.0)
            if high == np.inf:
                length *= 4.0
            elif low == 0.0 and high_slope > 100.0 * abs(low_slope):
                length = 0.1 * high
            else:
                share = low_slope / (low_slope - high_slope) if high_slope > 0.0 else 0.5
                length = low + float(np.clip(share, 0.02, 0.98)) * (high - low)
        if lowest is not None:
            self.dual = self.dual.mix(lowest.dual, alpha)
        return low, lowest


def led_nowhere(point: Point, length: float, moved: Point | None) -> bool:
    """Return whether a step was cut short or hardly lessened the slack."""
    return moved is None or length < CUT_SHORT or moved.slack > 0.5 * point.slack
