"""The linear models side by side: ``make bench``, or ``python -m benchmarks.linear --quick``.

A complete run writes results/linear.md and results/linear.json; one that is cut short or narrowed by
``--quick`` or ``--only`` shows its tables and writes nothing.
"""

from __future__ import annotations

import argparse
import functools
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks._bars import Bar, judge_bar, write_bars
from benchmarks._command import conduct, parse, skip_missing, tell
from benchmarks._datasets import A9A, REAL, AbstractDataset, Synthetic
from benchmarks._environment import describe
from benchmarks._growth import time_growth
from benchmarks._hard import HardEntry, compare_hard
from benchmarks._imports import time_imports
from benchmarks._measure import PATIENCE
from benchmarks._quality import judge
from benchmarks._rivals import ALPHA, LINEAR, OURS, TOL
from benchmarks._runner import Entry, compare
from benchmarks._table import write_number, write_share, write_table

MODULES = ["rocsvm", "sklearn.linear_model"]
FEATURES = (2, 20)
SIZES, SIZES_QUICK = (10_000, 100_000, 1_000_000, 10_000_000), (10_000, 100_000)
SIZES_GROWTH = (100_000, 1_000_000, 10_000_000)
IMPORTS, GROWING, HARDNESS = "imports", "growth", "hard"
ONLY = f"one of {IMPORTS}, {GROWING}, {HARDNESS}, or the datasets with this in their names"

# What must hold.
AGAINST_SKLEARN, AGAINST_PAPER, GROWTH, MEMORY, HARD, IMPORT = 1.0, 15.0, 1.15, 150.0, 20.0, 1.15
# The sample that gives the curvature has a size of its own, which weighs more the fewer rows there are: memory a row
# is judged apart on either side of this many.
MANY_ROWS = 100_000


