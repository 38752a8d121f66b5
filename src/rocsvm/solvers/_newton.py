"""Newton's method with a certificate: descends until a dual bound proves the gap closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocsvm.losses import Smoothing
from rocsvm.objective import Objective
from rocsvm.solvers._base import AbstractSolver, OnStep, Solution, Status, Step, relate_gap
from rocsvm.solvers._descent import Descent, Point
from rocsvm.solvers._direction import TOO_LARGE, SampledDirections, SteadyDirections
from rocsvm.solvers._rotation import Rotation, can_rotate
from rocsvm.validation import check_whole

Floats = NDArray[np.float64]

MAX_STEPS = 1000
# The smallest sample that a walk starts on (16 rows a feature come on top): its steps cost little more
# than calling NumPy does.
FIRST_SAMPLE = 1024
# Smoothing at a cold start, where pairs are far from their margin, and at weights handed in.
COLD_SMOOTHING, WARM_SMOOTHING = Smoothing(0.5), Smoothing(0.05)
# Weights whose objective grows by more than this factor from the sample to the whole fit the sample only.
OVERFIT = 1.5
# So do weights whose slack there is more than this many times the objective: a rare feature pulls them far.
MOST_SLACK = 1e5
# The relative gap that ends a stage of the walk, and that of a walk repeated because the first stalled.
STAGE_TOL, CAREFUL_TOL = 0.5, 0.05
# Steps that a stage of a sample may take: of a harder one the solution would be the sample's own, and no start.
SAMPLE_STEPS = 10
# Squares of norms from here on have squares that overflow.
OVERFLOW = 1e150


class Waypoint(NamedTuple):
    """Where the descent at one alpha ended: a start for the next alpha and for a larger sample."""

    alpha: float
    w: Floats
    smoothing: Smoothing
    objective: float


@dataclass
class Newton(AbstractSolver):
    """Newton's method for ridge-penalised losses over pairs, stopped by its own proof of optimality.

    Three devices carry it to small penalties and large data.

    - The hinge is smoothed over ``1 +- smoothing``, and the smoothing shrinks as the descent nears its
      minimum. Objective and bound are those of the hinge itself throughout.
    - From a cold start alpha walks down from where the solution is known, ten-fold a stage; where that
      stalls, once more and closer to the solution of each stage.
    - Large problems start from the solution of a sample and take their curvature from it, so that the
      whole data are read for gradients only, a handful of times.

    Parameters
    ----------
    sample_size : int, default=16384
        The most rows (or pairs) that the first sample holds. It holds a sixteenth of them all, from a quarter of
        this number up to this number, and on top of that 64 times the number of features; twice as many rows or
        fewer are not sampled. It grows eight-fold where its curvature gains too little.
    """

    sample_size: int = 16384

    def solve(
        self,
        objective: Objective,
        w0: Floats | None = None,
        *,
        tol: float = 1e-3,
        max_iter: int | None = None,
        rng: np.random.Generator | None = None,
        on_step: OnStep | None = None,
    ) -> Solution:
        """Return weights whose relative gap is at most ``tol``, or say by status why not."""
        rng = np.random.default_rng() if rng is None else rng
        if can_rotate(objective):
            rotation = Rotation(objective.matrix)
            start = None if w0 is None else rotation.turn(w0)
            turned = replace(objective, matrix=rotation.matrix)
            solution = self.solve(turned, start, tol=tol, max_iter=max_iter, rng=rng, on_step=on_step)
            return replace(solution, w=rotation.turn_back(solution.w))
        objective = objective.recentre()
        path = [] if w0 is None else [start_warm(objective, w0)]
        return self._start_walk(objective, max_iter, rng, on_step).finish(objective, path, tol)

    def follow(
        self,
        objective: Objective,
        alphas: Iterable[float],
        *,
        tol: float = 1e-3,
        max_iter: int | None = None,
        rng: np.random.Generator | None = None,
        on_step: OnStep | None = None,
        exact: bool = True,
    ) -> Iterator[Solution]:
        """Yield the solution at each alpha, each from the one before: one sample serves all."""
        rng = np.random.default_rng() if rng is None else rng
        if can_rotate(objective):
            rotation = Rotation(objective.matrix)
            turned = replace(objective, matrix=rotation.matrix)
            options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "rng": rng, "on_step": on_step}
            for solution in self.follow(turned, alphas, exact=exact, **options):
                yield replace(solution, w=rotation.turn_back(solution.w))
            return
        objective = objective.recentre()
        yield from self._start_walk(objective, max_iter, rng, on_step).follow(objective, alphas, tol, exact)

    def _start_walk(
        self, objective: Objective, max_iter: int | None, rng: np.random.Generator, on_step: OnStep | None
    ) -> _Walk:
        log = _Log(objective.pairs.size, MAX_STEPS if max_iter is None else max_iter, on_step)
        most = check_whole("sample_size", self.sample_size, example=16384)
        size = int(np.clip(objective.pairs.size // 16, most // 4, most))
        return _Walk(size + 64 * objective.matrix.shape[1], rng, log)


@dataclass
class _Log:
    """Steps taken so far, of those allowed, told to the caller as they happen."""

    size: int
    max_steps: int
    on_step: OnStep | None
    history: list[Step] = field(default_factory=list)

    @property
    def left(self) -> int:
        """How many more a descent may take: the last one tells of the solution."""
        return self.max_steps - 1 - len(self.history)

    def renew(self) -> _Log:
        """Return the same with no step taken."""
        return replace(self, history=[])

    def __call__(self, point: Point, gap: float) -> None:
        objective = point.objective
        step = Step(len(self.history) + 1, objective.pairs.size, objective.alpha, point.value, gap)
        self.history.append(step)
        if self.on_step is not None:
            self.on_step(step)


@dataclass(frozen=True)
class _Walk:
    """The walk from a sample and a large alpha to the whole problem."""

    sample_size: int
    rng: np.random.Generator
    log: _Log
    stage_tol: float = STAGE_TOL
    stage_steps: int = MAX_STEPS
    keeps_slope: bool = True

    def finish(self, objective: Objective, path: list[Waypoint], tol: float) -> Solution:
        """Return the solution of the whole problem, its objective summed without rounding."""
        descent, point, status, _ = self.descend(objective, path, tol)
        if status is Status.STALLED:
            careful = replace(self, stage_tol=CAREFUL_TOL).descend(objective, [], tol)
            if careful[0].gap(careful[1]) < descent.gap(point):
                descent, point, status, _ = careful
        return self.conclude(descent, point, status, tol)

    def follow(self, objective: Objective, alphas: Iterable[float], tol: float, exact: bool) -> Iterator[Solution]:
        """Yield the solution at each alpha; where the way from the last one stalls, that of a walk of its own."""
        walk = self if exact else replace(self, keeps_slope=False)
        descent: Descent | None = None
        for alpha in alphas:
            if descent is None:
                descent, point, status, _ = walk.descend(objective.at(alpha), [], tol)
            else:
                point, status, _ = self.step_down(descent, point, alpha, tol)
            if status is Status.STALLED:
                yield replace(self, log=self.log.renew()).finish(objective.at(alpha), [], tol)
            elif exact:
                yield self.conclude(descent, point, status, tol)
            else:
                gap = descent.gap(point)
                self.log(point, gap)
                yield self.make_solution(descent, point, status, point.value, gap * point.value)
            self.log.history = []

    def conclude(self, descent: Descent, point: Point, status: Status, tol: float) -> Solution:
        """Return the solution at a point, its objective summed without rounding; where that opens the gap, go on."""
        objective = point.objective
        value = objective.value(point.w, point.scores)
        gap = value - descent.dual.value(objective.alpha)
        if status is Status.CONVERGED and relate_gap(gap, value) > tol:
            descent.rounding = 0.0
            point, status = descent.run(
                descent.visit(objective, point.w, point.smoothing), tol, self.log.left, self.log, last=True
            )
            value = point.value
            gap = value - descent.dual.value(objective.alpha)
        self.log(point, relate_gap(gap, value))
        return self.make_solution(descent, point, status, value, gap)

    def make_solution(self, descent: Descent, point: Point, status: Status, value: float, gap: float) -> Solution:
        """Return the solution at a point, with the pair weights that prove it and the steps taken."""
        history, dual = self.log.history, descent.dual
        slope = dual.slope if len(dual.slope) else None
        return Solution(point.w, status, len(history), value, max(gap, 0.0), history, dual.linear, slope)

    def descend(
        self, objective: Objective, path: list[Waypoint], tol: float
    ) -> tuple[Descent, Point, Status, list[Waypoint]]:
        """Walk alpha down to the objective's, from the path's end or from a sample's."""
        if objective.pairs.size > 2 * self.sample_size:
            sampled = SampledDirections(objective, self.sample_size, self.rng)
            descent = Descent(objective, sampled, np.sqrt(tol), keeps_slope=self.keeps_slope)
            start = find_start(descent, path) or self.start_from(sampled.sample, descent, tol)
        else:
            descent = Descent(objective, SteadyDirections(objective), np.sqrt(tol), keeps_slope=self.keeps_slope)
            start = find_start(descent, path)
            first_size = FIRST_SAMPLE + 16 * objective.matrix.shape[1]
            if start is None and objective.pairs.size > 3 * first_size:
                start = self.start_from(objective.sample(first_size, self.rng), descent, tol)
        point = start_cold(descent) if start is None else start
        return descent, *self.step_down(descent, point, objective.alpha, tol)

    def start_from(self, sample: Objective, descent: Descent, tol: float) -> Point | None:
        """Return the last point of the walk over a sample that is nearly as good on the whole; None where none is."""
        path = replace(self, stage_steps=SAMPLE_STEPS, keeps_slope=False).descend(sample, [], tol)[3]
        return find_start(descent, path, MOST_SLACK)

    def step_down(
        self, descent: Descent, point: Point, alpha: float, tol: float
    ) -> tuple[Point, Status, list[Waypoint]]:
        """Walk from a point down to this alpha."""
        waypoints = []
        for stage in list_alphas(point.objective.alpha, alpha):
            last = stage == alpha
            max_steps = min(self.log.left, self.stage_steps)
            point, status = descent.run(
                point.at(stage),
                tol if last else self.stage_tol,
                max_steps,
                self.log,
                last=last,
                widen=stage < point.objective.alpha,
            )
            waypoints.append(Waypoint(stage, point.w, point.smoothing, point.value))
        return point, status, waypoints


