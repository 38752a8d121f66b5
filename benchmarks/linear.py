"""The linear models side by side: ``make bench``, or ``python -m benchmarks.linear --quick``.

Each case is kept in results/linear.json once it is measured, and a later run goes on from there; with no case missing,
results/linear.md is written. ``--list`` names the cases, ``--only hard`` measures those with "hard" in their names.
"""

from __future__ import annotations

import argparse
import functools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks._bars import Bar, judge_bar, write_bars
from benchmarks._command import conduct, parse
from benchmarks._datasets import A9A, REAL, AbstractDataset, Synthetic
from benchmarks._growth import GrowthEntry, time_growth
from benchmarks._hard import NOISY, SEPARABLE, TINY_ALPHA, HardEntry, compare_hard
from benchmarks._imports import ImportEntry, time_imports
from benchmarks._measure import PATIENCE
from benchmarks._paper_race import PaperEntry, race_paper
from benchmarks._quality import judge
from benchmarks._results import Results, write_mixture, write_skipped, write_where
from benchmarks._rivals import ALPHA, LINEAR, OURS, PAPER, TOL
from benchmarks._runner import Entry, compare
from benchmarks._store import Case, Tell
from benchmarks._table import write_number, write_share, write_table

MODULES = ["rocsvm", "sklearn.linear_model"]
FEATURES = (2, 20)
SIZES, SIZES_QUICK = (10_000, 100_000, 1_000_000, 10_000_000), (10_000, 100_000)
SIZES_GROWTH = (100_000, 1_000_000, 10_000_000)

# What must hold.
AGAINST_SKLEARN, AGAINST_PAPER, GROWTH, MEMORY, HARD, IMPORT = 1.0, 15.0, 1.15, 150.0, 20.0, 1.15
# The paper's method through our parts, against rows of differences.
BY_PARTS = 5.0
# The sample that gives the curvature has a size of its own, which weighs more the fewer rows there are: memory a row
# is judged apart on either side of this many.
MANY_ROWS = 100_000


@dataclass
class LinearResults(Results):
    """All that was measured of linear models."""

    imports: list[ImportEntry] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    growth: list[GrowthEntry] = field(default_factory=list)
    hard: list[HardEntry] = field(default_factory=list)
    paper: list[PaperEntry] = field(default_factory=list)

    def find(self, dataset: AbstractDataset, family: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.dataset == dataset.name and entry.family == family]


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse("linear", arguments, __doc__, repeats=9)
    conduct("linear", options, list_cases(options), LinearResults(), write_report, list_bars)


def list_datasets(quick: bool) -> list[AbstractDataset]:
    sizes = SIZES_QUICK if quick else SIZES
    synthetic = [Synthetic(n_rows, n_features) for n_features in FEATURES for n_rows in sizes]
    return [*synthetic, *([A9A] if quick else REAL)]


def list_hard(quick: bool) -> list[AbstractDataset]:
    if quick:
        return [Synthetic(100_000, 2)]
    return [*(Synthetic(100_000, n_features) for n_features in FEATURES), *REAL]


def list_paper() -> list[Synthetic]:
    return [Synthetic(100_000, n_features) for n_features in FEATURES]


def list_cases(options: argparse.Namespace) -> list[Case]:
    quick, repeats = options.quick, options.repeats

    def compare_all(dataset: AbstractDataset, tell: Tell) -> list[Entry]:
        rivals = [rival for rival in LINEAR if not (quick and dataset in REAL and rival.family == "paper")]
        # Each reading of the memory is a process that imports and loads anew.
        memory = [OURS] if quick else LINEAR
        return compare(dataset, rivals, repeats, functools.partial(judge, alpha=ALPHA), tell, memory=memory)

    def race(dataset: AbstractDataset, tell: Tell) -> list[PaperEntry]:
        return race_paper(dataset, PAPER, repeats, tell)

    def grow(n_features: int, tell: Tell) -> list[GrowthEntry]:
        return time_growth(OURS, [Synthetic(n_rows, n_features) for n_rows in SIZES_GROWTH], repeats, tell)

    imports = Case("imports", "imports", ImportEntry, lambda tell: time_imports(MODULES, 5 if quick else 21))
    return [
        imports,
        *(
            Case(f"rivals, {dataset.name}", "entries", Entry, functools.partial(compare_all, dataset))
            for dataset in list_datasets(quick)
        ),
        *(
            Case(f"growth, p={n_features}", "growth", GrowthEntry, functools.partial(grow, n_features))
            for n_features in (() if quick else FEATURES)
        ),
        *(
            Case(f"hard, {dataset.name}", "hard", HardEntry, functools.partial(compare_hard, dataset, repeats))
            for dataset in list_hard(quick)
        ),
        *(
            Case(f"paper's method, {dataset.name}", "paper", PaperEntry, functools.partial(race, dataset))
            for dataset in list_paper()
        ),
    ]


