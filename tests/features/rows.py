"""Rows, kernels that are definite, and what features of either kind must equal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from rocsvm.features import AbstractKernelFeatures
from rocsvm.kernels import KERNELS, AbstractKernel

Floats = NDArray[np.float64]

# The sigmoid kernel is an inner product of nothing.
DEFINITE = [name for name in KERNELS if name != "sigmoid"]

# Distinct rows, a third of their entries zero.
X = np.random.default_rng(0).normal(size=(80, 3))
X[:, 1:][np.random.default_rng(1).random((80, 2)) < 0.5] = 0.0
Y = np.arange(80) % 3 == 0
NEW = np.random.default_rng(2).normal(size=(30, 3))


def project(features: AbstractKernelFeatures, rows: Any, others: Any) -> Floats:
    """Return ``C @ pinv(K) @ D.T``: the kernel of rows and others as the landmarks see it.

    What is left out of the pseudo-inverse are the directions in which K is not above the floor, negative ones included.
    """
    kernel: AbstractKernel = features.kernel_
    values, vectors = linalg.eigh(kernel.compare(features.landmarks_, features.landmarks_))
    kept = values > features.floor_
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return kernel.compare(rows, features.landmarks_) @ inverse @ kernel.compare(others, features.landmarks_).T


def multiply(Z: Any, other: Any = None) -> Floats:
    """Return the products of features in double precision."""
    return Z.astype(np.float64) @ (Z if other is None else other).astype(np.float64).T
