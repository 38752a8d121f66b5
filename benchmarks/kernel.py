"""The kernel models side by side: ``make bench``, or ``python -m benchmarks.kernel --quick``.

A complete run writes results/kernel.md and results/kernel.json; one that is cut short or narrowed by
``--quick`` or ``--only`` shows its tables and writes nothing.
"""

from __future__ import annotations

import argparse
import functools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks._bars import Bar, judge_bar, write_bars
from benchmarks._command import conduct, parse, skip, skip_missing, tell
from benchmarks._environment import describe
from benchmarks._floor import FLOORS
from benchmarks._kernel_quality import CERTIFIED_ROWS
from benchmarks._kernel_rivals import LOGISTIC, N_LANDMARKS, OURS, XGBOOST_MISSING, has_xgboost, list_rivals
from benchmarks._kernel_runner import (
    ALPHA_EASY,
    PATIENCE,
    AlphaEntry,
    Comparison,
    FloorEntry,
    KernelEntry,
    compare,
    compare_alphas,
    time_floor,
)
from benchmarks._memory import measure_peak
from benchmarks._problems import PHONE, REAL, SKIN, WIDE, WIDE_MANY, Problem, pose_radial
from benchmarks._rivals import TOL, Rival
from benchmarks._schemes import EXACT, EXACT_ROWS, SchemeEntry, compare_schemes
from benchmarks._table import write_number, write_share, write_table

SIZES, SIZES_QUICK = (5_000, 10_000, 100_000, 1_000_000), (5_000, 100_000)
ALPHAS, ALPHAS_QUICK = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7), (1e-1, 1e-3, 1e-7)
SCHEME_SIZES, SCHEME_SIZES_QUICK = (100, 300), (100,)
FLOOR, ALPHA, LANDMARKS, MEMORY = "floor", "alphas", "landmarks", "memory"
ONLY = f"one of {FLOOR}, {ALPHA}, {LANDMARKS}, {MEMORY}, or the datasets with this in their names"
# Rounds of what takes half a second.
SHORT_REPEATS = 11

# What must hold.
AGAINST_LOGISTIC, AGAINST_FLOOR, HARD_ALPHA, MEMORY_MOST = 0.4, 2.5, 10.0, 6e9
RADIAL, MANY = pose_radial(100_000), pose_radial(1_000_000)
AUCS = {SKIN.name: (0.9998, "98.53"), PHONE.name: (0.93, "89.92")}


@dataclass
class Results:
    """All that was measured; ``memory`` is bytes beyond X, by dataset."""

    environment: dict[str, str]
    comparisons: list[Comparison] = field(default_factory=list)
    floors: list[FloorEntry] = field(default_factory=list)
    alphas: list[AlphaEntry] = field(default_factory=list)
    schemes: list[SchemeEntry] = field(default_factory=list)
    memory: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def find(self, dataset: str, rival: str) -> KernelEntry | None:
        found = next((comparison for comparison in self.comparisons if comparison.dataset == dataset), None)
        return None if found is None else found.find(rival)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse("kernel", arguments, __doc__, only=ONLY, repeats=5)
    conduct("kernel", options, Results(describe()), run, write_report, list_bars)


def list_problems(quick: bool) -> list[Problem]:
    sizes = SIZES_QUICK if quick else SIZES
    return [*map(pose_radial, sizes), *([PHONE] if quick else REAL)]


def pick_ours(problem: Problem, alpha: float | None = None) -> Rival:
    """Return our model of a problem, at another alpha if one is given."""
    own = problem if alpha is None else Problem(problem.dataset, problem.gamma, alpha)
    return next(rival for rival in list_rivals(own) if rival.name == OURS)


