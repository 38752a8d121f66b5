"""How far a low-rank model is from the best model of the whole kernel: a proved bound.

Pair weights that the dual allows prove a bound in any feature space. With their slopes u on the rows, the bound of
the whole kernel is ``linear - u.T K u / (2 alpha)``, whatever landmarks they were found with. ``u.T K u`` is summed
over the rows that any pair pulls at, in blocks; or bounded by what features leave of each row's own similarity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from rocsvm.features import AbstractKernelFeatures, list_blocks
from rocsvm.kernels import AbstractKernel
from rocsvm.landmarks import group_rows
from rocsvm.losses import Smoothing
from rocsvm.objective import Objective
from rocsvm.solvers import Solution
from rocsvm.solvers._base import relate_gap
from rocsvm.threads import use_one_thread

Floats = NDArray[np.float64]

# Told how many of how many blocks of the kernel matrix are summed.
OnBlock = Callable[[int, int], None]

# Shares of the last smoothing at which pair weights are tried.
SHARES = (0.25, 0.5, 1.0, 2.0)
# Rows up to which the kernel matrix among them is summed unasked: some four seconds.
MANY_ROWS = 50_000
# Rows on a side of a block of the kernel matrix: 8 MB.
SIDE = 1024
# What rounding may take from a row's own similarity, as a share of it.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Certificate:
    """A model's objective, and a number that no model's objective is below.

    Parameters
    ----------
    objective : float
        The model's own objective.
    lower_bound : float
        Proved lower bound on the objective of every model.
    method : str
        How the bound was found.
    """

    objective: float
    lower_bound: float
    method: str

    @property
    def relative_gap(self) -> float:
        """How far at most the model is from the best, as a share of its objective."""
        return relate_gap(max(self.objective - self.lower_bound, 0.0), self.objective)


class DualSlopes(NamedTuple):
    """Dual points by their slopes on the rows, a column each, and the linear parts of their values."""

    linear: Floats
    slopes: Floats

    @property
    def support(self) -> NDArray[np.intp]:
        """The rows that any of them pulls at."""
        return np.flatnonzero(self.slopes.any(axis=1))


def find_duals(objective: Objective, solution: Solution) -> DualSlopes:
    """Return the dual points that the solution's smoothing gives, and smoothings a little narrower and wider."""
    loss, scores = objective.loss, objective.matrix.score(solution.w)
    width, lean = solution.smoothing
    smoothings = (
        [Smoothing(share * width, lean) for share in SHARES] if width > 0.0 and not loss.is_smooth else [Smoothing()]
    )
    sums = [objective.sum(scores, smoothing, 0.0) for smoothing in smoothings]
    return DualSlopes(
        np.array([loss.dual(own.smoothed, own.pull) for own in sums]), np.column_stack([own.slope for own in sums])
    )


def bound_below(duals: DualSlopes, gram: Floats, alpha: float) -> float:
    """Return the best lower bound that mixtures of dual points prove, or zero, which no loss is below.

    ``gram`` is at least ``slopes.T @ K @ slopes``, and of a mixture as of each.
    """

    def value(shares: Floats) -> float:
        return float(duals.linear @ shares - shares @ gram @ shares / (2.0 * alpha))

    def gradient(shares: Floats) -> Floats:
        return duals.linear - gram @ shares / alpha

    n = len(duals.linear)
    corners = [share * corner for corner in np.eye(n) for share in (1.0, _shrink(duals, gram, alpha, corner))]
    start = max(corners, key=value)
    mixed = minimize(
        lambda shares: -value(shares),
        start,
        jac=lambda shares: -gradient(shares),
        bounds=[(0.0, 1.0)] * n,
        constraints={"type": "ineq", "fun": lambda shares: 1.0 - shares.sum(), "jac": lambda shares: -np.ones(n)},
        method="SLSQP",
    ).x
    # Whatever the optimiser says, shares are made such as the dual allows.
    mixed = np.clip(np.nan_to_num(mixed), 0.0, 1.0)
    mixed /= max(1.0, float(mixed.sum()))
    return max(value(start), value(mixed), 0.0)


