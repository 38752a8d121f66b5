"""How our time grows with the rows: sizes take turns, so that a slow minute hits all of them."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from benchmarks._datasets import AbstractDataset
from benchmarks._measure import Timing, interleave
from benchmarks._rivals import Rival
from benchmarks._runner import Tell, tell_runs


def time_growth(rival: Rival, datasets: Sequence[AbstractDataset], repeats: int, tell: Tell) -> dict[str, Timing]:
    """Return the times of one rival on each dataset, by its name; all of them are in memory at once."""
    tasks = {}
    for dataset in datasets:
        tell(f"loading {dataset.name}")
        split = dataset.load()
        rival.warm_up(split.X, split.y)
        tasks[dataset.name] = functools.partial(rival.fit, split.X, split.y)
    return interleave(tasks, repeats, on_run=tell_runs(tell, repeats))
