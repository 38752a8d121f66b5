from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest

from benchmarks import _memory
from benchmarks._datasets import AbstractDataset, Split
from benchmarks._memory import measure_peak_here
from benchmarks._rivals import Rival

BYTES_PER_ROW = 4000


class Hoarder:
    """Needs so many bytes a row, and keeps none."""

    def fit(self, X: Any, y: Any) -> Self:
        np.ones(BYTES_PER_ROW // 8 * len(y))
        return self


class Rows(AbstractDataset):
    name = "rows"

    def load(self) -> Split:
        # Loading has a peak of its own, ten times that of the fit.
        np.ones(10 * BYTES_PER_ROW // 8 * 20_000)
        X, y = np.zeros((20_000, 2)), np.zeros(20_000)
        return Split(X, y, X, y)


@pytest.mark.skipif(not _memory.RESET.exists(), reason="the peak is read from Linux's /proc")
def test_peak_is_that_of_the_fit_and_not_of_loading() -> None:
    hoarder = Rival("hoarder", lambda n_rows, seed: Hoarder(), "ours")
    assert measure_peak_here(hoarder, Rows()) == pytest.approx(BYTES_PER_ROW, rel=0.05)
