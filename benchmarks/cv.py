"""Choosing parameters by cross-validation, side by side: ``python -m benchmarks.cv``, or with ``--quick``.

Each case is kept in results/cv.json once it is measured, and a later run goes on from there; with no case missing,
results/cv.md is written. ``--list`` names the cases, ``--only race`` measures those with "race" in their names.
"""

from __future__ import annotations

import argparse
import functools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks._bars import Bar, judge_bar, write_bars
from benchmarks._command import conduct, parse, tell
from benchmarks._datasets import (
    A9A,
    ACCELEROMETER,
    BANK,
    IJCNN1,
    MAGIC,
    MAMMOGRAPHY,
    SKIN,
    AbstractDataset,
    AbstractTable,
    Radial,
    Synthetic,
)
from benchmarks._exhaustive import TOL_EXHAUSTIVE, ChoiceEntry, compare_choice
from benchmarks._kernel_rivals import N_LANDMARKS, XGBOOST_MISSING, find_xgboost
from benchmarks._nested import MAX_ROWS, Interval, NestedEntry, estimate, nest
from benchmarks._race import PATIENCE, RaceEntry, race
from benchmarks._results import Results, write_mixture, write_skipped, write_where
from benchmarks._rivals import ALPHA, TOL
from benchmarks._store import Case, Tell
from benchmarks._table import write_number, write_table
from benchmarks._tuned import (
    FOLDS,
    LOGISTIC,
    N_ALPHAS,
    N_ALPHAS_KERNEL,
    N_DRAWS,
    N_GAMMAS,
    ONE_FIT,
    OURS_KERNEL,
    OURS_LINEAR,
    list_kernel_race,
    list_linear_race,
    list_tuned,
)

LINEAR, LINEAR_QUICK = Synthetic(100_000, 20), Synthetic(10_000, 20)
# In ten dimensions no feature is dropped, where of the 300 in two dimensions a third stays.
KERNEL, KERNEL_WIDE, KERNEL_QUICK = Radial(30_000), Radial(30_000, 10), Radial(1_000)
TABLES: list[AbstractTable] = [SKIN, BANK, ACCELEROMETER, A9A, IJCNN1, MAGIC, MAMMOGRAPHY]
CHOICES: list[AbstractDataset] = [LINEAR, ACCELEROMETER, A9A, IJCNN1]
N_SPLITS = 5
LANDMARKS_QUICK, ROWS_QUICK = 30, 1_000

# What must hold.
AGAINST_FIT, AGAINST_LOGISTIC, AGAINST_NYSTROEM, LOSS = 20.0, 0.5, 0.2, 0.0005


@dataclass
class CVResults(Results):
    """All that was measured of searches."""

    races: list[RaceEntry] = field(default_factory=list)
    choices: list[ChoiceEntry] = field(default_factory=list)
    nested: list[NestedEntry] = field(default_factory=list)

    def find(self, dataset: AbstractDataset, rival: str) -> RaceEntry | None:
        return next((entry for entry in self.races if entry.dataset == dataset.name and entry.rival == rival), None)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse("cv", arguments, __doc__, repeats=3)
    results, boosting = CVResults(), find_xgboost()
    if boosting is None:
        tell(f"skipped {XGBOOST_MISSING}")
        results.skipped.append(XGBOOST_MISSING)
    conduct("cv", options, list_cases(options), results, write_report, list_bars, {"xgboost": boosting or "absent"})


def list_cases(options: argparse.Namespace) -> list[Case]:
    quick, repeats = options.quick, options.repeats
    n_landmarks = LANDMARKS_QUICK if quick else N_LANDMARKS
    races = [(LINEAR_QUICK if quick else LINEAR, list_linear_race())]
    races += [(dataset, list_kernel_race(n_landmarks)) for dataset in _choose_kernel(quick)]

    def nest_one(table: AbstractTable, number: int, tell: Tell) -> list[NestedEntry]:
        return nest(table, number, list_tuned(n_landmarks), tell, ROWS_QUICK if quick else MAX_ROWS)

    return [
        *(
            Case(f"race, {dataset.name}", "races", RaceEntry, functools.partial(race, dataset, rivals, repeats))
            for dataset, rivals in races
        ),
        *(
            Case(f"choice, {dataset.name}", "choices", ChoiceEntry, functools.partial(compare_choice, dataset))
            for dataset in ([LINEAR_QUICK] if quick else CHOICES)
        ),
        *(
            Case(name_nested(table.name, number), "nested", NestedEntry, functools.partial(nest_one, table, number))
            for table in ([MAMMOGRAPHY] if quick else TABLES)
            for number in range(2 if quick else N_SPLITS)
        ),
    ]