def run(options: argparse.Namespace, results: Results) -> None:
    quick, only = options.quick, options.only
    short = max(SHORT_REPEATS, options.repeats)
    if not has_xgboost():
        skip(XGBOOST_MISSING, results.skipped)
    if only in (None, FLOOR):
        for problem in (RADIAL,) if quick else (RADIAL, WIDE):
            step = functools.partial(tell, prefix=f"floor, {problem.name}")
            results.floors.append(time_floor(problem, pick_ours(problem), short, step))
    for problem in list_problems(quick):
        if only is None or only in problem.name:
            with skip_missing(problem.dataset, results.skipped):
                run_problem(problem, options, results)
    if only in (None, ALPHA):
        with skip_missing(PHONE.dataset, results.skipped):
            models = [(alpha, pick_ours(PHONE, alpha)) for alpha in (ALPHAS_QUICK if quick else ALPHAS)]
            step = functools.partial(tell, prefix=f"alphas, {PHONE.name}")
            results.alphas += compare_alphas(PHONE, models, options.repeats, step)
    if only in (None, LANDMARKS):
        problems = [pose_radial(SIZES_QUICK[0])] if quick else [pose_radial(EXACT_ROWS), SKIN, PHONE]
        for problem in problems:
            with skip_missing(problem.dataset, results.skipped):
                step = functools.partial(tell, prefix=f"landmarks, {problem.name}")
                sizes = SCHEME_SIZES_QUICK if quick else SCHEME_SIZES
                results.schemes += compare_schemes(problem, sizes, 3, step, results.skipped)
    if only == MEMORY or (only is None and not quick):
        for problem in (MANY, WIDE_MANY):
            tell("in a process of its own", prefix=f"memory, {problem.name}")
            peak = measure_peak(pick_ours(problem), problem.dataset)
            if peak is not None:
                results.memory[problem.name] = peak * problem.dataset.n_rows


def run_problem(problem: Problem, options: argparse.Namespace, results: Results) -> None:
    rivals = list_rivals(problem)
    if options.quick:
        rivals = [rival for rival in rivals if rival.family == "ours" or rival.name == LOGISTIC]
    step = functools.partial(tell, prefix=problem.name)
    memory = () if options.quick else None
    results.comparisons.append(compare(problem, rivals, options.repeats, step, memory=memory))


# ---------------------------------------------------------------------------------------------------- bars


def list_bars(results: Results) -> list[Bar]:
    return [
        bar_against_logistic(results),
        *(bar_against_floor(results, name) for name in list(FLOORS)[1:]),
        *bars_alphas(results),
        *(bar_auc(results, dataset) for dataset in AUCS),
        *(bar_memory(results, problem) for problem in (MANY, WIDE_MANY)),
    ]


def bar_against_logistic(results: Results) -> Bar:
    claim, limit = f"time / {LOGISTIC}, {RADIAL.name}", f"≤ {AGAINST_LOGISTIC}"
    ours, theirs = (results.find(RADIAL.name, rival) for rival in (OURS, LOGISTIC))
    if ours is None or theirs is None:
        return judge_bar(claim, limit, None, False)
    ratio = ours.median / theirs.median
    return judge_bar(claim, limit, f"{ratio:.2f}", ratio <= AGAINST_LOGISTIC)


def bar_against_floor(results: Results, name: str) -> Bar:
    claim, limit = f"time / one float32 RBF matrix ({name}), {RADIAL.name}", f"≤ {AGAINST_FLOOR}"
    found = next((entry for entry in results.floors if entry.dataset == RADIAL.name), None)
    if found is None:
        return judge_bar(claim, limit, None, False)
    ratio, fastest = found.relate(name)
    return judge_bar(claim, limit, f"{ratio:.2f} ({fastest:.2f} of the fastest runs)", ratio <= AGAINST_FLOOR)


def bars_alphas(results: Results) -> list[Bar]:
    claim, limit = f"time at alpha 1e-1 to 1e-7 / at 1e-3, worst, {PHONE.name}", f"≤ {HARD_ALPHA:.0f}"
    claim_gap, limit_gap = "gap reached there, worst", f"≤ {TOL:g}"
    if not results.alphas:
        return [judge_bar(claim, limit, None, False), judge_bar(claim_gap, limit_gap, None, False)]
    slowest = max(results.alphas, key=lambda entry: entry.ratio)
    loosest = max(results.alphas, key=lambda entry: entry.gap)
    return [
        judge_bar(claim, limit, f"{slowest.ratio:.1f} (alpha {slowest.alpha:.0e})", slowest.ratio <= HARD_ALPHA),
        judge_bar(claim_gap, limit_gap, f"{loosest.gap:.1e} (alpha {loosest.alpha:.0e})", loosest.gap <= TOL),
    ]


