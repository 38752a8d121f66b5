"""One BLAS thread for products that are too small to share."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController


@functools.cache
def _find_pools() -> ThreadpoolController:
    return ThreadpoolController()


def _limit() -> Any:
    return _find_pools().limit(limits=1, user_api="blas")


def _run_aside(change: Callable[[], object]) -> None:
    """Change the number of threads in a thread of Python that then ends.

    The thread that changes it last owns it as long as it lives, and threadpoolctl then ignores all others.
    """
    aside = threading.Thread(target=change)
    aside.start()
    aside.join()


class _Fits:
    """Who is within: BLAS has one number of threads for the whole process, so that they must agree on it.

    Were each only to give back what it found, then of two that overlap the first to leave would give the other
    several threads, and the second, having found one, would leave that behind for good.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_within = 0
        self._first: Any = None

    def enter(self) -> Any:
        """Return the limit that is handed back on leaving."""
        with self._lock:
            own = _limit().__enter__()
            if self._n_within == 0:
                self._first = own
            self._n_within += 1
            return own

    def leave(self, own: Any) -> None:
        """Give back what was found at first, if no one else is within."""
        with self._lock:
            own.__exit__(None, None, None)
            self._n_within -= 1
            if own is self._first and self._n_within > 0:
                _run_aside(_limit)
            elif own is not self._first and self._n_within == 0:
                _run_aside(self._first.restore_original_limits)


_FITS = _Fits()


@contextmanager
def use_one_thread() -> Iterator[None]:
    """Return a context in which BLAS runs on one thread.

    The products of a fit are small: sharing them made them a hundred times slower beside a busy
    neighbour. One thread also gives the same sums, and so the same model, on every machine.
    """
    own = _FITS.enter()
    try:
        yield
    finally:
        _FITS.leave(own)
