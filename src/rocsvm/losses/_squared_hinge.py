"""The squared hinge, smooth and stricter with bad pairs."""

from __future__ import annotations

from dataclasses import dataclass

from rocsvm.losses._base import AbstractLoss, Ramp, Smoothing


@dataclass
class SquaredHinge(AbstractLoss):
    """The squared hinge loss of a margin, ``max(0, 1 - margin) ** 2``.

    Examples
    --------
    >>> import numpy as np
    >>> SquaredHinge().ramp().value(np.array([-1.0, 0.5, 2.0]))
    array([4.  , 0.25, 0.  ])
    """

    def ramp(self, smoothing: Smoothing = Smoothing()) -> Ramp:
        """Return the squared hinge itself: it needs no smoothing."""
        return Ramp(upper=1.0, width=float("inf"), curvature=2.0, steepness=0.0)

    @property
    def is_smooth(self) -> bool:
        """True: its derivative is continuous."""
        return True

    def dual(self, value: float, pull: float) -> float:
        """Return the mean of ``a - a**2 / 4``: with ``a = 2 e`` that is the pull less the value."""
        return pull - value
