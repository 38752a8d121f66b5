"""The hot loops compiled: the same signatures as in `_numpy`, which define them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

# Rows of a stretch of single precision that are summed before they are added to the rest.
STRETCH = 1024
# Of the radius that steps may go, how far they go before they look again which pairs they must read.
REACH = 0.06
# What rounding may move a margin by.
SLACK = 1e-9


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile without the interpreter lock; keep the result on disk where that can be written."""
    try:
        return numba.njit(nogil=True, cache=True)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # Numba finds no folder that it may write to
        return numba.njit(nogil=True)(function)  # type: ignore[no-any-return]


@compiled
def find_windows(queries, base, upper, width):  # type: ignore[no-untyped-def]
    near = np.empty(len(queries), np.int64)
    far = np.empty(len(queries), np.int64)
    low, high = 0, 0
    for q in range(len(queries)):
        while low < len(base) and upper - (queries[q] - base[low]) <= 0.0:
            low += 1
        high = max(low, high)
        while high < len(base) and upper - (queries[q] - base[high]) <= width:
            high += 1
        near[q], far[q] = low, high
    return near, far


@compiled
def sum_ramp(queries, base, weights, upper, width, curvature, steepness):  # type: ignore[no-untyped-def]
    # Queries fall, so every excess only grows: sums are carried along by shifting their moments, in
    # terms of one sign. A value leaves the window only while its excess is of the window's size.
    values = np.empty(len(queries))
    pulls = np.empty(len(queries))
    near = far = len(base)
    mass = first = second = far_mass = far_first = 0.0
    last = queries[-1]
    for q in range(len(queries) - 1, -1, -1):
        query = queries[q]
        step = last - query
        last = query
        far_first += step * far_mass
        if step >= width:
            far_mass += mass
            far_first += first + (step - 0.5 * width) * mass
            far = near
            mass = first = second = 0.0
        else:
            second += step * (2.0 * first + step * mass)
            first += step * mass
        while near > 0:
            excess = upper - (query - base[near - 1])
            if excess <= 0.0:
                break
            near -= 1
            weight = weights[near]
            if excess > width and far == near + 1:
                far = near
                far_mass += weight
                far_first += weight * (excess - 0.5 * width)
            else:
                mass += weight
                first += weight * excess
                second += weight * excess * excess
        while far > near:
            excess = upper - (query - base[far - 1])
            if excess <= width:
                break
            far -= 1
            weight = weights[far]
            mass -= weight
            first -= weight * excess
            second -= weight * excess * excess
            far_mass += weight
            far_first += weight * (excess - 0.5 * width)
        if far == near:
            mass = first = second = 0.0
        if width == np.inf:
            values[q] = 0.5 * curvature * second
            pulls[q] = curvature * first
        else:
            values[q] = 0.5 * curvature * second + steepness * far_first
            pulls[q] = curvature * first + steepness * far_mass
    return values, pulls


@compiled
def sum_slices(values, start, stop):  # type: ignore[no-untyped-def]
    # A sum slides along; where two slices share nothing it starts anew, and no rounding is carried over.
    n_columns = values.shape[1]
    out = np.empty((len(start), n_columns))
    total = np.zeros(n_columns)
    low = high = 0
    for q in range(len(start)):
        if start[q] >= high:
            low = high = start[q]
            total[:] = 0.0
        for row in range(high, stop[q]):
            for k in range(n_columns):
                total[k] += values[row, k]
        for row in range(low, start[q]):
            for k in range(n_columns):
                total[k] -= values[row, k]
        low, high = start[q], max(high, stop[q])
        out[q] = total
    return out


@compiled
def find_cells(scores, low, scale, n_cells):  # type: ignore[no-untyped-def]
    cells = np.empty(len(scores), np.int32)
    last = np.float64(n_cells - 1)
    for row in range(len(scores)):
        cells[row] = int(min(max((scores[row] - low) * scale, 0.0), last))
    return cells


