"""The paper's two synthetic models: the sign of a function of two normal features, an offset and normal noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import exponnorm, norm

from rocsvm.validation import make_generator

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """A function of the first two features, and the quantiles of its sum with standard normal noise."""

    score: Callable[[Floats], Floats]
    noisy_quantile: Callable[[float], float]


# A sum of three standard normal variables in the linear model; in the radial one, the squared length of two is
# exponential with mean 2.
MODELS = {
    "linear": Model(lambda X: X[:, 0] + X[:, 1], lambda share: float(np.sqrt(3.0) * norm.ppf(share))),
    "radial": Model(lambda X: X[:, 0] ** 2 + X[:, 1] ** 2, lambda share: float(exponnorm(2.0).ppf(share))),
}


def make_roc_linear(
    n_samples: int = 1000, *, share_negative: float = 0.8, n_features: int = 2, random_state: Any = None
) -> tuple[Floats, NDArray[np.int64]]:
    """Return rows of the paper's linear model (section 4.1).

    The label is 1 where ``x[0] + x[1] + noise`` exceeds its own quantile ``share_negative``, else 0; features and
    noise are independent standard normal.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    share_negative : float, default=0.8
        Probability of the label 0, which the offset is chosen for.
    n_features : int, default=2
        Number of columns; from the third on they say nothing about the label.
    random_state : int, Generator, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, n_features)
        Rows.
    y : array of shape (n_samples,)
        Labels 0 and 1.

    Examples
    --------
    >>> X, y = make_roc_linear(10_000, random_state=0)
    >>> X.shape, round(float(y.mean()), 1)
    ((10000, 2), 0.2)
    """
    return _draw(MODELS["linear"], n_samples, share_negative, n_features, random_state)


def make_roc_radial(
    n_samples: int = 1000, *, share_negative: float = 0.8, n_features: int = 2, random_state: Any = None
) -> tuple[Floats, NDArray[np.int64]]:
    """Return rows of the paper's radial model (section 4.1).

    The label is 1 where ``x[0]**2 + x[1]**2 + noise`` exceeds its own quantile ``share_negative``, else 0; features
    and noise are independent standard normal.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    share_negative : float, default=0.8
        Probability of the label 0, which the offset is chosen for.
    n_features : int, default=2
        Number of columns; from the third on they say nothing about the label.
    random_state : int, Generator, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, n_features)
        Rows.
    y : array of shape (n_samples,)
        Labels 0 and 1.

    Examples
    --------
    >>> X, y = make_roc_radial(10_000, random_state=0)
    >>> X.shape, round(float(y.mean()), 1)
    ((10000, 2), 0.2)
    """
    return _draw(MODELS["radial"], n_samples, share_negative, n_features, random_state)


def _draw(
    model: Model, n_samples: int, share_negative: float, n_features: int, random_state: Any
) -> tuple[Floats, NDArray[np.int64]]:
    check_at_least("n_samples", n_samples, 1)
    check_at_least("n_features", n_features, 2)
    threshold = model.noisy_quantile(check_share(share_negative))
    rng = make_generator(random_state)
    X = rng.standard_normal((n_samples, n_features))
    return X, (model.score(X) + rng.standard_normal(n_samples) > threshold).astype(np.int64)


def check_at_least(name: str, given: Any, least: int) -> None:
    """Raise ValueError unless this is a whole number that is large enough."""
    if isinstance(given, bool) or not isinstance(given, Integral) or given < least:
        raise ValueError(f"{name}={given!r} is not a whole number from {least} up; write one, such as {name}={least}.")


def check_share(given: Any) -> float:
    """Return a share of negatives that leaves both classes some."""
    if isinstance(given, bool) or not isinstance(given, Real) or not 0.0 < float(given) < 1.0:
        raise ValueError(
            f"share_negative={given!r} leaves no two classes; write a number between 0 and 1, such as "
            "share_negative=0.8."
        )
    return float(given)
