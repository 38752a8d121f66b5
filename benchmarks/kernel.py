"""The kernel models side by side: ``make bench``, or ``python -m benchmarks.kernel --quick``.

Each case is kept in results/kernel.json once it is measured, and a later run goes on from there; with no case missing,
results/kernel.md is written. ``--list`` names the cases, ``--only floor`` measures those with "floor" in their names.
"""

from __future__ import annotations

import argparse
import functools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks._bars import Bar, judge_bar, write_bars
from benchmarks._command import conduct, parse, tell
from benchmarks._floor import FLOORS
from benchmarks._hard import write_statuses
from benchmarks._kernel_quality import CERTIFIED_ROWS
from benchmarks._kernel_rivals import LOGISTIC, N_LANDMARKS, OURS, XGBOOST_MISSING, find_xgboost, list_rivals
from benchmarks._kernel_runner import (
    ALPHA_EASY,
    PATIENCE,
    AlphaEntry,
    Comparison,
    FloorEntry,
    KernelEntry,
    MemoryEntry,
    compare,
    compare_alphas,
    measure_memory,
    time_floor,
)
from benchmarks._problems import PHONE, REAL, SKIN, WIDE, WIDE_MANY, Problem, pose_radial
from benchmarks._results import Results, write_mixture, write_skipped, write_where
from benchmarks._rivals import TOL, Rival
from benchmarks._schemes import AUTO, EXACT, EXACT_ROWS, SchemeEntry, compare_schemes
from benchmarks._schemes import PATIENCE as PATIENCE_AUTO
from benchmarks._store import Case, Tell
from benchmarks._table import write_number, write_share, write_table

SIZES, SIZES_QUICK = (5_000, 10_000, 100_000, 1_000_000), (5_000, 100_000)
ALPHAS, ALPHAS_QUICK = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7), (1e-1, 1e-3, 1e-7)
SCHEME_SIZES, SCHEME_SIZES_QUICK = (100, 300), (100,)
MANY_ROWS = 1_000_000
# Rounds of what takes half a second, and seeds of landmarks.
SHORT_REPEATS, SCHEME_REPEATS = 11, 3

# What must hold.
AGAINST_LOGISTIC, AGAINST_FLOOR, HARD_ALPHA, MEMORY_MOST = 0.4, 2.5, 10.0, 6e9
RADIAL, MANY = pose_radial(100_000), pose_radial(MANY_ROWS)
AUCS = {SKIN.name: (0.9998, "98.53"), PHONE.name: (0.93, "89.92")}


@dataclass
class KernelResults(Results):
    """All that was measured of kernel models."""

    floors: list[FloorEntry] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    alphas: list[AlphaEntry] = field(default_factory=list)
    schemes: list[SchemeEntry] = field(default_factory=list)
    memory: list[MemoryEntry] = field(default_factory=list)

    def find(self, dataset: str, rival: str) -> KernelEntry | None:
        found = next((comparison for comparison in self.comparisons if comparison.dataset == dataset), None)
        return None if found is None else found.find(rival)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse("kernel", arguments, __doc__, repeats=5)
    results, boosting = KernelResults(), find_xgboost()
    if boosting is None:
        tell(f"skipped {XGBOOST_MISSING}")
        results.skipped.append(XGBOOST_MISSING)
    facts = {"xgboost": boosting or "absent"}
    conduct("kernel", options, list_cases(options), results, write_report, list_bars, facts)


def list_problems(quick: bool) -> list[Problem]:
    sizes = SIZES_QUICK if quick else SIZES
    return [*map(pose_radial, sizes), *([PHONE] if quick else REAL)]


def pick_ours(problem: Problem, alpha: float | None = None) -> Rival:
    """Return our model of a problem, at another alpha if one is given."""
    own = problem if alpha is None else Problem(problem.dataset, problem.gamma, alpha)
    return next(rival for rival in list_rivals(own) if rival.name == OURS)


