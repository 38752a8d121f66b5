"""All positive-negative pairs, summed by putting the scores of each class in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rocsvm import loops
from rocsvm.losses import AbstractLoss, Ramp, Smoothing
from rocsvm.pairs._base import AbstractCurvature, AbstractPairs, AbstractPairSums, Floats, PairSums, Rows, draw
from rocsvm.pairs._order import CountedScores, Ordered, SortedScores, count_scores, sort_scores

# A block of this many entries, 2 MB, is weighted and multiplied within a cache.
BLOCK_ENTRIES = 1 << 18


@dataclass
class AllPairs(AbstractPairs):
    """Every positive-negative pair, exactly, in O(n log n).

    The mean over all pairs needs no pair: with the scores of each class sorted, each row's sum over
    the other class is a prefix sum.

    Examples
    --------
    >>> import numpy as np
    >>> from rocsvm.losses import Hinge
    >>> AllPairs().sum(Hinge(), np.array([0.5, 0.0, 2.0]), np.array([True, False, False]))
    (1.5, array([-1. ,  0.5,  0.5]))
    """

    def bind(self, positive: NDArray[np.bool_], weights: Floats | None, rng: np.random.Generator) -> AllPairSums:
        """Return all pairs of these rows; nothing is drawn."""
        return AllPairSums(positive, weights)


class AllPairSums(AbstractPairSums):
    """All pairs of rows with given labels and weights."""

    def __init__(self, positive: NDArray[np.bool_], weights: Floats | None) -> None:
        self.size = len(positive)
        self.positive = positive
        self.weights = weights
        self.rows_pos = np.flatnonzero(positive)
        self.rows_neg = np.flatnonzero(~positive)

    def sum(
        self, loss: AbstractLoss, scores: Floats, *, smoothing: Smoothing = Smoothing(), rounding: float = 0.0
    ) -> PairSums:
        """Return the sums; with ``rounding``, of scores moved to the mean score of a cell that wide.

        Rounded or not, slope and pull are those of pair weights that the dual allows, so that a bound
        built on them holds.
        """
        order = self._order(scores, rounding)
        pos, neg = order.pos, order.neg
        n_pairs = float(pos.weights.sum() * neg.weights.sum())
        ramp = loss.ramp(smoothing)
        values, pull_pos = sum_other_class(ramp, pos, neg)
        _, pull_neg = sum_other_class(ramp, neg.negated(), pos.negated())
        pull_neg = pull_neg[::-1]
        smoothed = float(values @ pos.weights) / n_pairs
        exact = smoothed if loss.is_smooth else mean_value(loss.ramp(), pos, neg)
        # What rounding finds more of on one side than on the other would lift the bound: off by 1e-6 of it
        # on separable rows, where the pulls left are tiny.
        total_pos, total_neg = float(pull_pos @ pos.weights), float(pull_neg @ neg.weights)
        total = min(total_pos, total_neg)
        share_pos, share_neg = (total / side if side > 0.0 else 0.0 for side in (total_pos, total_neg))
        slope = order.expand(pull_pos * (share_pos / -n_pairs), pull_neg * (share_neg / n_pairs))
        if self.weights is not None:
            slope *= self.weights
        return PairSums(exact, smoothed, slope, total / n_pairs)

    def pull(self, ramp: Ramp, scores: Floats, rounding: float = 0.0) -> float:
        """Return the mean pull of a ramp."""
        order = self._order(scores, rounding)
        _, pulls = sum_other_class(ramp, order.pos, order.neg)
        return float(pulls @ order.pos.weights) / float(order.pos.weights.sum() * order.neg.weights.sum())

    def value(self, loss: AbstractLoss, scores: Floats) -> float:
        """Return the mean loss alone."""
        order = self._order(scores, 0.0)
        return mean_value(loss.ramp(), order.pos, order.neg)

    def curve(
        self, loss: AbstractLoss, scores: Floats, *, smoothing: Smoothing = Smoothing(), rounding: float = 0.0
    ) -> AllPairsCurvature:
        """Return the curvature of the smoothed loss at these scores, each moved by up to ``rounding``."""
        return AllPairsCurvature(loss.ramp(smoothing), self._order(scores, rounding), self.weights)

    def share(self) -> Floats:
        """Return each row's share of the pairs: half of them lies in either class."""
        weights = np.ones(self.size) if self.weights is None else self.weights
        total_pos, total_neg = weights[self.rows_pos].sum(), weights[self.rows_neg].sum()
        shares: Floats = weights * np.where(self.positive, 0.5 / total_pos, 0.5 / total_neg)
        return shares

    def sample(self, size: int, rng: np.random.Generator, importance: Floats | None = None) -> tuple[Rows, AllPairSums]:
        """Return half of ``size`` rows from each class, or the whole of a class smaller than that.

        A mean over pairs stays unbiased whatever share of each class is drawn, so the rare one is kept.
        With weights, or by importance, it is the ratio of two sums that are.
        """
        n_pos = min(len(self.rows_pos), max(size // 2, size - len(self.rows_neg)))
        n_neg = min(len(self.rows_neg), size - n_pos)
        pos, stands_pos = draw(self.rows_pos, n_pos, rng, importance)
        neg, stands_neg = draw(self.rows_neg, n_neg, rng, importance)
        rows = np.concatenate([pos, neg])
        weights = None if self.weights is None else self.weights[rows]
        if stands_pos is not None or stands_neg is not None:
            stands = np.concatenate(
                [
                    np.ones(len(own)) if stands is None else stands
                    for own, stands in ((pos, stands_pos), (neg, stands_neg))
                ]
            )
            weights = stands if weights is None else weights * stands
        return rows, AllPairSums(self.positive[rows], weights)

    def _order(self, scores: Floats, rounding: float) -> SortedScores | CountedScores:
        counted = count_scores(scores, self.positive, self.weights, rounding)
        return counted or sort_scores(scores, self.rows_pos, self.rows_neg, self.weights)


def sum_other_class(ramp: Ramp, own: Ordered, other: Ordered) -> tuple[Floats, Floats]:
    """Return for each own score the sums over the other class of the ramp's value and pull."""
    values, pulls = loops.choose_twin().sum_ramp(own.scores, other.scores, other.weights, *ramp)
    return values, pulls


def mean_value(ramp: Ramp, pos: Ordered, neg: Ordered) -> float:
    """Return the mean of the ramp's value over all pairs."""
    values, _ = sum_other_class(ramp, pos, neg)
    return float(values @ pos.weights) / float(pos.weights.sum() * neg.weights.sum())


class AllPairsCurvature(AbstractCurvature):
    """The Laplacian of the pairs whose margin lies on the slope of the ramp.

    Each score's neighbours are one slice of the other class in order, so that a product is a sum over
    slices. Scores that were counted share a cell's slice.
    """

    def __init__(self, ramp: Ramp, order: SortedScores | CountedScores, weights: Floats | None) -> None:
        pos, neg = order.pos, order.neg
        find_windows = loops.choose_twin().find_windows
        self._order = order
        self._weights = weights
        self._scale = ramp.curvature / float(pos.weights.sum() * neg.weights.sum())
        self._slices_pos = find_windows(pos.scores, neg.scores, ramp.upper, ramp.width)
        near, far = find_windows(neg.negated().scores, pos.negated().scores, ramp.upper, ramp.width)
        self._slices_neg = len(pos.scores) - far[::-1], len(pos.scores) - near[::-1]

    def __matmul__(self, vectors: Floats) -> Floats:
        """Return the product with a vector or with each column of a matrix."""
        columns = vectors.reshape(len(vectors), -1)
        pos, neg = self._order.collect(columns, self._weights)
        out = self._order.expand(sum_slices(neg, self._slices_pos), sum_slices(pos, self._slices_neg))
        out *= -self._scale if self._weights is None else -self._scale * self._weights[:, None]
        out += self.diagonal()[:, None] * columns
        return out.reshape(vectors.shape)

    def diagonal(self) -> Floats:
        """Return each row's summed curvature over its pairs."""
        pos, neg = self._order.pos.weights[:, None], self._order.neg.weights[:, None]
        degree = self._order.expand(sum_slices(neg, self._slices_pos), sum_slices(pos, self._slices_neg))[:, 0]
        return self._scale * (degree if self._weights is None else degree * self._weights)

    def gram(self, features: Any) -> Floats:
        """Return ``features.T @ self @ features``, the cross terms from the positive side alone."""
        if sparse.issparse(features):
            return self._gram_sparse(features.tocsr())
        pos, neg = self._order.collect(features, self._weights)
        cross: Floats = self._scale * (pos.T @ sum_slices(neg, self._slices_pos))
        return weigh_gram(features, self.diagonal()) - (cross + cross.T)

    def _gram_sparse(self, features: Any) -> Floats:
        """Return the same, no zero being written out: a row's neighbours are summed as they come and go."""
        twin = loops.choose_twin()
        weights = np.ones(features.shape[0]) if self._weights is None else self._weights
        rows, n_columns = (features.data, features.indices, features.indptr), features.shape[1]
        cross: Floats = twin.sum_cross(*rows, weights, *self._order.line_up(self._slices_pos), n_columns)
        total: Floats = twin.sum_outer(*rows, self.diagonal(), n_columns)
        return total - self._scale * (cross + cross.T)


def weigh_gram(features: Floats, weights: Floats) -> Floats:
    """Return ``features.T @ diag(weights) @ features``, of weights from 0 up.

    Each block is multiplied with itself, of which NumPy computes one half: 49 ms where a product with the weighted
    rows took 86, at 24,000 rows and 300 columns.
    """
    n_rows, n_columns = features.shape
    gram, roots = np.zeros((n_columns, n_columns)), np.sqrt(weights)
    step = max(1, BLOCK_ENTRIES // max(1, n_columns))
    for start in range(0, n_rows, step):
        rows = roots[start : start + step, None] * features[start : start + step]
        gram += rows.T @ rows
    return gram


def sum_slices(values: Floats, slices: tuple[Rows, Rows]) -> Floats:
    """Return the column sums of ``values[start:stop]`` for each start and stop, both ascending."""
    sums: Floats = loops.choose_twin().sum_slices(values, *slices)
    return sums
