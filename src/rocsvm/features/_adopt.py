"""Nyström features that scikit-learn fitted."""

from __future__ import annotations

import numpy as np
from sklearn.kernel_approximation import Nystroem

from rocsvm.features._nystroem import NystroemFeatures
from rocsvm.kernels import KERNELS


def adopt_nystroem(fitted: Nystroem) -> NystroemFeatures:
    """Return ours of the same kernel and landmarks, whose features are the same numbers."""
    if fitted.kernel not in KERNELS:
        raise ValueError(
            f"Nystroem(kernel={fitted.kernel!r}) is no kernel that can be measured; use one of "
            f"{', '.join(map(repr, KERNELS))}, or NystroemFeatures with a callable of two arrays of rows."
        )
    n_features = fitted.components_.shape[1]
    defaults = {"gamma": 1.0 / n_features, "degree": 3, "coef0": 1.0}
    parameters = {
        name: default if getattr(fitted, name) is None else getattr(fitted, name) for name, default in defaults.items()
    }
    features = NystroemFeatures(fitted.kernel, **parameters, landmarks=fitted.components_, dtype="float64")
    features.learn(fitted.components_, None, None, np.random.default_rng(0))
    # Repeats among its landmarks stay, since its normalization counts on them.
    features.landmarks_ = fitted.components_.astype(np.float64)
    features.normalization_ = fitted.normalization_.T
    features.n_features_in_ = n_features
    return features
