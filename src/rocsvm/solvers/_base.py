"""What every solver takes and returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rocsvm.objective import Objective

Floats = NDArray[np.float64]


class Status(Enum):
    """Why a solver stopped."""

    CONVERGED = "the gap fell to the tolerance"
    OUT_OF_STEPS = "max_iter steps were taken"
    SHORT_STEP = "the last step moved no weight by step_tol"
    OVERSHOT = "max_iter steps led to worse than no weights at all"
    DIVERGED = "the steps led beyond floating point"
    STALLED = "no step lowered the gap any more: floating point ends the descent here"


class Step(NamedTuple):
    """What is known after one step: on how many rows or pairs, at which alpha, and how far from the optimum."""

    n_iter: int
    size: int
    alpha: float
    objective: float
    relative_gap: float


OnStep = Callable[[Step], None]


@dataclass(frozen=True)
class Solution:
    """Weights, why the solver stopped there, and what they are worth.

    ``dual_gap`` is absolute: no weights have an objective below ``objective - dual_gap``. The pair
    weights that prove it have a slope on each row, ``dual_slope``, and ``dual_linear`` is what their dual value is
    before the penalty is taken off; a solver that proves nothing leaves them out.
    """

    w: Floats
    status: Status
    n_iter: int
    objective: float
    dual_gap: float
    history: list[Step] = field(default_factory=list, repr=False)
    dual_linear: float = 0.0
    dual_slope: Floats | None = field(default=None, repr=False)

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the objective, which is what ``tol`` bounds."""
        return relate_gap(self.dual_gap, self.objective)


def relate_gap(gap: float, objective: float) -> float:
    """Return the gap as a share of the objective; none is left where both are zero."""
    return gap / objective if objective > 0.0 else 0.0


class AbstractSolver(BaseEstimator, ABC):  # type: ignore[misc]
    """A way to minimise an objective.

    As a scikit-learn object it lends its arguments to grid searches, as ``solver__...``.
    """

    @abstractmethod
    def solve(
        self,
        objective: Objective,
        w0: Floats | None = None,
        *,
        tol: float = 1e-3,
        max_iter: int | None = None,
        rng: np.random.Generator | None = None,
        on_step: OnStep | None = None,
    ) -> Solution:
        """Return weights whose relative gap is at most ``tol``, or say by status why not."""

    def follow(
        self,
        objective: Objective,
        alphas: Iterable[float],
        *,
        tol: float = 1e-3,
        max_iter: int | None = None,
        rng: np.random.Generator | None = None,
        on_step: OnStep | None = None,
        exact: bool = True,
    ) -> Iterator[Solution]:
        """Yield the solution at each alpha in turn, each from the one before; ``max_iter`` is for each of them.

        Where ``exact`` is False, objectives and gaps may be as rounded as the solver saw them on its way, and the pair
        weights that prove them be left out.
        """
        last = None
        for alpha in alphas:
            solution = self.solve(objective.at(alpha), last, tol=tol, max_iter=max_iter, rng=rng, on_step=on_step)
            last = solution.w
            yield solution
