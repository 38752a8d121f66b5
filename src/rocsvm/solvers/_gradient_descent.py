"""Gradient descent by a fixed step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rocsvm.objective import Objective
from rocsvm.solvers._base import AbstractSolver, OnStep, Solution
from rocsvm.solvers._first_order import Rule, descend
from rocsvm.validation import check_positive

Floats = NDArray[np.float64]


@dataclass
class GradientDescent(AbstractSolver):
    """Gradient descent by a fixed step: the weights move by ``-step * gradient``, a subgradient over all pairs.

    The hinge is not smoothed: near a kink the weights go to and fro, and come the nearer to the optimum the smaller
    the step is. It ends, as `Adamax` does, at the first step that moves no weight by ``step_tol``; with None where
    the gap is proved to be ``tol``.

    Parameters
    ----------
    step : float, default=0.01
        What the gradient is multiplied by.
    step_tol : float or None, default=1e-4
        The most that a weight moves in the last step; None ends by the gap.

    Examples
    --------
    >>> from rocsvm import LinearROCSVM
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(random_state=0)
    >>> model = LinearROCSVM(alpha=0.1, solver=GradientDescent(), tol=0.05, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    step: float = 0.01
    step_tol: float | None = 1e-4

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
        """Return the weights where steps end, and their gap; nothing is drawn, and 50,000 steps are the most if None.

        ``on_step`` is told of the gap every few steps.
        """
        rule = Rule(
            check_positive("step", self.step, example="0.01"),
            beta1=0.0,
            beta2=0.0,
            adaptive=False,
            shared=False,
            step_tol=None if self.step_tol is None else check_positive("step_tol", self.step_tol, example="1e-4"),
        )
        return descend(objective, rule, w0, tol=tol, max_iter=max_iter, on_step=on_step)
