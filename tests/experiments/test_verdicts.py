from __future__ import annotations

import pytest

from rocsvm.experiments import Cell, Summary
from rocsvm.experiments._verdicts import find_population, find_printed_distance, judge

LINEAR = Cell(1, "linear", "linear", 5_000, "ours")


def draw_summary(cell: Cell, behind: float, error: float = float("nan")) -> Summary:
    return Summary(cell, 10, auc=90.0, behind=behind, behind_error=error)


def test_the_population_is_as_the_models_are_described_and_not_as_printed() -> None:
    found = find_population()
    assert found["linear"] == pytest.approx(90.8, abs=0.1)
    assert found["radial"] == pytest.approx(96.47, abs=0.1)


@pytest.mark.parametrize(
    ("cell", "distance"),
    [
        (LINEAR, 0.007),
        # The best of the row, which at 5,000 rows is the one without Nyström.
        (Cell(2, "radial", "radial", 5_000, "ours"), 0.038),
        (Cell(2, "radial", "radial", 100_000, "ours"), 0.059),
        (Cell(3, "skin", "radial", 70_000, "ours"), 1.47),
        (Cell(3, "bank, 18 predictors, unscaled", "linear", 28_831, "ours"), 25.29),
    ],
)
def test_the_printed_distance_is_that_of_the_best_figure_of_the_row(cell: Cell, distance: float) -> None:
    printed = find_printed_distance(cell)
    assert printed is not None
    assert printed.points == pytest.approx(distance)


def test_printed_errors_of_aucs_are_thousandths() -> None:
    printed = find_printed_distance(Cell(3, "accelerometer", "radial", 22_393, "ours"))
    assert printed is not None
    assert printed.error == pytest.approx(2.161)


def test_there_is_nothing_to_compare_with_beyond_the_paper_nor_for_its_own_method() -> None:
    assert judge(draw_summary(Cell(1, "linear", "linear", 1_000_000, "ours"), 0.0)) == ""
    assert judge(draw_summary(Cell(1, "linear", "linear", 5_000, "paper, full"), 0.0)) == ""
    assert judge(Summary(LINEAR, 0, fault="no network")) == ""


# Printed are 0.059 points at 100,000 rows, with an error of 0.064, and 1.47 for skin, with 0.14.
RADIAL, SKIN = Cell(2, "radial", "radial", 100_000, "ours"), Cell(3, "skin", "radial", 70_000, "ours")


def test_nearer_to_the_best_than_printed_by_more_than_two_standard_errors_is_beaten() -> None:
    assert judge(draw_summary(SKIN, 0.02, 0.01)) == "beaten by 1.450 points"


@pytest.mark.parametrize(("behind", "where"), [(0.03, "0.029 points nearer"), (0.18, "0.121 points further off")])
def test_within_two_standard_errors_of_both_is_matched(behind: float, where: str) -> None:
    assert judge(draw_summary(RADIAL, behind, 0.01)) == f"matched, {where}, within 2 standard errors of 0.065"


def test_further_off_than_two_standard_errors_is_not_matched() -> None:
    assert judge(draw_summary(RADIAL, 0.25, 0.01)).startswith("not matched by 0.191 points: ")


def test_how_far_the_papers_method_is_off_here_is_said_beside() -> None:
    others = [
        draw_summary(Cell(2, "radial", "radial", 100_000, "paper, Nyström"), 0.0135),
        draw_summary(Cell(2, "radial", "radial", 10_000, "paper, Nyström"), 0.777),
        draw_summary(RADIAL, 0.25, 0.001),
    ]
    ending = "; the paper's method, run here, is 0.013 (Nyström) points below"
    assert judge(others[-1], others).endswith(ending)
    assert judge(draw_summary(RADIAL, 0.001, 0.001), others).endswith(ending)


def test_one_repeat_decides_nothing() -> None:
    assert judge(draw_summary(SKIN, 0.02)) == "1.450 points nearer, of which one repeat decides nothing"


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (LINEAR, "the luck of its test rows"),
        (Cell(3, "bank, unscaled", "radial", 28_831, "ours"), "very different scales"),
        (Cell(3, "skin", "linear", 70_000, "ours"), "the paper does not say"),
    ],
)
def test_what_is_not_matched_has_a_reason(cell: Cell, reason: str) -> None:
    assert reason in judge(draw_summary(cell, 90.0, 0.001))
