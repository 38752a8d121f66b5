"""Newton directions: from a factored Hessian where features are few, by conjugate gradients elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

from rocsvm.losses import Smoothing
from rocsvm.objective import Objective

Floats = NDArray[np.float64]

# Forming and factoring a Hessian of this order takes less time than the products it replaces.
MAX_FACTORED = 1500
# Entries of the dense copy of the rows on which a Hessian is formed: 320 MB.
MAX_DENSE_ENTRIES = 40_000_000
# Scores are rounded by this share of the smoothing where curvature is measured, unless there are so few rows or pairs
# that sorting them is as fast.
ROUNDING, FEW = 0.125, 1024
# A factor serves as long as each step with it divides the slack by this.
ENOUGH_GAIN = 10.0
# With so many entries a row a Hessian costs more than the steps that it saves: the last one serves on, from one
# smoothing or alpha to the next, as long as each step gains ``FRESH_GAIN ** (FEW_ENTRIES / (FEW_ENTRIES + entries))``.
# Of rows less than so many times as many, too few bend for one Hessian to be like the next.
MANY_ENTRIES, FEW_ENTRIES, FRESH_GAIN, MANY_TIMES = 60, 40, 30.0, 8
# A step this short was cut by curvature that the sample does not show.
CUT_SHORT = 0.3
# What a step cut short adds of the wider Hessian first, by what factor more of it later, up to the most of all; and
# by what factor a step that was not takes some away, down to the least.
FIRST_SHARE, MORE_SHARE, MOST_SHARE, LESS_SHARE, LEAST_SHARE = 0.1, 10.0, 1.0, 1.0 / 3.0, 0.01
# Steps that are remembered, and how many may fall short before a sample grows.
MEMORY, PATIENCE = 30, 4

TOO_LARGE = "X holds numbers so large that products of them overflow. Scale the features, as StandardScaler() does."


class AbstractDirections(ABC):
    """Newton directions with the curvature of one objective, itself or a sample of the one descended."""

    @abstractmethod
    def find(self, alpha: float, w: Floats, smoothing: Smoothing, gradient: Floats, *, broad: bool = False) -> Floats:
        """Return minus the inverse Hessian at w, smoothed so, times the gradient.

        Where the loss outweighs the penalty, pairs beyond the smoothing may be heeded too (``broad``). Elsewhere they
        would hide the directions that no pair bends, which lead on.
        """

    def learn(self, step: Floats, change: Floats, gain: float, length: float) -> None:  # noqa: B027 - most need not
        """Learn how a step changed the gradient, by what factor the slack fell, and how far the step went."""

    def restart(self) -> None:  # noqa: B027 - most directions keep nothing
        """Forget the steps: another function is descended from here on."""

    def renew(self) -> bool:
        """Have the next direction be of fresh curvature; False if that of the last one was."""
        return False


class FactoredDirections(AbstractDirections):
    """The d x d Hessian, formed and factored; the factor serves until a step with it gains too little.

    Where it costs more than many steps do, it serves under another smoothing or alpha too, as long as steps gain there.

    Where steps are cut short and pairs may be heeded broadly, a share of the last Hessian under a wider smoothing is
    added: it knows of the pairs that bend just beyond the narrow one, as those of a rare feature do all at once.
    """

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._features = objective.matrix.open()
        self._factor: tuple[tuple[float, Smoothing], ScaledFactor] | None = None
        self._hessian: Floats | None = None
        # Whether a Hessian may serve on, and whether that of the last direction was formed for it.
        self._serves_on, self.is_fresh = False, True
        entries = count_entries(self._features)
        is_many = MANY_ENTRIES < entries < objective.pairs.size / MANY_TIMES
        # The Hessian of a smooth loss has no width to average over, and changes with each pair that turns.
        self._is_costly = is_many and not objective.loss.is_smooth
        self._enough = FRESH_GAIN ** (FEW_ENTRIES / (FEW_ENTRIES + entries))
        # Of the last smoothing that Hessians were formed under, and of the one before that was wider.
        self._last: tuple[float, Floats] | None = None
        self._wider: tuple[float, Floats] | None = None
        self._share = 0.0

    def learn(self, step: Floats, change: Floats, gain: float, length: float) -> None:
        """Form the Hessian anew at the next point if the gain was small, with more of the wider one or less."""
        if gain < (self._enough if self._serves_on else ENOUGH_GAIN) or length < CUT_SHORT:
            self._hessian = self._factor = None
        if length < CUT_SHORT:
            self._share = float(np.clip(MORE_SHARE * self._share, FIRST_SHARE, MOST_SHARE))
        else:
            self._share *= LESS_SHARE

    def renew(self) -> bool:
        """Have the next Hessian formed at its own point."""
        if self.is_fresh:
            return False
        self._hessian = self._factor = None
        return True

    def find(self, alpha: float, w: Floats, smoothing: Smoothing, gradient: Floats, *, broad: bool = False) -> Floats:
        """Return the direction from a Cholesky factor."""
        # Where the penalty outweighs the loss, few pairs bend, and other ones under another alpha or smoothing.
        self._serves_on = self._is_costly and broad
        self.is_fresh = not self._serves_on
        if self._factor is None or self._factor[0] != (alpha, smoothing):
            if self._hessian is None or not self._serves_on:
                self._hessian = self._form(w, smoothing)
                if broad and self._wider is not None and self._share >= LEAST_SHARE:
                    self._hessian = self._hessian + self._share * self._wider[1]
                self.is_fresh = True
            self._factor = (alpha, smoothing), ScaledFactor(self._hessian + np.diag(np.full(len(w), alpha)))
        return -self._factor[1].solve(gradient)

    def _form(self, w: Floats, smoothing: Smoothing) -> Floats:
        """Return the Hessian of the loss; the narrowest one under a wider smoothing is kept."""
        rounding = round_scores(self._objective, smoothing)
        curvature = self._objective.pairs.curve(
            self._objective.loss, self._features @ w, smoothing=smoothing, rounding=rounding
        )
        hessian = curvature.gram(self._features)
        known = [one for one in (self._last, self._wider) if one is not None and one[0] > smoothing.width]
        self._last, self._wider = (smoothing.width, hessian), min(known, key=lambda one: one[0], default=None)
        return hessian


def count_entries(features: Any) -> float:
    """Return how many entries a row has, those that are zero by their place left out."""
    return float(features.nnz / features.shape[0] if sparse.issparse(features) else features.shape[1])


class ScaledFactor:
    """The Cholesky factor of a matrix scaled to a unit diagonal, so that columns of any scale cost no digits.

    Where rounding has made the matrix indefinite, its diagonal is raised until it is not.
    """

    def __init__(self, matrix: Floats) -> None:
        if not np.isfinite(matrix).all():
            raise ValueError(TOO_LARGE)
        self._scale = 1.0 / np.sqrt(np.maximum(np.diagonal(matrix), np.finfo(np.float64).tiny))
        scaled = matrix * self._scale[:, None] * self._scale
        excess = 0.0
        while True:
            try:
                self._factor = linalg.cholesky(scaled + excess * np.eye(len(scaled)), lower=True, check_finite=False)
                return
            except linalg.LinAlgError:
                excess = max(10.0 * excess, 1e-14)

    def solve(self, right: Floats) -> Floats:
        """Return the solution of the system with this right-hand side."""
        solution: Floats = linalg.cho_solve((self._factor, True), right * self._scale, check_finite=False)
        return solution * self._scale


class ConjugateDirections(AbstractDirections):
    """Conjugate gradients on Hessian products, scaled by the Hessian's diagonal; they heed no pairs beyond it."""

    is_fresh = True

    def __init__(self, objective: Objective) -> None:
        self._objective = objective

    def find(self, alpha: float, w: Floats, smoothing: Smoothing, gradient: Floats, *, broad: bool = False) -> Floats:
        """Return the direction to a few hundredths of the gradient."""
        matrix = self._objective.matrix
        curvature = self._objective.curve(w, smoothing, round_scores(self._objective, smoothing))
        shape = (len(w), len(w))
        hessian = LinearOperator(
            shape, matvec=lambda v: matrix.gather(curvature @ matrix.score(v)) + alpha * v, dtype=np.float64
        )
        diagonal = matrix.weigh_squares(curvature.diagonal()) + alpha
        scaling = LinearOperator(shape, matvec=lambda v: v / diagonal, dtype=np.float64)
        direction, _ = cg(hessian, -gradient, rtol=0.03, maxiter=300, M=scaling)
        return np.asarray(direction)