def bar_auc(results: Results, dataset: str) -> Bar:
    least, paper = AUCS[dataset]
    claim, limit = f"test AUC, {dataset} (the paper: {paper} %)", f"≥ {100.0 * least:.4g} %"
    ours = results.find(dataset, OURS)
    return judge_bar(
        claim, limit, None if ours is None else f"{100.0 * ours.auc:.3f} %", bool(ours and ours.auc >= least)
    )


def bar_memory(results: Results, problem: Problem) -> Bar:
    claim, limit = f"peak memory beyond X, d = {N_LANDMARKS}, {problem.name}", f"≤ {MEMORY_MOST / 1e9:.0f} GB"
    peak = results.memory.get(problem.name)
    return judge_bar(claim, limit, None if peak is None else f"{peak / 1e9:.2f} GB", bool(peak and peak <= MEMORY_MOST))


# -------------------------------------------------------------------------------------------------- report

PREAMBLE = f"""\
`make bench` measures this, on one thread: each model in turn, round after round, medians over rounds; each round has a
seed of its own. Nyström models have {N_LANDMARKS} landmarks, ours those of k-means. All kernel models of a dataset have
the same gamma, and the same alpha where they minimise a mean loss plus alpha / 2 · ‖w‖² (for scikit-learn's C that is
1 / (alpha · n)); both were chosen once for `KernelROCSVM` on a part of the training rows, see `_problems.py`. Boosted
trees have their defaults, but for `rank:pairwise`, which draws its pairs from all rows. Ours stops at a proved relative
gap of {TOL:g}. Features are standardised, rows are in random order, and rows of categories have a column each."""

COLUMNS = f"""\
- *seconds*: of the whole fit from X, landmarks and features included.
- *gap*: how far at most the mean hinge over all pairs plus the penalty is above the least that weights on the same
  landmarks have, as a share of it; *rescaled*: the same after multiplying the weights by the one number that makes it
  least, since other losses do not aim at margins of one. Of rivals on up to {CERTIFIED_ROWS:,} rows.
- *from full*: how far the rescaled objective is at most above the least of the whole kernel, by the bound that
  `certify(ours, against="full")` proves.
- *bytes/row*: peak memory of a fit beyond X and y, in a process of its own after a warm-up; of those that took at most
  {PATIENCE:.0f} s.
- *runs*: a model that has taken {PATIENCE:.0f} s on a dataset runs no more on it. An asterisk: the model says that it
  did not converge. Rows in brackets: it is trained on so many only, and would take minutes on all."""

FLOOR_TEXT = f"""\
The floor is one matrix of similarities to {N_LANDMARKS} rows, in single precision, by BLAS and NumPy: as in a
textbook; from one product with the norms folded in; and the same in blocks of rows that fit the cache. Ours is the
whole fit. A busy neighbour slows what fills new memory most; the fastest run of each is what he disturbed least."""

SCHEME_TEXT = f"""\
Medians over three seeds; auto and exact once. *choice*: seconds of `NystroemFeatures.fit`; *fit*: of the whole
`KernelROCSVM.fit`; *kept*: features after dropping what is lost in rounding; *left*: the share of the trace of K that
the features leave; *from full*: distance of the objective from the least of the whole kernel, by the best bound that
any row of the table proves. The whole kernel itself is tried on up to {EXACT_ROWS:,} rows."""


def write_report(results: Results) -> str:
    parts = ["# Kernel models", PREAMBLE, *(f"**{note}**" for note in results.notes)]
    parts += ["## Bars", write_bars(list_bars(results))]
    if results.skipped:
        parts += ["## Skipped", "\n".join(f"- {reason}" for reason in results.skipped)]
    if results.comparisons:
        parts += ["## Side by side", COLUMNS]
        for comparison in results.comparisons:
            parts += [f"### {comparison.dataset}", write_facts(comparison), write_entries(comparison)]
    if results.comparisons:
        parts += ["## Where our time goes", write_parts(results.comparisons)]
    if results.floors:
        parts += ["## The floor", FLOOR_TEXT, write_floors(results.floors)]
    if results.alphas:
        parts += [f"## Alphas, {results.alphas[0].dataset}", write_alphas(results.alphas)]
    if results.schemes:
        parts += ["## Landmarks", SCHEME_TEXT]
        for dataset in dict.fromkeys(entry.dataset for entry in results.schemes):
            parts += [f"### Landmarks of {dataset}", write_schemes(results.schemes, dataset)]
    parts += ["## Where", "\n".join(f"- {name}: {fact}" for name, fact in results.environment.items())]
    return "\n\n".join(parts)


