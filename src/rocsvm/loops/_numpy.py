"""The hot loops in NumPy: they define what the compiled twins must equal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]

# Entries of single precision that are widened at once, within a second-level cache.
BLOCK_ENTRIES = 1 << 16
# Columns of sparse rows whose zeros are written out at once.
BLOCK_COLUMNS = 32


def find_windows(queries: Floats, base: Floats, upper: float, width: float) -> tuple[Integers, Integers]:
    """Return for each query t the base slice ``[near, far)`` on the slope of the ramp.

    With excess ``e = upper - (t - b)``: ``e > 0`` from ``near`` on and ``e > width`` from ``far`` on.
    Both arrays are sorted ascending. The excess is rounded as written, so that a pair is found on the
    slope from the side of its query and from that of its base alike, all signs turned.
    """
    near = _count_up_to(0.0, queries, base, upper)
    if width == 0.0:
        return near, near
    return near, _count_up_to(width, queries, base, upper)


def _count_up_to(limit: float, queries: Floats, base: Floats, upper: float) -> Integers:
    """Return for each query t how many scores b have an excess, ``upper - (t - b)``, of at most ``limit``."""
    if np.isinf(limit):
        return np.full(len(queries), len(base))
    edge = queries - (upper - limit)
    slack = 4.0 * np.finfo(np.float64).eps * (np.abs(queries) + abs(upper) + limit)
    count = np.searchsorted(base, edge - slack, side="right")
    stop = np.searchsorted(base, edge + slack, side="right")
    # Between the two it is up to rounding: bisect there.
    rows = np.flatnonzero(count < stop)
    while len(rows):
        middle = (count[rows] + stop[rows]) // 2
        beyond = upper - (queries[rows] - base[middle]) > limit
        stop[rows] = np.where(beyond, middle, stop[rows])
        count[rows] = np.where(beyond, count[rows], middle + 1)
        rows = rows[count[rows] < stop[rows]]
    return count


def sum_ramp(
    queries: Floats,
    base: Floats,
    weights: Floats,
    upper: float,
    width: float,
    curvature: float,
    steepness: float,
) -> tuple[Floats, Floats]:
    """Return for each query t the weighted sums over the base of a ramp's value and pull.

    They equal ``sum_b weight_b * value(t - b)`` and ``sum_b weight_b * pull(t - b)`` of `Ramp`.
    Both score arrays are sorted ascending.
    """
    near, far = find_windows(queries, base, upper, width)
    if np.isinf(width):
        mass, first, second = _tail_moments(base, weights, near, upper - (queries - base[-1]))
        return 0.5 * curvature * second, curvature * first
    if width > 0.0:
        far, first, second = _window_moments(queries, base, weights, near, far, upper, width)
    else:
        first = second = np.zeros_like(queries)
    mass, excess, _ = _tail_moments(base, weights, far, upper - (queries - base[-1]))
    values = 0.5 * curvature * second + steepness * (excess - 0.5 * width * mass)
    return values, curvature * first + steepness * mass


def _tail_moments(base: Floats, weights: Floats, start: Integers, top: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the sums of w, w e and w e**2 over ``base[start:]``, where the last excess is ``top``.

    The sums run from the top down, so a row's rounding error is in proportion to its own tail.
    """
    below = base - base[-1]
    mass = _sum_from_the_end(weights)[start]
    first = _sum_from_the_end(weights * below)[start]
    second = _sum_from_the_end(weights * below**2)[start]
    return mass, first + top * mass, second + top * (2.0 * first + top * mass)


def _sum_from_the_end(terms: Floats) -> Floats:
    return np.append(np.cumsum(terms[::-1])[::-1], 0.0)