@compiled
def _tally(cells, positive, scores, weights, n_cells):  # type: ignore[no-untyped-def]
    mass = np.zeros(2 * n_cells)
    moment = np.zeros(2 * n_cells)
    weighted = len(weights) > 0
    for row in range(len(scores)):
        if positive[row]:
            cells[row] += n_cells
        cell = cells[row]
        weight = weights[row] if weighted else 1.0
        mass[cell] += weight
        moment[cell] += weight * scores[row]
    return mass, moment


def tally_cells(cells, positive, scores, weights, n_cells):  # type: ignore[no-untyped-def]
    """Tally in one reading of the rows."""
    return _tally(cells, positive, scores, np.empty(0) if weights is None else weights, n_cells)


@compiled
def sum_outer(data, indices, starts, weights, n_columns):  # type: ignore[no-untyped-def]
    # The products of two entries of a row are summed once, wherever they lie, then mirrored.
    half = np.zeros((n_columns, n_columns))
    for row in range(len(weights)):
        if weights[row] == 0.0:
            continue
        for i in range(starts[row], starts[row + 1]):
            share = weights[row] * data[i]
            line = half[indices[i]]
            for j in range(starts[row], i):
                line[indices[j]] += share * data[j]
            line[indices[i]] += 0.5 * share * data[i]
    return half + half.T


@compiled
def sum_cross(data, indices, starts, weights, own, others, near, far, n_columns):  # type: ignore[no-untyped-def]
    # As in sum_slices a sum slides along, here of sparse rows, and starts anew where two slices share nothing.
    cross = np.zeros((n_columns, n_columns))
    total = np.zeros(n_columns)
    low = high = 0
    for q in range(len(own)):
        if near[q] >= high:
            low = high = near[q]
            total[:] = 0.0
        for place in range(high, far[q]):
            row = others[place]
            for i in range(starts[row], starts[row + 1]):
                total[indices[i]] += weights[row] * data[i]
        for place in range(low, near[q]):
            row = others[place]
            for i in range(starts[row], starts[row + 1]):
                total[indices[i]] -= weights[row] * data[i]
        low, high = near[q], max(high, far[q])
        if low == high:
            continue
        row = own[q]
        for i in range(starts[row], starts[row + 1]):
            share = weights[row] * data[i]
            line = cross[indices[i]]
            for k in range(n_columns):
                line[k] += share * total[k]
    return cross


@compiled
def scatter_pairs(first, second, pull, n_rows):  # type: ignore[no-untyped-def]
    slope = np.zeros(n_rows)
    for pair in range(len(pull)):
        slope[second[pair]] += pull[pair]
        slope[first[pair]] -= pull[pair]
    return slope


@compiled
def find_near(first, second, distances, active, scores, radius, slack):  # type: ignore[no-untyped-def]
    near = np.empty(len(first) + 1, np.int64)
    turned = np.empty(len(first) + 1, np.int64)
    n_near = n_turned = 0
    for pair in range(len(first)):
        excess = 1.0 - (scores[first[pair]] - scores[second[pair]])
        near[n_near] = turned[n_turned] = pair
        n_near += abs(excess) <= radius * distances[pair] + slack
        n_turned += (excess > 0.0) != active[pair]
    return near[:n_near].copy(), turned[:n_turned].copy()


