"""The hot loops, each twice: `_numpy` defines, `_numba` compiles the same signatures."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
from types import ModuleType

TWINS = ("numpy", "numba")


def choose_twin() -> ModuleType:
    """Return the module of loops in use: Numba's where it is installed, else NumPy's.

    The environment variable ``ROCSVM_LOOPS`` set to ``numpy`` or ``numba`` forces one. Numba is
    imported on the first call, not with the package.
    """
    wanted = os.environ.get("ROCSVM_LOOPS", "")
    if wanted and wanted not in TWINS:
        raise ValueError(f"ROCSVM_LOOPS={wanted!r} names no loops; write one of {', '.join(TWINS)}, or unset it.")
    return _import_twin(wanted or ("numba" if _has_numba() else "numpy"))


@functools.cache
def _has_numba() -> bool:
    return importlib.util.find_spec("numba") is not None


@functools.cache
def _import_twin(name: str) -> ModuleType:
    if name == "numba" and not _has_numba():
        raise ImportError("ROCSVM_LOOPS=numba, but Numba is not installed; run `pip install 'rocsvm[fast]'`.")
    return importlib.import_module(f"rocsvm.loops._{name}")
