"""Times of several tasks, taken in turn so that a busy neighbour slows all of them alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

# A task that has taken this many seconds in all sits out the rounds that are left.
PATIENCE = 20.0


@dataclass
class Timing:
    """How long each run of a task took, what was noted of each, and what the first one returned."""

    seconds: list[float] = field(default_factory=list)
    notes: list[Any] = field(default_factory=list)
    result: Any = None

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def interleave(
    tasks: Mapping[str, Callable[[int], Any]],
    repeats: int,
    *,
    patience: float = PATIENCE,
    on_run: Callable[[str, int], None] = lambda name, number: None,
    note: Callable[[Any], Any] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Return the times of tasks that run in turn, round after round, another one first each time.

    A task is handed the number of its round, for a seed; ``on_run`` is told of each run beforehand, and ``note``
    says what to keep of each result. What must not be timed, such as compiling, is the caller's to do first.
    """
    timings = {name: Timing() for name in tasks}
    names = list(tasks)
    for number in range(repeats):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            timing = timings[name]
            if sum(timing.seconds) >= patience:
                continue
            on_run(name, number)
            gc.collect()
            start = clock()
            result = tasks[name](number)
            timing.seconds.append(clock() - start)
            if note is not None:
                timing.notes.append(note(result))
            if number == 0:
                timing.result = result
    return timings
