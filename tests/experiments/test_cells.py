from __future__ import annotations

import re

import pytest

from rocsvm.experiments import REPEATS, list_cells
from rocsvm.experiments._cells import PUBLISHED, PUBLISHED_POPULATION, REAL
from tests.shared import PAPER


def test_no_two_cells_share_a_key() -> None:
    for quick in (False, True):
        keys = [cell.key for cell in list_cells(quick=quick)]
        assert len(keys) == len(set(keys))


def test_every_printed_figure_stands_in_a_cell_of_the_paper_method() -> None:
    cells = list_cells()
    plain = [cell for cell in cells if "," not in cell.problem]
    assert {cell.published for cell in plain} - {None} == set(PUBLISHED.values())
    assert all(cell.method.startswith("paper") for cell in cells if cell.published)


def test_cells_are_of_the_papers_sizes_and_ours_goes_on_beyond() -> None:
    sizes = {
        (cell.table, method): [other.n_train for other in list_cells((cell.table,)) if other.method == method]
        for cell in list_cells((1, 2))
        for method in [cell.method]
    }
    assert sizes[1, "paper, full"] == sizes[2, "paper, no Nyström"] == [5_000, 10_000]
    assert sizes[1, "paper, incomplete"] == sizes[2, "paper, Nyström"] == [5_000, 10_000, 50_000, 100_000]
    assert sizes[1, "ours"] == sizes[2, "ours"] == [5_000, 10_000, 50_000, 100_000, 1_000_000]
    assert REPEATS == {1: 50, 2: 50, 3: 30}


def test_the_bank_data_are_read_in_four_ways_by_both_kernels_and_methods() -> None:
    bank = [cell for cell in list_cells((3,)) if cell.problem.startswith("bank")]
    assert len({cell.problem for cell in bank}) == 4
    assert len(bank) == 16


def test_seven_tenths_of_the_rows_of_real_sets_are_trained_on() -> None:
    whole = {"skin": 100_000, "accelerometer": 31_991, "bank": 41_188}
    assert {name: rows for name, rows in REAL.items() if name in whole} == {
        name: int(0.7 * rows) for name, rows in whole.items()
    }


def test_a_quick_run_is_smaller() -> None:
    quick = list_cells(quick=True)
    assert {cell.table for cell in quick} == {1, 2, 3}
    assert max(cell.n_train for cell in quick) == 5_000
    assert len(quick) < len(list_cells()) / 2 + 1


def find_numbers(line: str) -> list[float]:
    """Return the numbers of a row of a table of the paper, without its decoration."""
    plain = re.sub(r"\\[a-z]+(\{[^{}]*\})?|[{}$]", " ", re.sub(r"\{,\}", "", line))
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", plain)]


@pytest.mark.skipif(not PAPER.is_file(), reason="the paper's text is not beside the repository")
def test_printed_figures_are_those_of_the_papers_text() -> None:
    text = PAPER.read_text(encoding="utf-8")
    for table, of_all, of_some in (
        (1, "paper, full", "paper, incomplete"),
        (2, "paper, no Nyström", "paper, Nyström"),
    ):
        problem = {1: "linear", 2: "radial"}[table]
        part = text[text.index({1: "tab:sim_linear}", 2: "tab:sim_nonlinear}"}[table]) :]
        for n_train in (5_000, 10_000, 50_000, 100_000):
            row = re.search(rf"\n\s*{n_train // 1000}\{{,\}}000 .*\\\\", part)
            assert row
            size, *found = find_numbers(row[0])
            full, some = (PUBLISHED.get((table, problem, problem, n_train, method)) for method in (of_all, of_some))
            assert some is not None
            first, second = ((full.seconds, full.seconds_error), (full.auc, full.auc_error)) if full else ((), ())
            assert size == n_train
            assert found == [*first, some.seconds, some.seconds_error, *second, some.auc, some.auc_error]
    part = text[text.index("tab:real_data_result}") :]
    rows = [find_numbers(row) for row in re.findall(r"& (?:Linear|Radial)\s*&(.*)\\\\", part)]
    assert rows == [list(PUBLISHED[key]) for key in PUBLISHED if key[0] == 3]
    for value in PUBLISHED_POPULATION.values():
        assert rf"is {value}\%" in text