def start_warm(objective: Objective, w0: Floats) -> Waypoint:
    """Return the start at weights handed in, good if they beat no weights at all."""
    nothing = float(objective.loss.ramp().value(np.zeros(1))[0])
    return Waypoint(objective.alpha, w0, WARM_SMOOTHING, nothing / OVERFIT)


def find_start(descent: Descent, path: list[Waypoint], most_slack: float = OVERFLOW) -> Point | None:
    """Return the last point of a path that is nearly as good here as where it was found; None where none is."""
    for waypoint in reversed(path):
        with np.errstate(over="ignore", invalid="ignore"):
            point = descent.visit(descent.objective.at(waypoint.alpha), waypoint.w, waypoint.smoothing)
            if point.value <= OVERFIT * waypoint.objective and point.slack < most_slack * point.value:
                return point
    return None


def start_cold(descent: Descent) -> Point:
    """Return the start at the alpha where the mean margin is one while all pairs pull alike."""
    with np.errstate(over="ignore", invalid="ignore"):
        zero = descent.visit(descent.objective, np.zeros(descent.objective.matrix.shape[1]), COLD_SMOOTHING)
        start = float(zero.pull @ zero.pull)
    if not start < OVERFLOW:
        raise ValueError(TOO_LARGE)
    alpha = max(start, descent.objective.alpha)
    return descent.visit(descent.objective.at(alpha), zero.pull / alpha, COLD_SMOOTHING)


def list_alphas(start: float, stop: float) -> Iterator[float]:
    """Return the alphas of a walk: start, ten-fold down, and stop."""
    alpha = start
    while alpha > stop * (1.0 + 1e-9):
        yield alpha
        alpha *= 0.1
    yield stop
