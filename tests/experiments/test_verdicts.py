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
    assert find_printed_distance(cell) == pytest.approx(distance)


def test_there_is_nothing_to_compare_with_beyond_the_paper_nor_for_its_own_method() -> None:
    assert judge(draw_summary(Cell(1, "linear", "linear", 1_000_000, "ours"), 0.0)) == ""
    assert judge(draw_summary(Cell(1, "linear", "linear", 5_000, "paper, full"), 0.0)) == ""
    assert judge(Summary(LINEAR, 0, fault="no network")) == ""


def test_nearer_to_the_best_than_printed_is_beaten() -> None:
    assert judge(draw_summary(LINEAR, 0.002)) == "beaten by 0.005 points"


def test_further_off_within_two_standard_errors_is_matched() -> None:
    assert judge(draw_summary(LINEAR, 0.010, 0.002)).startswith("matched, 0.003 points further off")
    assert judge(draw_summary(LINEAR, 0.010, 0.001)).startswith("not matched by 0.003 points")


def test_how_far_the_papers_method_is_off_here_is_said_beside_what_is_not_matched() -> None:
    others = [
        draw_summary(Cell(1, "linear", "linear", 5_000, "paper, full"), 0.0135),
        draw_summary(Cell(1, "linear", "linear", 10_000, "paper, full"), 0.777),
        draw_summary(LINEAR, 0.023, 0.001),
    ]
    verdict = judge(others[-1], others)
    assert verdict.endswith("; the paper's method itself is 0.013 (paper, full) points below here")
    assert judge(draw_summary(LINEAR, 0.001), others) == "beaten by 0.006 points"


def test_one_repeat_matches_nothing_that_it_does_not_beat() -> None:
    assert judge(draw_summary(LINEAR, 0.010)).startswith("not matched")


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (LINEAR, "the luck of its test rows"),
        (Cell(3, "skin", "linear", 4_200, "ours"), "trained on 4,200 rows, where the paper had 70,000"),
        (Cell(3, "bank, unscaled", "radial", 28_831, "ours"), "very different scales"),
        (Cell(3, "skin", "linear", 70_000, "ours"), "the paper does not say"),
    ],
)
def test_what_is_not_matched_has_a_reason(cell: Cell, reason: str) -> None:
    assert reason in judge(draw_summary(cell, 90.0, 0.001))
