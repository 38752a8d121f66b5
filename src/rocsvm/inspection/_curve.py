"""The ROC curve as weights of the four outcomes at every cut between scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocsvm.inspection._rows import Rows

# Of 1 << 12, 14 and 16 cells, these were the fastest at a million rows.
N_CELLS = 1 << 14
SAMPLE = 1 << 10


class Cuts(NamedTuple):
    """Weights on either side of ascending cuts: cut k has the k lowest groups of scores below it.

    Each side is summed from its own end, so that a side without rows weighs exactly 0. Without weights
    they are integers.
    """

    pos_below: NDArray[Any]
    pos_above: NDArray[Any]
    neg_below: NDArray[Any]
    neg_above: NDArray[Any]

    @property
    def sensitivity(self) -> NDArray[np.float64]:
        """The share of the positives that lies above each cut; descending."""
        return np.asarray(self.pos_above / (self.pos_above + self.pos_below))

    @property
    def specificity(self) -> NDArray[np.float64]:
        """The share of the negatives that lies below each cut; ascending."""
        return np.asarray(self.neg_below / (self.neg_below + self.neg_above))

    def skip(self, n_cuts: int) -> Cuts:
        """Return the cuts without the lowest."""
        return Cuts(*(side[n_cuts:] for side in self))


def count_cuts(pos: NDArray[Any], neg: NDArray[Any]) -> Cuts:
    """Return the cuts around ascending groups of scores with these weights."""
    return Cuts(_sum_below(pos), _sum_below(pos[::-1])[::-1], _sum_below(neg), _sum_below(neg[::-1])[::-1])


def _sum_below(weights: NDArray[Any]) -> NDArray[Any]:
    sums = np.zeros(len(weights) + 1, dtype=weights.dtype)
    np.cumsum(weights, out=sums[1:])
    return sums


def cut_distinct(rows: Rows) -> tuple[NDArray[Any], Cuts]:
    """Return the distinct scores in order, and the cuts around them."""
    return _cut_sorted(rows.scores, *_split_weights(rows))


def _split_weights(rows: Rows) -> tuple[NDArray[Any], NDArray[Any]]:
    weights = np.ones(len(rows.scores), dtype=np.int64) if rows.weights is None else rows.weights
    return np.where(rows.positive, weights, 0), np.where(rows.positive, 0, weights)


def _cut_sorted(scores: NDArray[Any], pos: NDArray[Any], neg: NDArray[Any]) -> tuple[NDArray[Any], Cuts]:
    order = np.argsort(scores)
    ordered = scores[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    cuts = count_cuts(np.add.reduceat(pos[order], starts), np.add.reduceat(neg[order], starts))
    return ordered[starts], cuts


class Cells(NamedTuple):
    """Scores grouped without sorting: the cell of each row, the cells that hold any, and their weights.

    A cell is a rounded increasing function of the score, so the cuts between cells are exact.
    """

    of_rows: NDArray[np.intp]
    filled: NDArray[np.intp]
    pos: NDArray[Any]
    neg: NDArray[Any]

    def cut(self) -> Cuts:
        """Return the cuts around the filled cells."""
        return count_cuts(self.pos, self.neg)

    def cut_within(self, rows: Rows, members: NDArray[np.intp]) -> tuple[NDArray[Any], Cuts]:
        """Return ascending scores and cuts as `cut_distinct` does, but complete only in and around some filled cells.

        Their neighbours are complete too, so that the scores on either side of a cut are neighbours. Any other
        cell is left whole, and one of its scores stands for all.
        """
        whole = np.ones(len(self.filled) + 2, dtype=np.bool_)
        whole[members] = whole[members + 1] = whole[members + 2] = False
        whole = whole[1:-1]
        complete = np.zeros(N_CELLS, dtype=np.bool_)
        complete[self.filled[~whole]] = True
        stand_in = np.empty(N_CELLS, dtype=rows.scores.dtype)
        stand_in[self.of_rows] = rows.scores
        near = rows.select(complete[self.of_rows])
        pos, neg = _split_weights(near)
        return _cut_sorted(
            np.concatenate((near.scores, stand_in[self.filled[whole]])),
            np.concatenate((pos, self.pos[whole])),
            np.concatenate((neg, self.neg[whole])),
        )


def group_scores(rows: Rows) -> Cells | None:
    """Return cells of equal width over the bulk of the scores; None where the scores allow none."""
    sample = np.sort(rows.scores[:: max(1, len(rows.scores) // SAMPLE)])
    # Without its ends, so that a few far scores do not crowd all others into one cell.
    low, high = sample[len(sample) // 100], sample[-1 - len(sample) // 100]
    with np.errstate(all="ignore"):
        width = high - low
        scale = (N_CELLS - 2) / width
        if not (np.isfinite(width) and np.isfinite(scale)):
            return None
        place = rows.scores - low
        place *= scale
        place += 1
        np.clip(place, 0, N_CELLS - 1, out=place)
    cells = place.astype(np.intp)
    numbers = cells + N_CELLS * rows.positive
    neg, pos = np.bincount(numbers, rows.weights, minlength=2 * N_CELLS).reshape(2, N_CELLS)
    filled = np.flatnonzero(pos + neg)
    return Cells(cells, filled, pos[filled], neg[filled])
