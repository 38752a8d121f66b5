from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from rocsvm.experiments import Cell, Ledger, Result, summarise
from rocsvm.experiments._results import Summary

CELL = Cell(1, "linear", "linear", 2_000, "ours")


def open_ledger(folder: Path) -> Ledger[Result]:
    return Ledger(folder / "results.jsonl", Result)


def average(*results: Result) -> Summary:
    (summary,) = summarise([CELL], results)
    return summary


def test_results_are_read_back_as_they_were_added(tmp_path: Path) -> None:
    kept = [Result(CELL.key, 0, 1.0, 2.0, 0.1, 0.9, 0.91, 1e-4, 7), Result("2/radial, Nyström", 1, 0.5, 0.25, auc=1.0)]
    for result in kept:
        open_ledger(tmp_path).add(result)
    found = open_ledger(tmp_path).read()
    assert found[0] == kept[0]
    assert (found[1].cell, found[1].auc) == (kept[1].cell, 1.0)
    assert math.isnan(found[1].gap)


def test_each_line_is_strict_json(tmp_path: Path) -> None:
    open_ledger(tmp_path).add(Result(CELL.key, 0, fault="no network"))
    (line,) = (tmp_path / "results.jsonl").read_text().splitlines()
    assert "NaN" not in line
    assert json.loads(line)["fault"] == "no network"


def test_a_last_line_that_was_cut_off_is_dropped_and_no_other(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path)
    ledger.add(Result(CELL.key, 0, auc=0.5))
    with ledger.path.open("a") as file:
        file.write('{"cell": "1/lin')
    ledger = open_ledger(tmp_path)
    ledger.add(Result(CELL.key, 1, auc=0.75))
    assert [(one.repeat, one.auc) for one in ledger.read()] == [(0, 0.5), (1, 0.75)]


def test_a_line_that_is_no_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text('{"planet": "Mars"}\n')
    with pytest.raises(ValueError, match=r"Line 1 of .*results\.jsonl is no result"):
        open_ledger(tmp_path).read()


def test_a_summary_has_means_and_their_standard_errors() -> None:
    aucs = [0.90, 0.92, 0.97]
    one = average(*(Result(CELL.key, k, seconds=k + 1.0, auc=auc, gap=k / 10) for k, auc in enumerate(aucs)))
    assert (one.n_repeats, one.seconds, one.gap) == (3, 2.0, 0.2)
    assert one.auc == pytest.approx(93.0)
    assert one.auc_error == pytest.approx(100.0 * np.std(aucs, ddof=1) / np.sqrt(3))
    assert one.behind == pytest.approx(7.0)


def test_the_distance_below_the_best_has_no_luck_of_the_test_rows_in_it() -> None:
    one = average(*(Result(CELL.key, k, auc=0.9 + luck, best=0.91 + luck) for k, luck in enumerate([0.0, 0.05, -0.2])))
    assert one.behind == pytest.approx(1.0)
    assert one.behind_error == pytest.approx(0.0, abs=1e-9)
    assert one.auc_error > 1.0


def test_one_repeat_has_no_standard_error() -> None:
    assert math.isnan(average(Result(CELL.key, 0, seconds=1.0, auc=0.5)).auc_error)


def test_a_fault_counts_only_where_nothing_else_is_known() -> None:
    bad, good = Result(CELL.key, 0, fault="no network"), Result(CELL.key, 0, seconds=1.0, auc=0.5)
    assert (average(bad).n_repeats, average(bad).fault) == (0, "no network")
    assert (average(bad, good).n_repeats, average(bad, good).fault) == (1, "")


def test_a_cell_without_results_has_no_summary() -> None:
    assert summarise([CELL], [Result("another", 0)]) == []