def _shrink(duals: DualSlopes, gram: Floats, alpha: float, corner: Floats) -> float:
    bend = float(corner @ gram @ corner) / alpha
    rise = float(duals.linear @ corner)
    return min(1.0, rise / bend) if bend > 0.0 and rise > 0.0 else 1.0


def sum_kernel(kernel: AbstractKernel, X: Any, duals: DualSlopes, on_block: OnBlock | None = None) -> Floats:
    """Return ``slopes.T @ K @ slopes``, from half of the blocks between distinct rows that any pair pulls at."""
    support = duals.support
    first, groups = group_rows(X, support)
    rows = X[support[first]]
    slopes = np.zeros((len(first), duals.slopes.shape[1]))
    np.add.at(slopes, groups, duals.slopes[support])
    gram = np.zeros((slopes.shape[1], slopes.shape[1]))
    blocks = list(_pair_blocks(len(slopes)))
    for done, (left, right) in enumerate(blocks, start=1):
        product = slopes[left].T @ (kernel.compare(rows[left], rows[right]) @ slopes[right])
        gram += product if left == right else product + product.T
        if on_block is not None:
            on_block(done, len(blocks))
    return 0.5 * (gram + gram.T)


def _pair_blocks(n_rows: int) -> Iterator[tuple[slice, slice]]:
    starts = range(0, n_rows, SIDE)
    return ((slice(a, a + SIDE), slice(b, b + SIDE)) for a in starts for b in starts if b >= a)


def bound_kernel(features: AbstractKernelFeatures, X: Any, duals: DualSlopes) -> Floats:
    """Return a matrix that is at least ``slopes.T @ K @ slopes``, in one pass over the rows.

    With E what the features Z leave of K, ``u.T K u <= norm(Z.T u)**2 + (sum abs(u_i) sqrt(E_ii))**2``.
    """
    diagonal = features.kernel_.diagonal(X)
    columns = features.kernel_.against(features.landmarks_, np.float64)
    gathered = np.zeros((features.normalization_.shape[1], duals.slopes.shape[1]))
    missed = np.zeros(duals.slopes.shape[1])
    for block in list_blocks(X.shape[0], features.landmarks_.shape[0]):
        Z = columns(X[block]) @ features.normalization_
        left = np.maximum(diagonal[block] - np.einsum("ij,ij->i", Z, Z), 0.0) + ROUNDING * np.abs(diagonal[block])
        gathered += Z.T @ duals.slopes[block]
        missed += np.sqrt(left) @ np.abs(duals.slopes[block])
    return np.asarray(gathered.T @ gathered + np.outer(missed, missed))


def prove(
    features: AbstractKernelFeatures,
    X: Any,
    objective: Objective,
    solution: Solution,
    *,
    exact: bool | None = None,
    on_block: OnBlock | None = None,
) -> Certificate:
    """Return how far a solution on the features of these rows is from the best of the whole kernel.

    ``exact`` sums the kernel matrix, in time that grows with the square of the rows that any pair pulls at; else one
    pass over the rows bounds it. None sums where those rows are few enough for seconds.
    """
    duals = find_duals(objective, solution)
    n_rows = len(duals.support)
    alpha = objective.alpha
    scores = features.score(X, features.fold(solution.w))
    value = objective.pairs.value(objective.loss, scores) + objective.penalise(solution.w)
    with use_one_thread():
        if exact or (exact is None and n_rows <= MANY_ROWS):
            gram = sum_kernel(features.kernel_, X, duals, on_block)
            method = f"dual value over pairs, in the space of the whole kernel, summed over {n_rows:,} rows"
        else:
            gram = bound_kernel(features, X, duals)
            method = (
                f"dual value over pairs, in the space of the whole kernel, bounded without a sum over {n_rows:,} rows"
            )
    return Certificate(value, bound_below(duals, gram, alpha), method)