def round_scores(objective: Objective, smoothing: Smoothing) -> float:
    """Return by how much scores may be rounded where the loss is smoothed so."""
    return ROUNDING * smoothing.width if objective.pairs.size >= FEW else 0.0


def choose_directions(objective: Objective) -> FactoredDirections | ConjugateDirections:
    """Return factored directions where the number of features allows them."""
    if objective.matrix.shape[1] <= MAX_FACTORED:
        return FactoredDirections(objective)
    return ConjugateDirections(objective)


class Secants:
    """What the last steps showed of the curvature, by which they correct directions as in L-BFGS."""

    def __init__(self) -> None:
        self._secants: deque[tuple[Floats, Floats, float]] = deque(maxlen=MEMORY)

    def clear(self) -> None:
        """Forget the steps."""
        self._secants.clear()

    def add(self, step: Floats, change: Floats) -> None:
        """Remember how a step changed the gradient."""
        product = float(step @ change)
        if product > 1e-10 * float(np.linalg.norm(step) * np.linalg.norm(change)):
            self._secants.append((step, change, 1.0 / product))

    def mend(self, find: Callable[[Floats], Floats], gradient: Floats) -> Floats:
        """Return the direction found for the gradient, made to agree with the steps."""
        shares = []
        for step, change, scale in reversed(self._secants):
            share = scale * float(step @ gradient)
            gradient = gradient - share * change
            shares.append(share)
        direction = find(gradient)
        for (step, change, scale), share in zip(self._secants, reversed(shares), strict=True):
            direction = direction - (share + scale * float(change @ direction)) * step
        return direction