@compiled
def take_steps(  # type: ignore[no-untyped-def]
    differences,
    shares,
    active,
    held,
    pull,
    total,
    linear,
    weights,
    momentum,
    scale,
    alpha,
    step,
    beta1,
    beta2,
    adaptive,
    shared,
    step_tol,
    radius,
    n_taken,
    max_steps,
):
    n_pairs, n_features = differences.shape
    first_step = n_taken
    start = weights.copy()
    distances = np.empty(n_pairs)
    for pair in range(n_pairs):
        held[pair] -= first_step if active[pair] else 0
        square = 0.0
        for k in range(n_features):
            square += differences[pair, k] ** 2
        distances[pair] = np.sqrt(square)
    # Within a ball about some weights of these steps only few pairs can cross; steps read those until they leave it.
    margins = np.empty(n_pairs)
    centre = weights.copy()
    reach = REACH * radius
    close = np.empty(n_pairs, np.int64)
    rows = np.empty((n_pairs, n_features))
    n_close = 0
    total_linear = 0.0
    while True:
        gone = 0.0
        for k in range(n_features):
            gone += (weights[k] - centre[k]) ** 2
        if n_pairs and (n_taken == first_step or not gone <= reach * reach):
            centre[:] = weights
            np.dot(differences, weights, margins)
            n_close = 0
            for pair in range(n_pairs):
                is_far = abs(margins[pair] - 1.0) > reach * distances[pair] + SLACK
                if not is_far or (margins[pair] < 1.0) != active[pair]:
                    close[n_close] = pair
                    rows[n_close] = differences[pair]
                    n_close += 1
        if n_close:
            np.dot(rows[:n_close], weights, margins[:n_close])
        for place in range(n_close):
            pair = close[place]
            if (margins[place] < 1.0) != active[pair]:
                sign = -1.0 if active[pair] else 1.0
                active[pair] = not active[pair]
                held[pair] -= sign * n_taken
                linear += sign * shares[pair]
                for k in range(n_features):
                    pull[k] += sign * shares[pair] * rows[place, k]
        total_linear += linear
        n_taken += 1
        largest = 0.0
        for k in range(n_features):
            total[k] += pull[k]
            gradient = alpha * weights[k] - pull[k]
            momentum[k] = beta1 * momentum[k] + (1.0 - beta1) * gradient
            largest = max(largest, abs(gradient))
            if adaptive and not shared:
                scale[k] = max(beta2 * scale[k], abs(gradient))
        if adaptive and shared:
            largest = max(beta2 * scale[0], largest)
            scale[:] = largest
        length = step / (1.0 - beta1**n_taken)
        change = distance = 0.0
        for k in range(n_features):
            moved = length * (momentum[k] / scale[k]) if scale[k] > 0.0 else 0.0
            weights[k] -= moved
            change = max(change, abs(moved))
            distance += (weights[k] - start[k]) ** 2
        if distance > radius * radius or change < step_tol or n_taken >= max_steps:
            break
    for pair in range(n_pairs):
        held[pair] += n_taken if active[pair] else 0
    return n_taken, change, linear, total_linear


@compiled
def score_single(features, weights):  # type: ignore[no-untyped-def]
    n_rows, n_features = features.shape
    scores = np.zeros(n_rows)
    if abs(features.strides[0]) < abs(features.strides[1]):
        for start in range(0, n_rows, STRETCH):
            for k in range(n_features):
                weight = weights[k]
                for row in range(start, min(start + STRETCH, n_rows)):
                    scores[row] += weight * features[row, k]
        return scores
    even = n_features - n_features % 8
    for row in range(n_rows):
        # Eight sums at a time, since one waits for its last term to be added.
        a = b = c = d = e = f = g = h = 0.0
        for k in range(0, even, 8):
            a += features[row, k] * weights[k]
            b += features[row, k + 1] * weights[k + 1]
            c += features[row, k + 2] * weights[k + 2]
            d += features[row, k + 3] * weights[k + 3]
            e += features[row, k + 4] * weights[k + 4]
            f += features[row, k + 5] * weights[k + 5]
            g += features[row, k + 6] * weights[k + 6]
            h += features[row, k + 7] * weights[k + 7]
        for k in range(even, n_features):
            a += features[row, k] * weights[k]
        scores[row] = ((a + b) + (c + d)) + ((e + f) + (g + h))
    return scores


@compiled
def gather_single(features, slope):  # type: ignore[no-untyped-def]
    n_rows, n_features = features.shape
    total = np.zeros(n_features)
    part = np.zeros(n_features)
    by_columns = abs(features.strides[0]) < abs(features.strides[1])
    for start in range(0, n_rows, STRETCH):
        stop = min(start + STRETCH, n_rows)
        part[:] = 0.0
        if by_columns:
            for k in range(n_features):
                for row in range(start, stop):
                    part[k] += slope[row] * features[row, k]
        else:
            for row in range(start, stop):
                own = slope[row]
                for k in range(n_features):
                    part[k] += own * features[row, k]
        for k in range(n_features):
            total[k] += part[k]
    return total