def _window_moments(
    queries: Floats,
    base: Floats,
    weights: Floats,
    near: Integers,
    far: Integers,
    upper: float,
    width: float,
) -> tuple[Integers, Floats, Floats]:
    """Return ``far`` and the sums of w e and w e**2 over ``base[near:far]``.

    The base is cut into cells as wide as the window, so that a window meets two of them, and prefix
    sums run over distances to the cell's own origin: nothing cancels however far the scores spread.
    Rounding may lend a window a few values of a third cell; there ``e = width``, and they count as far.
    """
    cell = np.floor((base - base[0]) / width)
    origin = base[0] + cell * width
    offset = base - origin
    cell_end = np.append(np.searchsorted(cell, cell, side="right"), len(base))
    origin = np.append(origin, origin[-1])
    middle = np.minimum(cell_end[near], far)
    far = np.minimum(far, cell_end[middle])
    sums = [np.append(0.0, np.cumsum(weights * offset**power)) for power in range(3)]
    first, second = np.zeros_like(queries), np.zeros_like(queries)
    for start, stop in ((near, middle), (middle, far)):
        shift = upper - (queries - origin[start])
        mass, moment, square = (total[stop] - total[start] for total in sums)
        first += moment + shift * mass
        second += square + shift * (2.0 * moment + shift * mass)
    return far, first, second


def sum_slices(values: Floats, start: Integers, stop: Integers) -> Floats:
    """Return the column sums of ``values[start:stop]`` for each start and stop, both ascending."""
    sums = np.zeros((len(values) + 1, values.shape[1]))
    np.cumsum(values, axis=0, out=sums[1:])
    return sums.take(stop, axis=0) - sums.take(start, axis=0)


def find_cells(scores: Floats, low: float, scale: float, n_cells: int) -> NDArray[np.int32]:
    """Return each score's cell, ``floor((score - low) * scale)``, the first or last one beyond the ends."""
    return np.clip((scores - low) * scale, 0, n_cells - 1).astype(np.int32)


def tally_cells(
    cells: NDArray[np.int32], positive: NDArray[np.bool_], scores: Floats, weights: Floats | None, n_cells: int
) -> tuple[Floats, Floats]:
    """Add ``n_cells`` to the cells of positive rows; return each cell's summed weight and weighted score."""
    cells[positive] += np.int32(n_cells)
    mass = np.bincount(cells, weights, minlength=2 * n_cells).astype(np.float64, copy=False)
    weighted = scores if weights is None else scores * weights
    return mass, np.asarray(np.bincount(cells, weighted, minlength=2 * n_cells), dtype=np.float64)


def sum_outer(data: Floats, indices: Integers, starts: Integers, weights: Floats, n_columns: int) -> Floats:
    """Return the weighted sum over rows of ``outer(row, row)``, the rows being those of a CSR array."""
    rows = sparse.csr_array((data, indices, starts), shape=(len(weights), n_columns))
    return np.asarray((rows.T @ sparse.diags_array(weights) @ rows).toarray())


def sum_cross(
    data: Floats,
    indices: Integers,
    starts: Integers,
    weights: Floats,
    own: Integers,
    others: Integers,
    near: Integers,
    far: Integers,
    n_columns: int,
) -> Floats:
    """Return the sum over own rows of ``outer(row, sum of others[near:far])``, the rows being those of a CSR array.

    Each row counts as often as its weight says; both ends of the slices ascend.
    """
    rows = sparse.diags_array(weights) @ sparse.csr_array((data, indices, starts), shape=(len(weights), n_columns))
    left, right = rows[own].T, rows[others].tocsc()
    cross = np.empty((n_columns, n_columns))
    for start in range(0, n_columns, BLOCK_COLUMNS):
        columns = slice(start, start + BLOCK_COLUMNS)
        cross[:, columns] = left @ sum_slices(right[:, columns].toarray(), near, far)
    return cross


def scatter_pairs(first: Integers, second: Integers, pull: Floats, n_rows: int) -> Floats:
    """Return the slope of each row from the pull of each pair: ``-pull`` at first, ``+pull`` at second."""
    gained = np.bincount(second, pull, minlength=n_rows)
    return np.asarray(gained - np.bincount(first, pull, minlength=n_rows), dtype=np.float64)