def _choose_kernel(quick: bool) -> list[Radial]:
    return [KERNEL_QUICK] if quick else [KERNEL, KERNEL_WIDE]


def name_nested(dataset: str, number: int) -> str:
    return f"worth, {dataset}, split {number + 1}"


# ---------------------------------------------------------------------------------------------------- bars


def list_bars(results: CVResults) -> list[Bar]:
    linear = f"{N_ALPHAS} alphas x {FOLDS} folds, {LINEAR.name}"
    return [
        bar_ratio(results, LINEAR, OURS_LINEAR, [ONE_FIT], f"{linear}: time / one fit", AGAINST_FIT),
        bar_choice(results),
        bar_ratio(results, LINEAR, OURS_LINEAR, [LOGISTIC], f"{linear}: time / {LOGISTIC}", AGAINST_LOGISTIC),
        *(
            bar_ratio(
                results,
                dataset,
                OURS_KERNEL,
                [rival.name for rival in list_kernel_race(N_LANDMARKS)[1:]],
                f"{N_ALPHAS_KERNEL} alphas x {N_GAMMAS} gammas x {FOLDS} folds, {dataset.name}: time / GridSearchCV",
                AGAINST_NYSTROEM,
            )
            for dataset in (KERNEL, KERNEL_WIDE)
        ),
    ]


def bar_ratio(
    results: CVResults, dataset: AbstractDataset, ours: str, rivals: Sequence[str], claim: str, most: float
) -> Bar:
    """Return the bar on our time over that of the fastest of these rivals."""
    limit, own = f"≤ {most:g}", results.find(dataset, ours)
    theirs = [entry for entry in (results.find(dataset, rival) for rival in rivals) if entry is not None]
    if own is None or not theirs:
        return judge_bar(claim, limit, None, False)
    fastest = min(theirs, key=lambda entry: entry.median)
    ratio = own.median / fastest.median
    return judge_bar(claim, limit, f"{ratio:.3g} ({fastest.rival})", ratio <= most)


def bar_choice(results: CVResults) -> Bar:
    claim, limit = f"test AUC that an exhaustive search gains, {LINEAR.name}", f"≤ {LOSS}"
    found = next((entry for entry in results.choices if entry.dataset == LINEAR.name), None)
    if found is None:
        return judge_bar(claim, limit, None, False)
    return judge_bar(claim, limit, f"{found.loss:.5f}", abs(found.loss) <= LOSS)


# -------------------------------------------------------------------------------------------------- report

PREAMBLE = f"""\
`python -m benchmarks.cv` measures this, on one thread. Each model chooses its parameters by {FOLDS}-fold
cross-validation and AUC: ours {N_ALPHAS} alphas, or {N_ALPHAS_KERNEL} alphas and {N_GAMMAS} gammas, on grids they find
themselves, at gap {TOL:g}; `LogisticRegressionCV` {N_ALPHAS} values of C; logistic regression on Nyström features
{N_ALPHAS_KERNEL} of C and {N_GAMMAS} gammas by `GridSearchCV`; XGBoost {N_DRAWS} draws of seven parameters by
`RandomizedSearchCV`. Nyström features have {N_LANDMARKS} landmarks."""

RACE_TEXT = f"""\
Each search in turn, medians over rounds; a search that has taken {PATIENCE:.0f} s runs no more. The one fit has alpha
{ALPHA:g}. An asterisk: some fit says that it did not converge."""

CHOICE_TEXT = f"""\
The grid of `LinearROCSVMCV`, searched along its warm-started paths at gap {TOL:g}, and once more with each alpha and
fold from a cold start at gap {TOL_EXHAUSTIVE:g}. *worst*: the largest difference of the two in mean AUC on the folds,
over all alphas."""

WORTH_TEXT = f"""\
Test AUC in per cent, mean over splits; parameters are chosen anew within the rows to train on of each. A split is at
most {MAX_ROWS:,} rows drawn at random with the shares of the classes kept, 30 % of them held out; dense columns are
standardised by the rows to train on. After ±: half the corrected resampled t interval at 95 % (Nadeau and Bengio,
2003). Most rows of skin are repeats, and the rows of accelerometer follow each other in time, so that rows held out at
random are near to rows trained on, for all models alike."""

DIFFERENCE_TEXT = f"""\
Test AUC less that of {OURS_KERNEL} on the same splits, in points of per cent, with the same kind of interval. An
asterisk: the interval excludes zero."""


