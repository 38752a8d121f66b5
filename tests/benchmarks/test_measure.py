from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks._measure import Timing, interleave


class FakeClock:
    """A clock that only tasks move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.log: list[tuple[str, int]] = []

    def __call__(self) -> float:
        return self.now

    def make_task(self, name: str, *seconds: float) -> Callable[[int], str]:
        def task(number: int) -> str:
            self.log.append((name, number))
            self.now += seconds[min(number, len(seconds) - 1)]
            return f"{name}{number}"

        return task


@pytest.mark.parametrize(("seconds", "median"), [([3.0, 1.0, 2.0], 2.0), ([4.0, 1.0, 2.0, 100.0], 3.0)])
def test_median_is_the_middle(seconds: list[float], median: float) -> None:
    assert Timing(seconds).median == median


def test_tasks_take_turns_and_another_one_starts_each_round() -> None:
    clock = FakeClock()
    interleave({name: clock.make_task(name, 1.0) for name in "abc"}, 3, clock=clock)
    assert clock.log == [(name, number) for number, names in enumerate(["abc", "bca", "cab"]) for name in names]


def test_times_are_the_tasks_own_and_the_result_is_the_first() -> None:
    clock = FakeClock()

    def dawdle(name: str, number: int) -> None:
        clock.now += 1000.0

    tasks = {"slow": clock.make_task("slow", 5.0, 7.0, 90.0), "fast": clock.make_task("fast", 1.0)}
    timings = interleave(tasks, 3, patience=1e9, on_run=dawdle, clock=clock)
    assert timings["slow"].seconds == [5.0, 7.0, 90.0]
    assert timings["slow"].median == 7.0
    assert timings["fast"].seconds == [1.0, 1.0, 1.0]
    assert timings["slow"].result == "slow0"


def test_a_task_out_of_patience_sits_out_and_the_others_go_on() -> None:
    clock = FakeClock()
    tasks = {"slow": clock.make_task("slow", 12.0), "fast": clock.make_task("fast", 1.0)}
    timings = interleave(tasks, 5, patience=20.0, clock=clock)
    assert [len(timings[name].seconds) for name in ("slow", "fast")] == [2, 5]
