"""What drawing pairs costs: bounds that hold although the model depends on the pairs drawn."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from rocsvm.validation import check_positive


@dataclass(frozen=True)
class SamplingBound:
    """What ``n_pairs`` pairs drawn with replacement cost a ROC-SVM with the hinge, whatever the data.

    Parameters
    ----------
    n_pairs : int
        Number of pairs drawn, B.
    alpha : float
        Penalty weight, the paper's lambda.
    kappa : float
        What no row's feature vector is longer than: the root of the largest similarity of a row to itself.
    delta : float
        Probability with which ``uniform`` may fail, and with which ``excess`` may.
    """

    n_pairs: int
    alpha: float
    kappa: float
    delta: float

    @property
    def radius(self) -> float:
        """Length that no minimiser exceeds, ``sqrt(2 / alpha)``."""
        return float(np.sqrt(2.0 / self.alpha))

    @property
    def uniform(self) -> float:
        """Bound on how far the mean loss over drawn pairs is from that over all, for all models at once.

        It equals ``4 kappa R / sqrt(B) + (1 + 2 kappa R) sqrt(log(2 / delta) / (2 B))``, with R the radius, and
        bounds the larger side, over all models no longer than R. The minima of the two objectives differ by no more.
        """
        return self._complexity + self._deviation

    @property
    def excess(self) -> float:
        """Bound on the objective over all pairs of the model fitted to drawn ones, above the minimum.

        It equals ``4 kappa R / sqrt(B) + 2 (1 + 2 kappa R) sqrt(log(2 / delta) / (2 B))``, with R the radius.
        """
        return self._complexity + 2.0 * self._deviation

    @property
    def expected_excess(self) -> float:
        """Bound on the mean of that excess over draws of the pairs, ``8 kappa**2 / (alpha B)``."""
        return 8.0 * self.kappa**2 / (self.alpha * self.n_pairs)

    @property
    def _complexity(self) -> float:
        return float(4.0 * self.kappa * self.radius / np.sqrt(self.n_pairs))

    @property
    def _deviation(self) -> float:
        spread = 1.0 + 2.0 * self.kappa * self.radius
        return float(spread * np.sqrt(np.log(2.0 / self.delta) / (2.0 * self.n_pairs)))

    def __str__(self) -> str:
        """Return the bounds, a line each."""
        likely = f"with probability {1.0 - self.delta:g}"
        return (
            f"B = {self.n_pairs:,} drawn pairs, alpha = {self.alpha:g}, kappa = {self.kappa:g}; at f = 0 all is 1\n"
            f"  loss over drawn pairs from that over all   {self.uniform:.4g} {likely}\n"
            f"  objective above the minimum over all       {self.excess:.4g} {likely}\n"
            f"  objective above the minimum over all       {self.expected_excess:.4g} in the mean over draws"
        )


def sampling_bound(n_pairs: int, alpha: float, *, kappa: float = 1.0, delta: float = 0.05) -> SamplingBound:
    """Return what drawing pairs, with replacement, costs a ROC-SVM with the hinge at most, whatever the data.

    It corrects the sampling term of the paper's theorem, which takes the fitted model for one chosen before the pairs
    were drawn. `rocsvm.certify` measures the excess of a model at hand, and is far smaller.

    Parameters
    ----------
    n_pairs : int
        Number of pairs drawn, B.
    alpha : float
        Penalty weight, the paper's lambda.
    kappa : float, default=1.0
        What no row's feature vector is longer than: 1 for rbf, laplacian and cosine; for a linear model, the length of
        the longest row.
    delta : float, default=0.05
        Probability with which a bound may fail.

    Returns
    -------
    SamplingBound
        With ``uniform``, ``excess``, ``expected_excess`` and ``radius``.

    Examples
    --------
    >>> bound = sampling_bound(100_000, 1e-2)
    >>> round(bound.uniform, 3), round(bound.excess, 3), round(bound.expected_excess, 3)
    (0.305, 0.43, 0.008)
    """
    if isinstance(n_pairs, bool) or not isinstance(n_pairs, Integral) or n_pairs < 1:
        raise ValueError(f"n_pairs={n_pairs!r} is not a whole number from 1 up; write one, such as n_pairs=10_000.")
    return SamplingBound(
        int(n_pairs), check_positive("alpha", alpha), check_positive("kappa", kappa, example="1.0"), check_delta(delta)
    )


def check_delta(given: Any) -> float:
    """Return a probability of failure that is neither none nor certain."""
    if isinstance(given, bool) or not isinstance(given, Real) or not 0.0 < float(given) < 1.0:
        raise ValueError(
            f"delta={given!r} is no probability of failure; write a number between 0 and 1, such as delta=0.05."
        )
    return float(given)
