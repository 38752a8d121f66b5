"""Stratified landmarks keep the shares of the classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocsvm.landmarks import Candidates, StratifiedLandmarks
from tests.landmarks.data import RBF


def count_positive(positive: np.ndarray, n_landmarks: int, weights: np.ndarray | None = None, seed: int = 0) -> int:
    """Return how many landmarks are positive, among rows that are all distinct; there are as many as asked."""
    X = np.column_stack([np.arange(len(positive)), positive]).astype(float)
    landmarks = StratifiedLandmarks().choose(
        Candidates(X, RBF, positive, weights), n_landmarks, np.random.default_rng(seed)
    )
    assert len(np.unique(landmarks, axis=0)) == n_landmarks
    return int(landmarks[:, 1].sum())


@given(n_pos=st.integers(1, 300), n_neg=st.integers(1, 300), n_landmarks=st.integers(2, 60), seed=st.integers(0, 99))
def test_shares_are_kept_and_both_classes_are_there(n_pos: int, n_neg: int, n_landmarks: int, seed: int) -> None:
    n_landmarks = min(n_landmarks, n_pos + n_neg)
    chosen = count_positive(np.repeat([True, False], [n_pos, n_neg]), n_landmarks, seed=seed)
    assert 1 <= chosen <= n_landmarks - 1
    assert abs(chosen - n_landmarks * n_pos / (n_pos + n_neg)) <= 1.0


def test_shares_are_those_of_the_weights() -> None:
    positive = np.repeat([True, False], [100, 100])
    assert count_positive(positive, 40, np.where(positive, 3.0, 1.0)) == 30


@pytest.mark.parametrize("positive_first", [True, False])
def test_where_a_class_has_too_few_rows_the_other_makes_up_for_it(positive_first: bool) -> None:
    # Of the first class 90 rows are alike.
    X = np.concatenate([np.zeros(90), np.arange(1.0, 111.0)])[:, None]
    positive = (np.arange(200) < 100) == positive_first
    landmarks = StratifiedLandmarks().choose(Candidates(X, RBF, positive), 60, np.random.default_rng(0))
    assert len(np.unique(landmarks)) == 60
    assert (landmarks <= 10.0).sum() == 11


def test_a_row_of_both_classes_is_one_landmark() -> None:
    X = np.tile(np.arange(50.0), 2)[:, None]
    positive = np.arange(100) < 50
    for n_landmarks in (10, 50, 80):
        landmarks = StratifiedLandmarks().choose(Candidates(X, RBF, positive), n_landmarks, np.random.default_rng(0))
        assert len(landmarks) == len(np.unique(landmarks)) == min(n_landmarks, 50)


def test_no_labels_are_told() -> None:
    with pytest.raises(ValueError, match=r"no labels were given. Call fit\(X, y\), or write landmarks='uniform'"):
        StratifiedLandmarks().choose(Candidates(np.ones((5, 1)), RBF), 2, np.random.default_rng(0))