def find_near(
    first: Integers,
    second: Integers,
    distances: Floats,
    active: NDArray[np.bool_],
    scores: Floats,
    radius: float,
    slack: float,
) -> tuple[Integers, Integers]:
    """Return the pairs whose margin is within ``radius * distance + slack`` of 1, and those to be turned.

    No margin but of the former crosses 1 while the weights stay within the radius, the distance being that between
    the pair's rows. To be turned are pairs that are active but not below 1, or below it but not active.
    """
    excess = 1.0 - (scores[first] - scores[second])
    return np.flatnonzero(np.abs(excess) <= radius * distances + slack), np.flatnonzero((excess > 0.0) != active)


def take_steps(
    differences: Floats,
    shares: Floats,
    active: NDArray[np.bool_],
    held: Floats,
    pull: Floats,
    total: Floats,
    linear: float,
    weights: Floats,
    momentum: Floats,
    scale: Floats,
    alpha: float,
    step: float,
    beta1: float,
    beta2: float,
    adaptive: bool,
    shared: bool,
    step_tol: float,
    radius: float,
    n_taken: int,
    max_steps: int,
) -> tuple[int, float, float, float]:
    """Take steps against the gradient, ``alpha * weights - pull``, as long as no pairs but these can matter.

    The pull is the sum of share times difference over active pairs, those whose margin is below 1; each step turns
    those pairs that crossed it. The steps end once the weights have left the radius about the first ones, no weight
    has moved by ``step_tol``, or ``max_steps`` are taken in all.

    A step goes along the momentum, ``beta1 * momentum + (1 - beta1) * gradient``, divided by ``1 - beta1**n_taken``
    and by the scale: where that is adaptive the gradient's size or ``beta2`` times the last scale, whichever is
    larger; of each weight, or shared by all.

    All arrays but the first two are changed in place: ``held`` gains the number of steps that a pair was active in,
    ``total`` the pulls of all steps. Returned are ``n_taken``, the most that a weight moved in the last step, the
    active shares there, which were ``linear`` at first, and their sum over all steps.
    """
    start = weights.copy()
    total_linear = 0.0
    while True:
        below = differences @ weights < 1.0
        turned = shares * (below.astype(np.float64) - active)
        active[:] = below
        held += active
        pull += turned @ differences
        linear += float(turned.sum())
        total += pull
        total_linear += linear
        gradient = alpha * weights - pull
        n_taken += 1
        momentum *= beta1
        momentum += (1.0 - beta1) * gradient
        if adaptive:
            size = np.abs(gradient)
            np.maximum(beta2 * scale, size.max() if shared else size, out=scale)
        moved = np.divide(momentum, scale, out=np.zeros_like(momentum), where=scale > 0.0)
        moved *= step / (1.0 - beta1**n_taken)
        weights -= moved
        change = float(np.abs(moved).max())
        left = float(np.linalg.norm(weights - start)) > radius
        if left or change < step_tol or n_taken >= max_steps:
            return n_taken, change, linear, total_linear


def score_single(features: NDArray[np.float32], weights: Floats) -> Floats:
    """Return ``features @ weights``, in double precision of features in single precision."""
    scores = np.empty(features.shape[0])
    for block in _list_blocks(features):
        np.matmul(features[block].astype(np.float64), weights, out=scores[block])
    return scores


def gather_single(features: NDArray[np.float32], slope: Floats) -> Floats:
    """Return ``slope @ features``, in double precision of features in single precision."""
    total = np.zeros(features.shape[1])
    for block in _list_blocks(features):
        total += slope[block] @ features[block].astype(np.float64)
    return total


def _list_blocks(features: NDArray[np.float32]) -> Iterator[slice]:
    step = max(1, BLOCK_ENTRIES // max(1, features.shape[1]))
    return (slice(start, start + step) for start in range(0, features.shape[0], step))
