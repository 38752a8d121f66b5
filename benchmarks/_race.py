"""Searches on one dataset side by side: their times, and what their choices are worth."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks._datasets import AbstractDataset
from benchmarks._kernel_quality import score
from benchmarks._measure import interleave
from benchmarks._rivals import Rival
from benchmarks._runner import prepare, tell_runs
from benchmarks._store import Tell
from benchmarks._tuned import describe_choice
from rocsvm.inspection import auc

# A search that has taken so many seconds runs no more.
PATIENCE = 60.0


@dataclass(frozen=True)
class RaceEntry:
    """A search on a dataset; choice and test AUC are those of the first round."""

    dataset: str
    rival: str
    family: str
    seconds: list[float]
    choice: str
    auc: float
    converged: bool

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def race(dataset: AbstractDataset, rivals: Sequence[Rival], repeats: int, tell: Tell) -> list[RaceEntry]:
    """Return an entry for each search, taken in turn."""
    tell("loading")
    split = dataset.load()
    tasks = prepare(rivals, split, tell)
    timings = interleave(tasks, repeats, patience=PATIENCE, on_run=tell_runs(tell, repeats))
    entries = []
    for rival in rivals:
        timing = timings[rival.name]
        fit = timing.result
        share = auc(split.y_test, score(fit.model, split.X_test))
        entries.append(
            RaceEntry(
                dataset.name,
                rival.name,
                rival.family,
                timing.seconds,
                describe_choice(fit.model),
                share,
                fit.converged,
            )
        )
    return entries
