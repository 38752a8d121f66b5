"""From the parameters of an estimator to a kernel."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from rocsvm.kernels._base import AbstractKernel, Floats
from rocsvm.kernels._callable import CallableKernel
from rocsvm.kernels._gamma import GAMMAS, find_gamma
from rocsvm.kernels._named import NamedKernel
from rocsvm.kernels._rbf import RBFKernel
from rocsvm.validation import check_number, check_positive

# The parameters that each kernel takes.
KERNELS: dict[str, tuple[str, ...]] = {
    "rbf": ("gamma",),
    "poly": ("gamma", "degree", "coef0"),
    "linear": (),
    "laplacian": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "cosine": (),
}


def check_kernel(kernel: Any, gamma: Any, degree: Any, coef0: Any) -> None:
    """Raise ValueError unless these parameters make a kernel."""
    if not callable(kernel) and not (isinstance(kernel, str) and kernel in (*KERNELS, "precomputed")):
        choices = ", ".join(repr(name) for name in KERNELS)
        raise ValueError(
            f"kernel={kernel!r} is no kernel; write {choices}, 'precomputed', or a callable of two arrays of rows."
        )
    if isinstance(gamma, str):
        if gamma not in GAMMAS:
            choices = ", ".join(repr(name) for name in GAMMAS)
            raise ValueError(f"gamma={gamma!r} is no width; write one of {choices}, or a positive number.")
    elif isinstance(gamma, bool) or not isinstance(gamma, Real) or not 0.0 < float(gamma) < np.inf:
        raise ValueError(
            f"gamma={gamma!r} is not a positive number; write 'scale', 'auto', 'median' or, for example, gamma=0.5."
        )
    check_positive("degree", degree, example="3")
    check_number("coef0", coef0, example="1.0")


def resolve_kernel(
    kernel: Any,
    gamma: Any,
    degree: float,
    coef0: float,
    X: Any,
    weights: Floats | None,
    rng: np.random.Generator,
) -> AbstractKernel:
    """Return the kernel that checked parameters make on these rows."""
    if callable(kernel):
        return CallableKernel(kernel)
    given = {"gamma": gamma, "degree": degree, "coef0": coef0}
    parameters = {name: given[name] for name in KERNELS[kernel]}
    if "gamma" in parameters:
        parameters["gamma"] = find_gamma(gamma, X, weights, rng)
    return RBFKernel(parameters["gamma"]) if kernel == "rbf" else NamedKernel(kernel, parameters)
