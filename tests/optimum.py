"""The optimum over pairs as a quadratic program, solved by clarabel and proved by its own dual variables.

Nothing here knows of `rocsvm`: a problem is rows, pairs of rows and a penalty; one slack stands for each pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

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
        v, multipliers = _solve(loss, differences * scale, share / unit, alpha / unit * scale**2)
        pull = np.maximum(unit * multipliers, 0.0)
        if loss == "hinge":
            pull = np.minimum(pull, share)
        for w in (v * scale, pull @ differences / alpha):
            value = _value(loss, differences @ w, share) + 0.5 * alpha * float(w @ w)
            if value < upper:
                upper, best = value, w
        conjugate = 0.25 * pull**2 / share if loss == "squared_hinge" else np.zeros_like(pull)
        lower = max(lower, math.fsum(pull - conjugate) - 0.5 * math.fsum((pull @ differences) ** 2) / alpha)
        if upper - lower <= 1e-9 * upper:
            break
    return Optimum(lower, upper, best)


def minimise_over_all_pairs(
    loss: str, X: Floats, positive: NDArray[np.bool_], alpha: float, weights: Floats | None = None
) -> Optimum:
    """Return the minimum over every positive-negative pair, each weighing the product of its rows' weights."""
    return minimise_over_pairs(loss, X, list_pairs(positive, weights), alpha)


def _value(loss: str, margins: Floats, share: Floats) -> float:
    excess = np.maximum(1.0 - margins, 0.0)
    return float(share @ (excess**2 if loss == "squared_hinge" else excess))


def _solve(loss: str, differences: Floats, share: Floats, penalty: Floats) -> tuple[Floats, Floats]:
    """Return weights and multipliers of ``slack_k >= 1 - margin_k``, slacks measured in units of one."""
    n_pairs, n_features = differences.shape
    is_squared = loss == "squared_hinge"
    bend = 2.0 * share if is_squared else np.zeros(n_pairs)
    quadratic = sparse.diags_array(np.concatenate([penalty, bend])).tocsc()
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
        sparse.csc_matrix(quadratic),
        linear,
        sparse.csc_matrix(constraints),
        bounds,
        [clarabel.NonnegativeConeT(len(bounds))],
        settings,
    )
    solution = solver.solve()
    return np.array(solution.x[:n_features]), np.array(solution.z[:n_pairs])
