"""The paper's incomplete U-statistic: a mean over B randomly drawn pairs."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rocsvm import loops
from rocsvm.losses import AbstractLoss, Ramp, Smoothing
from rocsvm.pairs._base import AbstractCurvature, AbstractPairs, AbstractPairSums, Floats, PairSums, Rows, draw
from rocsvm.validation import check_flag

# What a pair takes: the numbers of its two rows, and its weight.
BYTES_PER_PAIR = 24


@dataclass
class IncompletePairs(AbstractPairs):
    """B positive-negative pairs drawn at random.

    The mean over the drawn pairs is an unbiased estimate of the mean over all of them, sample weights
    included. With replacement each row is drawn in proportion to its weight, so that for a given number of
    pairs and seed an integer weight is as good as that many rows beside each other. Without, every pair is as
    likely and counts by the product of its weights over the mean such product.

    Parameters
    ----------
    n_pairs : int, float or None
        How many pairs: a number, a multiple of the number of rows when a float, or as many as there
        are rows (the paper's B = n) when None.
    replace : bool
        Whether a pair may be drawn more than once.

    Examples
    --------
    >>> import numpy as np
    >>> from rocsvm.losses import Hinge
    >>> y = np.array([True, False, False])
    >>> value, slope = IncompletePairs(2, replace=False).sum(Hinge(), np.array([0.5, 0.0, 2.0]), y, random_state=0)
    >>> value  # both pairs drawn: all of them
    1.5
    """

    n_pairs: int | float | None = None
    replace: bool = True

    def bind(self, positive: NDArray[np.bool_], weights: Floats | None, rng: np.random.Generator) -> IncompletePairSums:
        """Return pairs drawn among these rows."""
        rows_pos, rows_neg = np.flatnonzero(positive), np.flatnonzero(~positive)
        n_pairs = self.count(len(rows_pos), len(rows_neg))
        each = np.full(n_pairs, 1.0 / n_pairs)
        if self.replace:
            first, second = (rows[draw_places(rows, weights, n_pairs, rng)] for rows in (rows_pos, rows_neg))
            return IncompletePairSums(first, second, each, len(positive))
        chosen = draw_distinct(len(rows_pos) * len(rows_neg), n_pairs, rng)
        first, second = np.divmod(chosen, len(rows_neg))
        first, second = rows_pos[first], rows_neg[second]
        if weights is not None:
            each *= weights[first] * weights[second] / (weights[rows_pos].mean() * weights[rows_neg].mean())
        return IncompletePairSums(first, second, each, len(positive))

    def count(self, n_pos: int, n_neg: int) -> int:
        """Return how many pairs are drawn from rows of these counts, or say why they cannot be."""
        check_flag("replace", self.replace)
        wanted = 1.0 if self.n_pairs is None else self.n_pairs
        if isinstance(wanted, bool) or not isinstance(wanted, Real) or not -np.inf < wanted < np.inf:
            raise ValueError(
                f"IncompletePairs(n_pairs={self.n_pairs!r}) names no number of pairs. "
                "Write a whole number from 1 up, or a float, a multiple of the number of rows."
            )
        # As a fraction, since what a float asks for may be more than a float can tell.
        n_pairs = int(wanted) if isinstance(wanted, Integral) else round(Fraction(float(wanted)) * (n_pos + n_neg))
        if n_pairs < 1:
            raise ValueError(
                f"IncompletePairs(n_pairs={self.n_pairs!r}) asks for {n_pairs} pairs; a mean needs at least one. "
                "Write a whole number from 1 up, or a float, a multiple of the number of rows."
            )
        memory = measure_memory()
        if n_pairs * BYTES_PER_PAIR > memory:
            raise ValueError(
                f"IncompletePairs(n_pairs={self.n_pairs!r}) asks for more pairs than there is memory for: each takes "
                f"{BYTES_PER_PAIR} bytes, and this machine has {memory / 1e9:.0f} GB. Write fewer than "
                f'{memory // BYTES_PER_PAIR:,} pairs, or pairs="all", which takes no memory for pairs.'
            )
        if not self.replace and n_pairs > n_pos * n_neg:
            raise ValueError(
                f"IncompletePairs(n_pairs={self.n_pairs!r}, replace=False) asks for {n_pairs} distinct pairs, but "
                f"{n_pos} positive and {n_neg} negative rows make {n_pos * n_neg}. "
                'Write replace=True, fewer pairs, or pairs="all".'
            )
        return n_pairs


def measure_memory() -> int:
    """Return the bytes of memory that the machine has; where it does not tell, as many as can be addressed."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize


def draw_places(rows: Rows, weights: Floats | None, size: int, rng: np.random.Generator) -> Rows:
    """Return the places of ``size`` of these rows, drawn in proportion to their weights, one number a draw.

    A row of weight k answers to the same numbers as k rows in its stead.
    """
    if weights is None:
        return (rng.random(size) * len(rows)).astype(np.intp)
    ends = np.cumsum(weights[rows])
    places: Rows = np.searchsorted(ends, rng.random(size) * ends[-1], side="right")
    return places


def draw_distinct(n: int, size: int, rng: np.random.Generator) -> Rows:
    """Return ``size`` different numbers below n, every set of them as likely, in memory of their order.

    NumPy's ``choice`` would list all n, in eight bytes each, where ``size`` exceeds a twentieth of them; from
    there on one byte of each says whether it is in, or out where those are fewer.
    """
    if size <= n // 20:
        return rng.choice(n, size, replace=False, shuffle=False)
    fewer_out = size > n // 2
    marked = np.zeros(n, dtype=np.bool_)
    while missing := (n - size if fewer_out else size) - np.count_nonzero(marked):
        marked[rng.integers(n, size=missing)] = True
    return np.flatnonzero(marked != fewer_out)


class IncompletePairSums(AbstractPairSums):
    """Drawn pairs of rows ``first`` (positive) and ``second`` (negative), with weights."""

    def __init__(self, first: Rows, second: Rows, weights: Floats, n_rows: int) -> None:
        self.size = len(first)
        self.first = first
        self.second = second
        self.weights = weights
        self.n_rows = n_rows

    def sum(
        self, loss: AbstractLoss, scores: Floats, *, smoothing: Smoothing = Smoothing(), rounding: float = 0.0
    ) -> PairSums:
        """Return the sums; ``rounding`` would save nothing here, and moves no score."""
        margin = scores[self.first] - scores[self.second]
        ramp = loss.ramp(smoothing)
        pull = ramp.pull(margin) * self.weights
        smoothed = float(ramp.value(margin) @ self.weights)
        is_exact = loss.is_smooth or smoothing.width == 0.0
        exact = smoothed if is_exact else self.value(loss, scores)
        slope = loops.choose_twin().scatter_pairs(self.first, self.second, pull, self.n_rows)
        return PairSums(exact, smoothed, slope, float(pull.sum()))

    def pull(self, ramp: Ramp, scores: Floats, rounding: float = 0.0) -> float:
        """Return the mean pull of a ramp."""
        return float(ramp.pull(scores[self.first] - scores[self.second]) @ self.weights)

    def value(self, loss: AbstractLoss, scores: Floats) -> float:
        """Return the mean loss alone."""
        return float(loss.ramp().value(scores[self.first] - scores[self.second]) @ self.weights)

    def curve(
        self, loss: AbstractLoss, scores: Floats, *, smoothing: Smoothing = Smoothing(), rounding: float = 0.0
    ) -> IncompletePairsCurvature:
        """Return the curvature of the smoothed loss at these scores, none of them moved."""
        return IncompletePairsCurvature(loss.ramp(smoothing), scores, self)

    def share(self) -> Floats:
        """Return each row's share of the drawn pairs."""
        both = np.append(self.first, self.second)
        total = np.bincount(both, np.append(self.weights, self.weights), minlength=self.n_rows)
        return np.asarray(total / total.sum())

    def sample(
        self, size: int, rng: np.random.Generator, importance: Floats | None = None
    ) -> tuple[Rows, IncompletePairSums]:
        """Return about ``size`` of the pairs and the rows that they join."""
        by_pair = None if importance is None else importance[self.first] + importance[self.second]
        chosen, stands = draw(np.arange(self.size), size, rng, by_pair)
        rows, place = np.unique(np.append(self.first[chosen], self.second[chosen]), return_inverse=True)
        weights = self.weights[chosen] * (self.size / len(chosen) if stands is None else stands)
        return rows, IncompletePairSums(place[: len(chosen)], place[len(chosen) :], weights, len(rows))


class IncompletePairsCurvature(AbstractCurvature):
    """The sparse Laplacian of the drawn pairs whose margin lies on the slope of the ramp."""

    def __init__(self, ramp: Ramp, scores: Floats, pairs: IncompletePairSums) -> None:
        bend = ramp.bend(scores[pairs.first] - scores[pairs.second]) * pairs.weights
        active = np.flatnonzero(bend)
        first, second, bend = pairs.first[active], pairs.second[active], bend[active]
        degree = np.bincount(np.append(first, second), np.append(bend, bend), minlength=pairs.n_rows)
        self._degree: Floats = np.asarray(degree, dtype=np.float64)
        cross = sparse.csr_array((bend, (first, second)), shape=(pairs.n_rows, pairs.n_rows))
        self._cross = cross + cross.T

    def __matmul__(self, vectors: Floats) -> Floats:
        """Return the product with a vector or with each column of a matrix."""
        product: Floats = (self._degree * vectors.T).T - self._cross @ vectors
        return product

    def diagonal(self) -> Floats:
        """Return each row's summed curvature over its drawn pairs."""
        return self._degree

    def gram(self, features: Any) -> Floats:
        """Return ``features.T @ self @ features``."""
        if sparse.issparse(features):
            laplacian = sparse.diags_array(self._degree) - self._cross
            return np.asarray((features.T @ (laplacian @ features)).todense())
        product: Floats = features.T @ (self @ features)
        return 0.5 * (product + product.T)
