"""The pictures of the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rocsvm.experiments._methods import OURS
from rocsvm.experiments._results import Summary
from rocsvm.experiments._studies import Finding

COLORS = {
    "paper, full": "tab:red",
    "paper, no Nyström": "tab:red",
    "paper, incomplete": "tab:orange",
    "paper, Nyström": "tab:orange",
    "paper": "tab:orange",
    OURS: "tab:blue",
}
MARKERS = ("o", "s", "^", "D", "v")
TITLES = ((1, "linear", "linear model (table 1)"), (2, "radial", "radial model (table 2)"))


def open_figure(n_columns: int, width: float = 5.2, height: float = 4.0) -> tuple[Any, Any]:
    """Return a figure that belongs to no window, and its axes in a row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * n_columns, height))
    figure.set_layout_engine("constrained", wspace=0.06)
    return figure, figure.subplots(1, n_columns, squeeze=False)[0]


def draw_growth(summaries: Sequence[Summary]) -> Any:
    """Return seconds to train against rows, on log axes: the two synthetic models."""
    tables = [entry for entry in TITLES if _choose(summaries, entry[0])]
    figure, row = open_figure(len(tables))
    for ax, (table, _, title) in zip(row, tables, strict=True):
        mine = _choose(summaries, table)
        for method in _list_methods(mine):
            own = [one for one in mine if one.cell.method == method]
            ax.errorbar(
                [one.cell.n_train for one in own],
                [one.seconds for one in own],
                yerr=np.nan_to_num([one.seconds_error for one in own]),
                color=COLORS[method],
                marker="o",
                markersize=4,
                label=f"{method}, here",
            )
        for method in _list_methods(mine):
            printed = [(one.cell.n_train, one.cell.published) for one in mine if one.cell.method == method]
            points = [(n_train, published.seconds) for n_train, published in printed if published]
            if points:
                label = f"{method}, as printed"
                ax.plot(*zip(*points, strict=True), color=COLORS[method], linestyle=":", marker="x", label=label)
        ax.set(xscale="log", yscale="log", xlabel="rows to train on", ylabel="seconds to train", title=title)
        _mark_rows(ax, [one.cell.n_train for one in mine])
        ax.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
    return figure


def draw_trade(summaries: Sequence[Summary], population: dict[str, float]) -> Any:
    """Return AUC against seconds: the two synthetic models, beside what the best scorer of the population reaches.

    AUCs are those of the population less what the best scorer has more on the same test rows, whose luck would hide all
    else.
    """
    tables = [entry for entry in TITLES if _choose(summaries, entry[0])]
    figure, row = open_figure(len(tables), height=4.8)
    for ax, (table, problem, title) in zip(row, tables, strict=True):
        mine = _choose(summaries, table)
        sizes = sorted({one.cell.n_train for one in mine})
        for one in mine:
            ax.errorbar(
                one.seconds,
                population[problem] - one.behind,
                yerr=float(np.nan_to_num(one.behind_error)),
                color=COLORS[one.cell.method],
                marker=MARKERS[sizes.index(one.cell.n_train)],
                linestyle="none",
            )
        ax.axhline(population[problem], color="black", linewidth=0.8, linestyle="--")
        # Proxies: a color for each method and a marker for each size say it in fewer lines than all pairs of them.
        for method in _list_methods(mine):
            ax.plot([], [], color=COLORS[method], linewidth=5, label=f"{method}, here")
        ax.plot([], [], color="black", linewidth=0.8, linestyle="--", label="population AUC")
        for marker, n_train in zip(MARKERS, sizes, strict=False):
            ax.plot([], [], color="grey", marker=marker, linestyle="none", label=f"{n_train:,} rows")
        ax.set(xscale="log", xlabel="seconds to train", ylabel="AUC without the luck of test rows, %", title=title)
        ax.ticklabel_format(axis="y", useOffset=False)
        ax.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2)
    return figure


