from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks import _command
from benchmarks._bars import Bar
from benchmarks._command import conduct, parse
from benchmarks._datasets import MissingDataError
from benchmarks._results import Results, write_mixture, write_where
from benchmarks._store import Case, decode


@dataclass(frozen=True)
class Entry:
    name: str
    seconds: list[float]


@dataclass(frozen=True)
class Group:
    entries: list[Entry]


@dataclass
class Found(Results):
    entries: list[Entry] = field(default_factory=list)


class Bench:
    """Three cases; notes which are measured, and fails as it is told to."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.failures: dict[str, BaseException] = {}
        self.found = Found()

    def run(self, *arguments: str) -> list[str]:
        """Return which cases are measured."""
        self.log.clear()
        self.found = Found()
        cases = [Case(name, "entries", Entry, self._measure(name)) for name in ("slow a", "slow b", "fast")]
        conduct("bench", parse("bench", arguments, None, repeats=1), cases, self.found, write_report, list_bars)
        return list(self.log)

    def _measure(self, name: str) -> Callable[..., list[Any]]:
        def measure(tell: Callable[[str], None]) -> list[Any]:
            self.log.append(name)
            if name in self.failures:
                raise self.failures[name]
            return [Entry(name, [1.0])]

        return measure


def write_report(results: Found) -> str:
    names = [entry.name + results.mark(entry.name) for entry in results.entries]
    return "\n".join([*names, *write_mixture(results), *write_where(results)])


def list_bars(results: Found) -> list[Bar]:
    return [Bar("cases", "3", str(len(results.entries)), len(results.entries) == 3)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_command, "RESULTS", tmp_path)
    set_source(monkeypatch, "1111")
    return tmp_path


def set_source(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    facts = {"source": source, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    monkeypatch.setattr(_command, "describe", lambda: facts)
    monkeypatch.setattr(_command, "fingerprint", lambda: source)


def test_what_was_measured_on_this_source_is_kept(folder: Path) -> None:
    bench = Bench()
    assert bench.run() == ["slow a", "slow b", "fast"]
    assert bench.run() == []
    assert [entry.name for entry in bench.found.entries] == ["slow a", "slow b", "fast"]
    assert bench.run("--only", "slow", "--again") == ["slow a", "slow b"]
    assert json.loads((folder / "bench.json").read_text())["bars"][0]["met"] is True


def test_an_interrupted_run_goes_on_where_it_stopped(folder: Path) -> None:
    bench = Bench()
    bench.failures["slow b"] = KeyboardInterrupt()
    assert bench.run() == ["slow a", "slow b"]
    assert not (folder / "bench.md").exists()
    bench.failures.clear()
    assert bench.run() == ["slow b", "fast"]
    assert (folder / "bench.md").read_text().startswith("slow a\nslow b\nfast\n")


def test_a_crash_loses_only_its_own_case(folder: Path) -> None:
    bench = Bench()
    bench.failures["fast"] = RuntimeError("out of luck")
    with pytest.raises(RuntimeError, match="out of luck"):
        bench.run()
    bench.failures.clear()
    assert bench.run() == ["fast"]


def test_a_table_of_two_sources_shows_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    bench.run()
    set_source(monkeypatch, "2222")
    assert bench.run("--only", "slow b") == ["slow b"]
    report = (folder / "bench.md").read_text()
    assert report.startswith("slow a [1]\nslow b [2]\nfast [1]\n**Not all of this")
    assert "differ in source." in report
    assert "1111" in report
    assert bench.run("--keep") == []
    assert bench.run() == ["slow a", "fast"]
    assert "Not all" not in (folder / "bench.md").read_text()


def test_a_source_that_changes_meanwhile_is_never_taken_for_the_present_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench()
    monkeypatch.setattr(_command, "fingerprint", lambda: "2222")
    bench.run("--only", "fast")
    assert bench.found.environments["fast"]["source"] == "1111, then 2222"
    set_source(monkeypatch, "2222")
    assert "fast" in bench.run()


def test_absent_data_is_told_and_holds_up_nothing(folder: Path) -> None:
    bench = Bench()
    bench.failures["slow a"] = MissingDataError("rows.csv is not there")
    assert bench.run() == ["slow a", "slow b", "fast"]
    assert bench.found.skipped == ["slow a: rows.csv is not there"]
    assert (folder / "bench.md").exists()


def test_a_quick_run_keeps_nothing_and_reads_nothing(folder: Path) -> None:
    bench = Bench()
    assert len(bench.run("--quick")) == 3
    assert list(folder.iterdir()) == []


def test_report_measures_nothing(folder: Path) -> None:
    bench = Bench()
    bench.run("--only", "fast")
    assert not (folder / "bench.md").exists()
    assert bench.run("--report") == []
    assert (folder / "bench.md").read_text().startswith("fast\n")


def test_a_name_without_a_case_is_refused(folder: Path) -> None:
    with pytest.raises(SystemExit, match="--list names them"):
        Bench().run("--only", "none such")


def test_entries_of_another_shape_are_measured_anew(folder: Path) -> None:
    bench = Bench()
    bench.run()
    path = folder / "bench.json"
    path.write_text(path.read_text().replace('"seconds"', '"minutes"'))
    assert len(bench.run()) == 3


def test_nested_entries_are_read_back() -> None:
    assert decode(Group, {"entries": [{"name": "x", "seconds": [1.0]}]}) == Group([Entry("x", [1.0])])
