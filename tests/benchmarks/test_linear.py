from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from benchmarks._datasets import Synthetic
from benchmarks._growth import GrowthEntry
from benchmarks._hard import HardEntry, separate
from benchmarks._paper_race import PaperEntry, race_paper
from benchmarks._quality import rescale
from benchmarks._rivals import PAPER, Rival
from benchmarks._runner import Entry
from benchmarks._table import write_number, write_table
from benchmarks.linear import LinearResults, list_bars, write_report
from rocsvm import LinearROCSVM, certify


def enter(rival: str, family: str, n_rows: int, n_features: int, *seconds: float, memory: float = 100.0) -> Entry:
    dataset = f"synthetic n={n_rows:,} p={n_features}"
    return Entry(dataset, n_rows, rival, family, list(seconds), True, 0.9, 0.2, 0.2, 0.19, memory)


def test_bars_are_read_off_the_medians() -> None:
    entries = [
        enter("LinearROCSVM", "ours", 100_000, 2, 9.0, 1.0, 1.0),
        enter("LogisticRegression", "scikit-learn", 100_000, 2, 2.0),
        enter("LinearSVC", "scikit-learn", 100_000, 2, 4.0),
        enter("the paper's way", "paper", 100_000, 2, 14.0),
        enter("LinearROCSVM", "ours", 10_000_000, 2, 1000.0, memory=151.0),
        enter("LinearROCSVM", "ours", 10_000, 2, 0.1, memory=150.0),
    ]
    growth = [
        GrowthEntry("synthetic n=100,000 p=2", 100_000, 2, [1.0, 1.0, 9.0]),
        GrowthEntry("synthetic n=10,000,000 p=2", 10_000_000, 2, [1000.0, 1.0, 1000.0]),
    ]
    results = LinearResults(entries=entries, growth=growth)
    assert "1.50" in write_report(results)
    bars = {bar.claim: bar for bar in list_bars(results)}
    sklearn = bars["time / fastest of scikit-learn, synthetic n=100,000 p=2"]
    assert (sklearn.measured, sklearn.met) == ("0.50 (LogisticRegression)", True)
    paper = bars["the paper's way / our time, synthetic n=100,000 p=2"]
    assert (paper.measured, paper.met) == ("14.0", False)
    exponent = bars["exponent of our time's growth, n = 1e5 to 1e7, p=2"]
    assert (exponent.measured, exponent.met) == ("1.50", False)
    memory = bars["peak memory beyond X, bytes a row, worst from 100,000 rows on"]
    assert (memory.measured, memory.met) == ("151 (synthetic n=10,000,000 p=2)", False)
    assert bars["peak memory beyond X, bytes a row, worst on fewer rows"].met is True
    assert bars["time / fastest of scikit-learn, synthetic n=1,000,000 p=20"].met is None


def test_report_of_nothing_says_so() -> None:
    assert "not measured" in write_report(LinearResults())


def judge_gaps(*told: tuple[float, str]) -> tuple[str, bool | None]:
    gaps, statuses = zip(*told, strict=True)
    entry = HardEntry("a9a", "as given", 1e-8, [1.0] * len(told), [9] * len(told), [*gaps], [*statuses], 2.0, 3.0)
    results = LinearResults(hard=[entry])
    assert "3.00" in write_report(results)
    bar = next(bar for bar in list_bars(results) if bar.claim == "gap reached there, worst")
    return bar.measured, bar.met


def test_a_wide_gap_is_forgiven_if_each_fit_says_so() -> None:
    assert judge_gaps((1e-3, "converged"), (5e-4, "converged")) == ("1.0e-03 (a9a: converged)", True)
    assert judge_gaps((7e-3, "stalled"), (1e-4, "converged")) == ("7.0e-03 (a9a: 1 stalled, 1 converged)", True)
    assert judge_gaps((7e-3, "converged"), (7e-3, "stalled"))[1] is False


def test_a_fit_that_stops_short_has_its_status_and_gap_noted() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.random(300) < 0.3
    short = Rival("short", lambda n_rows, seed: LinearROCSVM(tol=1e-7, max_iter=1), "ours").fit(X, y, seed=0)
    assert short.status == "out of steps"
    assert short.gap > 1e-7
    whole = Rival("whole", lambda n_rows, seed: LinearROCSVM(), "ours").fit(X, y, seed=0)
    assert (whole.status, whole.converged) == ("converged", True)


def test_the_papers_method_is_judged_by_the_medians_of_both_ways() -> None:
    name = "synthetic n=100,000 p=2"
    entries = [
        PaperEntry(name, "ours", "ours", [1.0, 9.0, 1.0], [800, 900, 700], 0.9),
        PaperEntry(name, "differences", "paper", [4.0, 6.0, 6.0], [800] * 3, 0.9),
    ]
    results = LinearResults(paper=entries)
    report = write_report(results)
    assert "## The paper's method" in report
    assert "6.00" in report
    bars = {bar.claim: bar for bar in list_bars(results)}
    bar = bars[f"the paper's method, rows of differences / our parts, {name}"]
    assert (bar.measured, bar.met) == ("6.0", True)
    assert bars["the paper's method, rows of differences / our parts, synthetic n=100,000 p=20"].met is None
    slower = LinearResults(paper=[entries[0], PaperEntry(name, "differences", "paper", [4.9], [800], 0.9)])
    assert {each.claim: each.met for each in list_bars(slower)}[bar.claim] is False


def test_both_ways_of_the_papers_method_take_as_many_steps_to_the_same_auc() -> None:
    ours, theirs = race_paper(Synthetic(5_000, 2), PAPER, 2, lambda text: None)
    assert (ours.family, theirs.family) == ("ours", "paper")
    assert len(ours.seconds) == len(ours.n_iter) == len(theirs.n_iter) == 2
    # Of the same rows each draws pairs of its own.
    assert ours.n_iter == pytest.approx(theirs.n_iter, rel=0.3)
    assert ours.auc == pytest.approx(theirs.auc, abs=1e-3)


def test_rescaling_finds_the_best_scale_along_the_ray() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0.5).astype(int)

    w = np.array([7.0, 1.4, -0.7])

    def value(scale: float) -> float:
        model = LogisticRegression()
        model.coef_ = scale * w[None, :]
        return certify(model, X, y, alpha=1e-2).objective

    best = min(value(scale) for scale in np.linspace(0.01, 0.6, 200))
    assert rescale(X @ w, y, float(np.linalg.norm(w)), 1e-2) == pytest.approx(best, rel=2e-4)


def test_a_threshold_separates_what_is_called_separable() -> None:
    scores = np.random.default_rng(0).normal(size=100)
    y = separate(scores, np.arange(100) < 20)
    assert y.sum() == 20
    assert scores[y == 1].min() > scores[y == 0].max()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0123456, "0.0123"), (12.3456, "12.3"), (1234.5, "1,234"), (0.0, "0.00"), (3e-7, "3.00e-07"), (None, "–")],
)
def test_numbers_have_three_digits(value: float | None, text: str) -> None:
    assert write_number(value) == text


def test_table_is_aligned() -> None:
    assert write_table(["a", "b"], [("long", "1"), ("x", "22")]).splitlines() == [
        "| a    |   b |",
        "| ---- | --: |",
        "| long |   1 |",
        "| x    |  22 |",
    ]
