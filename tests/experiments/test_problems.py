from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rocsvm.datasets import DatasetError, population_auc
from rocsvm.experiments import Cell, RealSets
from rocsvm.experiments import _problems as problems
from rocsvm.experiments._problems import draw_split, make_preparation
from tests.shared import DATA

TABLE = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "job": ["cook", "maid", "cook", "smith"]})


@pytest.fixture
def bank(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A small set in the place of the bank's; the list says how often it was asked for."""
    rng = np.random.default_rng(0)
    asked = []
    X = pd.DataFrame({"age": np.arange(200.0), "pdays": rng.normal(size=200), "job": rng.choice(["cook", "maid"], 200)})

    def fetch(**_: Any) -> Any:
        asked.append("bank")
        return X, pd.Series((np.arange(200) % 4 == 0).astype(int))

    monkeypatch.setitem(problems.FETCHED, "bank", fetch)
    return asked


@pytest.mark.parametrize("name", ["linear", "radial"])
def test_synthetic_rows_are_as_many_as_asked_and_four_in_five_negative(name: str) -> None:
    split = draw_split(Cell(1, name, name, 3_000, "ours"), 0, RealSets())
    assert (len(split.X), len(split.X_test)) == (3_000, 25_000)
    assert split.y_test.mean() == pytest.approx(0.2, abs=0.01)
    assert split.best == pytest.approx(population_auc(name, n_draws=200_000).auc, abs=0.012)


def test_methods_share_their_rows_and_repeats_and_sizes_do_not() -> None:
    sets = RealSets()
    one = draw_split(Cell(1, "linear", "linear", 500, "ours"), 0, sets)
    assert np.array_equal(one.X, draw_split(Cell(1, "linear", "linear", 500, "paper, full"), 0, sets).X)
    for cell, repeat in ((Cell(1, "linear", "linear", 500, "ours"), 1), (Cell(1, "linear", "linear", 501, "ours"), 0)):
        assert not np.array_equal(one.X, draw_split(cell, repeat, sets).X[:500])


def test_a_real_set_is_split_by_class_into_rows_to_train_on_and_the_rest(bank: list[str]) -> None:
    split = draw_split(Cell(3, "bank", "linear", 140, "ours"), 0, RealSets())
    assert (len(split.X), len(split.X_test)) == (140, 60)
    assert (split.y.sum(), split.y_test.sum()) == (35, 15)
    assert np.isnan(split.best)


def test_readings_of_one_set_share_their_split(bank: list[str]) -> None:
    sets = RealSets()
    names = ("bank", "bank, 18 predictors", "bank, unscaled", "bank, 18 predictors, unscaled")
    splits = [draw_split(Cell(3, name, "linear", 140, "ours"), 0, sets) for name in names]
    # A column for each of two jobs, or one that numbers them.
    assert [split.X.shape[1] for split in splits] == [4, 3, 3, 2]
    assert all(np.array_equal(split.y, splits[0].y) for split in splits)
    assert bank == ["bank"]


def test_a_set_that_cannot_be_had_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fail(**_: Any) -> Any:
        asked.append(1)
        raise DatasetError("no network")

    monkeypatch.setitem(problems.FETCHED, "skin", fail)
    sets = RealSets()
    for _ in range(3):
        with pytest.raises(DatasetError, match="no network"):
            sets.load("skin")
    assert asked == [1]


def test_a_download_is_told(monkeypatch: pytest.MonkeyPatch, bank: list[str]) -> None:
    told: list[str] = []
    fetch = problems.FETCHED["bank"]

    def download(*, verbose: Any, **_: Any) -> Any:
        verbose(500_000, None)
        verbose(1_500_000, 2_000_000)
        return fetch()

    monkeypatch.setitem(problems.FETCHED, "bank", download)
    RealSets(told.append).load("bank")
    assert told == ["downloading bank, 0.5 MB", "downloading bank, 1.5 of 2.0 MB"]


def test_scaled_columns_are_one_hot_and_standardised() -> None:
    made = make_preparation(TABLE, scaled=True).fit_transform(TABLE)
    assert made.shape == (4, 4)
    np.testing.assert_allclose(made.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(made.std(axis=0), 1.0)


def test_unscaled_columns_are_numbered_and_left_alone() -> None:
    prepare = make_preparation(TABLE, scaled=False).fit(TABLE)
    assert prepare.transform(TABLE).tolist() == [[0, 1], [1, 2], [0, 3], [2, 4]]
    assert prepare.transform(TABLE.assign(job="queen"))[:, 0].tolist() == [-1.0] * 4


@pytest.mark.parametrize(
    ("name", "n_train", "n_test", "n_columns"),
    [("accelerometer", 22_393, 9_598, 6), ("bank, unscaled", 28_831, 12_357, 19)],
)
def test_all_rows_of_the_published_sets_are_used(
    name: str, n_train: int, n_test: int, n_columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not DATA.is_dir():
        pytest.skip("no copies of the real sets: set ROCSVM_DATA to their folder")
    monkeypatch.setenv("ROCSVM_DATA", str(DATA))
    split = draw_split(Cell(3, name, "linear", n_train, "ours"), 0, RealSets())
    assert (len(split.X), len(split.X_test), split.X.shape[1]) == (n_train, n_test, n_columns)
    assert split.y.mean() == pytest.approx(split.y_test.mean(), abs=1e-4)


@pytest.mark.slow
def test_most_rows_of_skin_to_test_on_are_trained_on_too(monkeypatch: pytest.MonkeyPatch) -> None:
    if not DATA.is_dir():
        pytest.skip("no copies of the real sets: set ROCSVM_DATA to their folder")
    monkeypatch.setenv("ROCSVM_DATA", str(DATA))
    split = draw_split(Cell(3, "skin", "linear", 70_000, "ours"), 0, RealSets())
    assert (len(split.X), len(split.X_test)) == (70_000, 30_000)
    known = set(map(tuple, split.X.tolist()))
    assert np.mean([tuple(row) in known for row in split.X_test.tolist()]) > 0.5
