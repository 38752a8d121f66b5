"""What is trained on: the paper's synthetic model, and published tables where they are at hand."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.stats import exponnorm, norm
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

N_TEST = 100_000
TEST_SHARE = 0.3


class Split(NamedTuple):
    """Rows to train on, in random order, and rows to test on; labels are 0 and 1."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


class MissingDataError(Exception):
    """A table is not at hand; says where it was looked for."""


class AbstractDataset(ABC):
    """Rows by name."""

    name: str

    @abstractmethod
    def load(self) -> Split:
        """Return the rows, the same at each call, or raise `MissingDataError`."""


@dataclass(frozen=True)
class Synthetic(AbstractDataset):
    """The linear model of the paper's section 4.1: the sign of the first two features' sum plus noise.

    The offset makes four rows in five negative: the sum of three standard normal variables is above it with
    probability 0.2.
    """

    n_rows: int
    n_features: int

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"synthetic n={self.n_rows:,} p={self.n_features}"

    def load(self) -> Split:
        rng = np.random.default_rng(self.n_features)
        X_test, y_test = self._draw(N_TEST, rng)
        X, y = self._draw(self.n_rows, rng)
        return Split(X, y, X_test, y_test)

    def _draw(self, n_rows: int, rng: np.random.Generator) -> tuple[Any, Any]:
        X = rng.standard_normal((n_rows, self.n_features))
        response = X[:, 0] + X[:, 1] + rng.standard_normal(n_rows)
        return X, (response > np.sqrt(3.0) * norm.ppf(0.8)).astype(np.int64)


@dataclass(frozen=True)
class Radial(AbstractDataset):
    """The radial model of the paper's section 4.1: the sign of the squared length plus noise.

    In the paper's two dimensions the squared length is exponential with mean 2, so that the sum with the noise is
    above the offset with probability 0.2; in more, the offset is a quantile of the test rows.
    """

    n_rows: int
    n_features: int = 2

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"radial n={self.n_rows:,}" + ("" if self.n_features == 2 else f" p={self.n_features}")

    def load(self) -> Split:
        rng = np.random.default_rng(self.n_features)
        X_test, response_test = self._draw(N_TEST, rng)
        X, response = self._draw(self.n_rows, rng)
        offset = exponnorm(2.0).ppf(0.8) if self.n_features == 2 else np.quantile(response_test, 0.8)
        return Split(X, (response > offset).astype(np.int64), X_test, (response_test > offset).astype(np.int64))

    def _draw(self, n_rows: int, rng: np.random.Generator) -> tuple[Any, Any]:
        X = rng.standard_normal((n_rows, self.n_features))
        return X, np.einsum("ij,ij->i", X, X) + rng.standard_normal(n_rows)


class AbstractTable(AbstractDataset):
    """Published rows, which can be divided in other ways too."""

    @abstractmethod
    def read(self) -> tuple[Any, Any]:
        """Return all rows, unscaled and in the order of the file, and their labels; or raise `MissingDataError`."""


@dataclass(frozen=True)
class Table(AbstractTable):
    """A gzipped CSV file with a column ``target``; features standardised, a stratified 30 % held out.

    Columns of strings become one column for each string. With ``max_rows`` there are only so many rows in all, drawn
    with the shares of the classes kept.
    """

    name: str
    file: str
    not_features: tuple[str, ...] = ()
    max_rows: int | None = None

    def load(self) -> Split:
        return standardise(hold_out(*self.read()))

    def read(self) -> tuple[Any, Any]:
        import pandas as pd

        frame = pd.read_csv(find_file(self.file))
        if self.max_rows is not None:
            frame, _ = train_test_split(
                frame, train_size=self.max_rows, stratify=frame["target"].to_numpy(), random_state=0
            )
        y = frame.pop("target").to_numpy(np.int64)
        features = pd.get_dummies(frame.drop(columns=list(self.not_features)), dtype=np.float64)
        return features.to_numpy(np.float64), y


@dataclass(frozen=True)
class SparseTable(AbstractTable):
    """A gzipped svmlight file, kept sparse and unscaled, with its published test part or 30 % held out."""

    name: str
    file: str
    n_features: int
    test_file: str | None = None

    def load(self) -> Split:
        if self.test_file is None:
            return hold_out(*self.read())
        return Split(*self.read(), *self._read(self.test_file))

    def read(self) -> tuple[Any, Any]:
        return self._read(self.file)

    def _read(self, file: str) -> tuple[sparse.csr_matrix, Any]:
        X, y = load_svmlight_file(str(find_file(file)), n_features=self.n_features)
        # LinearSVC refuses the wide indices that some files are read with.
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        return X, (y > 0).astype(np.int64)


def find_file(file: str) -> Path:
    """Return where a file lies: in the folder that ROCSVM_DATA names, else beside the repository."""
    given = os.environ.get("ROCSVM_DATA")
    folder = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    if not (folder / file).exists():
        where = "the folder that ROCSVM_DATA names" if given else "../shared/data; set ROCSVM_DATA to its folder"
        raise MissingDataError(f"{file} is not in {where}")
    return folder / file


def hold_out(X: Any, y: Any, seed: int = 0, max_rows: int | None = None) -> Split:
    """Return shuffled rows, the same share of each class held out; so many in all, by default as many as there are."""
    if max_rows is not None and max_rows < len(y):
        X, _, y, _ = train_test_split(X, y, train_size=max_rows, stratify=y, random_state=seed)
    X, X_test, y, y_test = train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=seed)
    return Split(X, y, X_test, y_test)


def standardise(split: Split) -> Split:
    """Return the same with each column of mean zero and deviation one on the rows to train on."""
    scaler = StandardScaler().fit(split.X)
    return split._replace(X=scaler.transform(split.X), X_test=scaler.transform(split.X_test))


SKIN = Table("skin", "skin_segmentation.csv.gz")
COVTYPE = Table("covtype", "covtype.csv.gz", not_features=("Cover_Type",))
A9A = SparseTable("a9a", "a9a.svm.gz", 123, test_file="a9a.t.svm.gz")
W8A = SparseTable("w8a", "w8a.svm.gz", 300)
SKIN_PART = Table("skin, 100,000 rows", SKIN.file, max_rows=100_000)
BANK = Table("bank", "bank_marketing_additional_full.csv.gz", not_features=("duration",))
ACCELEROMETER = Table("accelerometer", "accelerometer_gyro_mobile_phone.csv.gz", not_features=("timestamp", "Activity"))
IJCNN1 = Table("ijcnn1", "ijcnn1.csv.gz")
MAGIC = Table("magic", "magic_gamma_telescope.csv.gz")
MAMMOGRAPHY = Table("mammography", "mammography.csv.gz")
REAL: list[AbstractDataset] = [A9A, W8A, SKIN, COVTYPE]
