"""From parameters to kernels, and what is said of parameters that make none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import linear_kernel

from rocsvm.kernels import KERNELS, CallableKernel, RBFKernel, check_kernel, find_gamma, resolve_kernel
from tests.kernels.definition import draw_rows

X = draw_rows()
FINE: dict[str, Any] = {"kernel": "rbf", "gamma": 0.5, "degree": 3, "coef0": 1.0}


@pytest.mark.parametrize("kernel", [*KERNELS, "precomputed", linear_kernel])
@pytest.mark.parametrize("gamma", ["scale", "auto", "median", 1, 1e-300, np.float32(0.5)])
def test_what_makes_a_kernel_passes(kernel: Any, gamma: Any) -> None:
    check_kernel(kernel, gamma, 2.5, 0.0)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"kernel": "gauss"}, "kernel='gauss' is no kernel; write 'rbf', .*'cosine', 'precomputed', or a callable"),
        ({"kernel": None}, "kernel=None is no kernel"),
        ({"kernel": ["rbf"]}, r"kernel=\['rbf'\] is no kernel"),
        ({"gamma": 0}, "gamma=0 is not a positive number; write 'scale', 'auto', 'median' or, for example, gamma=0.5"),
        ({"gamma": -0.1}, "gamma=-0.1 is not a positive number"),
        ({"gamma": np.nan}, "gamma=nan is not a positive number"),
        ({"gamma": np.inf}, "gamma=inf is not a positive number"),
        ({"gamma": True}, "gamma=True is not a positive number"),
        ({"gamma": None}, "gamma=None is not a positive number"),
        ({"gamma": "wide"}, "gamma='wide' is no width; write one of 'scale', 'auto', 'median', or a positive number"),
        ({"degree": 0}, "degree=0 is not a positive number; write, for example, degree=3"),
        ({"degree": "3"}, "degree='3' is not a positive number"),
        ({"coef0": np.inf}, "coef0=inf is not a finite number; write, for example, coef0=1.0"),
        ({"coef0": None}, "coef0=None is not a finite number"),
    ],
    ids=str,
)
def test_what_makes_no_kernel_is_told(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check_kernel(**{**FINE, **wrong})


@pytest.mark.parametrize("name", [name for name, parameters in KERNELS.items() if "gamma" in parameters])
@pytest.mark.parametrize("gamma", ["scale", "auto", "median"])
def test_a_kernel_takes_its_width_from_the_rows(name: str, gamma: str) -> None:
    kernel = resolve_kernel(name, gamma, 3, 1.0, X, None, np.random.default_rng(0))
    same = resolve_kernel(name, find_gamma(gamma, X, None, np.random.default_rng(0)), 3, 1.0, X, None, None)
    assert kernel == same


def test_a_callable_and_rbf_have_kernels_of_their_own() -> None:
    assert resolve_kernel(linear_kernel, 0.5, 3, 1.0, X, None, None) == CallableKernel(linear_kernel)
    assert resolve_kernel("rbf", 0.5, 3, 1.0, X, None, None) == RBFKernel(0.5)
