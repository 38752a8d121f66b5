"""The report: Markdown with pictures beside it, and one HTML page with everything inside."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rocsvm.experiments import _pictures as pictures
from rocsvm.experiments._cells import BEYOND_REPEATS, MOST_FULL, PUBLISHED_POPULATION, QUICK_ROWS, Cell, Published
from rocsvm.experiments._methods import ADAMAX, QUICK_SEARCH, ROUGHLY, SEARCH
from rocsvm.experiments._problems import EIGHTEEN_WITHOUT, MOST_ROWS, N_TEST
from rocsvm.experiments._results import Result, Summary, summarise
from rocsvm.experiments._studies import LANDMARKS_ALPHA, N_ROWS, PAIRS_ALPHA, REFERENCE_LANDMARKS, Finding
from rocsvm.experiments._verdicts import find_population, find_population_error, find_printed_distance, judge
from rocsvm.solvers import MAX_STEPS

TITLES = {
    1: "Table 1: linear model, full and incomplete",
    2: "Table 2: radial model, without and with Nyström",
    3: "Table 3: real data",
}
MISSING = "–"

INTRODUCTION = f"""\
# "Scaling Up ROC-Optimizing Support Vector Machines", run again

Beside each figure as the paper printed it: the paper's own method on this machine (pairs as many as rows, drawn with
replacement, ADAMAX, 300 landmarks drawn from each class in proportion), and ours by default (all pairs, Newton's
method, 300 k-means landmarks). What the paper leaves open is read as follows: ADAMAX takes the steps and stops of the
authors' code (step {ADAMAX.step:g}, decay {ADAMAX.beta1:g} and {ADAMAX.beta2:g}, at most {MAX_STEPS:,} steps) with a
norm for each coordinate, as Kingma and Ba have it; real data are split, scaled and given a width as said below.

- **Seconds** are those of one fit at the penalty chosen, landmarks and features included; the search for the penalty
  is not in the first column of them but in "search". Each method was run once beforehand, so that nothing is compiled
  while the clock runs. They depend on the penalty chosen, which is beside them, with the median number of steps: where
  AUC hardly depends on it, the choice is a matter of luck, and repeats differ by it.
- **In parentheses** are standard errors over the repeats; as printed where the figure is printed. Of printed AUCs they
  lack a factor of 0.001, says a note to table 3, so that (1.96) is 0.196 points; tables 1 and 2 say nothing of it.
- **The penalty** is chosen in every repeat by {SEARCH["cv"]}-fold cross-validation over {SEARCH["alphas"]} values, for
  the objective of the method in question. Which penalty an objective wants does not depend on the solver, so the search
  always takes Newton's method; for the paper's objective to a gap of {ROUGHLY["tol"]:g} or {ROUGHLY["max_iter"]} steps,
  and on 300 landmarks also for the kernel without Nyström.
- **"paper, full"** is the paper's method over all pairs, and stops at {MOST_FULL:,} rows as in the paper. It takes the
  same steps as with a row of differences for each pair, but has its sums from sorted scores, and so neither the memory
  nor the seconds of the printed one. Ours goes on to a million rows, beyond the paper, in {BEYOND_REPEATS} repeats.
- **Gap** is how far at most, proved, the objective is from the least value of the method's own, as a share of it, the
  worst of the repeats. The paper's method stops where its steps are short, or after {MAX_STEPS:,}, and knows no gap;
  here Newton's method finds it, on the same pairs and landmarks.
- **AUC** is the share of pairs whose positive row scores higher, ties counting half. The sample AUC in the paper's
  introduction has its indicator reversed: with f(xᵢ) ≤ f(xⱼ), i positive and j negative, it is one minus the AUC. The
  one it measures by, in its section 4, is right.
- **Synthetic data**: two normal features, offset such that four in five are negative, {N_TEST:,} rows to test on.
- **Real data**: 70 % to train on, stratified. Columns of text are one-hot and all columns standardised, from the
  training rows; gamma is one over the number of columns times their variance, here and for synthetic data. The paper
  says nothing of any of this.
- **Skin**: a stratified draw of {MOST_ROWS:,} of 245,057 rows. Only 51,433 of all rows are distinct, so that most rows
  to test on were trained on too, and AUCs on it flatter every method.
- **Bank**: `duration` is known only after the call, when the answer is known too, and is left out. That leaves the 19
  predictors of the paper's text; its table says 18, which is read as leaving out `{EIGHTEEN_WITHOUT}` too. "Unscaled"
  numbers the texts and scales nothing.
- **Accelerometer**: positive is activity 0, standing, 571 rows of 31,991. They follow each other in time, so that here,
  too, rows to test on have near twins among those trained on.
