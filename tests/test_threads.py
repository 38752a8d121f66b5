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


def test_threads_of_python_that_overlap_have_one_and_the_last_gives_the_others_back() -> None:
    second_is_in, first_is_out = threading.Event(), threading.Event()
    within: list[int] = []

    def work() -> None:
        with use_one_thread():
            second_is_in.set()
            first_is_out.wait(timeout=60.0)
            within.extend(count_threads())

    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = count_threads()
        worker = threading.Thread(target=work)
        with use_one_thread():
            worker.start()
            assert second_is_in.wait(timeout=60.0)
        first_is_out.set()
        worker.join()
        assert set(within) == {1}
        assert count_threads() == before
