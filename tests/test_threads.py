"""One thread of BLAS within, as many as before without."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import threadpoolctl

from rocsvm.threads import use_one_thread


def count_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]


def test_blas_is_found() -> None:
    assert count_threads()


def test_blas_has_one_thread_within_and_as_many_as_before_after() -> None:
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = count_threads()
        with use_one_thread():
            assert set(count_threads()) == {1}
        assert count_threads() == before
        assert 2 in before


def test_an_error_within_gives_the_threads_back() -> None:
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = count_threads()
        with pytest.raises(ZeroDivisionError), use_one_thread():
            _ = 1 // 0
        assert count_threads() == before


def test_contexts_may_be_nested() -> None:
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = count_threads()
        with use_one_thread():
            with use_one_thread():
                assert set(count_threads()) == {1}
            assert set(count_threads()) == {1}
        assert count_threads() == before


def test_products_within_are_those_without() -> None:
    half = np.random.default_rng(0).standard_normal((50, 20))
    with use_one_thread():
        within = half.T @ half
    assert within == pytest.approx(half.T @ half)


def test_a_thread_of_python_has_one_and_gives_the_others_back() -> None:
    before, within = count_threads(), []

    def work() -> None:
        with use_one_thread():
            within.extend(count_threads())

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert set(within) == {1}
    assert count_threads() == before


@pytest.mark.parametrize("first_to_leave", ["first to enter", "last to enter"])
def test_contexts_that_overlap_have_one_thread_and_the_last_gives_the_others_back(first_to_leave: str) -> None:
    entered, may_leave, left, finished = (threading.Event() for _ in range(4))
    within: list[int] = []

    def work() -> None:
        with use_one_thread():
            entered.set()
            may_leave.wait(timeout=60.0)
            within.extend(count_threads())
        left.set()
        # Alive as long as the test, as the threads of a pool are.
        finished.wait(timeout=60.0)

    worker = threading.Thread(target=work)
    before = count_threads()
    with use_one_thread():
        worker.start()
        assert entered.wait(timeout=60.0)
        if first_to_leave == "last to enter":
            may_leave.set()
            assert left.wait(timeout=60.0)
        assert set(count_threads()) == {1}
    may_leave.set()
    assert left.wait(timeout=60.0)
    after = count_threads()
    finished.set()
    worker.join()
    assert set(within) == {1}
    assert after == before


def test_many_threads_that_come_and_go_leave_nothing_behind() -> None:
    before = count_threads()

    def work() -> None:
        for _ in range(20):
            with use_one_thread():
                np.ones((2, 2)) @ np.ones((2, 2))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert count_threads() == before
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        assert set(count_threads()) == {1}
