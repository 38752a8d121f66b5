"""The loop of the first-order methods: read all pairs, step as long as what was read holds, read again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rocsvm import loops
from rocsvm.objective import NO_SLOPE, DualPoint, Objective
from rocsvm.solvers._base import OnStep, Solution, Status, Step, relate_gap
from rocsvm.solvers._direction import TOO_LARGE
from rocsvm.solvers._reader import AbstractReader, Reading, Stretch, choose_reader, look

Floats = NDArray[np.float64]

MAX_STEPS = 50_000
# Steps from one measure of the gap to the next, at least.
CHECK_EVERY = 10


@dataclass(frozen=True)
class Rule:
    """How far a step goes, in the terms of ``take_steps`` of the loops; without ``step_tol`` the gap ends the steps."""

    step: float
    beta1: float
    beta2: float
    adaptive: bool
    shared: bool
    step_tol: float | None


class Bound:
    """The best dual point of means over many steps.

    Near a kink the gradients of single points do not vanish, but their mean over T steps of size s does: it is the
    way gone, over s T. Means run from each power of two of steps to the next, so that the first ones are forgotten.
    """

    def __init__(self, alpha: float, n_rows: int, n_features: int) -> None:
        self._alpha = alpha
        self._best = DualPoint(0.0, np.zeros(n_features), np.zeros(n_rows))
        self._before = np.zeros(n_rows)
        self._until = 1
        self._restart()

    def _restart(self) -> None:
        self._n_steps, self._linear, self._pull = 0, 0.0, np.zeros_like(self._best.pull)

    def add(self, n_steps: int, linear: float, pull: Floats, reader: AbstractReader) -> None:
        """Add the sums over some steps, which the reader has learnt of."""
        self._n_steps += n_steps
        self._linear += linear
        self._pull += pull
        if self._n_steps >= self._until:
            slopes = reader.sum_slopes()
            self._best = self._best.mix(self._take_mean(slopes), self._alpha)
            self._before = slopes
            self._until *= 2
            self._restart()

    def _take_mean(self, slopes: Floats | None) -> DualPoint:
        """Return the mean since the last power of two, without its slope if the sums of slopes are not given."""
        share = 1.0 / max(self._n_steps, 1)
        slope = NO_SLOPE if slopes is None else share * (slopes - self._before)
        return DualPoint(share * self._linear, share * self._pull, slope)

    def mix(self, last: DualPoint, reader: AbstractReader) -> DualPoint:
        """Return the best mixture of all means and of a last point."""
        return self._best.mix(self._take_mean(reader.sum_slopes()), self._alpha).mix(last, self._alpha)

    def value(self, linear: float, pull: Floats) -> float:
        """Return what the mixture with this last point proves, which takes no slopes."""
        best = DualPoint(self._best.linear, self._best.pull, NO_SLOPE)
        mixed = best.mix(self._take_mean(None), self._alpha).mix(DualPoint(linear, pull, NO_SLOPE), self._alpha)
        return mixed.value(self._alpha)


class Walk:
    """Weights on their way, what was last read, and the best dual point so far."""

    def __init__(self, objective: Objective, rule: Rule, w: Floats, point: DualPoint) -> None:
        self.w = w
        self.n_taken, self.change = 0, np.inf
        self.reader = choose_reader(objective, w, point)
        self.bound = Bound(objective.alpha, *objective.matrix.shape)
        self._alpha = objective.alpha
        self._rule = rule
        self._momentum = np.zeros_like(w)
        self._scale = np.zeros_like(w) if rule.adaptive else np.ones_like(w)

    def advance(self, reading: Reading, max_steps: int) -> None:
        """Step as long as the reading holds."""
        rule, before, start = self._rule, self.n_taken, self.w.copy()
        active, pull, total = reading.active.copy(), reading.pull.copy(), np.zeros_like(self.w)
        held = np.zeros(len(active))
        with np.errstate(over="ignore", invalid="ignore"):
            self.n_taken, self.change, linear, total_linear = loops.choose_twin().take_steps(
                reading.differences,
                reading.shares,
                active,
                held,
                pull,
                total,
                reading.linear,
                self.w,
                self._momentum,
                self._scale,
                self._alpha,
                rule.step,
                rule.beta1,
                rule.beta2,
                rule.adaptive,
                rule.shared,
                rule.step_tol or 0.0,
                reading.radius,
                before,
                min(max_steps, before + reading.max_steps),
            )
            distance = float(np.linalg.norm(self.w - start))
        n_steps = self.n_taken - before
        self.reader.learn(reading, Stretch(n_steps, distance, active, held, linear, pull))
        self.bound.add(n_steps, total_linear, total, self.reader)


@dataclass
class Log:
    """The gap as measured on the way, told to the caller as it happens."""

    size: int
    alpha: float
    on_step: OnStep | None
    history: list[Step] = field(default_factory=list)

    def is_due(self, n_taken: int) -> bool:
        """Return whether enough steps were taken since the last measure."""
        return not self.history or n_taken >= self.history[-1].n_iter + CHECK_EVERY

    def tell(self, n_taken: int, value: float, bound: float) -> float:
        """Return the relative gap, having told it."""
        gap = relate_gap(max(value - bound, 0.0), value)
        step = Step(n_taken, self.size, self.alpha, value, gap)
        self.history.append(step)
        if self.on_step is not None:
            self.on_step(step)
        return gap


def descend(
    objective: Objective, rule: Rule, w0: Floats | None, *, tol: float, max_iter: int | None, on_step: OnStep | None
) -> Solution:
    """Return the weights where a step falls short of ``step_tol``; without one, where the gap is proved to be ``tol``.

    Where steps lead beyond floating point, those of the last reading are returned.
    """
    objective = objective.recentre()
    alpha = objective.alpha
    w = np.zeros(objective.matrix.shape[1]) if w0 is None else w0.astype(np.float64)
    value, point = look(objective, w)
    if value == np.inf:
        if w0 is None:
            raise ValueError(TOO_LARGE)
        return descend(objective, rule, None, tol=tol, max_iter=max_iter, on_step=on_step)
    walk, log = Walk(objective, rule, w, point), Log(objective.pairs.size, alpha, on_step)
    max_steps = MAX_STEPS if max_iter is None else max_iter
    status = Status.DIVERGED
    while (reading := walk.reader.read(walk.w)) is not None:
        last = walk.w.copy()
        if log.is_due(walk.n_taken):
            gap = log.tell(walk.n_taken, reading.value, walk.bound.value(reading.linear, reading.pull))
            if rule.step_tol is None and gap <= tol:
                # What remains, should the last look below find the gap wider, is rounding.
                status = Status.STALLED
                break
        if walk.change < (rule.step_tol or 0.0):
            status = Status.SHORT_STEP
            break
        if walk.n_taken >= max_steps:
            status = Status.OUT_OF_STEPS
            break
        walk.advance(reading, max_steps)
    value, point = look(objective, last)
    dual = walk.bound.mix(point, walk.reader)
    bound = dual.value(alpha)
    if status is Status.OUT_OF_STEPS and value > float(objective.loss.ramp().value(np.zeros(1))[0]):
        status = Status.OVERSHOT
    if log.tell(walk.n_taken, value, bound) <= tol:
        status = Status.CONVERGED
    return Solution(last, status, walk.n_taken, value, max(value - bound, 0.0), log.history, dual.linear, dual.slope)
