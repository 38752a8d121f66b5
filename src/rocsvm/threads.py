"""One BLAS thread for products that are too small to share."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager

from threadpoolctl import ThreadpoolController


@functools.cache
def _find_pools() -> ThreadpoolController:
    return ThreadpoolController()


def use_one_thread() -> AbstractContextManager[object]:
    """Return a context in which BLAS runs on one thread.

    The products of a fit are small: sharing them made them a hundred times slower beside a busy
    neighbour. One thread also gives the same sums, and so the same model, on every machine.
    """
    context: AbstractContextManager[object] = _find_pools().limit(limits=1, user_api="blas")
    return context
