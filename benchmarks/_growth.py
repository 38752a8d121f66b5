"""How our time grows with the rows: sizes take turns, so that a slow minute hits all of them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks._datasets import Synthetic
from benchmarks._measure import interleave
from benchmarks._rivals import Rival
from benchmarks._runner import tell_runs
from benchmarks._store import Tell


@dataclass(frozen=True)
class GrowthEntry:
    """Our seconds on so many rows."""

    dataset: str
    n_rows: int
    n_features: int
    seconds: list[float]


def time_growth(rival: Rival, datasets: Sequence[Synthetic], repeats: int, tell: Tell) -> list[GrowthEntry]:
    """Return the times of one rival on each dataset; all of them are in memory at once."""
    tasks = {}
    for dataset in datasets:
        tell(f"loading {dataset.name}")
        split = dataset.load()
        rival.warm_up(split.X, split.y)
        tasks[dataset.name] = functools.partial(rival.fit, split.X, split.y)
    timings = interleave(tasks, repeats, on_run=tell_runs(tell, repeats))
    return [
        GrowthEntry(dataset.name, dataset.n_rows, dataset.n_features, timings[dataset.name].seconds)
        for dataset in datasets
    ]
