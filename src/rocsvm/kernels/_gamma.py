"""Widths of a kernel, found in the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import euclidean_distances

from rocsvm.kernels._base import Floats

GAMMAS = ("scale", "auto", "median")

# Rows among which the median distance is taken: half a million pairs.
MEDIAN_ROWS = 1000


def find_gamma(gamma: str | float, X: Any, weights: Floats | None, rng: np.random.Generator) -> float:
    """Return the number that a name stands for on these rows.

    "scale" is one over the number of features times the variance of all entries, "auto" one over the number
    of features, "median" one over the median squared distance between two rows that differ (of a sample of them).
    """
    if not isinstance(gamma, str):
        return float(gamma)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found = _find_named(gamma, X, weights, rng)
    if not 0.0 < found < np.inf:
        raise ValueError(
            f"gamma={gamma!r} is {found:g} on these rows: their spread is beyond double precision. Scale the features, "
            "for example by sklearn.preprocessing.StandardScaler."
        )
    return found


def _find_named(gamma: str, X: Any, weights: Floats | None, rng: np.random.Generator) -> float:
    n_features = X.shape[1]
    if gamma == "auto":
        return 1.0 / float(n_features)
    if gamma == "scale":
        variance = _measure_variance(X, weights)
        return float(1.0 / (n_features * variance)) if variance != 0.0 else 1.0
    shares = None if weights is None else weights / weights.sum()
    chosen = rng.choice(X.shape[0], min(MEDIAN_ROWS, X.shape[0]), replace=weights is not None, p=shares)
    distances = _measure_distances((X.tocsr() if sparse.issparse(X) else X)[chosen].astype(np.float64))
    # Zero, rather than not above it: infinity minus infinity is to be noticed.
    apart = distances[distances != 0.0]
    return 1.0 / float(np.median(apart)) if len(apart) else 1.0


def _measure_distances(rows: Any) -> Floats:
    """Return the squared distance of each two rows; zero for repeats."""
    if not sparse.issparse(rows):
        return np.asarray(pdist(rows, "sqeuclidean"))
    # Out of products, since rows that are sparse may be too wide to be filled; so that zero is zero up to rounding.
    distances = euclidean_distances(rows, squared=True)[np.triu_indices(rows.shape[0], 1)]
    return np.where(distances <= 1e-13 * distances.max(initial=0.0), 0.0, distances)


def _measure_variance(X: Any, weights: Floats | None) -> Any:
    """Return the variance of all entries; zero where it is so up to rounding, as where all are alike."""
    shares = np.full(X.shape[0], 1.0 / X.shape[0]) if weights is None else weights / weights.sum()
    if sparse.issparse(X):
        wide = X.astype(np.float64, copy=False)
        mean = (shares @ wide).sum() / X.shape[1]
        variance = (shares @ wide.multiply(wide)).sum() / X.shape[1] - mean**2
        return 0.0 if variance <= 1e-14 * mean**2 < np.inf else variance
    # From an entry's distance to the mean of its column, so that an offset costs no digits.
    means = shares @ X
    spread = np.var(means)
    step = max(1, (1 << 16) // X.shape[1])
    for start in range(0, X.shape[0], step):
        block = X[start : start + step] - means
        spread += shares[start : start + step] @ np.einsum("ij,ij->i", block, block) / X.shape[1]
    return 0.0 if spread <= 1e-26 * (means**2).max() < np.inf else spread