def list_cases(options: argparse.Namespace) -> list[Case]:
    quick, repeats = options.quick, options.repeats
    short = max(SHORT_REPEATS, repeats)
    alphas, sizes = (ALPHAS_QUICK, SCHEME_SIZES_QUICK) if quick else (ALPHAS, SCHEME_SIZES)

    def compare_all(problem: Problem, tell: Tell) -> list[Comparison]:
        rivals = list_rivals(problem)
        if quick:
            rivals = [rival for rival in rivals if rival.family == "ours" or rival.name == LOGISTIC]
        return [compare(problem, rivals, repeats, tell, memory=() if quick else None)]

    def descend(tell: Tell) -> list[AlphaEntry]:
        return compare_alphas(PHONE, [(alpha, pick_ours(PHONE, alpha)) for alpha in alphas], repeats, tell)

    def name(table: str, problem: Problem) -> str:
        return f"{table}, {problem.name}"

    floors = [RADIAL] if quick else [RADIAL, WIDE]
    schemes = [pose_radial(SIZES_QUICK[0])] if quick else [pose_radial(EXACT_ROWS), SKIN, PHONE]
    memory = [] if quick else [MANY, WIDE_MANY]
    return [
        *(
            Case(
                name("floor", problem),
                "floors",
                FloorEntry,
                functools.partial(time_floor, problem, pick_ours(problem), short),
            )
            for problem in floors
        ),
        *(
            Case(name("rivals", problem), "comparisons", Comparison, functools.partial(compare_all, problem))
            for problem in list_problems(quick)
        ),
        Case(name("alphas", PHONE), "alphas", AlphaEntry, descend),
        *(
            Case(
                name("landmarks", problem),
                "schemes",
                SchemeEntry,
                functools.partial(compare_schemes, problem, sizes, SCHEME_REPEATS),
            )
            for problem in schemes
        ),
        *(
            Case(
                name("memory", problem),
                "memory",
                MemoryEntry,
                functools.partial(measure_memory, problem, pick_ours(problem), MANY_ROWS),
            )
            for problem in memory
        ),
    ]


# ---------------------------------------------------------------------------------------------------- bars


def list_bars(results: KernelResults) -> list[Bar]:
    return [
        bar_against_logistic(results),
        *(bar_against_floor(results, name) for name in FLOORS),
        *bars_alphas(results),
        *(bar_auc(results, dataset) for dataset in AUCS),
        *(bar_memory(results, problem) for problem in (MANY, WIDE_MANY)),
    ]


def bar_against_logistic(results: KernelResults) -> Bar:
    claim, limit = f"time / {LOGISTIC}, {RADIAL.name}", f"≤ {AGAINST_LOGISTIC}"
    ours, theirs = (results.find(RADIAL.name, rival) for rival in (OURS, LOGISTIC))
    if ours is None or theirs is None:
        return judge_bar(claim, limit, None, False)
    ratio = ours.median / theirs.median
    return judge_bar(claim, limit, f"{ratio:.2f}", ratio <= AGAINST_LOGISTIC)


def bar_against_floor(results: KernelResults, name: str) -> Bar:
    claim, limit = f"time / one float32 RBF matrix ({name}), {RADIAL.name}", f"≤ {AGAINST_FLOOR}"
    found = next((entry for entry in results.floors if entry.dataset == RADIAL.name), None)
    if found is None:
        return judge_bar(claim, limit, None, False)
    ratio, fastest = found.relate(name)
    return judge_bar(claim, limit, f"{ratio:.2f} ({fastest:.2f} of the fastest runs)", ratio <= AGAINST_FLOOR)


def bars_alphas(results: KernelResults) -> list[Bar]:
    claim, limit = f"time at alpha 1e-1 to 1e-7 / at 1e-3, worst, {PHONE.name}", f"≤ {HARD_ALPHA:.0f}"
    claim_gap, limit_gap = "gap reached there, worst", f"≤ {TOL:g}"
    if not results.alphas:
        return [judge_bar(claim, limit, None, False), judge_bar(claim_gap, limit_gap, None, False)]
    slowest = max(results.alphas, key=lambda entry: entry.ratio)
    loosest = max(results.alphas, key=lambda entry: entry.gap)
    return [
        judge_bar(claim, limit, f"{slowest.ratio:.1f} (alpha {slowest.alpha:.0e})", slowest.ratio <= HARD_ALPHA),
        judge_bar(
            claim_gap,
            limit_gap,
            f"{loosest.gap:.1e} (alpha {loosest.alpha:.0e}: {write_statuses(loosest.statuses)})",
            loosest.gap <= TOL,
        ),
    ]


def bar_auc(results: KernelResults, dataset: str) -> Bar:
    least, paper = AUCS[dataset]
    claim, limit = f"test AUC, {dataset} (the paper: {paper} %)", f"≥ {100.0 * least:.4g} %"
    ours = results.find(dataset, OURS)
    return judge_bar(
        claim, limit, None if ours is None else f"{100.0 * ours.auc:.3f} %", bool(ours and ours.auc >= least)
    )