"""

QUICK = f"""\
**A quick run**: fewer and smaller cells than what is described above, few repeats, a search over
{QUICK_SEARCH["alphas"]} penalties by {QUICK_SEARCH["cv"]} folds, and at most {QUICK_ROWS:,} rows of real sets to train
on. It shows that all runs, and no more; so it passes no verdicts.
"""

POPULATION = """\
The population AUC of the models as described, with four in five negative, is {linear:.2f} % (linear) and {radial:.2f} %
(radial), by Monte Carlo (standard errors up to {error:.3f}); the paper prints {printed_linear} % and
{printed_radial} %. So what is compared is the
distance from the population AUC, each from its own. "Below best" is that distance for each cell: how far its AUC is
below that of the best possible scorer on the same test rows, which leaves the luck of the test rows out.
"""

STUDIES = {
    "pairs.svg": f"""\
## How many pairs

The linear model, {N_ROWS:,} rows, alpha {PAIRS_ALPHA:g}: how far the objective over all pairs is above the best,
proved, when the model was fitted to so many random pairs. Since all pairs cost no more than a sort, drawing fewer
serves to reproduce the paper, and little else.

![Excess over the best objective, and test AUC, against the number of pairs](pairs.svg)
""",
    "landmarks.svg": f"""\
## How many landmarks

The radial model, {N_ROWS:,} rows, alpha {LANDMARKS_ALPHA:g}, gamma 0.5: how far the objective is above the best
of the whole kernel, which {REFERENCE_LANDMARKS} landmarks prove to a few millionths.

![Distance from the best of the whole kernel, and test AUC, against the number of landmarks](landmarks.svg)
""",
}
SPEED = """\
## Seconds against rows, AUC against seconds

![Seconds to train against rows](growth.svg)

![Test AUC against seconds to train](trade.svg)
"""
REAL_DATA = """\
## Real data