# ---------------------------------------------------------------------------------------------------- bars


def list_bars(results: LinearResults) -> list[Bar]:
    return [
        *(
            bar_against_sklearn(results, Synthetic(n_rows, n_features))
            for n_features in FEATURES
            for n_rows in (100_000, 1_000_000)
        ),
        bar_against_paper(results),
        *(bar_by_parts(results, dataset) for dataset in list_paper()),
        *(bar_growth(results, n_features) for n_features in FEATURES),
        bar_memory(results, f"from {MANY_ROWS:,} rows on", MANY_ROWS, math.inf),
        bar_memory(results, "on fewer rows", 0, MANY_ROWS),
        *bars_hard(results),
        bar_import(results),
    ]


def bar_against_sklearn(results: LinearResults, dataset: Synthetic) -> Bar:
    ours, theirs = results.find(dataset, "ours"), results.find(dataset, "scikit-learn")
    claim, limit = f"time / fastest of scikit-learn, {dataset.name}", f"≤ {AGAINST_SKLEARN:.2f}"
    if not ours or not theirs:
        return judge_bar(claim, limit, None, False)
    fastest = min(theirs, key=lambda entry: entry.median)
    ratio = ours[0].median / fastest.median
    return judge_bar(claim, limit, f"{ratio:.2f} ({fastest.rival})", ratio <= AGAINST_SKLEARN)


def bar_against_paper(results: LinearResults) -> Bar:
    dataset = Synthetic(100_000, 2)
    ours, theirs = results.find(dataset, "ours"), results.find(dataset, "paper")
    claim, limit = f"the paper's way / our time, {dataset.name}", f"≥ {AGAINST_PAPER:.0f}"
    if not ours or not theirs:
        return judge_bar(claim, limit, None, False)
    ratio = theirs[0].median / ours[0].median
    return judge_bar(claim, limit, f"{ratio:.1f}", ratio >= AGAINST_PAPER)


def bar_by_parts(results: LinearResults, dataset: Synthetic) -> Bar:
    seconds = {entry.family: entry.median for entry in results.paper if entry.dataset == dataset.name}
    claim, limit = f"the paper's method, rows of differences / our parts, {dataset.name}", f"≥ {BY_PARTS:.0f}"
    if not seconds:
        return judge_bar(claim, limit, None, False)
    ratio = seconds["paper"] / seconds["ours"]
    return judge_bar(claim, limit, f"{ratio:.1f}", ratio >= BY_PARTS)


def bar_growth(results: LinearResults, n_features: int) -> Bar:
    seconds = {entry.n_rows: entry.seconds for entry in results.growth if entry.n_features == n_features}
    few, many = seconds.get(SIZES_GROWTH[0]), seconds.get(SIZES_GROWTH[-1])
    claim, limit = f"exponent of our time's growth, n = 1e5 to 1e7, p={n_features}", f"≤ {GROWTH}"
    if not few or not many:
        return judge_bar(claim, limit, None, False)
    exponent = find_exponent(few, many, SIZES_GROWTH[-1] / SIZES_GROWTH[0])
    return judge_bar(claim, limit, f"{exponent:.2f}", exponent <= GROWTH)


def find_exponent(few: Sequence[float], many: Sequence[float], factor: float) -> float:
    """Return by which power of the rows the median time grows, with so many times the rows."""
    return math.log(statistics.median(many) / statistics.median(few)) / math.log(factor)


def bar_memory(results: LinearResults, where: str, low: float, high: float) -> Bar:
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


# What makes a problem hard, with which labels and alpha.
HARDSHIPS = [
    (f"alpha {TINY_ALPHA:g}", NOISY, TINY_ALPHA),
    ("separable labels", SEPARABLE, ALPHA),
    (f"both, alpha {TINY_ALPHA:g} and separable labels", SEPARABLE, TINY_ALPHA),
]


def bars_hard(results: LinearResults) -> list[Bar]:
    claim_gap, limit_gap = "gap reached there, worst", f"≤ {TOL:g}, or it says why not"
    if not results.hard:
        return [bar_hard(results, *hardship) for hardship in HARDSHIPS] + [judge_bar(claim_gap, limit_gap, None, False)]
    loosest = max(results.hard, key=lambda entry: entry.gap)
    return [
        *(bar_hard(results, *hardship) for hardship in HARDSHIPS),
        judge_bar(
            claim_gap,
            limit_gap,
            f"{loosest.gap:.1e} ({loosest.dataset}: {loosest.status})",
            all(entry.told for entry in results.hard),
        ),
    ]


