"""More landmarks for features at hand, which stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from rocsvm.features._base import Floats, list_blocks
from rocsvm.features._normalize import Spectrum, invert_root
from rocsvm.features._nystroem import NystroemFeatures
from rocsvm.kernels import AbstractKernel
from rocsvm.landmarks import Candidates
from rocsvm.landmarks._distinct import find_first
from rocsvm.threads import use_one_thread


def measure_residual(kernel: AbstractKernel, X: Any, Z: NDArray[np.floating[Any]]) -> Floats:
    """Return what the features leave of each row's similarity to itself."""
    left = kernel.diagonal(X)
    for block in list_blocks(Z.shape[0], Z.shape[1]):
        left[block] -= np.einsum("ij,ij->i", Z[block], Z[block], dtype=np.float64)
    return np.maximum(left, 0.0)


def extend_features(
    features: NystroemFeatures,
    X: Any,
    Z: NDArray[np.floating[Any]],
    candidates: Candidates,
    n_more: int,
    rng: np.random.Generator,
) -> NDArray[np.floating[Any]]:
    """Return the features of X with up to ``n_more`` landmarks added; those of before come first, unchanged.

    New landmarks are chosen with each row weighed by what the features leave of it. With C the similarities to
    them and Y their own features, the new columns are ``(C - Z Y.T) root`` with the root of the pseudo-inverse of
    what is left among the new landmarks: ``Z Z.T`` is then that of Nyström features of all landmarks together.
    """
    kernel, dtype = features.kernel_, features.dtype_
    with use_one_thread():
        left = measure_residual(kernel, X, Z)
        weights = np.maximum(left, 1e-9 * left.max() + np.finfo(np.float64).tiny)
        weighed = Candidates(
            X, kernel, candidates.positive, weights if candidates.weights is None else weights * candidates.weights
        )
        chosen = features.resolve_landmarks().choose(weighed, n_more, rng).astype(np.float64)
        landmarks = _stack(features.landmarks_, chosen)
        # Where few rows are left, landmarks of before are chosen too.
        landmarks = landmarks[find_first(landmarks, np.arange(landmarks.shape[0]))]
        added = landmarks[features.landmarks_.shape[0] :]
        if added.shape[0] == 0:
            return Z
        own = kernel.compare(added, features.landmarks_) @ features.normalization_
        left_among = Spectrum(*linalg.eigh(kernel.compare(added, added) - own @ own.T))
        root = invert_root(left_among, features.floor_)
        columns = kernel.against(added, dtype)
        own_single, root_single = own.astype(dtype), root.astype(dtype)
        n_old = Z.shape[1]
        grown = np.empty((Z.shape[0], n_old + root.shape[1]), dtype)
        for block in list_blocks(Z.shape[0], added.shape[0]):
            grown[block, :n_old] = Z[block]
            grown[block, n_old:] = (columns(X[block]) - Z[block] @ own_single.T) @ root_single
        corner = -features.normalization_ @ (own.T @ root)
        below = np.zeros((added.shape[0], n_old))
        features.normalization_ = np.block([[features.normalization_, corner], [below, root]])
        features.landmarks_ = landmarks
    return grown


def _stack(rows: Any, others: Any) -> Any:
    if sparse.issparse(rows) and sparse.issparse(others):
        return sparse.vstack([rows, others], format="csr")
    return np.vstack([each.toarray() if sparse.issparse(each) else each for each in (rows, others)])