def write_facts(comparison: Comparison) -> str:
    setting = f"gamma {write_number(comparison.gamma)}, alpha {comparison.alpha:.0e}"
    return f"{comparison.n_rows:,} rows to train on, {setting}. From full: {comparison.full_method}."


def write_entries(comparison: Comparison) -> str:
    ours = comparison.find(OURS)
    assert ours is not None
    headers = ["model", "runs", "seconds", "× ours", "test AUC", "gap", "rescaled", "from full", "bytes/row"]
    rows = [
        (
            name_entry(entry, comparison.n_rows),
            str(len(entry.seconds)),
            write_number(entry.median),
            f"{entry.median / ours.median:.2f}",
            f"{entry.auc:.5f}",
            *(write_optional_share(gap) for gap in (entry.gap, entry.gap_rescaled, entry.gap_full)),
            "–" if entry.memory is None else f"{entry.memory:,.0f}",
        )
        for entry in comparison.entries
    ]
    return write_table(headers, rows)


def name_entry(entry: KernelEntry, n_rows: int) -> str:
    sampled = f" ({entry.n_rows:,} rows)" if entry.n_rows < n_rows else ""
    return f"{entry.rival}{sampled}{'' if entry.converged else ' *'}"


def write_optional_share(share: float | None) -> str:
    return "–" if share is None else write_share(share)


def write_parts(comparisons: Sequence[Comparison]) -> str:
    headers = ["dataset", "landmarks", "features", "solve", "the rest", "whole fit", "features kept"]
    rows = []
    for comparison in comparisons:
        ours = comparison.find(OURS)
        if ours is not None:
            told = (comparison.landmarks, comparison.features, comparison.solve)
            numbers = (*told, max(ours.median - sum(told), 0.0), ours.median)
            rows.append((comparison.dataset, *map(write_number, numbers), str(comparison.n_features)))
    return write_table(headers, rows)


def write_floors(floors: Sequence[FloorEntry]) -> str:
    rows = []
    for entry in floors:
        for name, seconds in {"ours": entry.ours, **entry.floors}.items():
            numbers = (statistics.median(seconds), min(seconds))
            ratios = ("–", "–") if name == "ours" else tuple(f"{ratio:.2f}" for ratio in entry.relate(name))
            rows.append((f"{entry.dataset}, {name}", *map(write_number, numbers), *ratios))
    return write_table(["what", "seconds", "fastest", "ours / this", "fastest / fastest"], rows)


def write_alphas(alphas: Sequence[AlphaEntry]) -> str:
    rows = [
        (
            f"{entry.alpha:.0e}",
            write_number(statistics.median(entry.seconds)),
            f"{entry.ratio:.2f}",
            str(entry.n_iter),
            f"{entry.gap:.1e}",
            f"{entry.auc:.5f}",
        )
        for entry in alphas
    ]
    return write_table(["alpha", "seconds", f"× alpha {ALPHA_EASY:.0e}", "steps", "gap", "test AUC"], rows)


def write_schemes(schemes: Sequence[SchemeEntry], dataset: str) -> str:
    headers = ["landmarks", "d", "kept", "choice", "fit", "left", "test AUC", "from full"]
    rows = [
        (
            entry.scheme,
            "–" if entry.scheme == EXACT else str(entry.n_landmarks),
            str(entry.n_features),
            write_number(entry.choice),
            write_number(entry.seconds),
            write_share(entry.left),
            f"{entry.auc:.5f}",
            write_share(entry.gap_full),
        )
        for entry in schemes
        if entry.dataset == dataset
    ]
    return write_table(headers, rows)


if __name__ == "__main__":
    main()