@dataclass
class Results:
    """All that was measured."""

    environment: dict[str, str]
    entries: list[Entry] = field(default_factory=list)
    hard: list[HardEntry] = field(default_factory=list)
    imports: dict[str, list[float]] = field(default_factory=dict)
    growth: dict[str, list[float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def find(self, dataset: AbstractDataset, family: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.dataset == dataset.name and entry.family == family]


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse("linear", arguments, __doc__, only=ONLY, repeats=9)
    conduct("linear", options, Results(describe()), run, write_report, list_bars)


def list_datasets(quick: bool) -> list[AbstractDataset]:
    sizes = SIZES_QUICK if quick else SIZES
    synthetic = [Synthetic(n_rows, n_features) for n_features in FEATURES for n_rows in sizes]
    return [*synthetic, *([A9A] if quick else REAL)]


def list_hard(quick: bool) -> list[AbstractDataset]:
    if quick:
        return [Synthetic(100_000, 2)]
    return [*(Synthetic(100_000, n_features) for n_features in FEATURES), *REAL]


def run(options: argparse.Namespace, results: Results) -> None:
    def choose(datasets: Iterable[AbstractDataset]) -> list[AbstractDataset]:
        return [dataset for dataset in datasets if options.only is None or options.only in dataset.name]

    if options.only is None or options.only == IMPORTS:
        tell("importing in fresh interpreters")
        timings = time_imports(MODULES, 5 if options.quick else 21)
        results.imports = {name: timing.seconds for name, timing in timings.items()}
    for dataset in choose(list_datasets(options.quick)):
        with skip_missing(dataset, results.skipped):
            step = functools.partial(tell, prefix=dataset.name)
            rivals = [rival for rival in LINEAR if not (options.quick and dataset in REAL and rival.family == "paper")]
            # Each reading of the memory is a process that imports and loads anew.
            memory = [OURS] if options.quick else LINEAR
            results.entries += compare(
                dataset, rivals, options.repeats, functools.partial(judge, alpha=ALPHA), step, memory=memory
            )
    if options.only == GROWING or (options.only is None and not options.quick):
        for n_features in FEATURES:
            sizes = [Synthetic(n_rows, n_features) for n_rows in SIZES_GROWTH]
            growth = time_growth(OURS, sizes, options.repeats, functools.partial(tell, prefix=GROWING))
            results.growth |= {name: timing.seconds for name, timing in growth.items()}
    hard = list_hard(options.quick)
    for dataset in hard if options.only == HARDNESS else choose(hard):
        with skip_missing(dataset, results.skipped):
            step = functools.partial(tell, prefix=f"alpha 1e-8 and separable, {dataset.name}")
            results.hard += compare_hard(dataset, options.repeats, step)


# ---------------------------------------------------------------------------------------------------- bars


def list_bars(results: Results) -> list[Bar]:
    return [
        *(
            bar_against_sklearn(results, Synthetic(n_rows, n_features))
            for n_features in FEATURES
            for n_rows in (100_000, 1_000_000)
        ),
        bar_against_paper(results),
        *(bar_growth(results, n_features) for n_features in FEATURES),
        bar_memory(results, f"from {MANY_ROWS:,} rows on", MANY_ROWS, math.inf),
        bar_memory(results, "on fewer rows", 0, MANY_ROWS),
        *bars_hard(results),
        bar_import(results),
    ]


def bar_against_sklearn(results: Results, dataset: Synthetic) -> Bar:
    ours, theirs = results.find(dataset, "ours"), results.find(dataset, "scikit-learn")
    claim, limit = f"time / fastest of scikit-learn, {dataset.name}", f"≤ {AGAINST_SKLEARN:.2f}"
    if not ours or not theirs:
        return judge_bar(claim, limit, None, False)
    fastest = min(theirs, key=lambda entry: entry.median)
    ratio = ours[0].median / fastest.median
    return judge_bar(claim, limit, f"{ratio:.2f} ({fastest.rival})", ratio <= AGAINST_SKLEARN)


def bar_against_paper(results: Results) -> Bar:
    dataset = Synthetic(100_000, 2)
    ours, theirs = results.find(dataset, "ours"), results.find(dataset, "paper")
    claim, limit = f"the paper's way / our time, {dataset.name}", f"≥ {AGAINST_PAPER:.0f}"
    if not ours or not theirs:
        return judge_bar(claim, limit, None, False)
    ratio = theirs[0].median / ours[0].median
    return judge_bar(claim, limit, f"{ratio:.1f}", ratio >= AGAINST_PAPER)


def bar_growth(results: Results, n_features: int) -> Bar:
    few, *_, many = (results.growth.get(Synthetic(n_rows, n_features).name) for n_rows in SIZES_GROWTH)
    claim, limit = f"exponent of our time's growth, n = 1e5 to 1e7, p={n_features}", f"≤ {GROWTH}"
    if not few or not many:
        return judge_bar(claim, limit, None, False)
    exponent = find_exponent(few, many, SIZES_GROWTH[-1] / SIZES_GROWTH[0])
    return judge_bar(claim, limit, f"{exponent:.2f}", exponent <= GROWTH)


def find_exponent(few: Sequence[float], many: Sequence[float], factor: float) -> float:
    """Return by which power of the rows the median time grows, with so many times the rows."""
    return math.log(statistics.median(many) / statistics.median(few)) / math.log(factor)


def bar_memory(results: Results, where: str, low: float, high: float) -> Bar:
    measured = [
        (entry.memory, entry.dataset)
        for entry in results.entries
        if entry.rival == OURS.name and entry.memory is not None and low <= entry.n_rows < high
    ]
    claim, limit = f"peak memory beyond X, bytes a row, worst {where}", f"≤ {MEMORY:.0f}"
    if not measured:
        return judge_bar(claim, limit, None, False)
    worst, dataset = max(measured)
    return judge_bar(claim, limit, f"{worst:.0f} ({dataset})", worst <= MEMORY)


def bars_hard(results: Results) -> list[Bar]:
    claim, limit = "time at alpha 1e-8 or separable / at alpha 1e-3, worst", f"≤ {HARD:.0f}"
    claim_gap, limit_gap = "gap reached there, worst", f"≤ {TOL:g}"
    if not results.hard:
        return [judge_bar(claim, limit, None, False), judge_bar(claim_gap, limit_gap, None, False)]
    slowest = max(results.hard, key=lambda entry: entry.worst_ratio)
    loosest = max(results.hard, key=lambda entry: entry.gap)
    return [
        judge_bar(claim, limit, f"{slowest.worst_ratio:.1f} ({slowest.dataset})", slowest.worst_ratio <= HARD),
        judge_bar(claim_gap, limit_gap, f"{loosest.gap:.1e} ({loosest.dataset})", loosest.reached),
    ]


def bar_import(results: Results) -> Bar:
    claim, limit = f"import {MODULES[0]} / import {MODULES[1]}", f"≤ {IMPORT}"
    if not results.imports:
        return judge_bar(claim, limit, None, False)
    ours, theirs = (statistics.median(results.imports[module]) for module in MODULES)
    measured = f"{ours / theirs:.2f} ({1e3 * ours:.0f} ms / {1e3 * theirs:.0f} ms)"
    return judge_bar(claim, limit, measured, ours / theirs <= IMPORT)


# -------------------------------------------------------------------------------------------------- report

PREAMBLE = f"""\
`make bench` measures this, on one thread: each model in turn, round after round, medians over rounds; each round has a
seed of its own. All minimise a mean loss plus alpha / 2 · ‖w‖² with alpha = {ALPHA:g} (for scikit-learn's C that is
1 / (alpha · n)); ours stops at a proved relative gap of {TOL:g}. Labels are integers, rows are in random order, dense
features are standardised."""

COLUMNS = f"""\
- *objective*: mean hinge over all pairs of training rows plus the penalty at alpha = {ALPHA:g}, at the scale the model
  has; *gap*: how far that is from the best at most, as a share of it, by the best bound proved for the dataset.
- *rescaled*: the same after multiplying the weights by the one number that makes the objective least, since other
  losses do not aim at margins of one.
- *bytes/row*: peak memory of a fit beyond X and y, in a process of its own after a warm-up.
- *runs*: a model that has taken {PATIENCE:.0f} s on a dataset runs no more on it. An asterisk: the model says that it
  did not converge."""


def write_report(results: Results) -> str:
    parts = [
        "# Linear models",
        PREAMBLE,
        *(f"**{note}**" for note in results.notes),
        "## Bars",
        write_bars(list_bars(results)),
    ]
    if results.skipped:
        parts += ["## Skipped", "\n".join(f"- {reason}" for reason in results.skipped)]
    if results.entries:
        parts += ["## Side by side", COLUMNS]
        for dataset in dict.fromkeys(entry.dataset for entry in results.entries):
            entries = [entry for entry in results.entries if entry.dataset == dataset]
            parts += [f"### {dataset}", f"{entries[0].n_rows:,} rows to train on.", write_entries(entries)]
    if results.growth:
        parts += ["## Growth of our time", write_growth(results.growth)]
    if results.hard:
        parts += ["## Small alpha and separable labels", write_hard(results.hard)]
    parts += ["## Where", "\n".join(f"- {name}: {fact}" for name, fact in results.environment.items())]
    return "\n\n".join(parts)


def write_entries(entries: list[Entry]) -> str:
    ours = next(entry.median for entry in entries if entry.family == "ours")
    headers = ["model", "runs", "seconds", "× ours", "test AUC", "objective", "gap", "rescaled", "gap", "bytes/row"]
    rows = [
        (
            entry.rival + ("" if entry.converged else " *"),
            str(len(entry.seconds)),
            write_number(entry.median),
            f"{entry.median / ours:.2f}",
            f"{entry.auc:.5f}",
            f"{entry.objective:.5f}",
            write_share(entry.gap),
            f"{entry.rescaled:.5f}",
            write_share(entry.gap_rescaled),
            "–" if entry.memory is None else f"{entry.memory:.0f}",
        )
        for entry in entries
    ]
    return write_table(headers, rows)


def write_growth(growth: dict[str, list[float]]) -> str:
    rows = []
    for n_features in FEATURES:
        before: tuple[int, list[float]] | None = None
        for n_rows in SIZES_GROWTH:
            name = Synthetic(n_rows, n_features).name
            if name in growth:
                exponent = None if before is None else find_exponent(before[1], growth[name], n_rows / before[0])
                median = write_number(statistics.median(growth[name]))
                rows.append((name, str(len(growth[name])), median, "–" if exponent is None else f"{exponent:.2f}"))
                before = n_rows, growth[name]
    return write_table(["dataset", "runs", "seconds", "exponent from the size before"], rows)


def write_hard(entries: list[HardEntry]) -> str:
    headers = ["dataset", "labels", "alpha", "seconds", "steps", "gap", "× alpha 1e-3", "× alpha 1e-3, as given"]
    rows = [
        (
            entry.dataset,
            entry.labels,
            f"{entry.alpha:.0e}",
            write_number(entry.median),
            str(entry.n_iter),
            f"{entry.gap:.1e}",
            f"{entry.ratio:.2f}",
            f"{entry.ratio_plain:.2f}",
        )
        for entry in entries
    ]
    return write_table(headers, rows)


if __name__ == "__main__":
    main()
