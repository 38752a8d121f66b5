"""The data of a cell: drawn, or fetched and split, and made ready as the report says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from rocsvm.datasets import (
    DatasetError,
    fetch_accelerometer,
    fetch_bank,
    fetch_skin,
    make_roc_linear,
    make_roc_radial,
)
from rocsvm.experiments._cells import Cell
from rocsvm.inspection import auc

Floats = NDArray[np.float64]

N_TEST = 25_000
# The paper draws so many rows of the only set that has more.
MOST_ROWS = 100_000
SIMULATED = {"linear": make_roc_linear, "radial": make_roc_radial}
# What ranks best in them.
BEST = {"linear": lambda X: X.sum(axis=1), "radial": lambda X: (X**2).sum(axis=1)}
FETCHED = {"skin": fetch_skin, "accelerometer": fetch_accelerometer, "bank": fetch_bank}
# Left out where the bank's data are read as 18 predictors: 999 stands for "never called before" in it.
EIGHTEEN_WITHOUT = "pdays"


class Split(NamedTuple):
    """Rows to train on and to test on, and the AUC there of what ranks best in the population, if that is known."""

    X: Floats
    y: NDArray[np.intp]
    X_test: Floats
    y_test: NDArray[np.intp]
    best: float = float("nan")


class RealSets:
    """The real sets, each fetched once: one that cannot be had is not asked for again."""

    def __init__(self, tell: Callable[[str], None] = lambda text: None) -> None:
        self._tell = tell
        self._known: dict[str, tuple[Any, NDArray[np.intp]] | DatasetError] = {}

    def load(self, name: str) -> tuple[Any, NDArray[np.intp]]:
        """Return the features of a set as a data frame, and its labels."""
        if name not in self._known:
            self._known[name] = self._fetch(name)
        known = self._known[name]
        if isinstance(known, DatasetError):
            raise known
        return known

    def _fetch(self, name: str) -> tuple[Any, NDArray[np.intp]] | DatasetError:
        def tell(done: int, total: int | None) -> None:
            of = f" of {total / 1e6:.1f}" if total else ""
            self._tell(f"downloading {name}, {done / 1e6:.1f}{of} MB")

        try:
            X, y = FETCHED[name](return_X_y=True, as_frame=True, verbose=tell)
        except DatasetError as error:
            return error
        return X, y.to_numpy()


def draw_split(cell: Cell, repeat: int, sets: RealSets) -> Split:
    """Return the data of a cell; what is drawn depends on problem, size and repeat, and on no method."""
    seed = [repeat, cell.n_train, *cell.problem.split(",")[0].encode()]
    rng = np.random.default_rng(seed)
    if cell.problem in SIMULATED:
        X, y = SIMULATED[cell.problem](cell.n_train + N_TEST, random_state=rng)
        X_test, y_test = X[cell.n_train :], y[cell.n_train :]
        best = auc(y_test, BEST[cell.problem](X_test))
        return Split(X[: cell.n_train], y[: cell.n_train], X_test, y_test, best)
    name, *readings = cell.problem.split(", ")
    X, y = sets.load(name)
    places = np.arange(len(y))
    random_state = int(rng.integers(np.iinfo(np.int32).max))
    if len(y) > MOST_ROWS:
        places, _ = train_test_split(places, train_size=MOST_ROWS, stratify=y, random_state=random_state)
    train, test = train_test_split(places, train_size=cell.n_train, stratify=y[places], random_state=random_state)
    columns = X if "18 predictors" not in readings else X.drop(columns=EIGHTEEN_WITHOUT)
    prepare = make_preparation(columns, scaled="unscaled" not in readings).fit(columns.iloc[train])
    return Split(prepare.transform(columns.iloc[train]), y[train], prepare.transform(columns.iloc[test]), y[test])


def make_preparation(X: Any, *, scaled: bool) -> Any:
    """Return what makes numbers of the columns: text one-hot and all standardised, or text numbered and no more."""
    text = [name for name in X.columns if not np.issubdtype(np.dtype(X[name].to_numpy().dtype), np.number)]
    if not scaled:
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        return make_column_transformer((encoder, text), remainder="passthrough")
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(make_column_transformer((encoder, text), remainder="passthrough"), StandardScaler())
