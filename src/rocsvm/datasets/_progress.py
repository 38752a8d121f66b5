"""What a download shows while it runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rocsvm.datasets._download import OnBytes

# Bytes between two lines where the total is not known.
STRIDE = 1 << 20


@contextmanager
def show_progress(name: str, verbose: Any) -> Iterator[OnBytes]:
    """Yield what is told of the bytes received: the callable given, a bar or lines on standard error, or nothing."""
    if callable(verbose):
        yield verbose
    elif not verbose:
        yield lambda done, total: None
    else:
        try:
            import rich.console
            import rich.progress
        except ImportError:
            yield Lines(name)
            return
        columns = (
            rich.progress.TextColumn("{task.description}"),
            rich.progress.BarColumn(),
            rich.progress.DownloadColumn(),
            rich.progress.TimeRemainingColumn(),
        )
        with rich.progress.Progress(*columns, console=rich.console.Console(stderr=True)) as bar:
            task = bar.add_task(f"downloading {name}", total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)


class Lines:
    """A line on standard error at each quarter, or each megabyte where the total is not known."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._shown = 0

    def __call__(self, done: int, total: int | None) -> None:
        """Write a line if a further quarter has come."""
        reached = done // STRIDE if not total else 4 * done // total
        if reached > self._shown:
            self._shown = reached
            share = f" of {total:,}" if total else ""
            sys.stderr.write(f"downloading {self._name}: {done:,}{share} bytes\n")
