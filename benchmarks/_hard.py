"""Problems where the penalty hardly helps: alpha 1e-8, and labels that the features separate."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._datasets import AbstractDataset
from benchmarks._measure import interleave
from benchmarks._rivals import ALPHA, OURS, TOL, WARM_UP_ROWS_OURS, Rival
from benchmarks._runner import note_outcome, tell_runs
from benchmarks._store import Tell
from rocsvm import LinearROCSVM

TINY_ALPHA = 1e-8
NOISY, SEPARABLE = "as given", "separable"
CONVERGED = "converged"


@dataclass(frozen=True)
class HardEntry:
    """Our own fits of a dataset at an alpha, and how they compare with the easy alpha on the same rows.

    Seconds, steps, gap and status are of each fit. ``ratio`` is to alpha 1e-3 with the same labels, ``ratio_plain`` to
    alpha 1e-3 with the labels as given.
    """

    dataset: str
    labels: str
    alpha: float
    seconds: list[float]
    n_iter: list[int]
    gaps: list[float]
    statuses: list[str]
    ratio: float
    ratio_plain: float

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    @property
    def hardship(self) -> float:
        """What the small alpha costs on the same labels, or separable labels at the same alpha."""
        return self.ratio if self.alpha == TINY_ALPHA else self.ratio_plain

    @property
    def gap(self) -> float:
        """The widest gap of all fits."""
        return max(self.gaps)

    @property
    def status(self) -> str:
        """Why the fits stopped; of those that stopped short of the tolerance, how many."""
        return write_statuses(self.statuses)

    @property
    def reached(self) -> bool:
        return self.gap <= TOL

    @property
    def told(self) -> bool:
        """Whether each fit that is not within the tolerance says so."""
        return all(gap <= TOL or status != CONVERGED for gap, status in zip(self.gaps, self.statuses, strict=True))


def write_statuses(statuses: Sequence[str]) -> str:
    """Return the status of all fits, or how many have which."""
    counts = Counter(statuses)
    if len(counts) == 1:
        return statuses[0]
    return ", ".join(f"{count} {status}" for status, count in counts.most_common())


def build_at(alpha: float, n_rows: int, seed: int) -> Any:
    return LinearROCSVM(alpha=alpha, tol=TOL, random_state=seed)


def compare_hard(dataset: AbstractDataset, repeats: int, tell: Tell) -> list[HardEntry]:
    """Return our times at both alphas, on the labels as they are and on separable ones, taken in turn."""
    tell("loading")
    split = dataset.load()
    plain = OURS.fit(split.X, split.y, seed=0).model
    labels = {NOISY: split.y, SEPARABLE: separate(split.X @ plain.coef_[0], split.y)}
    tasks, keys = {}, {}
    for name, y in labels.items():
        for alpha in (ALPHA, TINY_ALPHA):
            build = functools.partial(build_at, alpha)
            rival = Rival(f"labels {name}, alpha {alpha:g}", build, "ours", warm_up_rows=WARM_UP_ROWS_OURS)
            rival.warm_up(split.X, y)
            tasks[rival.name] = functools.partial(rival.fit, split.X, y)
            keys[rival.name] = name, alpha
    runs = interleave(tasks, repeats, on_run=tell_runs(tell, repeats), note=note_outcome)
    timings = {keys[name]: timing for name, timing in runs.items()}
    entries = []
    for (name, alpha), timing in timings.items():
        n_iter, gaps, statuses = map(list, zip(*timing.notes, strict=True))
        entries.append(
            HardEntry(
                dataset.name,
                name,
                alpha,
                timing.seconds,
                n_iter,
                gaps,
                statuses,
                timing.median / timings[name, ALPHA].median,
                timing.median / timings[NOISY, ALPHA].median,
            )
        )
    return entries


def separate(scores: Any, y: Any) -> Any:
    """Return labels that a threshold on the scores separates, with about as many positive as in y."""
    return (scores > np.quantile(scores, 1.0 - np.mean(y))).astype(np.int64)
