"""What the steps of a first-order method read: all pairs each time, or, of drawn pairs, those near the kink."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocsvm import loops
from rocsvm.features._matrix import DenseMatrix
from rocsvm.losses import Hinge, Smoothing
from rocsvm.objective import DualPoint, Objective
from rocsvm.pairs._incomplete import IncompletePairSums

Floats = NDArray[np.float64]
Rows = NDArray[np.integer]

# Steps from one reading of all pairs to the next, at most.
READ_EVERY = 500
# A reading of all pairs costs as much as reading so many of them from a table of differences.
READ_COST = 0.7
# The first radius is this many times as long as the first step.
FIRST_REACH = 16.0
# What rounding may move a margin by.
SLACK = 1e-9
# Squares of norms from here on have squares that overflow.
OVERFLOW = 1e150
# Entries of a block of differences, within a second-level cache.
BLOCK_ENTRIES = 1 << 16
# Differences of so many entries, 8 MB, are kept even where the features have fewer.
FEW_ENTRIES = 1 << 20


def look(objective: Objective, w: Floats) -> tuple[float, DualPoint]:
    """Return the objective at the weights, infinite where floating point ends, and the dual point of a subgradient."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores = objective.matrix.score(w)
        sums = objective.sum(scores, Smoothing(), 0.0)
        pull = -objective.matrix.gather(sums.slope)
        value = sums.loss + objective.penalise(w)
        is_safe = is_within(scores, value, pull, objective.alpha)
    point = DualPoint(objective.loss.dual(sums.smoothed, sums.pull), pull, sums.slope)
    return (value if is_safe else np.inf), point


def is_within(scores: Floats, value: float, pull: Floats, alpha: float) -> bool:
    """Return whether these are finite, and what is computed of them will be."""
    return bool(np.isfinite(scores).all()) and abs(value) < OVERFLOW and float(pull @ pull) < OVERFLOW * alpha


class Reading(NamedTuple):
    """The objective and the parts of the dual point at some weights, and the pairs that may cross the kink nearby.

    Of such a pair there are its place among all, the difference of its rows, its share in the mean, and whether it is
    below the kink. No other crosses it within the radius.
    """

    value: float
    linear: float
    pull: Floats
    places: Rows
    differences: Floats
    shares: Floats
    active: NDArray[np.bool_]
    radius: float
    max_steps: int


class Stretch(NamedTuple):
    """The steps since a reading: how many, how far they led, and what they made of it.

    ``active`` is which of the pairs near were so in the last step, ``held`` in how many steps each was.
    """

    n_steps: int
    distance: float
    active: NDArray[np.bool_]
    held: Floats
    linear: float
    pull: Floats


class AbstractReader(ABC):
    """Reads all pairs at some weights, and keeps account of what the steps from there do to them."""

    @abstractmethod
    def read(self, w: Floats) -> Reading | None:
        """Return what holds around these weights; None where floating point ends."""

    @abstractmethod
    def learn(self, reading: Reading, stretch: Stretch) -> None:
        """Learn of the steps since the reading."""

    @abstractmethod
    def sum_slopes(self) -> Floats:
        """Return the sum over all steps of each row's slope."""


class FullReader(AbstractReader):
    """Any loss over any pairs: what is read holds for one step."""

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._slope = self._total = np.zeros(objective.matrix.shape[0])

    def read(self, w: Floats) -> Reading | None:
        """Return what holds at these weights alone."""
        value, point = look(self._objective, w)
        if value == np.inf:
            return None
        self._slope = point.slope
        none = np.empty(0, dtype=np.intp)
        return Reading(
            value, point.linear, point.pull, none, np.empty((0, len(w))), np.empty(0), none > 0, 0.0, READ_EVERY
        )

    def learn(self, reading: Reading, stretch: Stretch) -> None:
        """Add up the slope."""
        self._total = self._total + stretch.n_steps * self._slope

    def sum_slopes(self) -> Floats:
        """Return the sum over all steps of each row's slope."""
        return self._total


