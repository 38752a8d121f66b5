"""Rivals on one kernel problem: times side by side, the parts of ours, worth, and memory."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._floor import FLOORS
from benchmarks._kernel_quality import bound_full, find_share, judge
from benchmarks._kernel_rivals import N_LANDMARKS, OURS
from benchmarks._measure import interleave
from benchmarks._memory import measure_peak
from benchmarks._parts import Parts, time_parts
from benchmarks._problems import Problem
from benchmarks._rivals import Rival
from benchmarks._runner import note_outcome, prepare, tell_runs
from benchmarks._store import Tell

# What has taken so many seconds on a problem runs no more on it.
PATIENCE = 5.0
PARTS = "ours, part by part"


@dataclass(frozen=True)
class KernelEntry:
    """A rival on a problem. ``n_rows`` is what it is trained on; what it has not, or was not measured, is None.

    ``gap`` is to the best model on its own landmarks, ``gap_rescaled`` the same at the best scale of its weights, and
    ``gap_full`` that to the best of the whole kernel.
    """

    dataset: str
    rival: str
    family: str
    n_rows: int
    seconds: list[float]
    converged: bool
    auc: float
    objective: float | None
    gap: float | None
    gap_rescaled: float | None
    gap_full: float | None
    memory: float | None

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))


@dataclass(frozen=True)
class Comparison:
    """All rivals on a problem; the median seconds of our parts; and how the bound of the whole kernel was found."""

    dataset: str
    n_rows: int
    gamma: float
    alpha: float
    entries: list[KernelEntry]
    landmarks: float
    features: float
    solve: float
    n_features: int
    full_method: str

    def find(self, rival: str) -> KernelEntry | None:
        return next((entry for entry in self.entries if entry.rival == rival), None)


def compare(
    problem: Problem, rivals: Sequence[Rival], repeats: int, tell: Tell, *, memory: Sequence[str] | None = None
) -> Comparison:
    """Return all rivals on a problem, with the memory of those named, by default of all that took seconds only.

    Each round has a seed of its own; what the models are worth is read off the first.
    """
    tell("loading")
    split = problem.dataset.load()
    n_rows = len(split.y)
    chosen = [rival for rival in rivals if rival.serves(split.X)]
    told: list[Parts] = []

    def run_parts(seed: int) -> None:
        told.append(
            time_parts(split.X, split.y, alpha=problem.alpha, gamma=problem.gamma, n_landmarks=N_LANDMARKS, seed=seed)
        )

    tasks = {**prepare(chosen, split, tell), PARTS: run_parts}
    timings = interleave(tasks, repeats, patience=PATIENCE, on_run=tell_runs(tell, repeats))
    worths = {}
    for rival in chosen:
        tell(f"judging {rival.name}")
        worths[rival.name] = judge(timings[rival.name].result.model, split, problem.alpha)
    tell("bounding the whole kernel")
    full = bound_full(timings[OURS].result.model, split)
    entries = []
    for rival in chosen:
        timing, worth = timings[rival.name], worths[rival.name]
        peak = None
        if timing.median <= PATIENCE if memory is None else rival.name in memory:
            tell(f"measuring the memory of {rival.name}")
            peak = measure_peak(rival, problem.dataset)
        entries.append(
            KernelEntry(
                problem.name,
                rival.name,
                rival.family,
                rival.count_rows(n_rows),
                timing.seconds,
                timing.result.converged,
                worth.auc,
                worth.objective,
                find_share(worth.objective, worth.lower_bound),
                find_share(worth.rescaled, worth.lower_bound),
                find_share(worth.rescaled, full.lower_bound),
                peak,
            )
        )
    landmarks, features, solve = np.median([part[:3] for part in told], axis=0).tolist()
    kernel = problem.gamma, problem.alpha
    return Comparison(
        problem.name, n_rows, *kernel, entries, landmarks, features, solve, told[0].n_features, full.method
    )


@dataclass(frozen=True)
class MemoryEntry:
    """Bytes beyond X and y that our fit needs at its peak."""

    dataset: str
    bytes: float


def measure_memory(problem: Problem, ours: Rival, n_rows: int, tell: Tell) -> list[MemoryEntry]:
    """Return the peak of a fit in a process of its own; nothing where the system does not tell."""
    tell("in a process of its own")
    peak = measure_peak(ours, problem.dataset)
    return [] if peak is None else [MemoryEntry(problem.name, peak * n_rows)]


@dataclass(frozen=True)
class FloorEntry:
    """Seconds of our whole fit and of each way to compute one matrix of similarities."""

    dataset: str
    ours: list[float]
    floors: dict[str, list[float]]

    def relate(self, name: str) -> tuple[float, float]:
        """Return how many times a floor our fit takes, by the medians and by the fastest runs."""
        floor = self.floors[name]
        return float(np.median(self.ours) / np.median(floor)), min(self.ours) / min(floor)


def time_floor(problem: Problem, ours: Rival, repeats: int, tell: Tell) -> list[FloorEntry]:
    """Return our times and the floors', taken in turn; the floors are handed rows for landmarks."""
    tell("loading")
    split = problem.dataset.load()
    landmarks = split.X[:N_LANDMARKS].copy()
    # The matrix itself is dropped at once, as a temporary of a fit would be.
    tasks: dict[str, Any] = {
        name: lambda seed, compute=compute: compute(split.X, landmarks, problem.gamma).shape
        for name, compute in FLOORS.items()
    }
    tasks |= prepare([ours], split, tell)
    timings = interleave(tasks, repeats, on_run=tell_runs(tell, repeats))
    floors = {name: timings[name].seconds for name in FLOORS}
    return [FloorEntry(problem.name, timings[ours.name].seconds, floors)]


@dataclass(frozen=True)
class AlphaEntry:
    """Our fits at an alpha: seconds, steps, gap and status of each, and how many times the fit at 1e-3 they take."""

    dataset: str
    alpha: float
    seconds: list[float]
    n_iter: list[int]
    gaps: list[float]
    statuses: list[str]
    auc: float
    ratio: float

    @property
    def gap(self) -> float:
        """The widest gap of all fits."""
        return max(self.gaps)


ALPHA_EASY = 1e-3


def compare_alphas(problem: Problem, ours: Sequence[tuple[float, Rival]], repeats: int, tell: Tell) -> list[AlphaEntry]:
    """Return our times at each alpha, taken in turn; one of them is 1e-3."""
    tell("loading")
    split = problem.dataset.load()
    rivals = dict(ours)
    rivals[ALPHA_EASY].warm_up(split.X, split.y)
    tasks = {f"alpha {alpha:g}": functools.partial(rival.fit, split.X, split.y) for alpha, rival in rivals.items()}
    timings = interleave(tasks, repeats, on_run=tell_runs(tell, repeats), note=note_outcome)
    easy = timings[f"alpha {ALPHA_EASY:g}"].median
    entries = []
    for alpha in rivals:
        timing = timings[f"alpha {alpha:g}"]
        n_iter, gaps, statuses = map(list, zip(*timing.notes, strict=True))
        worth = judge(timing.result.model, split, alpha)
        entries.append(
            AlphaEntry(problem.name, alpha, timing.seconds, n_iter, gaps, statuses, worth.auc, timing.median / easy)
        )
    return entries
