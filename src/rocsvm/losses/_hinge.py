"""The hinge, the loss of the ROC-SVM."""

from __future__ import annotations

from dataclasses import dataclass

from rocsvm.losses._base import AbstractLoss, Ramp, Smoothing


@dataclass
class Hinge(AbstractLoss):
    """The hinge loss of a margin, ``max(0, 1 - margin)``.

    It has a kink at 1; solvers that want curvature smooth it by a quadratic and let the smoothing
    shrink, while objective and bound are always those of the hinge itself.

    Examples
    --------
    >>> import numpy as np
    >>> Hinge().ramp().value(np.array([-1.0, 0.5, 2.0]))
    array([2. , 0.5, 0. ])
    """

    def ramp(self, smoothing: Smoothing = Smoothing()) -> Ramp:
        """Return the hinge, quadratic over twice the smoothing's width; below that it is off by a constant.

        The constant is ``(2 lean - 1) * width``, none where the smoothing lies evenly about the kink.
        """
        width, lean = smoothing
        if width == 0.0:
            return Ramp(upper=1.0, width=0.0, curvature=0.0, steepness=1.0)
        return Ramp(1.0 + 2.0 * lean * width, 2.0 * width, 0.5 / width, 1.0)

    @property
    def is_smooth(self) -> bool:
        """False: the hinge has a kink."""
        return False

    def dual(self, value: float, pull: float) -> float:
        """Return the mean pull: the conjugate of the hinge at ``-a`` is ``-a`` on [0, 1]."""
        return pull
