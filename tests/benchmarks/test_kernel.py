from __future__ import annotations

import argparse
import functools
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import _kernel_rivals
from benchmarks._datasets import Radial
from benchmarks._floor import FLOORS
from benchmarks._kernel_rivals import LOGISTIC, OURS, find_xgboost, list_rivals
from benchmarks._kernel_runner import AlphaEntry, Comparison, FloorEntry, KernelEntry, MemoryEntry, compare
from benchmarks._parts import time_parts
from benchmarks._problems import Problem, pose_radial
from benchmarks._rivals import Rival
from benchmarks._schemes import OutOfTimeError, Watch, compare_schemes
from benchmarks._store import decode
from benchmarks.kernel import KernelResults, list_bars, list_cases, write_report
from rocsvm import KernelROCSVM
from rocsvm.solvers import Step


def be_silent(text: str) -> None:
    pass


@pytest.fixture
def problem(monkeypatch: pytest.MonkeyPatch) -> Problem:
    monkeypatch.setattr("benchmarks._datasets.N_TEST", 500)
    monkeypatch.setattr(_kernel_rivals, "N_LANDMARKS", 30)
    monkeypatch.setattr("benchmarks._kernel_runner.N_LANDMARKS", 30)
    return pose_radial(400)


def test_every_rival_that_is_installed_runs_and_ranks(problem: Problem) -> None:
    comparison = compare(problem, list_rivals(problem), 1, be_silent, memory=())
    shares = {entry.rival: entry.auc for entry in comparison.entries}
    # A ranker of pairs needs more rows than these.
    assert min(share for name, share in shares.items() if "rank:" not in name) > 0.9
    assert len(shares) == (9 if find_xgboost() is not None else 7)
    ours = comparison.find(OURS)
    assert ours is not None
    assert ours.gap is not None
    assert ours.gap <= 1e-3
    assert "| KernelROCSVM" in write_report(KernelResults(comparisons=[comparison]))
    assert (
        decode(Comparison, vars(comparison) | {"entries": [vars(entry) for entry in comparison.entries]}) == comparison
    )


def test_a_rival_that_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel_rivals, "XGBOOST_PACKAGES", ("no such package",))
    assert find_xgboost() is None
    assert not any("XGBoost" in rival.name for rival in list_rivals(pose_radial(400)))


def test_parts_add_up_to_the_model_that_fit_finds(problem: Problem) -> None:
    split = problem.dataset.load()
    parts = time_parts(split.X, split.y, alpha=1e-3, gamma=0.5, n_landmarks=30, seed=3)
    model = KernelROCSVM(1e-3, gamma=0.5, n_landmarks=30, random_state=3).fit(split.X, split.y)
    np.testing.assert_allclose(parts.w, model.coef_[0], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", FLOORS)
def test_every_floor_is_the_same_matrix(name: str) -> None:
    X = np.random.default_rng(0).normal(size=(2000, 3))
    exact = np.exp(-0.5 * ((X[:, None, :] - X[None, :40, :]) ** 2).sum(axis=2))
    np.testing.assert_allclose(FLOORS[name](X, X[:40], 0.5), exact, atol=2e-6)


def test_schemes_are_measured_by_one_bound(problem: Problem) -> None:
    entries = compare_schemes(replace(problem, dataset=Radial(150)), [20], 1, be_silent)
    assert {entry.scheme for entry in entries} >= {"uniform", "kmeans", "auto", "exact"}
    best = max(entry.lower_bound for entry in entries)
    assert all(entry.objective >= best * (1.0 - 1e-6) for entry in entries)


def test_a_fit_is_given_up_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 12.9, 13.1])
    monkeypatch.setattr("benchmarks._schemes.time.monotonic", lambda: next(clock))
    watch, step = Watch(3.0), Step(1, 10, 1e-3, 1.0, 0.1)
    watch(step)
    watch(step)
    with pytest.raises(OutOfTimeError, match="3 s"):
        watch(step)


def enter(rival: str, *seconds: float, auc: float = 0.96, dataset: str = "radial n=100,000") -> KernelEntry:
    return KernelEntry(dataset, rival, "ours", 100_000, list(seconds), True, auc, 0.2, 0.01, 0.01, None, 40.0)


def pair(dataset: str, *entries: KernelEntry) -> Comparison:
    return Comparison(dataset, 100_000, 0.5, 1e-3, list(entries), 0.1, 0.2, 0.3, 98, "summed")


def test_bars_are_read_off_the_medians() -> None:
    accelerometer, skin = "accelerometer", "skin, 100,000 rows"
    results = KernelResults(
        comparisons=[
            pair("radial n=100,000", enter(OURS, 1.0, 9.0, 1.0), enter(LOGISTIC, 2.0)),
            pair(accelerometer, enter(OURS, 1.0, auc=0.9301, dataset=accelerometer)),
            pair(skin, enter(OURS, 1.0, auc=0.9997, dataset=skin)),
        ],
        floors=[FloorEntry("radial n=100,000", [0.5, 0.5], {name: [0.25, 0.1] for name in FLOORS})],
        alphas=[
            AlphaEntry(accelerometer, 1e-3, [1.0], [7], [9e-4], ["converged"], 0.93, 1.0),
            AlphaEntry(accelerometer, 1e-7, [11.0, 11.0], [70, 80], [9e-4, 2e-3], ["converged", "stalled"], 0.93, 11.0),
        ],
        memory=[MemoryEntry("radial n=1,000,000", 6.1e9)],
    )
    told = {bar.claim: (bar.measured, bar.met) for bar in list_bars(results)}
    assert told["time / Nystroem + LogisticRegression, radial n=100,000"] == ("0.50", False)
    floor = told["time / one float32 RBF matrix (one product), radial n=100,000"]
    assert floor == ("2.86 (5.00 of the fastest runs)", False)
    assert told["time at alpha 1e-1 to 1e-7 / at 1e-3, worst, accelerometer"] == ("11.0 (alpha 1e-07)", False)
    assert told["gap reached there, worst"] == ("2.0e-03 (alpha 1e-07: 1 converged, 1 stalled)", False)
    assert told["test AUC, accelerometer (the paper: 89.92 %)"] == ("93.010 %", True)
    assert told["test AUC, skin, 100,000 rows (the paper: 98.53 %)"] == ("99.970 %", False)
    assert told["peak memory beyond X, d = 300, radial n=1,000,000"] == ("6.10 GB", False)
    assert told["peak memory beyond X, d = 300, radial n=1,000,000 p=10"] == ("not measured", None)
    assert "11.0" in write_report(results)


def test_report_of_nothing_says_so() -> None:
    assert "not measured" in write_report(KernelResults())


@pytest.mark.parametrize("quick", [True, False])
def test_cases_have_names_of_their_own(quick: bool) -> None:
    names = [case.name for case in list_cases(argparse.Namespace(quick=quick, repeats=1))]
    assert len(set(names)) == len(names)


def test_a_sample_of_the_rows_is_what_a_slow_rival_is_trained_on() -> None:
    seen: list[int] = []

    class Counter:
        def fit(self, X: np.ndarray, y: np.ndarray) -> None:
            seen.append(len(y))

    build = functools.partial(lambda n_rows, seed: Counter())
    Rival("counter", build, "paper", sample_rows=7).fit(np.zeros((9, 1)), np.zeros(9), seed=0)
    assert seen == [7]