def bar_memory(results: KernelResults, problem: Problem) -> Bar:
    claim, limit = f"peak memory beyond X, d = {N_LANDMARKS}, {problem.name}", f"≤ {MEMORY_MOST / 1e9:.0f} GB"
    peak = next((entry.bytes for entry in results.memory if entry.dataset == problem.name), None)
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
Medians over three seeds; auto and exact once. *d*: landmarks, without those asked for that follow from the others;
*choice*: seconds of `NystroemFeatures.fit`; *fit*: of the whole `KernelROCSVM.fit`; *kept*: features after dropping
what is lost in rounding; *left*: the share of the trace of K that the features leave; *from full*: distance of the
objective from the least of the whole kernel, by the best bound that
any row of the table proves. The whole kernel itself is tried on up to {EXACT_ROWS:,} rows."""


def write_report(results: KernelResults) -> str:
    parts = ["# Kernel models", PREAMBLE, *write_mixture(results), "## Bars", write_bars(list_bars(results))]
    parts += write_skipped(results.skipped)
    if results.comparisons:
        parts += ["## Side by side", COLUMNS]
        for comparison in results.comparisons:
            where = results.mark(f"rivals, {comparison.dataset}")
            parts += [f"### {comparison.dataset}{where}", write_facts(comparison), write_entries(comparison)]
        parts += ["## Where our time goes", write_parts(results)]
    if results.floors:
        parts += ["## The floor", FLOOR_TEXT, write_floors(results)]
    if results.alphas:
        where = results.mark(f"alphas, {results.alphas[0].dataset}")
        parts += [f"## Alphas, {results.alphas[0].dataset}{where}", write_alphas(results.alphas)]
    if results.schemes:
        parts += ["## Landmarks", SCHEME_TEXT]
        for dataset in dict.fromkeys(entry.dataset for entry in results.schemes):
            entries = [entry for entry in results.schemes if entry.dataset == dataset]
            where = results.mark(f"landmarks, {dataset}")
            parts += [f"### Landmarks of {dataset}{where}", write_schemes(entries)]
            if all(entry.scheme != AUTO for entry in entries):
                parts.append(f"{AUTO}: not done in {PATIENCE_AUTO:.0f} s.")
    return "\n\n".join([*parts, *write_where(results)])


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


def write_parts(results: KernelResults) -> str:
    headers = ["dataset", "landmarks", "features", "solve", "the rest", "whole fit", "features kept"]
    rows = []
    for comparison in results.comparisons:
        ours = comparison.find(OURS)
        if ours is not None:
            told = (comparison.landmarks, comparison.features, comparison.solve)
            numbers = (*told, max(ours.median - sum(told), 0.0), ours.median)
            name = comparison.dataset + results.mark(f"rivals, {comparison.dataset}")
            rows.append((name, *map(write_number, numbers), str(comparison.n_features)))
    return write_table(headers, rows)


def write_floors(results: KernelResults) -> str:
    rows = []
    for entry in results.floors:
        where = results.mark(f"floor, {entry.dataset}")
        for name, seconds in {"ours": entry.ours, **entry.floors}.items():
            numbers = (statistics.median(seconds), min(seconds))
            ratios = ("–", "–") if name == "ours" else tuple(f"{ratio:.2f}" for ratio in entry.relate(name))
            rows.append((f"{entry.dataset}, {name}{where}", *map(write_number, numbers), *ratios))
    return write_table(["what", "seconds", "fastest", "ours / this", "fastest / fastest"], rows)


def write_alphas(alphas: Sequence[AlphaEntry]) -> str:
    rows = [
        (
            f"{entry.alpha:.0e}",
            write_number(statistics.median(entry.seconds)),
            f"{entry.ratio:.2f}",
            f"{statistics.median(entry.n_iter):.0f}",
            f"{entry.gap:.1e}",
            write_statuses(entry.statuses),
            f"{entry.auc:.5f}",
        )
        for entry in alphas
    ]
    return write_table(["alpha", "seconds", f"× alpha {ALPHA_EASY:.0e}", "steps", "gap", "status", "test AUC"], rows)


def write_schemes(entries: Sequence[SchemeEntry]) -> str:
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
        for entry in entries
    ]
    return write_table(headers, rows)


if __name__ == "__main__":
    main()