def bar_hard(results: LinearResults, what: str, labels: str, alpha: float) -> Bar:
    """Return the bar on what separable labels, a tiny alpha, or both cost, each against alpha 1e-3."""
    claim, limit = f"time with {what} / alpha {ALPHA:g} on the same data, worst", f"≤ {HARD:.0f}"
    measured = [entry for entry in results.hard if (entry.labels, entry.alpha) == (labels, alpha)]
    if not measured:
        return judge_bar(claim, limit, None, False)
    slowest = max(measured, key=lambda entry: entry.hardship)
    return judge_bar(claim, limit, f"{slowest.hardship:.1f} ({slowest.dataset})", slowest.hardship <= HARD)


def bar_import(results: LinearResults) -> Bar:
    claim, limit = f"import {MODULES[0]} / import {MODULES[1]}", f"≤ {IMPORT}"
    if not results.imports:
        return judge_bar(claim, limit, None, False)
    medians = {entry.module: statistics.median(entry.seconds) for entry in results.imports}
    ours, theirs = (medians[module] for module in MODULES)
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

HARD_TEXT = """\
Ours alone, medians over rounds, the worst gap of all rounds, and why the solver stopped: *stalled* where floating point
ended the descent, and the fit warned so. *× alpha 1e-3*: with the same labels; *× as given*: alpha 1e-3 with the labels
as given."""


PAPER_TEXT = """\
As many pairs as rows, drawn with replacement; Adamax with the step, the norm and the end that both share: through our
parts, the certified gap included, and with a row of differences formed for each pair, the way of the paper, in NumPy.
Each draws pairs of its own."""


def write_report(results: LinearResults) -> str:
    parts = ["# Linear models", PREAMBLE, *write_mixture(results), "## Bars", write_bars(list_bars(results))]
    parts += write_skipped(results.skipped)
    if results.entries:
        parts += ["## Side by side", COLUMNS]
        for dataset in dict.fromkeys(entry.dataset for entry in results.entries):
            entries = [entry for entry in results.entries if entry.dataset == dataset]
            where = results.mark(f"rivals, {dataset}")
            parts += [f"### {dataset}{where}", f"{entries[0].n_rows:,} rows to train on.", write_entries(entries)]
    if results.growth:
        parts += ["## Growth of our time", write_growth(results)]
    if results.hard:
        parts += ["## Small alpha and separable labels", HARD_TEXT, write_hard(results)]
    if results.paper:
        parts += ["## The paper's method", PAPER_TEXT, write_paper(results)]
    return "\n\n".join([*parts, *write_where(results)])


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


def write_growth(results: LinearResults) -> str:
    rows = []
    before: GrowthEntry | None = None
    for entry in results.growth:
        exponent = None
        if before is not None and before.n_features == entry.n_features:
            exponent = find_exponent(before.seconds, entry.seconds, entry.n_rows / before.n_rows)
        rows.append(
            (
                entry.dataset + results.mark(f"growth, p={entry.n_features}"),
                str(len(entry.seconds)),
                write_number(statistics.median(entry.seconds)),
                "–" if exponent is None else f"{exponent:.2f}",
            )
        )
        before = entry
    return write_table(["dataset", "runs", "seconds", "exponent from the size before"], rows)


def write_hard(results: LinearResults) -> str:
    headers = ["dataset", "labels", "alpha", "seconds", "steps", "gap", "status", "× alpha 1e-3", "× as given"]
    rows = [
        (
            entry.dataset + results.mark(f"hard, {entry.dataset}"),
            entry.labels,
            f"{entry.alpha:.0e}",
            write_number(entry.median),
            f"{statistics.median(entry.n_iter):.0f}",
            f"{entry.gap:.1e}",
            entry.status,
            f"{entry.ratio:.2f}",
            f"{entry.ratio_plain:.2f}",
        )
        for entry in results.hard
    ]
    return write_table(headers, rows)


def write_paper(results: LinearResults) -> str:
    ours = {entry.dataset: entry.median for entry in results.paper if entry.family == "ours"}
    rows = [
        (
            f"{entry.dataset}, {entry.rival}" + results.mark(f"paper's method, {entry.dataset}"),
            str(len(entry.seconds)),
            write_number(entry.median),
            f"{entry.median / ours[entry.dataset]:.2f}",
            f"{statistics.median(entry.n_iter):.0f}",
            f"{entry.auc:.5f}",
        )
        for entry in results.paper
    ]
    return write_table(["dataset and way", "runs", "seconds", "× ours", "steps", "test AUC"], rows)


if __name__ == "__main__":
    main()