def write_report(results: CVResults) -> str:
    parts = ["# Searches by cross-validation", PREAMBLE, *write_mixture(results)]
    parts += ["## Bars", write_bars(list_bars(results)), *write_skipped(results.skipped)]
    if results.races:
        parts += ["## Times", RACE_TEXT]
        for dataset in dict.fromkeys(entry.dataset for entry in results.races):
            entries = [entry for entry in results.races if entry.dataset == dataset]
            parts += [f"### {dataset}{results.mark(f'race, {dataset}')}", write_races(entries)]
    if results.choices:
        parts += ["## The choice beside an exhaustive search", CHOICE_TEXT, write_choices(results)]
    if results.nested:
        rivals = list(dict.fromkeys(entry.rival for entry in results.nested))
        parts += ["## Worth", WORTH_TEXT, write_worths(results, rivals)]
        if OURS_KERNEL in rivals:
            others = [rival for rival in rivals if rival != OURS_KERNEL]
            parts += [f"### Beside {OURS_KERNEL}", DIFFERENCE_TEXT, write_differences(results.nested, others)]
        parts += ["### Seconds of each search", "Medians over splits.", write_seconds(results.nested, rivals)]
    return "\n\n".join([*parts, *write_where(results)])


def write_races(entries: Sequence[RaceEntry]) -> str:
    ours = next(entry.median for entry in entries if entry.rival in (OURS_LINEAR, OURS_KERNEL))
    rows = [
        (
            entry.rival + ("" if entry.converged else " *"),
            str(len(entry.seconds)),
            write_number(entry.median),
            f"{ours / entry.median:.3g}",
            f"{entry.auc:.5f}",
            entry.choice,
        )
        for entry in entries
    ]
    return write_table(["search", "runs", "seconds", "ours / this", "test AUC", "choice"], rows)


def write_choices(results: CVResults) -> str:
    headers = ["dataset", "alpha", "exhaustive", "test AUC", "exhaustive", "gained", "worst", "seconds", "exhaustive"]
    rows = [
        (
            entry.dataset + results.mark(f"choice, {entry.dataset}"),
            f"{entry.alpha:.1e}",
            f"{entry.alpha_exhaustive:.1e}",
            f"{entry.auc:.5f}",
            f"{entry.auc_exhaustive:.5f}",
            f"{entry.loss:.5f}",
            f"{entry.worst:.5f}",
            write_number(entry.seconds),
            write_number(entry.seconds_exhaustive),
        )
        for entry in results.choices
    ]
    return write_table(headers, rows)


def write_worths(results: CVResults, rivals: Sequence[str]) -> str:
    rows = []
    for dataset, found in group(results.nested).items():
        own = [entry for entry in results.nested if entry.dataset == dataset]
        marks = "".join(dict.fromkeys(results.mark(name_nested(dataset, entry.split)) for entry in own))
        sizes = own[0].n_train, own[0].n_test
        cells = [
            write_interval(estimate(list(found[rival].values()), *sizes)) if rival in found else "–" for rival in rivals
        ]
        splits = str(max(len(shares) for shares in found.values()))
        rows.append((dataset + marks, splits, f"{own[0].n_train:,}", *cells))
    return write_table(["dataset", "splits", "rows", *rivals], rows)


def group(entries: Sequence[NestedEntry]) -> dict[str, dict[str, dict[int, float]]]:
    """Return the test AUC in per cent by dataset, rival and split."""
    found: dict[str, dict[str, dict[int, float]]] = {}
    for entry in entries:
        found.setdefault(entry.dataset, {}).setdefault(entry.rival, {})[entry.split] = 100.0 * entry.auc
    return found


def write_interval(interval: Interval, sign: str = "") -> str:
    half = "" if interval.half is None else f" ± {interval.half:.3f}"
    return f"{interval.mean:{sign}.3f}{half}"


def write_differences(entries: Sequence[NestedEntry], rivals: Sequence[str]) -> str:
    sizes = {entry.dataset: (entry.n_train, entry.n_test) for entry in entries}
    rows = []
    for dataset, found in group(entries).items():
        cells = []
        for rival in rivals:
            ours, theirs = found.get(OURS_KERNEL, {}), found.get(rival, {})
            both = [theirs[split] - ours[split] for split in ours if split in theirs]
            if both:
                interval = estimate(both, *sizes[dataset])
                cells.append(write_interval(interval, "+") + (" *" if interval.excludes_zero else ""))
            else:
                cells.append("–")
        rows.append((dataset, *cells))
    return write_table(["dataset", *rivals], rows)


def write_seconds(entries: Sequence[NestedEntry], rivals: Sequence[str]) -> str:
    rows = []
    for dataset in dict.fromkeys(entry.dataset for entry in entries):
        seconds = {
            rival: [entry.seconds for entry in entries if (entry.dataset, entry.rival) == (dataset, rival)]
            for rival in rivals
        }
        rows.append((dataset, *(write_number(statistics.median(told) if told else None) for told in seconds.values())))
    return write_table(["dataset", *rivals], rows)


if __name__ == "__main__":
    main()
