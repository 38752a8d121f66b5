"""Problems where the penalty hardly helps: alpha 1e-8, and labels that the features separate."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._datasets import AbstractDataset
from benchmarks._measure import interleave
from benchmarks._rivals import ALPHA, OURS, TOL, WARM_UP_ROWS_OURS, Rival
from benchmarks._runner import Tell, tell_runs
from rocsvm import LinearROCSVM

TINY_ALPHA = 1e-8
NOISY, SEPARABLE = "as given", "separable"


@dataclass(frozen=True)
class HardEntry:
    """Our own fit of a dataset at an alpha, and how it compares with the easy alpha on the same rows.

    ``ratio`` is to alpha 1e-3 with the same labels, ``ratio_plain`` to alpha 1e-3 with the labels as given.
    """

    dataset: str
    labels: str
    alpha: float
    seconds: list[float]
    n_iter: int
    gap: float
    ratio: float
    ratio_plain: float

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    @property
    def worst_ratio(self) -> float:
        return max(self.ratio, self.ratio_plain)

    @property
    def reached(self) -> bool:
        return self.gap <= TOL


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
    told = interleave(tasks, repeats, on_run=tell_runs(tell, repeats))
    timings = {keys[name]: timing for name, timing in told.items()}
    entries = []
    for (name, alpha), timing in timings.items():
        model = timing.result.model
        entries.append(
            HardEntry(
                dataset.name,
                name,
                alpha,
                timing.seconds,
                model.n_iter_,
                model.dual_gap_ / model.objective_,
                timing.median / timings[name, ALPHA].median,
                timing.median / timings[NOISY, ALPHA].median,
            )
        )
    return entries


def separate(scores: Any, y: Any) -> Any:
    """Return labels that a threshold on the scores separates, with about as many positive as in y."""
    return (scores > np.quantile(scores, 1.0 - np.mean(y))).astype(np.int64)