class SteadyDirections(AbstractDirections):
    """Newton directions that remember steps cut short.

    A step is cut short by pairs that bend at its end only. The Hessian there may have lost those that
    bent at its start, and without memory the descent goes to and fro between two such sets.
    """

    def __init__(self, objective: Objective) -> None:
        self._directions = choose_directions(objective)
        self._secants = Secants()

    def restart(self) -> None:
        """Forget the steps."""
        self._secants.clear()

    def find(self, alpha: float, w: Floats, smoothing: Smoothing, gradient: Floats, *, broad: bool = False) -> Floats:
        """Return the Newton direction, made to agree with the steps cut short."""
        return self._secants.mend(
            lambda right: self._directions.find(alpha, w, smoothing, right, broad=broad), gradient
        )

    def renew(self) -> bool:
        """Have the next direction be of fresh curvature."""
        return self._directions.renew()

    def learn(self, step: Floats, change: Floats, gain: float, length: float) -> None:
        """Remember the step if it fell short; forget all once one does not."""
        self._directions.learn(step, change, gain, length)
        if gain >= ENOUGH_GAIN and length > CUT_SHORT:
            self._secants.clear()
        else:
            self._secants.add(step, change)


class SampledDirections(AbstractDirections):
    """Directions with the curvature of a sample, mended by what the steps on the whole data show.

    A step that gains little tells of rows that the sample misses: it is drawn anew with the rows far
    from the mean preferred, then eight times as large.
    """

    def __init__(self, objective: Objective, size: int, rng: np.random.Generator) -> None:
        self._objective = objective
        self._size = size
        self._rng = rng
        self._secants = Secants()
        self._failures = 0
        self.sample = objective.sample(size, rng)
        self._directions: FactoredDirections | ConjugateDirections = choose_directions(self.sample)

    def restart(self) -> None:
        """Forget the steps."""
        self._secants.clear()

    def find(self, alpha: float, w: Floats, smoothing: Smoothing, gradient: Floats, *, broad: bool = False) -> Floats:
        """Return the direction that the sample proposes, made to agree with the last steps."""
        return self._secants.mend(
            lambda right: self._directions.find(alpha, w, smoothing, right, broad=broad), gradient
        )

    def renew(self) -> bool:
        """Have the next direction be of fresh curvature."""
        return self._directions.renew()

    def learn(self, step: Floats, change: Floats, gain: float, length: float) -> None:
        """Remember the step; better the sample when steps fall short."""
        self._secants.add(step, change)
        self._directions.learn(step, change, gain, length)
        if not self._directions.is_fresh:
            return
        if gain >= ENOUGH_GAIN and length > CUT_SHORT:
            return
        self._failures += 1
        if self._failures % PATIENCE == 1 and self._size < self._objective.pairs.size:
            self._draw_again(1 if self._failures == 1 else 8)

    def _draw_again(self, growth: int) -> None:
        """Draw a sample ``growth`` times as large, by importance; take all where that is half of them."""
        self._size *= growth
        # The old sample goes before the new one comes.
        del self.sample, self._directions
        if self._size >= self._objective.pairs.size // 2:
            self._size = self._objective.pairs.size
            self.sample = self._objective
        else:
            self.sample = self._objective.sample(self._size, self._rng, self._importance)
        entries = self.sample.matrix.shape[0] * self.sample.matrix.shape[1]
        affordable = entries <= MAX_DENSE_ENTRIES
        self._directions = choose_directions(self.sample) if affordable else ConjugateDirections(self.sample)

    @cached_property
    def _importance(self) -> Floats:
        return self._objective.weigh_rows()
