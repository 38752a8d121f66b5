"""The hot loops, each twice: `_numpy` defines, `_numba` compiles the same signatures."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
from types import ModuleType

from rocsvm.loops import _numpy
from rocsvm.validation import warn_user

TWINS = ("numpy", "numba")


def choose_twin() -> ModuleType:
    """Return the module of loops in use: Numba's where it is installed and runs, else NumPy's.

    The environment variable ``ROCSVM_LOOPS`` set to ``numpy`` or ``numba`` forces one. Numba is
    imported on the first call, not with the package.
    """
    wanted = os.environ.get("ROCSVM_LOOPS", "")
    if wanted and wanted not in TWINS:
        raise ValueError(f"ROCSVM_LOOPS={wanted!r} names no loops; write one of {', '.join(TWINS)}, or unset it.")
    if wanted == "numba":
        return _import_numba()
    return _numpy if wanted == "numpy" else _choose_faster()


@functools.cache
def _choose_faster() -> ModuleType:
    if not _has_numba():
        return _numpy
    try:
        return _import_numba()
    except ImportError as error:
        warn_user(f"{error} Until then the loops run in NumPy, slower.", RuntimeWarning)
        return _numpy


@functools.cache
def _has_numba() -> bool:
    return importlib.util.find_spec("numba") is not None


@functools.cache
def _import_numba() -> ModuleType:
    if not _has_numba():
        raise ImportError("ROCSVM_LOOPS=numba, but Numba is not installed; run `pip install 'rocsvm[fast]'`.")
    try:
        return importlib.import_module("rocsvm.loops._numba")
    except Exception as error:  # a broken installation may raise anything
        raise ImportError(
            f"Numba is installed, but importing it fails with {type(error).__name__}: {str(error).rstrip('.')}. Run "
            "`pip install --upgrade numba`, or set the environment variable ROCSVM_LOOPS=numpy to do without it."
        ) from error
