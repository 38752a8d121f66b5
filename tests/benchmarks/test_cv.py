from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from benchmarks import _tuned
from benchmarks._datasets import AbstractTable, Split, Synthetic
from benchmarks._exhaustive import ChoiceEntry, compare_choice
from benchmarks._kernel_rivals import find_xgboost
from benchmarks._nested import NestedEntry, draw_split, estimate, nest
from benchmarks._race import RaceEntry, race
from benchmarks._tuned import (
    LOGISTIC,
    ONE_FIT,
    OURS_KERNEL,
    OURS_LINEAR,
    list_kernel_race,
    list_linear_race,
    list_tuned,
)
from benchmarks.cv import KERNEL, LINEAR, CVResults, list_bars, list_cases, write_report


def be_silent(text: str) -> None:
    pass


@dataclass(frozen=True)
class Rows(AbstractTable):
    """Published rows, made up."""

    thin: bool = False
    name: str = "rows"

    def load(self) -> Split:
        return draw_split(self, 0, 10**9)

    def read(self) -> tuple[Any, Any]:
        X = np.random.default_rng(0).normal(3.0, 2.0, size=(400, 3))
        y = (X[:, 0] > 4.0).astype(int)
        return (sparse.csr_matrix(X) if self.thin else X), y


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"N_ALPHAS": 3, "N_ALPHAS_KERNEL": 2, "N_GAMMAS": 2, "N_DRAWS": 2, "FOLDS": 2}.items():
        monkeypatch.setattr(_tuned, name, value)
    for name in ("ALPHAS_RACE", "ALPHAS_WORTH"):
        monkeypatch.setattr(_tuned, name, np.array([1e-2, 1e-4]))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("thin", [False, True])
def test_every_tuned_model_that_is_installed_runs_and_ranks(thin: bool) -> None:
    entries = nest(Rows(thin), 1, list_tuned(20), be_silent, max_rows=300)
    assert len(entries) == (5 if find_xgboost() is not None else 4)
    assert min(entry.auc for entry in entries) > 0.9
    assert {(entry.n_train, entry.n_test) for entry in entries} == {(210, 90)}
    assert {entry.rival: entry.choice.partition(" ")[0] for entry in entries}[OURS_KERNEL] == "gamma"


@pytest.mark.usefixtures("small")
def test_races_are_run_and_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks._datasets.N_TEST", 500)
    entries = race(Synthetic(300, 2), [*list_linear_race(), *list_kernel_race(20)], 1, be_silent)
    assert [entry.rival for entry in entries][:3] == [ONE_FIT, OURS_LINEAR, LOGISTIC]
    assert all(len(entry.seconds) == 1 and entry.auc > 0.8 for entry in entries)


@pytest.mark.usefixtures("small")
def test_the_exhaustive_search_has_the_grid_and_the_folds_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks._exhaustive.FOLDS", 2)
    monkeypatch.setattr("benchmarks._datasets.N_TEST", 500)
    (entry,) = compare_choice(Synthetic(300, 2), be_silent)
    assert entry.worst < 0.002
    assert entry.auc_exhaustive == pytest.approx(entry.auc, abs=0.01)


def test_splits_differ_and_are_scaled_by_the_rows_to_train_on() -> None:
    one, other = (draw_split(Rows(), number, 200) for number in (0, 1))
    assert len(one.y) == 140
    assert one.y.mean() == pytest.approx(Rows().read()[1].mean(), abs=0.01)
    np.testing.assert_allclose(one.X.mean(axis=0), 0.0, atol=1e-12)
    assert np.abs(one.X_test.mean(axis=0)).max() > 1e-6
    assert not np.array_equal(one.X, other.X)


def test_interval_is_the_corrected_resampled_one() -> None:
    interval = estimate([1.0, 2.0, 3.0], 70, 30)
    # The t quantile of two degrees of freedom at 0.975 is 4.302653, and the variance of these three is 1.
    assert interval.mean == 2.0
    assert interval.half == pytest.approx(4.302653 * np.sqrt(1.0 / 3.0 + 3.0 / 7.0), rel=1e-6)
    assert not interval.excludes_zero
    assert estimate([1.0, 1.1, 0.9], 70, 30).excludes_zero
    assert estimate([1.0], 70, 30).half is None


def enter(rival: str, *shares: float) -> list[NestedEntry]:
    return [NestedEntry("skin", split, rival, 70, 30, share, 1.0, "", True) for split, share in enumerate(shares)]


def read_row(report: str, start: str, after: str) -> Sequence[str]:
    lines = report[report.index(after) :].splitlines()
    return [cell.strip() for cell in next(line for line in lines if line.startswith(start)).split("|")]


def test_differences_are_of_the_same_splits() -> None:
    nested = [*enter(OURS_KERNEL, 0.90, 0.91), *enter("XGBoost", 0.92, 0.93, 0.99)]
    report = write_report(CVResults(nested=nested))
    assert read_row(report, "| skin", "### Beside")[2] == "+2.000 ± 0.000 *"
    # 12.7062 is the t quantile of one degree of freedom, and 0.5 the variance.
    half = 12.7062 * np.sqrt(0.5 * (1.0 / 2.0 + 3.0 / 7.0))
    assert read_row(report, "| skin", "## Worth")[4] == f"90.500 ± {half:.3f}"


def run_in(rival: str, dataset: str, *seconds: float) -> RaceEntry:
    return RaceEntry(dataset, rival, "", list(seconds), "alpha 1", 0.9, True)


def test_bars_are_read_off_the_medians() -> None:
    lbfgs, newton = (rival.name for rival in list_kernel_race(300)[1:])
    races = [
        run_in(ONE_FIT, LINEAR.name, 0.1),
        run_in(OURS_LINEAR, LINEAR.name, 1.0, 1.5, 9.0),
        run_in(LOGISTIC, LINEAR.name, 2.0),
        run_in(OURS_KERNEL, KERNEL.name, 10.0),
        run_in(lbfgs, KERNEL.name, 100.0),
        run_in(newton, KERNEL.name, 40.0),
    ]
    results = CVResults(races=races, choices=[ChoiceEntry(LINEAR.name, 1e-3, 0.9, 1.0, 1e-4, 0.9006, 9.0, 0.001)])
    told = [(bar.measured, bar.met) for bar in list_bars(results)]
    assert told == [
        ("15 (LinearROCSVM, one fit)", True),
        ("0.00060", False),
        ("0.75 (LogisticRegressionCV)", False),
        (f"0.25 ({newton})", False),
        ("not measured", None),
    ]
    assert "0.00060" in write_report(results)


def test_report_of_nothing_says_so() -> None:
    assert "not measured" in write_report(CVResults())


@pytest.mark.parametrize("quick", [True, False])
def test_cases_have_names_of_their_own(quick: bool) -> None:
    names = [case.name for case in list_cases(argparse.Namespace(quick=quick, repeats=1))]
    assert len(set(names)) == len(names)
