"""What a search tells while it runs: lines, calls of a function, and scikit-learn's callbacks where it has them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9
    CallbackSupportMixin = with_callbacks = None

__all__ = ["OnProgress", "PathReporter", "Progress", "Reporter", "SearchCallbacks", "resolve_verbose", "take_callbacks"]


class Progress(NamedTuple):
    """What is known after one grid point on one fold."""

    fold: int
    alpha: float
    gamma: float | None
    score: float
    best_score: float
    n_done: int
    n_total: int
    seconds: float
    seconds_left: float


OnProgress = Callable[[Progress], None]

if CallbackSupportMixin is None:

    class SearchCallbacks:
        """Nothing, since this version of scikit-learn knows no callbacks."""

        def _open_callbacks(self, n_paths: int) -> None:
            return None

    def take_callbacks(fit: Any) -> Any:
        """Return the method as it is."""
        return fit

else:

    class SearchCallbacks(CallbackSupportMixin):  # type: ignore[no-redef,misc]
        """Support for scikit-learn's callbacks, with a task for each path and one in it for each alpha."""

        def _open_callbacks(self, n_paths: int) -> Any:
            context = self._init_callback_context(max_subtasks=n_paths, sequential_subtasks=False)
            return context.call_on_fit_task_begin(estimator=self)

    take_callbacks = with_callbacks


def resolve_verbose(verbose: Any) -> OnProgress | None:
    """Return what is told each grid point: the callable given, a line on standard error, or nothing."""
    if callable(verbose):
        told: OnProgress = verbose
        return told
    if not isinstance(verbose, Integral | np.bool_) or verbose < 0:
        raise ValueError(
            f"verbose={verbose!r} tells no one; write 0, 1 for a line a grid point, or a callable that is handed each "
            "Progress."
        )
    return _write if verbose else None


def _write(progress: Progress) -> None:
    gamma = "" if progress.gamma is None else f"gamma {progress.gamma:.1e}  "
    sys.stderr.write(
        f"[{progress.n_done:>4}/{progress.n_total}] fold {progress.fold}  {gamma}alpha {progress.alpha:.1e}  "
        f"score {progress.score:.4f}  best so far {progress.best_score:.4f}  {progress.seconds_left:.0f} s left\n"
    )


@dataclass
class Reporter:
    """Counts what is done of a search, from whichever thread, and passes it on."""

    owner: Any
    on_progress: OnProgress | None
    context: Any = None
    n_total: int = 0
    n_done: int = 0
    best_score: float = -np.inf
    begun: float = field(default_factory=perf_counter)
    n_paths: int = 0
    lock: Any = field(default_factory=Lock)

    def open(self, n_paths: int, n_points: int) -> None:
        """Tell that a search of so many paths and grid points begins."""
        self.context = self.owner._open_callbacks(n_paths)
        self.n_total = n_points

    def start_path(self, fold: int, gamma: float | None, n_alphas: int) -> PathReporter:
        """Return what tells of one path."""
        with self.lock:
            self.n_paths += 1
            task = None
            if self.context is not None:
                name = f"fold {fold}" if gamma is None else f"gamma {gamma:.1e}, fold {fold}"
                task = self.context.subcontext(task_name=name, task_id=self.n_paths - 1, max_subtasks=n_alphas)
                task.call_on_fit_task_begin(estimator=self.owner)
        return PathReporter(self, fold, gamma, task)

    def close(self) -> None:
        """Tell that the search is done."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.owner)


class PathReporter(NamedTuple):
    """Tells of the grid points of one path."""

    reporter: Reporter
    fold: int
    gamma: float | None
    task: Any

    def tell(self, alpha: float, score: float) -> None:
        """Tell of one point."""
        search = self.reporter
        with search.lock:
            search.n_done += 1
            search.best_score = max(search.best_score, score)
            if self.task is not None:
                point = self.task.subcontext(task_name=f"alpha {alpha:.1e}")
                point.call_on_fit_task_begin(estimator=search.owner)
                point.call_on_fit_task_end(estimator=search.owner)
            if search.on_progress is not None:
                seconds = perf_counter() - search.begun
                left = seconds / search.n_done * (search.n_total - search.n_done)
                search.on_progress(
                    Progress(
                        self.fold,
                        alpha,
                        self.gamma,
                        score,
                        search.best_score,
                        search.n_done,
                        search.n_total,
                        seconds,
                        left,
                    )
                )

    def close(self) -> None:
        """Tell that the path is done."""
        if self.task is not None:
            with self.reporter.lock:
                self.task.call_on_fit_task_end(estimator=self.reporter.owner)
