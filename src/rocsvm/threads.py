"""One BLAS thread for products that are too small to share."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController


@functools.cache
def _find_pools() -> ThreadpoolController:
    return ThreadpoolController()


class _Limit:
    """One thread while anyone is within: the first to enter sets it, the last to leave gives the others back.

    BLAS has one number of threads for the whole process. Were each to give back what it found, then of two that
    overlap the second would find one thread and leave one behind.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_within = 0
        self._limiter: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._n_within == 0:
                self._limiter = _find_pools().limit(limits=1, user_api="blas")
            self._n_within += 1

    def leave(self) -> None:
        with self._lock:
            self._n_within -= 1
            if self._n_within == 0:
                self._limiter.restore_original_limits()


_limit = _Limit()


@contextmanager
def use_one_thread() -> Iterator[None]:
    """Return a context in which BLAS runs on one thread.

    The products of a fit are small: sharing them made them a hundred times slower beside a busy
    neighbour. One thread also gives the same sums, and so the same model, on every machine.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()
