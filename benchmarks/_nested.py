"""Tuned models on repeated splits: each chooses on the rows to train on, and is judged once on those held out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse, stats

from benchmarks._datasets import AbstractTable, Split, hold_out, standardise
from benchmarks._kernel_quality import score
from benchmarks._rivals import Rival
from benchmarks._store import Tell
from benchmarks._tuned import describe_choice
from rocsvm.inspection import auc

# Rows of a split, and the share of them that is held out, as in `hold_out`.
MAX_ROWS = 5_000


@dataclass(frozen=True)
class NestedEntry:
    """A tuned model on a split of a dataset: its test AUC, what it chose, and the seconds of its search."""

    dataset: str
    split: int
    rival: str
    n_train: int
    n_test: int
    auc: float
    seconds: float
    choice: str
    converged: bool


def draw_split(dataset: AbstractTable, number: int, max_rows: int) -> Split:
    """Return rows of a split by its number; dense columns are standardised by those to train on."""
    split = hold_out(*dataset.read(), seed=number, max_rows=max_rows)
    return split if sparse.issparse(split.X) else standardise(split)


def nest(
    dataset: AbstractTable, number: int, rivals: Sequence[Rival], tell: Tell, max_rows: int = MAX_ROWS
) -> list[NestedEntry]:
    """Return an entry for each model on one split."""
    tell("loading")
    split = draw_split(dataset, number, max_rows)
    entries = []
    for rival in rivals:
        tell(rival.name)
        start = time.perf_counter()
        fit = rival.fit(split.X, split.y, seed=number)
        seconds = time.perf_counter() - start
        share = auc(split.y_test, score(fit.model, split.X_test))
        sizes = len(split.y), len(split.y_test)
        choice = describe_choice(fit.model)
        entries.append(NestedEntry(dataset.name, number, rival.name, *sizes, share, seconds, choice, fit.converged))
    return entries


class Interval(NamedTuple):
    """A mean over splits, and half the width of its 95 % interval; None of one split."""

    mean: float
    half: float | None

    @property
    def excludes_zero(self) -> bool:
        return self.half is not None and abs(self.mean) > self.half


def estimate(values: Sequence[float], n_train: int, n_test: int) -> Interval:
    """Return the corrected resampled t interval of Nadeau and Bengio (2003).

    Splits share rows, so that their mean varies by more than the variance over their number: by the variance times
    ``1 / number + n_test / n_train``.
    """
    mean, number = float(np.mean(values)), len(values)
    if number < 2:
        return Interval(mean, None)
    spread = np.sqrt((1.0 / number + n_test / n_train) * np.var(values, ddof=1))
    return Interval(mean, float(stats.t.ppf(0.975, number - 1) * spread))
