"""What a cell's AUC says beside the paper's: matched, or by how much not."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from rocsvm.datasets import population_auc
from rocsvm.experiments._cells import PUBLISHED, PUBLISHED_POPULATION, REAL, Cell
from rocsvm.experiments._methods import OURS
from rocsvm.experiments._results import Summary

# Standard errors within which two means are alike.
ALIKE = 2.0


@functools.cache
def find_population() -> dict[str, float]:
    """Return the AUC of the best scorer of each synthetic model, in per cent, by Monte Carlo."""
    return {name: 100.0 * population_auc(name).auc for name in PUBLISHED_POPULATION}


def find_printed_distance(cell: Cell) -> float | None:
    """Return how far the best AUC printed in a cell's row was below the best possible; None where none was printed.

    The best possible is the population AUC as printed, and 100 for real sets.
    """
    printed = [
        published.auc
        for (table, problem, kernel, *rows), published in PUBLISHED.items()
        if (table, problem, kernel) == (cell.table, cell.problem.split(",")[0], cell.kernel)
        if not rows or rows[0] == cell.n_train
    ]
    return PUBLISHED_POPULATION.get(cell.problem, 100.0) - max(printed) if printed else None


def judge(summary: Summary, others: Iterable[Summary] = ()) -> str:
    """Return a verdict on one of our own cells, empty where there is nothing to compare with.

    ``others`` are cells among which the paper's method may be on the same data: how far it is off here says whether it
    is the data or the method that a printed figure is missed by.
    """
    printed = find_printed_distance(summary.cell)
    if summary.cell.method != OURS or printed is None or not summary.n_repeats:
        return ""
    further = summary.behind - printed
    if further <= 0.0:
        return f"beaten by {-further:.3f} points"
    if not np.isnan(summary.behind_error) and further <= ALIKE * summary.behind_error:
        error = summary.behind_error
        return f"matched, {further:.3f} points further off being within {ALIKE:g} standard errors of {error:.3f}"
    beside = [
        f"{other.behind:z.3f} ({other.cell.method})"
        for other in others
        if other.n_repeats and replace(other.cell, method=OURS, published=None) == replace(summary.cell, published=None)
        if other.cell.method != OURS
    ]
    here = f"; the paper's method itself is {' and '.join(beside)} points below here" if beside else ""
    return f"not matched by {further:.3f} points: {explain(summary)}{here}"


def explain(summary: Summary) -> str:
    """Return why an AUC may be further off than the printed one."""
    cell = summary.cell
    if cell.n_train < REAL.get(cell.problem, 0):
        return f"trained on {cell.n_train:,} rows, where the paper had {REAL[cell.problem]:,}"
    if "unscaled" in cell.problem:
        return "the columns are left on their very different scales, and one penalty and one width serve them all"
    if cell.table == 3:
        return "the paper does not say how it made its columns, split its rows or chose its kernel's width"
    return (
        f"the paper's own distance is {PUBLISHED_POPULATION[cell.problem]:g} less the mean AUC, that is with the luck "
        "of its test rows in it, and from a population AUC that the model as described does not have"
    )
