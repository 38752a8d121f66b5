"""The AUC against its definition over pairs, scikit-learn, and the symmetries it must have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from rocsvm.inspection import auc
from tests.inspection.strategies import Ranking, rankings


def define_auc(y, scores, weights) -> Fraction:
    won, total = Fraction(0), Fraction(0)
    weights = np.ones(len(y)) if weights is None else weights
    for i in np.flatnonzero(y):
        for j in np.flatnonzero(~y):
            weight = Fraction(weights[i]) * Fraction(weights[j])
            total += weight
            if scores[i] >= scores[j]:
                won += weight if scores[i] > scores[j] else weight / 2
    return won / total


@given(rankings(weights="none"))
def test_unweighted_auc_is_the_double_loop_rounded_once(ranking: Ranking):
    assert auc(*ranking) == float(define_auc(*ranking))


@given(rankings(weights="integer"))
def test_integer_weights_round_once_too(ranking: Ranking):
    assert auc(*ranking) == float(define_auc(*ranking))


@given(rankings(weights="float"))
def test_weighted_auc_equals_double_loop(ranking: Ranking):
    assert auc(*ranking) == pytest.approx(float(define_auc(*ranking)), rel=1e-13, abs=1e-13)


@given(rankings(weights="integer"))
def test_integer_weight_equals_repetition(ranking: Ranking):
    y, scores, weights = ranking
    counts = weights.astype(int)
    assert auc(y, scores, weights) == auc(np.repeat(y, counts), np.repeat(scores, counts))


@given(rankings())
def test_row_without_weight_is_not_there(ranking: Ranking):
    y, scores, weights = ranking
    weights = np.ones(len(y)) if weights is None else weights
    padded = np.append(y, [True, False]), np.append(scores, [-np.inf, np.inf]), np.append(weights, [0.0, 0.0])
    assert auc(*padded) == auc(y, scores, weights)


@given(rankings(weights="none"))
def test_swapping_classes_and_negating_scores_keeps_the_auc(ranking: Ranking):
    y, scores, _ = ranking
    assert auc(~y, -scores) == auc(y, scores)


@given(rankings(weights="float"))
def test_swapping_classes_and_negating_scores_keeps_the_weighted_auc(ranking: Ranking):
    y, scores, weights = ranking
    assert auc(~y, -scores, weights) == pytest.approx(auc(y, scores, weights), rel=1e-13, abs=1e-13)


@given(rankings(weights="none"))
def test_negating_scores_gives_the_complement(ranking: Ranking):
    y, scores, _ = ranking
    assert auc(y, -scores) == pytest.approx(1.0 - auc(y, scores), abs=1e-15)


@given(rankings(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(ranking: Ranking, random):
    y, scores, weights = ranking
    rows = list(range(len(y)))
    random.shuffle(rows)
    shuffled = auc(y[rows], scores[rows], None if weights is None else weights[rows])
    assert shuffled == pytest.approx(auc(*ranking), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("share", [0.001, 0.2, 0.9])
@pytest.mark.parametrize("digits", [1, 15])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_auc_equals_scikit_learn(share, digits, dtype, is_weighted):
    rng = np.random.default_rng(7)
    y = rng.random(20_000) < share
    scores = np.round(rng.standard_normal(20_000) + y, digits).astype(dtype)
    weights = rng.exponential(size=20_000) if is_weighted else None
    assert auc(y, scores, weights) == pytest.approx(roc_auc_score(y, scores, sample_weight=weights), rel=1e-12)


@pytest.mark.parametrize("weights", [None, np.array([0.1, 0.2, 0.3, 0.4, 0.7, 0.9])])
def test_perfect_and_inverted_rankings_are_exactly_one_and_zero(weights):
    y, scores = np.repeat([False, True], 3), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert auc(y, scores, weights) == 1.0
    assert auc(~y, scores, weights) == 0.0


@pytest.mark.parametrize("weights", [None, np.array([0.1, 0.2, 0.3, 0.4])])
def test_constant_scores_are_a_half(weights):
    assert auc([0, 1, 1, 0], np.zeros(4), weights) == pytest.approx(0.5, abs=1e-15)


@pytest.mark.slow
def test_counts_stay_exact_with_a_hundred_trillion_pairs():
    n = 10_000_000
    y = np.arange(2 * n) >= n
    scores = np.arange(2 * n, dtype=np.float32) >= n
    scores = scores.astype(np.float32)
    scores[0] = 2.0
    assert auc(y, scores) == float(1 - Fraction(1, n))


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 1e307])
def test_scale_of_weights_does_not_matter(scale):
    y, scores = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    assert auc(y, scores, np.array([1.0, 2.0, 3.0, 4.0]) * scale) == pytest.approx(18 / 24, rel=1e-3)


@pytest.mark.parametrize(
    "y",
    [
        [False, True, True, False],
        [0, 1, 1, 0],
        [-1, 1, 1, -1],
        [-1.0, 1.0, 1.0, -1.0],
        [2, 7, 7, 2],
        np.array([0, 1, 1, 0], dtype=np.uint8),
        ["healthy", "ill", "ill", "healthy"],
        np.array(["healthy", "ill", "ill", "healthy"], dtype=object),
    ],
    ids=repr,
)
def test_larger_label_is_the_positive(y):
    assert auc(y, [1.0, 2.0, 3.0, 2.5]) == 0.75


def test_integer_and_half_precision_scores_are_taken():
    assert auc([0, 1, 1, 0], [1, 4, 6, 5]) == 0.75
    assert auc([0, 1, 1, 0], np.array([1, 4, 6, 5], dtype=np.float16)) == 0.75


def test_arguments_are_left_as_they_were():
    y, scores, weights = np.array([0, 1, 1]), np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.0, 2.0])
    copies = y.copy(), scores.copy(), weights.copy()
    auc(y, scores, weights)
    for argument, copy in zip((y, scores, weights), copies, strict=True):
        np.testing.assert_array_equal(argument, copy)


@pytest.mark.parametrize("weights", [[1e-200, 1e200, 3e200], [1e300, 5e-324, 1.5e-323], [1.0, 1e-320, 3e-320]])
def test_no_class_vanishes_beside_a_heavy_one(weights):
    assert auc([0, 1, 1], [1.0, 0.0, 2.0], weights) == pytest.approx(0.75, rel=1e-3)


@pytest.mark.parametrize(
    ("y", "scores", "weights", "message"),
    [
        ([1, 1], [0.0, 1.0], None, r"y holds 1 labels \(1\); give rows of two classes"),
        (["a", "a"], [0.0, 1.0], None, r"y holds 1 labels \(a\); give rows of two classes"),
        ([0, 1, 2], [0.0, 1.0, 2.0], None, r"y holds 3 labels \(0, 1, 2\); .* or y == label for one class"),
        (list(range(9)), np.zeros(9), None, r"y holds 9 labels \(0, 1, 2, 3, 4, \.\.\.\)"),
        ([0.0, 1.0, np.nan], [0.0, 1.0, 2.0], None, r"y holds 3 labels \(0.0, 1.0, nan\)"),
        ([True, True], [0.0, 1.0], None, "no row of the negative class has a positive weight; give rows of both"),
        ([False, False], [0.0, 1.0], None, "no row of the positive class has a positive weight"),
        ([3, 4], [0.0, 1.0], [1.0, 0.0], r"no row of the positive \(4\) class has a positive weight"),
        (["a", "b"], [0.0, 1.0], [0.0, 1.0], r"no row of the negative \(a\) class has a positive weight"),
        ([], [], None, "y is empty; give rows of both"),
        (np.zeros(0, dtype=bool), [], [], "y is empty; give rows of both"),
        ([0, 1, 1], [0.0, 1.0], None, "y has 3 rows and scores has 2; give both for the same rows"),
        ([[0], [1]], [0.0, 1.0], None, r"y has shape \(2, 1\); give a flat array"),
        ([0, 1], np.zeros((2, 2)), None, r"scores has shape \(2, 2\); .* predict_proba\(X\)\[:, 1\]"),
        ([0, 1], [0.0, np.nan], None, "1 of them are NaN, .*; impute or drop these rows"),
    ],
)
def test_error_says_what_to_give_instead(y, scores, weights, message):
    with pytest.raises(ValueError, match=f"^auc .*{message}"):
        auc(y, scores, weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"sample_weight has shape \(1,\), but there are 2 rows; give one number per row"),
        ([1.0, -2.0], "negative values, the least -2; .* 0 leaves a row out"),
        ([1.0, np.nan], "sample_weight holds nan for row 1"),
        ([1.0, np.inf], "sample_weight holds inf for row 1"),
    ],
)
def test_error_says_which_weights_to_give_instead(weights, message):
    with pytest.raises(ValueError, match=message):
        auc([0, 1], [0.0, 1.0], weights)