class HingeReader(AbstractReader):
    """The hinge over drawn pairs: what is read holds as long as no pair but those near the kink can cross it.

    A pair's slope changes only where its margin crosses 1, and while the weights move by less than r no margin moves
    by more than r times the distance between the pair's rows. So one reading of all pairs tells which of them can
    matter before the weights have moved that far. Steps until then read those alone, and come to the same gradients.

    The radius follows the work: it shrinks where the steps within it read more than the reading did, and else grows.
    """

    def __init__(
        self, matrix: DenseMatrix, pairs: IncompletePairSums, alpha: float, w: Floats, point: DualPoint
    ) -> None:
        n_rows, n_features = matrix.shape
        self._matrix = matrix
        self._pairs = pairs
        self._alpha = alpha
        self._linear = point.linear
        # Summed over differences: a column that is the same in all rows pulls by nothing at all, and not by rounding,
        # which Adamax would take for a slope as good as any.
        self._pull = np.zeros(n_features)
        scores = matrix.score(w)
        self._active = 1.0 - (scores[pairs.first] - scores[pairs.second]) > 0.0
        # Of n steps so far a pair was active in n * active + offset: a step costs nothing here unless pairs turn.
        self._n_steps, self._offset = 0, np.zeros(pairs.size)
        self._radius = 0.0
        self._most = max(FEW_ENTRIES, n_rows * n_features) // n_features
        self._distances = np.empty(pairs.size)
        held = np.where(self._active, pairs.weights, 0.0)
        step = max(1, BLOCK_ENTRIES // n_features)
        for start in range(0, pairs.size, step):
            block = slice(start, start + step)
            differences = self._subtract(pairs.first[block], pairs.second[block])
            self._pull += held[block] @ differences
            # A distance that overflows is infinite: its pair is always near.
            with np.errstate(over="ignore"):
                np.sqrt(np.einsum("ij,ij->i", differences, differences), out=self._distances[block])
        self._longest = float(self._distances.max())

    def _subtract(self, first: Rows, second: Rows) -> Floats:
        differences = self._matrix.take(first).array.astype(np.float64, copy=False)
        differences -= self._matrix.take(second).array
        return np.ascontiguousarray(differences)

    def read(self, w: Floats) -> Reading | None:
        """Return the objective and the pairs near, having turned those that crossed the kink."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._matrix.score(w)
            near = self._find_near(scores)
            value = self._linear - float(self._pull @ w) + 0.5 * self._alpha * float(w @ w)
            if not is_within(scores, value, self._pull, self._alpha):
                return None
        pairs = self._pairs
        differences = self._subtract(pairs.first[near], pairs.second[near])
        most = max(1.0, (2.0 * READ_COST * pairs.size / max(len(near), 1)) ** 2)
        return Reading(
            value,
            self._linear,
            self._pull,
            near,
            differences,
            pairs.weights[near],
            self._active[near],
            self._radius,
            int(min(most, READ_EVERY)),
        )

    def _find_near(self, scores: Floats) -> Rows:
        """Return the pairs near, having turned those that crossed the kink; of too many, none for a single step."""
        pairs = self._pairs
        while True:
            near: Rows
            near, turned = loops.choose_twin().find_near(
                pairs.first, pairs.second, self._distances, self._active, scores, self._radius, SLACK
            )
            if self._radius == 0.0 or len(near) <= self._most:
                break
            # Ties at the kink stay near, however small the radius.
            self._radius *= 0.5 if self._radius * self._longest > SLACK else 0.0
        self._turn(turned)
        return near if self._radius > 0.0 else near[:0]

    def _turn(self, turned: Rows) -> None:
        sign = np.where(self._active[turned], -1.0, 1.0)
        gained = sign * self._pairs.weights[turned]
        self._active[turned] ^= True
        self._linear += float(gained.sum())
        self._pull = self._pull + gained @ self._subtract(self._pairs.first[turned], self._pairs.second[turned])
        self._offset[turned] -= self._n_steps * sign

    def learn(self, reading: Reading, stretch: Stretch) -> None:
        """Turn the pairs that the steps turned, and mend the radius by how much the steps have read."""
        places, n_steps = reading.places, stretch.n_steps
        self._active[places] = stretch.active
        self._linear, self._pull = stretch.linear, stretch.pull
        self._n_steps += n_steps
        sign = stretch.active.astype(np.float64) - reading.active
        self._offset[places] += stretch.held - n_steps * reading.active - self._n_steps * sign
        if reading.radius == 0.0:
            self._radius = FIRST_REACH * stretch.distance
        else:
            # Steps read the pairs near now and then, and in between those that are nearest: of T steps, about √T times.
            read = max(np.sqrt(n_steps) * len(places), 1.0)
            self._radius *= float(np.clip(READ_COST * self._pairs.size / read, 0.5, 2.0))

    def sum_slopes(self) -> Floats:
        """Return the sum over all steps of each row's slope."""
        pairs = self._pairs
        pull = pairs.weights * (self._n_steps * self._active + self._offset)
        total: Floats = loops.choose_twin().scatter_pairs(pairs.first, pairs.second, pull, pairs.n_rows)
        return total


def choose_reader(objective: Objective, w: Floats, point: DualPoint) -> AbstractReader:
    """Return a reader of few pairs where they are listed, the loss is the hinge, and differences are cheap to form."""
    matrix, pairs = objective.matrix, objective.pairs
    if isinstance(objective.loss, Hinge) and isinstance(pairs, IncompletePairSums) and isinstance(matrix, DenseMatrix):
        return HingeReader(matrix, pairs, objective.alpha, w, point)
    return FullReader(objective)
