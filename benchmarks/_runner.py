"""Rivals on one dataset: times side by side, worth, and memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks._datasets import AbstractDataset, Split
from benchmarks._measure import interleave
from benchmarks._memory import measure_peak
from benchmarks._quality import Quality
from benchmarks._rivals import Fit, Rival
from benchmarks._store import Tell

Judge = Callable[[object, Split], Quality]


@dataclass(frozen=True)
class Entry:
    """A rival on a dataset. Memory is bytes per row beyond the data, None where it was not measured."""

    dataset: str
    n_rows: int
    rival: str
    family: str
    seconds: list[float]
    converged: bool
    auc: float
    objective: float
    rescaled: float
    lower_bound: float
    memory: float | None

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    @property
    def gap(self) -> float:
        """How far at most the objective is above the minimum, as a share of it."""
        return max(self.objective - self.lower_bound, 0.0) / self.objective

    @property
    def gap_rescaled(self) -> float:
        """The same at the best scale of the weights."""
        return max(self.rescaled - self.lower_bound, 0.0) / self.rescaled


def compare(
    dataset: AbstractDataset,
    rivals: Sequence[Rival],
    repeats: int,
    judge: Judge,
    tell: Tell,
    *,
    memory: Sequence[Rival],
) -> list[Entry]:
    """Return an entry for each rival that is tried on a dataset of that size, with the memory of some.

    Each round has a seed of its own; what the models are worth is read off the first.
    """
    tell("loading")
    split = dataset.load()
    n_rows = len(split.y)
    chosen = [rival for rival in rivals if rival.serves(split.X)]
    timings = interleave(prepare(chosen, split, tell), repeats, on_run=tell_runs(tell, repeats))
    fits: dict[str, Fit] = {name: timing.result for name, timing in timings.items()}
    qualities = {}
    for rival in chosen:
        tell(f"certifying {rival.name}")
        qualities[rival.name] = judge(fits[rival.name].model, split)
    # Each bound holds for all models, so the best of them serves all.
    lower_bound = max(quality.lower_bound for quality in qualities.values())
    del split
    entries = []
    for rival in chosen:
        if rival in memory:
            tell(f"measuring the memory of {rival.name}")
        quality = qualities[rival.name]._replace(lower_bound=lower_bound)
        peak = measure_peak(rival, dataset) if rival in memory else None
        seconds, converged = timings[rival.name].seconds, fits[rival.name].converged
        entries.append(Entry(dataset.name, n_rows, rival.name, rival.family, seconds, converged, *quality, memory=peak))
    return entries


def prepare(rivals: Sequence[Rival], split: Split, tell: Tell) -> dict[str, Callable[[int], Fit]]:
    """Return what trains each rival, by its name, all of them warmed up."""
    tell("warming up")
    for rival in rivals:
        rival.warm_up(split.X, split.y)
    return {rival.name: functools.partial(rival.fit, split.X, split.y) for rival in rivals}


def note_outcome(fit: Fit) -> tuple[int, float, str]:
    """Return the steps that a ROC-SVM took, the gap that it proved, and why it stopped."""
    return fit.model.n_iter_, fit.gap, fit.status


def tell_runs(tell: Tell, repeats: int) -> Callable[[str, int], None]:
    """Return what tells of each run in the first round, and of each round later."""
    told = set()

    def on_run(name: str, number: int) -> None:
        if number == 0:
            tell(f"round 1 of {repeats}, {name}")
        elif number not in told:
            told.add(number)
            tell(f"round {number + 1} of {repeats}")

    return on_run
