"""`rocsvm paper`: the paper's experiments, its figures beside ours."""

from __future__ import annotations

import json
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from rocsvm import __version__
from rocsvm.cli import INSTALL
from rocsvm.experiments import (
    QUICK_REPEATS,
    REPEATS,
    TABLES,
    Finding,
    Ledger,
    Pace,
    RealSets,
    Result,
    Summary,
    Task,
    answer,
    describe_machine,
    find_open,
    find_unanswered,
    list_cells,
    list_questions,
    list_tasks,
    name_kind,
    run_task,
    summarise,
    warm_up,
    write_report,
)

# The files of a run, beside run.json.
RESULTS, STUDIES = "results.jsonl", "studies.jsonl"


def paper(
    table: Annotated[str, typer.Option(help="Which table: 1, 2, 3 or all.")] = "all",
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Repeats of each cell; as in the paper (50, 50, 30) if not given.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller and fewer: about a minute.")] = False,
    studies: Annotated[
        bool, typer.Option(help="Also how many pairs (with table 1) and how many landmarks (with table 2) are enough.")
    ] = True,
    output: Annotated[Path, typer.Option(help="Folder of results and report; a run goes on where one stopped.")] = Path(
        "rocsvm-paper"
    ),
) -> None:
    """Run the paper's experiments: the figures it printed, its method on this machine, and ours.

    Finished cells are kept: interrupt it, and the same command goes on.
    """
    tables = read_tables(table)
    check_installed()
    wanted = dict.fromkeys(TABLES, repeats or QUICK_REPEATS) if repeats or quick else REPEATS
    console = Console(stderr=True)
    try:
        machines = note_setup(output, quick)
        results, findings = Ledger(output / RESULTS, Result), Ledger(output / STUDIES, Finding)
        tasks = find_open(list_tasks(list_cells(tables, quick=quick), wanted), results)
        questions = find_unanswered(list_questions(tables, quick=quick), findings)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--output") from None
    except OSError as error:
        raise typer.BadParameter(
            f"{output} is no folder that can be written to ({error.strerror}). Name another.", param_hint="--output"
        ) from None
    questions = questions if studies else []
    console.print(f"{len(tasks)} fits and {len(questions)} findings to do, in [bold]{output}[/bold].")
    try:
        with Steps(
            console, [task.cell.key for task in tasks] + [name_kind(question) for question in questions]
        ) as steps:
            for result in results.read():
                steps.learn(result)
            steps.tell("warming up")
            warm_up(tasks)
            sets = RealSets(steps.tell)
            for task in tasks:
                steps.begin(name_task(task))
                result = run_task(task, sets, quick=quick)
                results.add(result)
                steps.end(result.fault)
            for question in questions:
                steps.begin(f"repeat {question[-1] + 1}: {name_kind(question)}")
                findings.add(answer(question))
                steps.end()
        # All that the folder holds, be it of another call.
        cells, found = list_cells(quick=quick), results.read()
        page = write_report(output, cells, found, findings.read(), machines=machines, quick=quick)
    except KeyboardInterrupt:
        console.print("Interrupted. What is finished is kept; the same command goes on from there.")
        raise typer.Exit(130) from None
    summaries = summarise(cells, found)
    print_tables(summaries)
    console.print(f"Report: [bold]{page}[/bold] and report.md beside it.")
    if not any(one.n_repeats for one in summaries):
        console.print("No cell could be run.")
        raise typer.Exit(1)


def read_tables(table: str) -> tuple[int, ...]:
    """Return the numbers that the option stands for."""
    if table == "all":
        return TABLES
    if table not in map(str, TABLES):
        raise typer.BadParameter(f"{table!r} is no table of the paper; write 1, 2, 3 or all.", param_hint="--table")
    return (int(table),)


def name_task(task: Task) -> str:
    """Return what a task is called while it runs."""
    cell = task.cell
    data = f"{cell.problem}, {cell.kernel}" if cell.table == 3 else cell.problem
    return f"repeat {task.repeat + 1}: {cell.method}; {data}, {cell.n_train:,}"


def check_installed() -> None:
    """Leave, before anything runs, where what the report needs at the end is missing."""
    for name in ("matplotlib", "pandas"):
        if find_spec(name) is None:
            raise SystemExit(INSTALL.format(name))


