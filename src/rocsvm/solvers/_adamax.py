"""Adamax, the paper's solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rocsvm.objective import Objective
from rocsvm.solvers._base import AbstractSolver, OnStep, Solution
from rocsvm.solvers._first_order import Rule, descend
from rocsvm.validation import check_number, check_positive

Floats = NDArray[np.float64]

NORMS = ("coordinate", "scalar")


@dataclass
class Adamax(AbstractSolver):
    """Adamax on the subgradient over all pairs of the objective: the method of the paper.

    With the gradient g, the momentum is ``m = beta1 * m + (1 - beta1) * g``, the scale ``u = max(beta2 * u, |g|)``,
    and step t moves the weights by ``-step / (1 - beta1**t) * m / u`` (Kingma and Ba, section 7). The hinge is not
    smoothed. Step, decay and stop are those of the code of the paper's authors; ``norm`` says where the two part.

    It ends where the paper's does, at the first step that moves no weight by ``step_tol``, whatever the gap is there;
    the gap is measured all the same, and told. With ``step_tol=None`` it ends where the gap is proved to be ``tol``.

    Parameters
    ----------
    step : float, default=0.002
        Length of a step, in which each weight moves by about so much.
    beta1, beta2 : float, default=0.9 and 0.999
        How much momentum and scale keep of their last value, from 0 to below 1.
    norm : {"coordinate", "scalar"}, default="coordinate"
        Whether each weight has a scale of its own, as Kingma and Ba write it, or all share the largest, as in the
        code of the paper's authors.
    step_tol : float or None, default=1e-4
        The most that a weight moves in the last step; None ends by the gap.

    Examples
    --------
    >>> from rocsvm import LinearROCSVM
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(random_state=0)
    >>> model = LinearROCSVM(alpha=0.1, solver=Adamax(norm="scalar"), tol=0.1, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    step: float = 0.002
    beta1: float = 0.9
    beta2: float = 0.999
    norm: str = "coordinate"
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
        if self.norm not in NORMS:
            raise ValueError(f"norm={self.norm!r} names no norm; write 'coordinate' or 'scalar'.")
        rule = Rule(
            check_positive("step", self.step, example="0.002"),
            check_share("beta1", self.beta1, example="0.9"),
            check_share("beta2", self.beta2, example="0.999"),
            adaptive=True,
            shared=self.norm == "scalar",
            step_tol=None if self.step_tol is None else check_positive("step_tol", self.step_tol, example="1e-4"),
        )
        return descend(objective, rule, w0, tol=tol, max_iter=max_iter, on_step=on_step)


def check_share(name: str, given: object, *, example: str) -> float:
    """Return a number from 0 to below 1."""
    number = check_number(name, given, example=example)
    if not 0.0 <= number < 1.0:
        raise ValueError(f"{name}={given!r} is not from 0 to below 1; write, for example, {name}={example}.")
    return number
