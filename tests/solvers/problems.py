"""Small problems of every awkward kind, with their optimum by the quadratic program, and large ones without."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rocsvm.features import wrap_matrix
from rocsvm.losses import LOSSES
from rocsvm.objective import Objective
from rocsvm.pairs import AllPairs, IncompletePairs
from rocsvm.solvers import Newton, Solution, Status
from tests import reference
from tests.optimum import Optimum, minimise_over_pairs
from tests.reference import list_pairs
from tests.strategies import choose_weights, labels

Floats = NDArray[np.float64]

# What rounding may take from a bound, as a share of the optimum.
ROUNDING = 1e-8


class Problem(NamedTuple):
    """Rows, which of them are positive, and what is minimised over their pairs."""

    X: NDArray[np.floating]
    positive: NDArray[np.bool_]
    weights: Floats | None = None
    loss: str = "hinge"
    alpha: float = 1e-3
    n_pairs: int | None = None

    def bind(self) -> Objective:
        """Return the objective; the same pairs every time."""
        scheme = AllPairs() if self.n_pairs is None else IncompletePairs(self.n_pairs)
        pairs = scheme.bind(self.positive, self.weights, np.random.default_rng(0))
        return Objective(wrap_matrix(self.X), pairs, LOSSES[self.loss](), self.alpha)

    def list_pairs(self) -> list[reference.Pair]:
        """Return every pair and its weight."""
        if self.n_pairs is None:
            return list_pairs(self.positive, self.weights)
        pairs = self.bind().pairs
        return list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.weights.tolist(), strict=True))

    def minimise(self) -> Optimum:
        """Return the optimum by the quadratic program."""
        return minimise_over_pairs(self.loss, np.asarray(self.X, dtype=np.float64), self.list_pairs(), self.alpha)

    def define_value(self, w: Floats) -> float:
        """Return the objective by its definition, of differences of rows."""
        loss, rows = reference.LOSSES[self.loss](), np.asarray(self.X, dtype=np.float64)
        losses = math.fsum(weight * loss.value(float((rows[i] - rows[j]) @ w)) for i, j, weight in self.list_pairs())
        return losses + 0.5 * self.alpha * math.fsum(w**2)

    def solve(self, w0: Floats | None = None, **options: object) -> Solution:
        """Return the solution by Newton's method, from one seed."""
        return Newton().solve(self.bind(), w0, rng=np.random.default_rng(0), **options)  # type: ignore[arg-type]


def check_honest(solution: Solution, tol: float) -> None:
    """Assert that numbers are finite, and that the status is what they say."""
    assert np.isfinite(solution.w).all()
    assert np.isfinite(solution.objective)
    assert solution.objective >= 0.0
    assert 0.0 <= solution.dual_gap <= solution.objective * (1.0 + ROUNDING)
    assert solution.n_iter == len(solution.history)
    assert (solution.relative_gap <= tol) == (solution.status is Status.CONVERGED)


def check_bounds(solution: Solution, optimum: Optimum) -> None:
    """Assert that the optimum lies between the solution's bound and its objective."""
    slack = ROUNDING * optimum.upper
    assert solution.objective >= optimum.lower - slack
    assert solution.objective - solution.dual_gap <= optimum.upper + slack


@st.composite
def rows(draw: st.DrawFn, n: int) -> Floats:
    """Return n rows of unit scale: ties, zeros and ones, columns twice or constant, equal rows, one feature or many."""
    p = draw(st.sampled_from([1, 2, 3, 5, n + 3]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.standard_normal((n, p))
    kind = draw(st.sampled_from(["any", "ties", "binary", "twice", "constant", "equal"]))
    if kind == "ties":
        X = np.round(X)
    elif kind == "binary":
        X = (X > 0.5).astype(np.float64)
    elif kind == "twice":
        X = np.hstack([X, X])
    elif kind == "constant":
        X[:, 0] = 3.0
    elif kind == "equal":
        X[:] = X[0]
    return X


@st.composite
def problems(draw: st.DrawFn, *, min_power: float = -8.0, scales: bool = True) -> Problem:
    """Return a problem of at most 20 rows, of alpha from ``10**min_power`` to 100, of odd scales if so asked."""
    n = draw(st.integers(2, 20))
    positive = draw(labels(n))
    X = draw(rows(n))
    X[positive] += draw(st.sampled_from([0.0, 0.5, 6.0]))
    if scales:
        powers = st.lists(st.integers(-3, 3), min_size=X.shape[1], max_size=X.shape[1])
        X *= draw(st.just(1.0) | powers.map(lambda given: 10.0 ** np.array(given)))
        X += draw(st.sampled_from([0.0, 1e6]))
    alpha = 10.0 ** draw(st.floats(min_power, 2.0))
    n_pairs = draw(st.none() | st.integers(1, 60))
    return Problem(X, positive, draw(choose_weights(n, "any")), draw(st.sampled_from(list(LOSSES))), alpha, n_pairs)


def simulate(n: int, p: int, *, share: float = 0.3, shift: float = 1.0, seed: int = 0, **rest: object) -> Problem:
    """Return normal rows, the positive ones ``shift`` deviations from the others; at least one row of each class."""
    rng = np.random.default_rng(seed)
    positive = np.zeros(n, dtype=np.bool_)
    positive[: max(1, round(share * n))] = True
    rng.shuffle(positive)
    X = rng.standard_normal((n, p))
    X[positive] += shift / np.sqrt(p)
    return Problem(X, positive, **rest)  # type: ignore[arg-type]
