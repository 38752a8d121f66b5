from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rocsvm import KernelROCSVM
from rocsvm.experiments import Finding, Ledger, answer, find_unanswered, list_questions, name_kind
from rocsvm.experiments import _studies as studies


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(studies, "N_ROWS", 600)
    monkeypatch.setattr(studies, "N_TEST", 2_000)
    studies.bound_whole_kernel.cache_clear()
    yield
    studies.bound_whole_kernel.cache_clear()


def test_pairs_go_from_a_quarter_to_sixty_four_times_the_rows_both_ways() -> None:
    asked = [question for question in list_questions() if question[0] == "pairs"]
    assert sorted({size for _, _, size, _ in asked}) == [2.0**k for k in range(-2, 7)]
    assert {scheme for _, scheme, _, _ in asked} == {"with replacement", "without replacement"}


def test_every_scheme_of_landmarks_is_asked_for() -> None:
    from rocsvm.landmarks import LANDMARKS

    assert {scheme for study, scheme, _, _ in list_questions() if study == "landmarks"} == set(LANDMARKS)


def test_pairs_belong_to_table_1_and_landmarks_to_table_2() -> None:
    assert {study for study, *_ in list_questions((1,))} == {"pairs"}
    assert {study for study, *_ in list_questions((2,))} == {"landmarks"}
    assert list_questions((3,)) == []


def test_a_quick_study_asks_less_and_still_for_both_ends() -> None:
    quick = list_questions(quick=True)
    assert len(quick) < len(list_questions()) / 10
    assert {0.25, 64.0} <= {size for study, _, size, _ in quick if study == "pairs"}


def test_repeats_of_a_question_are_of_one_kind() -> None:
    assert len({name_kind(question) for question in list_questions()}) == 2 * 9 + 5 * 6
    assert name_kind(("pairs", "with replacement", 0.25, 3)) == "pairs, with replacement, 0.25"


def test_more_pairs_come_nearer_to_the_best_of_all(small: None) -> None:
    few, many = (
        np.mean([answer(("pairs", "with replacement", size, repeat)).excess for repeat in range(3)])
        for size in (0.25, 64.0)
    )
    assert 0.0 <= many < few / 10.0
    assert many < 0.01


def test_more_landmarks_come_nearer_to_the_best_of_the_whole_kernel(small: None) -> None:
    few, many = (answer(("landmarks", "kmeans", size, 0)) for size in (5.0, 150.0))
    assert 0.0 <= many.excess < few.excess / 5.0
    assert many.auc > 0.9


def test_landmarks_are_measured_by_the_best_of_the_whole_kernel(small: None) -> None:
    (X, y), _ = studies.draw_radial(0)
    exact = KernelROCSVM(studies.LANDMARKS_ALPHA, gamma=0.5, features="exact", tol=1e-7, random_state=0).fit(X, y)
    least = exact.objective_ - exact.dual_gap_
    for scheme, size in (("uniform", 10.0), ("rpcholesky", 200.0)):
        model = studies.make_kernel_model(scheme, int(size), 0).fit(X, y)
        excess = answer(("landmarks", scheme, size, 0)).excess
        assert excess == pytest.approx(model.objective_ / least - 1.0, abs=1e-5)
    assert excess < 1e-5


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "studies.jsonl", Finding)
    questions = list_questions(quick=True)
    ledger.add(Finding(*questions[1], excess=np.inf, auc=0.9, seconds=1.0))
    assert find_unanswered(questions, ledger) == [questions[0], *questions[2:]]
    assert ledger.read()[0].excess == np.inf
