"""The optimum over pairs as a quadratic program, solved by clarabel and proved by its own dual variables.

Nothing here knows of `rocsvm`: a problem is rows or their kernel matrix, pairs of rows and a penalty; one slack
stands for each pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tests.reference import list_pairs

Floats = NDArray[np.float64]


class Optimum(NamedTuple):
    """The minimum of an objective, known to lie between two numbers, and weights that reach the upper."""

    lower: float
    upper: float
    w: Floats


def minimise_over_pairs(loss: str, X: Floats, pairs: Sequence[tuple[int, int, float]], alpha: float) -> Optimum:
    """Return the minimum over w of ``sum_k c_k loss(w . (x_i - x_j)) + alpha / 2 norm(w)**2`` over triples (i, j, c).

    The interior point is trusted for nothing: ``upper`` is the objective, by its definition, at the weights it
    found, ``lower`` the dual value of the multipliers it found, moved to where the dual allows them. It is asked
    again, in units of the answer, until the two agree: it measures its own gap against 1.
    """
    first, second, share = (np.array(column) for column in zip(*pairs, strict=True))
    differences = np.asarray(X, dtype=np.float64)[first] - np.asarray(X, dtype=np.float64)[second]
    span = np.abs(differences).max(axis=0)
    scale = np.divide(1.0, span, out=np.ones_like(span), where=span > 0.0)
    lower, upper, best = 0.0, _value(loss, np.zeros(len(differences)), share), np.zeros(differences.shape[1])
    for _ in range(4):
        unit = upper
        v, multipliers = _solve(loss, differences * scale, share / unit, sparse.diags_array(alpha / unit * scale**2))
        pull = _admit(loss, unit * multipliers, share)
        for w in (v * scale, pull @ differences / alpha):
            value = _value(loss, differences @ w, share) + 0.5 * alpha * float(w @ w)
            if value < upper:
                upper, best = value, w
        lower = max(lower, _gain(loss, pull, share) - 0.5 * math.fsum((pull @ differences) ** 2) / alpha)
        if upper - lower <= 1e-9 * upper:
            break
    return Optimum(lower, upper, best)


def minimise_over_all_pairs(
    loss: str, X: Floats, positive: NDArray[np.bool_], alpha: float, weights: Floats | None = None
) -> Optimum:
    """Return the minimum over every positive-negative pair, each weighing the product of its rows' weights."""
    return minimise_over_pairs(loss, X, list_pairs(positive, weights), alpha)


def minimise_over_kernel(loss: str, K: Floats, pairs: Sequence[tuple[int, int, float]], alpha: float) -> Optimum:
    """Return the minimum over theta of ``sum_k c_k loss(theta . (k_i - k_j)) + alpha / 2 theta . K theta``.

    That is the paper's n-variable problem, eq. kernel-ROCSVM, with ``k_i`` the columns of the kernel matrix. Nothing
    is factored: u, the multipliers summed by row, proves ``lower`` by ``u . K u`` and gives theta as ``u / alpha``.
    """
    first, second, share = (np.array(column) for column in zip(*pairs, strict=True))
    columns = K[first] - K[second]
    lower, upper, best = 0.0, _value(loss, np.zeros(len(columns)), share), np.zeros(len(K))
    for _ in range(4):
        unit = upper
        found, multipliers = _solve(loss, columns, share / unit, alpha / unit * sparse.csc_array(K))
        pull = _admit(loss, unit * multipliers, share)
        u = np.zeros(len(K))
        np.add.at(u, first, pull)
        np.add.at(u, second, -pull)
        for theta in (found, u / alpha):
            value = _value(loss, columns @ theta, share) + 0.5 * alpha * float(theta @ K @ theta)
            if value < upper:
                upper, best = value, theta
        lower = max(lower, _gain(loss, pull, share) - 0.5 * float(u @ K @ u) / alpha)
        if upper - lower <= 1e-9 * upper:
            break
    return Optimum(lower, upper, best)


def _admit(loss: str, multipliers: Floats, share: Floats) -> Floats:
    """Return the multipliers moved to where the dual allows them."""
    return np.clip(multipliers, 0.0, share if loss == "hinge" else None)


def _gain(loss: str, pull: Floats, share: Floats) -> float:
    """Return the part of the dual value that the penalty has none in."""
    conjugate = 0.25 * pull**2 / share if loss == "squared_hinge" else np.zeros_like(pull)
    return math.fsum(pull - conjugate)


def _value(loss: str, margins: Floats, share: Floats) -> float:
    excess = np.maximum(1.0 - margins, 0.0)
    return float(share @ (excess**2 if loss == "squared_hinge" else excess))


def _solve(loss: str, differences: Floats, share: Floats, penalty: Any) -> tuple[Floats, Floats]:
    """Return weights and multipliers of ``slack_k >= 1 - margin_k``, slacks measured in units of one."""
    n_pairs, n_features = differences.shape
    is_squared = loss == "squared_hinge"
    bend = 2.0 * share if is_squared else np.zeros(n_pairs)
    quadratic = sparse.block_diag([penalty, sparse.diags_array(bend)])
    linear = np.concatenate([np.zeros(n_features), np.zeros(n_pairs) if is_squared else share])
    eye = sparse.eye_array(n_pairs)
    blocks = [[sparse.csr_array(-differences), -eye], [None, -eye]]
    constraints = sparse.block_array(blocks[: 1 if is_squared else 2]).tocsc()
    bounds = np.concatenate([-np.ones(n_pairs), np.zeros(constraints.shape[0] - n_pairs)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = 1e-13
    settings.max_iter = 200
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(quadratic)),
        linear,
        sparse.csc_matrix(constraints),
        bounds,
        [clarabel.NonnegativeConeT(len(bounds))],
        settings,
    )
    solution = solver.solve()
    return np.array(solution.x[:n_features]), np.array(solution.z[:n_pairs])
