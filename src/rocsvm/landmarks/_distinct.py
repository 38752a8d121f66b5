"""Random rows, no two alike, without a look at all rows where a few will do."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from rocsvm.landmarks._base import Floats, Rows


def draw_distinct(
    X: Any, wanted: int, rng: np.random.Generator, weights: Floats | None = None, among: Rows | None = None
) -> Rows:
    """Return the places of up to ``wanted`` distinct rows in random order, fewer where there are no more.

    A row's chance to come early is in proportion to its weight. Repeats are passed over: of data with many,
    more is read until there are enough distinct rows.
    """
    order = shuffle(
        X.shape[0] if among is None else len(among), rng, weights if among is None else _take(weights, among)
    )
    order = order if among is None else among[order]
    size = 2 * wanted
    while True:
        head = order[:size]
        first = find_first(X, head)
        if len(first) >= wanted or size >= len(order):
            return np.asarray(head[first[:wanted]])
        size *= 8


def shuffle(n_rows: int, rng: np.random.Generator, weights: Floats | None) -> Rows:
    """Return all places in random order, heavy ones likely to come early."""
    if weights is None:
        return rng.permutation(n_rows)
    # By logarithms, in which no weight is too small.
    return np.argsort(np.log(rng.standard_exponential(n_rows)) - np.log(weights))


def _take(weights: Floats | None, rows: Rows) -> Floats | None:
    return None if weights is None else weights[rows]


def find_first(X: Any, rows: Rows) -> Rows:
    """Return, ascending, the places in ``rows`` at which a row of X stands for the first time."""
    _, first = np.unique(_label(X, rows), return_index=True)
    return np.sort(first)


def group_rows(X: Any, rows: Rows) -> tuple[Rows, Rows]:
    """Return the places in ``rows`` of distinct rows of X, and for each of ``rows`` which of them it equals.

    Distinct rows come in an order of their own: rows that are shuffled give the same ones in the same order.
    """
    _, first, groups = np.unique(_label(X, rows), return_index=True, return_inverse=True)
    return first, groups.ravel()


def _label(X: Any, rows: Rows) -> np.ndarray[Any, Any]:
    """Return something sortable that is equal where rows are."""
    if sparse.issparse(X):
        own = X.tocsr()[rows].copy()
        own.sum_duplicates()
        own.eliminate_zeros()
        ends = own.indptr
        content = [own.indices[start:stop].tobytes() + own.data[start:stop].tobytes() for start, stop in pairwise(ends)]
        return np.array(content, dtype=object)
    # Adding zero makes -0.0 a 0.0, which differs from it by a bit.
    own = np.ascontiguousarray(X[rows]) + 0.0
    if own.shape[1] == 1:
        return np.asarray(own.ravel())
    return np.asarray(own.view(np.dtype((np.void, own.dtype.itemsize * own.shape[1]))).ravel())


def find_distinct(X: Any) -> Rows:
    """Return the places of all distinct rows, in an order that depends on nothing but what stands in them."""
    return group_rows(X, np.arange(X.shape[0]))[0]
