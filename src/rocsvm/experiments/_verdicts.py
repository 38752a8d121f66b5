"""What a cell's AUC says beside the paper's: matched, or by how much not."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rocsvm.datasets import PopulationAUC, population_auc
from rocsvm.experiments._cells import PUBLISHED, PUBLISHED_POPULATION, Cell
from rocsvm.experiments._methods import OURS
from rocsvm.experiments._results import Summary

# Standard errors within which two means are alike.
ALIKE = 2.0


@functools.cache
def find_population() -> dict[str, float]:
    """Return the AUC of the best scorer of each synthetic model, in per cent, by Monte Carlo."""
    return {name: 100.0 * _estimate(name).auc for name in PUBLISHED_POPULATION}


def find_population_error() -> float:
    """Return the larger standard error of these, in points."""
    return max(100.0 * _estimate(name).standard_error for name in PUBLISHED_POPULATION)


@functools.cache
def _estimate(name: str) -> PopulationAUC:
    return population_auc(name, n_draws=4_000_000)


class Distance(NamedTuple):
    """How far an AUC is below the best possible, in points, and its standard error."""

    points: float
    error: float


def find_printed_distance(cell: Cell) -> Distance | None:
    """Return how far the best AUC printed in a cell's row was below the best possible; None where none was printed.

    The best possible is the population AUC as printed, and 100 for real sets.
    """
    printed = [
        published
        for (table, problem, kernel, *rows), published in PUBLISHED.items()
        if (table, problem, kernel) == (cell.table, cell.problem.split(",")[0], cell.kernel)
        if not rows or rows[0] == cell.n_train
    ]
    if not printed:
        return None
    best = max(printed, key=lambda published: published.auc)
    # Errors of AUCs are printed in thousandths, AUCs in per cent.
    return Distance(PUBLISHED_POPULATION.get(cell.problem, 100.0) - best.auc, 0.1 * best.auc_error)


def judge(summary: Summary, others: Iterable[Summary] = ()) -> str:
    """Return a verdict on one of our own cells, empty where there is nothing to compare with.

    Means are alike within two standard errors, the printed one's among them. ``others`` are cells among which the
    paper's method may be on the same rows: how far it is off here says what of a difference is the data's.
    """
    printed = find_printed_distance(summary.cell)
    if summary.cell.method != OURS or printed is None or not summary.n_repeats:
        return ""
    further = summary.behind - printed.points
    error = float(np.hypot(summary.behind_error, printed.error))
    where = f"{abs(further):.3f} points {'further off' if further > 0.0 else 'nearer'}"
    if np.isnan(error):
        return f"{where}, of which one repeat decides nothing{_tell_paper(summary, others)}"
    if abs(further) <= ALIKE * error:
        return f"matched, {where}, within {ALIKE:g} standard errors of {error:.3f}{_tell_paper(summary, others)}"
    if further < 0.0:
        return f"beaten by {-further:.3f} points{_tell_paper(summary, others)}"
    return f"not matched by {further:.3f} points: {explain(summary)}{_tell_paper(summary, others)}"


def _tell_paper(summary: Summary, others: Iterable[Summary]) -> str:
    """Return how far the paper's method is off on the same rows: what of a difference is the data's."""
    beside = [
        f"{other.behind:z.3f}" + (f" ({other.cell.method.removeprefix('paper, ')})" if "," in other.cell.method else "")
        for other in others
        if other.n_repeats and replace(other.cell, method=OURS, published=None) == replace(summary.cell, published=None)
        if other.cell.method != OURS
    ]
    return f"; the paper's method, run here, is {' and '.join(beside)} points below" if beside else ""


def explain(summary: Summary) -> str:
    """Return why an AUC may be further off than the printed one."""
    cell = summary.cell
    if "unscaled" in cell.problem:
        return "the columns are left on their very different scales, and one penalty and one width serve them all"
    if cell.table == 3:
        return "the paper does not say how it made its columns, split its rows or chose its kernel's width"
    return (
        f"the paper's own distance is {PUBLISHED_POPULATION[cell.problem]:g} less the mean AUC, that is with the luck "
        "of its test rows in it, and from a population AUC that the model as described does not have"
    )