def draw_real(summaries: Sequence[Summary]) -> Any:
    """Return test AUC on the real sets, the printed ones beside."""
    mine = _choose(summaries, 3)
    places = {name: -place for place, name in enumerate(dict.fromkeys(_name_row(one) for one in mine))}
    figure, (ax,) = open_figure(1, width=8.0, height=1.6 + 0.35 * len(places))
    for method, shift, label in (("paper", 0.15, "the paper's method, here"), (OURS, -0.15, "ours")):
        chosen = [one for one in mine if one.cell.method == method]
        ax.errorbar(
            [one.auc for one in chosen],
            [places[_name_row(one)] + shift for one in chosen],
            xerr=np.nan_to_num([one.auc_error for one in chosen]),
            color=COLORS[method],
            marker="o",
            markersize=5,
            linestyle="none",
            label=label,
        )
    printed = [(one.cell.published, places[_name_row(one)]) for one in mine if one.cell.published]
    if printed:
        ax.errorbar(
            [published.auc for published, _ in printed],
            [place for _, place in printed],
            # Errors of AUCs are printed in thousandths, AUCs in per cent.
            xerr=[0.1 * published.auc_error for published, _ in printed],
            color="black",
            marker="x",
            linestyle="none",
            label="as printed",
        )
    ax.set_yticks(list(places.values()), list(places))
    ax.set(xlabel="test AUC, %", title="real sets (table 3)")
    ax.grid(axis="x", linewidth=0.3)
    figure.legend(frameon=False, fontsize=8, loc="outside lower center", ncols=3)
    return figure


def draw_pairs(findings: Sequence[Finding]) -> Any:
    """Return what a number of random pairs costs: excess over the exact optimum, and test AUC."""
    return _draw_study(findings, "pairs drawn, B, of n rows", "of all pairs", _name_multiple)


def draw_landmarks(findings: Sequence[Finding]) -> Any:
    """Return what a number of landmarks costs: distance from the best of the whole kernel, and test AUC."""
    return _draw_study(findings, "landmarks, d", "of the whole kernel", "{:g}".format)


def _draw_study(findings: Sequence[Finding], size: str, best: str, name_size: Any) -> Any:
    figure, row = open_figure(2)
    for scheme in dict.fromkeys(one.scheme for one in findings):
        own = [one for one in findings if one.scheme == scheme]
        sizes = sorted({one.size for one in own})
        for ax, name in zip(row, ("excess", "auc"), strict=True):
            values = [100.0 * np.array([getattr(one, name) for one in own if one.size == wanted]) for wanted in sizes]
            means = [float(one.mean()) for one in values]
            # AUCs differ from repeat to repeat by their test rows, which all sizes share: bars would say nothing.
            errors = [
                one.std(ddof=1) / np.sqrt(len(one)) if len(one) > 1 and name == "excess" else 0.0 for one in values
            ]
            ax.errorbar(sizes, means, yerr=errors, marker="o", markersize=4, label=scheme)
    row[0].set(xscale="log", yscale="log", xlabel=size, ylabel=f"objective above the best {best}, %")
    row[1].set(xscale="log", xlabel=size, ylabel="test AUC, %")
    row[1].ticklabel_format(axis="y", useOffset=False)
    ticks = sorted({one.size for one in findings})
    for ax in row:
        ax.set_xticks(ticks, [name_size(tick) for tick in ticks], minor=False)
        ax.set_xticks([], minor=True)
    row[0].legend(frameon=False, fontsize=8)
    return figure


def _name_multiple(size: float) -> str:
    if size < 1.0:
        return f"n/{1.0 / size:g}"
    return "n" if size == 1.0 else f"{size:g}n"


def _choose(summaries: Sequence[Summary], table: int) -> list[Summary]:
    return [one for one in summaries if one.cell.table == table and one.n_repeats]


def _list_methods(summaries: Iterable[Summary]) -> list[str]:
    return [method for method in COLORS if method in {one.cell.method for one in summaries}]


def _name_row(summary: Summary) -> str:
    return f"{summary.cell.problem}, {summary.cell.kernel} kernel"


def _mark_rows(ax: Any, sizes: Iterable[int]) -> None:
    ticks = sorted(set(sizes))
    ax.set_xticks(ticks, [f"{tick // 1000:,}k" if tick < 1_000_000 else f"{tick / 1e6:g}M" for tick in ticks])
    ax.set_xticks([], minor=True)
