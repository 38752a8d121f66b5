from __future__ import annotations

import builtins
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from rocsvm import __version__, cli
from rocsvm import experiments as parts
from rocsvm.cli import _paper
from rocsvm.cli._app import app
from rocsvm.datasets import DatasetError
from rocsvm.experiments import Task
from rocsvm.experiments import _problems as problems
from tests.shared import DATA


class Bench:
    """Runs the command in a folder; fits are invented, and fail as they are told to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log: list[str] = []
        self.failures: dict[str, BaseException] = {}

    def fit(self, task: Task, *_: Any, **__: Any) -> parts.Result:
        name = f"{task.cell.key} {task.repeat}"
        self.log.append(name)
        if name in self.failures:
            raise self.failures[name]
        return parts.Result(task.cell.key, task.repeat, 0.5, 1.0, 0.1, 0.9 + task.repeat / 1000, 0.91, 1e-4, 7)

    def run(self, *arguments: str) -> Result:
        self.log.clear()
        return CliRunner().invoke(app, ["paper", "--no-studies", "--output", str(self.folder), *arguments])


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(tmp_path / "run")
    monkeypatch.setattr(_paper, "run_task", bench.fit)
    monkeypatch.setattr(_paper, "warm_up", lambda tasks: None)
    return bench


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_run_writes_results_report_and_machine(bench: Bench) -> None:
    done = bench.run("--quick", "--table", "1")
    assert done.exit_code == 0, done.output
    lines = read_lines(bench.folder / "results.jsonl")
    assert len(lines) == len(bench.log) == 12
    assert {line["cell"].split("/")[0] for line in lines} == {"1"}
    assert json.loads((bench.folder / "run.json").read_text())["machines"][0]["Python"]
    assert "Table 1" in done.output
    assert (bench.folder / "report.md").exists()
    assert (bench.folder / "report.html").exists()


def test_what_is_printed_is_no_wider_than_a_terminal(bench: Bench) -> None:
    done = bench.run("--quick")
    tables = done.stdout.splitlines()
    assert max(map(len, tables)) <= 80
    assert "…" not in done.stdout
    assert sum("accelerometer" in line for line in tables) == 4


def test_a_long_name_shortens_nothing_but_itself() -> None:
    seen = io.StringIO()
    console = Console(width=80, force_terminal=True, color_system=None, file=seen)
    cell = next(cell for cell in parts.list_cells() if "18 predictors, unscaled" in cell.problem)
    with _paper.Steps(console, [cell.key] * 1_500) as steps:
        steps.learn(parts.Result(cell.key, 0, 1.0, 2.0))
        steps.begin(_paper.name_task(Task(cell, 11)))
        time.sleep(0.3)  # it is drawn ten times a second
    assert re.search(r"0/1500 0:00:0\d 1:15:00 left repeat 12: paper; bank, 18 pred.*…", seen.getvalue())


def test_repeats_are_as_asked_and_as_the_papers_without(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run("--quick", "--table", "2", "--repeats", "3")
    assert sum(name.startswith("2/radial/radial/5000/ours") for name in bench.log) == 3
    asked: list[dict[int, int]] = []
    monkeypatch.setattr(_paper, "list_tasks", lambda cells, repeats: asked.append(repeats) or [])
    bench.folder = bench.folder.with_name("full")
    bench.run("--table", "all")
    assert asked == [{1: 50, 2: 50, 3: 30}]


def test_an_interrupted_run_goes_on_where_it_stopped(bench: Bench) -> None:
    bench.failures["1/linear/linear/5000/ours 0"] = KeyboardInterrupt()
    done = bench.run("--quick", "--table", "1")
    assert done.exit_code == 130
    assert "Interrupted" in done.output
    assert not (bench.folder / "report.md").exists()
    before = list(bench.log)
    bench.failures.clear()
    assert bench.run("--quick", "--table", "1").exit_code == 0
    assert bench.log[0] == before[-1]
    assert not set(bench.log) & set(before[:-1])
    assert len(read_lines(bench.folder / "results.jsonl")) == 12


def test_a_line_that_was_cut_off_is_fitted_again(bench: Bench) -> None:
    bench.run("--quick", "--table", "1")
    path = bench.folder / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    bench.run("--quick", "--table", "1")
    assert bench.log == ["1/linear/linear/5000/ours 1"]
    assert len(read_lines(path)) == 12


def test_a_finished_run_only_writes_its_report_again(bench: Bench) -> None:
    bench.run("--quick", "--table", "1")
    (bench.folder / "report.md").unlink()
    assert bench.run("--quick", "--table", "1").exit_code == 0
    assert bench.log == []
    assert (bench.folder / "report.md").exists()


def test_a_report_holds_the_tables_of_earlier_calls_too(bench: Bench) -> None:
    bench.run("--quick", "--table", "1")
    bench.run("--quick", "--table", "3")
    text = (bench.folder / "report.md").read_text(encoding="utf-8")
    assert "## Table 1" in text
    assert "## Table 3" in text


def test_quick_and_full_are_not_mixed(bench: Bench) -> None:
    assert bench.run("--quick", "--table", "1").exit_code == 0
    done = bench.run("--table", "1")
    assert done.exit_code == 2
    assert "quick run" in done.output
    assert bench.log == []


def read_refusal(done: Result) -> str:
    """Return what was said by a call that was refused, as flowing text."""
    assert done.exit_code == 2, done.output
    return " ".join(done.output.replace("│", " ").split())


@pytest.mark.parametrize(
    "line", ['{"planet": "Mars"}', '{"cell": 3, "repeat": "a"}', '{"cell": "a", "repeat": 0.5}', "ÿ"]
)
def test_a_file_that_holds_no_results_is_told(bench: Bench, line: str) -> None:
    bench.run("--quick", "--table", "1")
    (bench.folder / "results.jsonl").write_text(line + "\n")
    assert "is no result" in read_refusal(bench.run("--quick"))


def test_results_of_a_run_that_nothing_says_of_are_refused(bench: Bench) -> None:
    bench.run("--quick", "--table", "1")
    (bench.folder / "run.json").unlink()
    assert "but no run.json" in read_refusal(bench.run("--table", "1"))


@pytest.mark.parametrize("note", ["junk", "{}", "[1]", '{"version": "1", "quick": true, "machines": 3}'])
def test_a_damaged_note_is_told(bench: Bench, note: str) -> None:
    bench.run("--quick", "--table", "1")
    (bench.folder / "run.json").write_text(note)
    assert "is damaged" in read_refusal(bench.run("--quick"))


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_folder_that_cannot_be_is_told(bench: Bench, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    bench.folder = tmp_path / place
    assert "is no folder that can be written to" in read_refusal(bench.run("--quick"))


def test_a_repeat_that_was_run_twice_counts_once(bench: Bench) -> None:
    bench.run("--quick", "--table", "1")
    file = bench.folder / "results.jsonl"
    report = (bench.folder / "report.md").read_text(encoding="utf-8")
    file.write_text(2 * file.read_text())
    bench.run("--quick", "--table", "1")
    assert (bench.folder / "report.md").read_text(encoding="utf-8") == report


@pytest.mark.parametrize("table", ["4", "one", "1,2", ""])
def test_another_table_is_refused(bench: Bench, table: str) -> None:
    done = bench.run("--table", table)
    assert done.exit_code == 2
    assert "write 1, 2, 3 or all" in " ".join(done.output.replace("│", " ").split())
    assert not bench.folder.exists()


def test_no_repeats_are_refused(bench: Bench) -> None:
    assert bench.run("--repeats", "0").exit_code == 2


def test_absent_data_is_told_once_and_holds_up_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bench: Bench
) -> None:
    asked: list[str] = []

    def refuse(name: str) -> Callable[..., Any]:
        def fetch(**_: Any) -> Any:
            asked.append(name)
            raise DatasetError(f"The {name} dataset is on the moon.")

        return fetch

    for name in list(problems.FETCHED):
        monkeypatch.setitem(problems.FETCHED, name, refuse(name))
    monkeypatch.setattr(_paper, "run_task", parts.run_task)
    done = bench.run("--quick", "--table", "3")
    assert done.exit_code == 1, done.output
    assert "No cell could be run." in done.output
    assert sorted(asked) == ["accelerometer", "bank", "skin"]
    assert done.output.count("Not run: The skin dataset is on the moon.") == 1
    assert "Not run: The bank dataset is on the moon." in (bench.folder / "report.md").read_text(encoding="utf-8")
    # Tried again by the next call.
    monkeypatch.setattr(_paper, "run_task", bench.fit)
    bench.run("--quick", "--table", "3")
    assert len(bench.log) == 24


def test_studies_go_with_their_tables(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    answered: list[Any] = []

    def answer(question: Any) -> parts.Finding:
        answered.append(question)
        return parts.Finding(*question, excess=0.1, auc=0.9, seconds=0.1)

    monkeypatch.setattr(_paper, "answer", answer)
    bench.run("--quick", "--table", "1", "--studies")
    assert {question[0] for question in answered} == {"pairs"}
    assert "pairs.svg" in (bench.folder / "report.md").read_text(encoding="utf-8")
    answered.clear()
    bench.run("--quick", "--table", "1", "--studies")
    assert answered == []


def test_a_missing_picture_library_is_told_before_anything_runs(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_paper, "find_spec", lambda name: None if name == "matplotlib" else object())
    done = bench.run("--quick")
    assert done.exit_code != 0
    assert "matplotlib, which is not installed: pip install 'rocsvm[paper]'" in str(done.exception)
    assert bench.log == []


def test_a_missing_library_of_the_command_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def fail(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "rocsvm.cli._app":
            raise ModuleNotFoundError("No module named 'typer'", name="typer")
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(SystemExit, match=r"needs typer, which is not installed: pip install 'rocsvm\[paper\]'"):
        cli.main()


def test_version_and_help_are_shown() -> None:
    assert CliRunner().invoke(app, ["--version"]).output.strip() == __version__
    done = CliRunner().invoke(app, ["paper", "--help"], env={"COLUMNS": "100", "NO_COLOR": "1"})
    for option in ("--table", "--repeats", "--quick", "--output"):
        assert option in done.output


START = "import sys; from rocsvm.cli import main; sys.argv[1:] = {arguments}; main()"


@pytest.mark.slow
def test_a_quick_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    environment = {**os.environ, "ROCSVM_DATA": str(DATA), "ROCSVM_HOME": str(tmp_path / "home")}
    code = START.format(arguments=["paper", "--quick", "--output", str(tmp_path / "run")])
    ledger = tmp_path / "run" / "results.jsonl"
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL)
    while process.poll() is None and (not ledger.exists() or ledger.read_text(encoding="utf-8").count("\n") < 5):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = ledger.read_text(encoding="utf-8")
    assert before.count("\n") >= 5
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    after = ledger.read_text(encoding="utf-8")
    assert after.startswith(before[: before.rindex("\n") + 1])
    keys = [(line["cell"], line["repeat"]) for line in read_lines(ledger)]
    assert len(keys) == len(set(keys)) == 46
    report = (tmp_path / "run" / "report.md").read_text(encoding="utf-8")
    assert "landmarks.svg" in report
