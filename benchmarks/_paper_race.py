"""The paper's method twice: through our parts, and with a row of differences for each pair."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks._datasets import AbstractDataset
from benchmarks._measure import interleave
from benchmarks._rivals import Fit, Rival
from benchmarks._runner import prepare, tell_runs
from benchmarks._store import Tell
from rocsvm.inspection import auc


@dataclass(frozen=True)
class PaperEntry:
    """A way to train by the paper's method: seconds and steps of each round, and the test AUC of the first."""

    dataset: str
    rival: str
    family: str
    seconds: list[float]
    n_iter: list[int]
    auc: float

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def race_paper(dataset: AbstractDataset, rivals: Sequence[Rival], repeats: int, tell: Tell) -> list[PaperEntry]:
    """Return an entry for each way, taken in turn; each round has a seed of its own."""
    tell("loading")
    split = dataset.load()
    timings = interleave(prepare(rivals, split, tell), repeats, on_run=tell_runs(tell, repeats), note=count_steps)
    entries = []
    for rival in rivals:
        timing = timings[rival.name]
        share = auc(split.y_test, timing.result.model.decision_function(split.X_test))
        entries.append(PaperEntry(dataset.name, rival.name, rival.family, timing.seconds, timing.notes, share))
    return entries


def count_steps(fit: Fit) -> int:
    return int(fit.model.n_iter_)
