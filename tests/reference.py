"""The definitions as plain double loops, which every faster sum must equal.

Nothing here knows of `rocsvm`: losses are functions of one margin, pairs are triples, sums are `math.fsum`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pair = tuple[int, int, float]


class Loss(NamedTuple):
    """A loss of one margin, its derivative, and its second derivative from the right.

    ``kinks`` are the margins where the second derivative jumps (for the exact hinge, the first does).
    """

    value: Callable[[float], float]
    derivative: Callable[[float], float]
    second: Callable[[float], float]
    kinks: tuple[float, ...]


def define_hinge(width: float = 0.0, lean: float = 0.5) -> Loss:
    """Return ``max(0, 1 - m)``, or a slope that turns from -1 to 0 over ``2 h`` margins where the width h is not 0.

    The turn ends at margin ``1 + 2 lean h``: with a lean of a half the loss is ``(1 - m + h)**2 / (4 h)`` where
    ``abs(1 - m) < h`` and else the hinge.
    """
    h = width
    start, stop = 1.0 + 2.0 * lean * h - 2.0 * h, 1.0 + 2.0 * lean * h

    def value(m: float) -> float:
        if start < m < stop:
            return (stop - m) ** 2 / (4.0 * h)
        return max(0.0, 1.0 - m + (2.0 * lean - 1.0) * h) if m < stop else 0.0

    def derivative(m: float) -> float:
        if start < m < stop:
            return -(stop - m) / (2.0 * h)
        return -1.0 if m < stop else 0.0

    def second(m: float) -> float:
        return 1.0 / (2.0 * h) if start <= m < stop else 0.0

    return Loss(value, derivative, second, (start, stop) if h else (1.0,))


def define_squared_hinge(width: float = 0.0, lean: float = 0.5) -> Loss:
    """Return ``max(0, 1 - m)**2``, which no smoothing changes."""
    return Loss(
        value=lambda m: max(0.0, 1.0 - m) ** 2,
        derivative=lambda m: -2.0 * max(0.0, 1.0 - m),
        second=lambda m: 2.0 if m < 1.0 else 0.0,
        kinks=(1.0,),
    )


# One line per name in `rocsvm.losses.LOSSES`.
LOSSES: dict[str, Callable[..., Loss]] = {"hinge": define_hinge, "squared_hinge": define_squared_hinge}

# Dual pair weights that a loss allows: minus its derivative takes no value outside.
DUAL_RANGE: dict[str, tuple[float, float]] = {"hinge": (0.0, 1.0), "squared_hinge": (0.0, math.inf)}


def negate_conjugate(loss: Loss, a: float, reach: float = 1e4) -> float:
    """Return ``-conjugate(-a) = min over m of loss(m) + a * m``, by golden-section search."""
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    low, high = -reach, reach

    def height(m: float) -> float:
        return loss.value(m) + a * m

    left, right = high - ratio * (high - low), low + ratio * (high - low)
    height_left, height_right = height(left), height(right)
    while high - low > 1e-11:
        if height_left <= height_right:
            high, right, height_right = right, left, height_left
            left = high - ratio * (high - low)
            height_left = height(left)
        else:
            low, left, height_left = left, right, height_right
            right = low + ratio * (high - low)
            height_right = height(right)
    return min(height(0.5 * (low + high)), *(height(kink) for kink in loss.kinks))


def list_pairs(positive: Sequence[bool], weights: Sequence[float] | None = None) -> list[Pair]:
    """Return every pair (i positive, j negative) with its weight ``w_i w_j / (W+ W-)``."""
    w = [1.0] * len(positive) if weights is None else [float(weight) for weight in weights]
    rows_pos = [i for i in range(len(positive)) if positive[i]]
    rows_neg = [j for j in range(len(positive)) if not positive[j]]
    total = math.fsum(w[i] for i in rows_pos) * math.fsum(w[j] for j in rows_neg)
    return [(i, j, w[i] * w[j] / total) for i in rows_pos for j in rows_neg]


def mean_loss(loss: Loss, scores: Sequence[float], pairs: Sequence[Pair]) -> float:
    """Return the sum over pairs of weight times ``loss(s_i - s_j)``."""
    s = [float(score) for score in scores]
    return math.fsum(weight * loss.value(s[i] - s[j]) for i, j, weight in pairs)


def mean_pull(loss: Loss, scores: Sequence[float], pairs: Sequence[Pair]) -> float:
    """Return the sum over pairs of weight times minus the derivative."""
    s = [float(score) for score in scores]
    return math.fsum(-weight * loss.derivative(s[i] - s[j]) for i, j, weight in pairs)


def slope_rows(loss: Loss, scores: Sequence[float], pairs: Sequence[Pair], shift: float = 0.0) -> Floats:
    """Return the derivative of the mean loss in each row's score, the margins moved by ``shift``."""
    s = [float(score) for score in scores]
    terms: list[list[float]] = [[] for _ in s]
    for i, j, weight in pairs:
        term = weight * loss.derivative(s[i] - s[j] + shift)
        terms[i].append(term)
        terms[j].append(-term)
    return np.array([math.fsum(own) for own in terms])


def bracket_slopes(loss: Loss, scores: Sequence[float], pairs: Sequence[Pair], slack: float) -> tuple[Floats, Floats]:
    """Return the least and the largest derivative in each row's score if a margin is known to within ``slack``.

    The derivative of a convex loss never falls, so the margins' ends give them.
    """
    lower, upper = slope_rows(loss, scores, pairs, -slack), slope_rows(loss, scores, pairs, slack)
    return np.minimum(lower, upper), np.maximum(lower, upper)


def curvature_matrix(loss: Loss, scores: Sequence[float], pairs: Sequence[Pair]) -> Floats:
    """Return the second derivative of the mean loss in the scores: a dense graph Laplacian."""
    s = [float(score) for score in scores]
    n = len(s)
    diagonal: list[list[float]] = [[] for _ in s]
    off: dict[tuple[int, int], list[float]] = {}
    for i, j, weight in pairs:
        term = weight * loss.second(s[i] - s[j])
        diagonal[i].append(term)
        diagonal[j].append(term)
        off.setdefault((i, j), []).append(-term)
    matrix = np.zeros((n, n))
    for i in range(n):
        matrix[i, i] = math.fsum(diagonal[i])
    for (i, j), terms in off.items():
        matrix[i, j] = matrix[j, i] = math.fsum(terms)
    return matrix