def note_setup(folder: Path, quick: bool) -> list[dict[str, str]]:
    """Note in a folder what runs there, refuse to mix it with a run of another kind, and return the machines so far."""
    note = folder / "run.json"
    before: dict[str, Any] = {"version": __version__, "quick": quick, "machines": []}
    if note.exists():
        before = read_note(note)
    elif any((folder / name).exists() for name in (RESULTS, STUDIES)):
        raise ValueError(f"{folder} holds results, but no run.json that says of which run. Name another folder.")
    if (before["version"], before["quick"]) != (__version__, quick):
        raise ValueError(
            f"{folder} holds a {'quick' if before['quick'] else 'full'} run of version {before['version']}, which this "
            f"{'quick' if quick else 'full'} one of version {__version__} would mix with. Name another folder."
        )
    machines: list[dict[str, str]] = before["machines"]
    machine = describe_machine()
    if machine not in machines:
        machines.append(machine)
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = note.with_suffix(".part")
        unfinished.write_text(json.dumps(before, indent=2) + "\n", encoding="utf-8")
        unfinished.replace(note)
    return machines


def read_note(note: Path) -> dict[str, Any]:
    """Return what ran in a folder before, by its note."""
    try:
        before = json.loads(note.read_text(encoding="utf-8"))
        return {"version": before["version"], "quick": before["quick"], "machines": list(before["machines"])}
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{note} is damaged: it does not say what ran there. Name another folder.") from None


class Steps:
    """A bar with what runs and the time left, to be told of each step."""

    def __init__(self, console: Console, kinds: list[str]) -> None:
        columns = (
            SpinnerColumn(),
            BarColumn(bar_width=10),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}left"),
            # What is left of a line, so that a long name shortens nothing else.
            TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
        )
        self._kinds = kinds
        self._n_done = 0
        self._pace = Pace()
        self._faults: set[str] = set()
        self._progress = Progress(*columns, console=console, expand=True)
        self._bar = self._progress.add_task("", total=len(kinds), left="? ")

    def __enter__(self) -> Steps:
        """Show the bar."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the bar as it stands."""
        self.tell("")
        self._progress.stop()

    def learn(self, result: Result) -> None:
        """Take an earlier result into account for the time left."""
        if not result.fault:
            self._pace.add(result.cell, result.seconds + result.search_seconds)

    def tell(self, text: str) -> None:
        """Say what runs."""
        self._progress.update(self._bar, description=text)

    def begin(self, name: str) -> None:
        """Say which step runs, and what time it and those after it will take."""
        self._progress.update(self._bar, description=name, left=self._show_left())
        self._begun = self._progress.get_time()

    def _show_left(self) -> str:
        seconds = self._pace.estimate(self._kinds[self._n_done :])
        return "? " if seconds is None else f"{timedelta(seconds=round(seconds))} "

    def end(self, fault: str = "") -> None:
        """Note that the step is done, and say once why it could not be."""
        if not fault:
            self._pace.add(self._kinds[self._n_done], self._progress.get_time() - self._begun)
        self._n_done += 1
        self._progress.update(self._bar, completed=self._n_done, left=self._show_left())
        if fault and fault not in self._faults:
            self._faults.add(fault)
            self._progress.console.print(f"Not run: {fault}", soft_wrap=True)


def print_tables(summaries: list[Summary]) -> None:
    """Print a table for each of the paper's, no wider than 80 columns."""
    console = Console()
    for number in TABLES:
        mine = [one for one in summaries if one.cell.table == number]
        if not mine:
            continue
        is_real = number == 3
        table = Table(title=f"Table {number}", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        for name in ["data", "kernel"] if is_real else ["rows"]:
            table.add_column(name, justify="left" if is_real else "right", no_wrap=True)
        table.add_column("method", no_wrap=True)
        for name in ("seconds", "printed", "AUC, %", "printed"):
            table.add_column(name, justify="right", no_wrap=True)
        for one in mine:
            cell = one.cell
            # Of how many predictors goes without saying.
            place = [cell.problem.replace(" predictors", ""), cell.kernel] if is_real else [f"{cell.n_train:,}"]
            table.add_row(*place, cell.method, *show_figures(one))
        console.print(table)


def show_figures(summary: Summary) -> tuple[str, str, str, str]:
    """Return seconds and AUC, each as found and as printed."""
    published, digits = summary.cell.published, 2 if summary.cell.table == 3 else 3
    mine = (f"{summary.seconds:.3f}", f"{summary.auc:.3f}") if summary.n_repeats else ("–", "–")
    printed = (f"{published.seconds:.2f}", f"{published.auc:.{digits}f}") if published else ("–", "–")
    return mine[0], printed[0], mine[1], printed[1]
