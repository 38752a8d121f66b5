"""Hypothesis strategies: scores, classes and weights that make sums over pairs go wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rocsvm.losses import LOSSES, Smoothing

Floats = NDArray[np.float64]

MAX_ROWS = 40
# Scores on a lattice stay below 2**31 and take at most 45 bits, so that every difference of two, and
# its difference from 1, is exact.
MAX_BITS, MAX_EXPONENT = 45, 31


# The last one turns unevenly about the kink.
SMOOTHINGS = (Smoothing(), Smoothing(0.05), Smoothing(0.5), Smoothing(0.5, 0.125))
# Each loss of the registry with each smoothing that changes it.
CASES = [
    (name, smoothing)
    for name, loss in LOSSES.items()
    for smoothing in (SMOOTHINGS[:1] if loss().is_smooth else SMOOTHINGS)
]


class Sample(NamedTuple):
    """Scores of rows, whether each is positive, and their weights if any."""

    scores: Floats
    positive: NDArray[np.bool_]
    weights: Floats | None

    def take(self, rows: NDArray[np.integer]) -> Sample:
        """Return some of the rows, or all in another order."""
        return Sample(self.scores[rows], self.positive[rows], None if self.weights is None else self.weights[rows])


@st.composite
def lattice_scores(draw: st.DrawFn, n: int) -> Floats:
    """Return n multiples of a power of two: ties, jumps of 1e9, spans from 1e-9 to 1e9, any offset."""
    exponent = draw(st.integers(-4, 0) | st.integers(-34, 24))
    largest = 1 << min(MAX_BITS, MAX_EXPONENT - exponent) - 1
    step = st.integers(-3, 3) | st.integers(-32, 32) | st.integers(-largest, largest)
    if exponent >= -4:
        step = st.integers(-32, 32) | step
    places = draw(st.lists(step, min_size=n, max_size=n))
    offset = draw(st.sampled_from([0, 0, 1, -largest, largest]))
    return np.array([float(place + offset) for place in places]) * 2.0**exponent


@st.composite
def float_scores(draw: st.DrawFn, n: int) -> Floats:
    """Return n floats of any digits, a few of them tied or as far from another as a kink of a loss."""
    span = 10.0 ** draw(st.integers(-9, 9))
    offset = draw(st.sampled_from([0.0, 1.0, -1.0])) * 10.0 ** draw(st.integers(-9, 9))
    scores = [span * place + offset for place in draw(st.lists(st.floats(0, 1), min_size=n, max_size=n))]
    for _ in range(draw(st.integers(0, 3))):
        row, other = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        scores[row] = scores[other] + draw(st.sampled_from([0.0, 0.5, 0.95, 1.0, 1.05, 1.5, 1.0 + 1e-15, 1.0 + 1e-9]))
    return np.array(scores)


@st.composite
def labels(draw: st.DrawFn, n: int) -> NDArray[np.bool_]:
    """Return which of n rows are positive: both classes present, either one possibly a single row."""
    row, other = draw(st.integers(0, n - 1)), draw(st.integers(1, n - 1))
    kind = draw(st.sampled_from(["any", "any", "one positive", "one negative"]))
    if kind == "any":
        positive = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    else:
        positive = np.full(n, kind == "one negative")
    positive[row] = kind != "one negative"
    positive[(row + other) % n] = kind == "one negative"
    return positive


def integer_weights(n: int) -> st.SearchStrategy[Floats]:
    """Return n weights that count repetitions."""
    return st.lists(st.integers(1, 5), min_size=n, max_size=n).map(lambda counts: np.array(counts, dtype=np.float64))


def float_weights(n: int) -> st.SearchStrategy[Floats]:
    """Return n weights from 1e-3 to 1e3."""
    return st.lists(st.floats(-3, 3), min_size=n, max_size=n).map(lambda powers: 10.0 ** np.array(powers))


@st.composite
def lattice_samples(draw: st.DrawFn, *, weights: str = "any", max_rows: int = MAX_ROWS) -> Sample:
    """Return a sample whose margins are exact; ``weights`` is any, none, integer or float."""
    n = draw(st.integers(2, max_rows))
    return Sample(draw(lattice_scores(n)), draw(labels(n)), draw(choose_weights(n, weights)))


@st.composite
def float_samples(draw: st.DrawFn, *, weights: str = "any", max_rows: int = MAX_ROWS) -> Sample:
    """Return a sample whose margins round."""
    n = draw(st.integers(2, max_rows))
    return Sample(draw(float_scores(n)), draw(labels(n)), draw(choose_weights(n, weights)))


def choose_weights(n: int, kind: str) -> st.SearchStrategy[Floats | None]:
    """Return weights of a kind; "any" takes each of the three."""
    kinds: dict[str, st.SearchStrategy[Floats | None]] = {
        "none": st.none(),
        "integer": integer_weights(n),
        "float": float_weights(n),
    }
    return st.one_of(*kinds.values()) if kind == "any" else kinds[kind]