![Test AUC on the real sets](real.svg)
"""

STYLE = """\
body { font: 15px/1.5 sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1em 0 }
th, td { border-bottom: 1px solid #ddd; padding: .2em .7em; text-align: left }
th { border-bottom: 2px solid #888 } svg { max-width: 100%; height: auto } code { background: #f3f3f3 }
"""


def write_report(
    folder: Path,
    cells: Sequence[Cell],
    results: Sequence[Result],
    findings: Sequence[Finding],
    *,
    machines: Sequence[dict[str, str]],
    quick: bool = False,
) -> Path:
    """Write report.md, its pictures and report.html into a folder, and return the path of the page."""
    summaries, population = summarise(cells, results), find_population()
    drawn = draw_pictures(summaries, findings, population)
    for name, picture in drawn.items():
        (folder / name).write_text(picture, encoding="utf-8")
    text = compose(summaries, drawn, population, machines, quick=quick)
    (folder / "report.md").write_text(text, encoding="utf-8")
    page = folder / "report.html"
    page.write_text(convert(text, drawn), encoding="utf-8")
    return page


def draw_pictures(
    summaries: Sequence[Summary], findings: Sequence[Finding], population: dict[str, float]
) -> dict[str, str]:
    """Return the pictures that there is something to draw in, as SVG by name of file."""
    figures: dict[str, Any] = {}
    tables = {one.cell.table for one in summaries if one.n_repeats}
    if tables & {1, 2}:
        figures["growth.svg"] = pictures.draw_growth(summaries)
        figures["trade.svg"] = pictures.draw_trade(summaries, population)
    if 3 in tables:
        figures["real.svg"] = pictures.draw_real(summaries)
    for study, draw in (("pairs", pictures.draw_pairs), ("landmarks", pictures.draw_landmarks)):
        if own := [one for one in findings if one.study == study]:
            figures[f"{study}.svg"] = draw(own)
    return {name: save(figure) for name, figure in figures.items()}


def save(figure: Any) -> str:
    """Return a figure as SVG, the same text for the same figure."""
    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.hashsalt": "rocsvm"}):
        figure.savefig(file, format="svg", metadata=dict.fromkeys(["Creator", "Date", "Format", "Type"]))
    return file.getvalue()


def compose(
    summaries: Sequence[Summary],
    drawn: Container[str],
    population: dict[str, float],
    machines: Sequence[dict[str, str]],
    *,
    quick: bool,
) -> str:
    """Return the report in Markdown, with the pictures that were drawn."""
    printed = {f"printed_{name}": value for name, value in PUBLISHED_POPULATION.items()}
    parts = [INTRODUCTION, *[QUICK] * quick]
    parts += [POPULATION.format(**population, **printed, error=find_population_error()), describe(machines)]
    for table, title in TITLES.items():
        mine = [one for one in summaries if one.cell.table == table]
        if mine:
            verdicts = "" if quick else list_verdicts(mine)
            parts.append(f"## {title}\n\n{tabulate(mine)}\n{verdicts}")
    parts += [text for name, text in {"growth.svg": SPEED, "real.svg": REAL_DATA, **STUDIES}.items() if name in drawn]
    return "\n".join(parts)


def describe(machines: Sequence[dict[str, str]]) -> str:
    """Return what it ran on, as a line for each machine."""
    lines = [", ".join(f"{name} {value}" for name, value in machine.items()) for machine in machines]
    mixed = "**Not all of this ran on one machine**, so that seconds may not compare.\n\n" if len(lines) > 1 else ""
    return mixed + "\n\n".join(f"Ran on: {line}." for line in lines) + "\n"


def tabulate(summaries: Sequence[Summary]) -> str:
    """Return the rows of a table."""
    is_real = summaries[0].cell.table == 3
    head = ["data", "kernel"] * is_real + ["rows", "method", "seconds", "seconds, printed", "AUC, %", "AUC, printed"]
    head += ["below best"] * (not is_real) + ["penalty", "search", "steps", "gap", "repeats"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for one in summaries:
        cell = one.cell
        row = [cell.problem, cell.kernel] * is_real + [f"{cell.n_train:,}", cell.method]
        row += [show(one.seconds, one.seconds_error), show_printed(cell.published, "seconds")]
        row += [show(one.auc, one.auc_error), show_printed(cell.published, "auc", 2 if is_real else 3)]
        row += [show(one.behind, one.behind_error)] * (not is_real)
        row += [show_penalties(one), show(one.search_seconds), str(one.n_iter or MISSING)]
        row += [MISSING if np.isnan(one.gap) else f"{one.gap:.0e}", str(one.n_repeats)]
        lines.append("| " + " | ".join(row) + " |")
    faults = dict.fromkeys(one.fault for one in summaries if one.fault)
    return "\n".join([*lines, *(f"\nNot run: {fault}" for fault in faults), ""])


def show_penalties(summary: Summary) -> str:
    """Return the median penalty, with the range of all where they differ."""
    least, median, largest = summary.alphas
    if np.isnan(median):
        return MISSING
    return f"{median:.0e}" if least == largest else f"{median:.0e} ({least:.0e} to {largest:.0e})"


def show(mean: float, error: float = float("nan")) -> str:
    """Return a mean with its standard error, where that is known."""
    if np.isnan(mean):
        return MISSING
    return f"{mean:z.3f}" if np.isnan(error) else f"{mean:z.3f} ({error:.3f})"


def show_printed(published: Published | None, name: str, digits: int = 2) -> str:
    """Return a figure of the paper's with its error, as printed."""
    if published is None:
        return MISSING
    return f"{getattr(published, name):.{digits}f} ({getattr(published, f'{name}_error'):.2f})"


def list_verdicts(summaries: Sequence[Summary]) -> str:
    """Return a line for each of our cells that has a printed figure beside it."""
    lines = []
    for one in summaries:
        verdict, printed = judge(one, summaries), find_printed_distance(one.cell)
        if not verdict or printed is None:
            continue
        cell = one.cell
        is_real = cell.table == 3
        name = f"{cell.problem}, {cell.kernel} kernel" if is_real else f"{cell.problem} model"
        what = "100 %" if is_real else "the population AUC"
        lines.append(
            f"- {name}, {cell.n_train:,} rows: {one.behind:z.3f} points below {what} "
            f"here, {printed.points:.3f} as printed: {verdict}."
        )
    return "\n".join(["Our AUC beside the best that the paper prints for such rows:\n", *lines, ""]) if lines else ""


def convert(text: str, drawn: dict[str, str]) -> str:
    """Return the Markdown of these reports as one page with its pictures inside."""
    body = []
    for block in re.split(r"\n{2,}", text.strip()):
        lines = block.strip().split("\n")
        if block.startswith("|"):
            body.append(_convert_table(lines))
        elif match := re.fullmatch(r"(#+) (.*)", block.strip(), flags=re.DOTALL):
            level = len(match[1])
            body.append(f"<h{level}>{_convert_words(match[2])}</h{level}>")
        elif match := re.fullmatch(r"!\[(.*)\]\((.*)\)", block.strip()):
            picture = drawn[match[2]][drawn[match[2]].index("<svg") :]
            body.append(picture.replace("<svg", f'<svg role="img" aria-label="{html.escape(match[1])}"', 1))
        elif lines[0].startswith("- "):
            items = re.split(r"\n(?=- )", block.strip())
            body.append("<ul>" + "".join(f"<li>{_convert_words(item[2:])}</li>" for item in items) + "</ul>")
        else:
            body.append(f"<p>{_convert_words(block)}</p>")
    title = html.escape(text.split("\n", 1)[0].lstrip("# "))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _convert_table(lines: Sequence[str]) -> str:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not line.startswith("|---")]
    head, *body = [
        "<tr>" + "".join(f"<{tag}>{_convert_words(cell)}</{tag}>" for cell in row) + "</tr>"
        for row, tag in zip(rows, ["th"] + ["td"] * (len(rows) - 1), strict=True)
    ]
    return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def _convert_words(text: str) -> str:
    escaped = html.escape(text, quote=False)
    escaped = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escaped, flags=re.DOTALL)
    return re.sub(r"`(.+?)`", r"<code>\1</code>", escaped, flags=re.DOTALL)
