"""The theorem's terms against their definitions, and the corrected bound against simulation."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import laplacian_kernel

from rocsvm import IncompletePairs, KernelROCSVM, LinearROCSVM
from rocsvm.datasets import make_roc_linear, make_roc_radial
from rocsvm.pairs._incomplete import IncompletePairSums
from rocsvm.theory import ErrorBound, error_bound, sampling_bound
from rocsvm.theory._theorem import KeptPairs
from tests.optimum import minimise_over_pairs
from tests.reference import list_pairs

ALPHA = 0.05
X, y = make_roc_radial(40, random_state=0)


class RecordedPairs(IncompletePairs):
    """The paper's pairs, which remember what was drawn."""

    drawn: ClassVar[list[IncompletePairSums]] = []

    def bind(self, positive: Any, weights: Any, rng: np.random.Generator) -> IncompletePairSums:
        self.drawn.append(super().bind(positive, weights, rng))
        return self.drawn[-1]


FULL = KernelROCSVM(ALPHA, kernel="laplacian", gamma=0.7, features="exact", tol=1e-6).fit(X, y)
APPROXIMATE = KernelROCSVM(
    ALPHA, kernel="laplacian", gamma=0.7, n_landmarks=12, pairs=RecordedPairs(60), random_state=3, tol=1e-6
).fit(X, y)
DRAWN = list(RecordedPairs.drawn)
FOUND = error_bound(FULL, APPROXIMATE, X, y, delta=0.1)


def mean_hinge(pairs: list[tuple[int, int]], scores: Any) -> float:
    return math.fsum(max(0.0, 1.0 - scores[i] + scores[j]) for i, j in pairs) / len(pairs)


def test_the_left_hand_side_is_that_of_the_two_models_and_the_pairs_drawn() -> None:
    (drawn,) = DRAWN
    everything = [(i, j) for i, j, _ in list_pairs(y == 1)]
    pairs = list(zip(drawn.first.tolist(), drawn.second.tolist(), strict=True))
    full, approximate = (
        mean_hinge(everything, FULL.decision_function(X)),
        mean_hinge(pairs, APPROXIMATE.decision_function(X)),
    )
    assert FOUND.loss_full == pytest.approx(full)
    assert FOUND.loss_approximate == pytest.approx(approximate)
    assert FOUND.measured == pytest.approx(abs(full - approximate))
    assert FOUND.n_max == max(np.bincount(np.ravel(pairs)))
    assert (FOUND.n_rows, FOUND.n_pairs, FOUND.alpha, FOUND.delta) == (40, 60, ALPHA, 0.1)


def test_what_is_said_of_the_kernel_is_that_of_its_matrices() -> None:
    K = laplacian_kernel(X, gamma=0.7)
    landmarks = APPROXIMATE.landmarks_
    C = laplacian_kernel(X, landmarks, gamma=0.7)
    approximate = C @ np.linalg.pinv(laplacian_kernel(landmarks, gamma=0.7)) @ C.T
    assert FOUND.k_max == 1.0
    assert FOUND.lambda_min == pytest.approx(np.linalg.eigvalsh(K)[0], rel=1e-6)
    assert FOUND.lambda_min_approximate == pytest.approx(np.linalg.eigvalsh(approximate)[-12], rel=1e-6)
    assert FOUND.kernel_error == pytest.approx(np.linalg.norm(K - approximate, 2), rel=1e-6)


def test_norms_are_those_of_the_minimisers() -> None:
    (drawn,) = DRAWN
    K = laplacian_kernel(X, gamma=0.7)
    values, vectors = np.linalg.eigh(K)
    V = vectors * np.sqrt(values)
    best = minimise_over_pairs(
        "hinge", V, [(i, j, 1.0 / 60) for i, j in zip(drawn.first, drawn.second, strict=True)], ALPHA
    )
    assert FOUND.norm_incomplete == pytest.approx(np.linalg.norm(best.w), rel=2e-3)
    theta = np.linalg.lstsq(K, FULL.decision_function(X) - FULL.intercept_, rcond=None)[0]
    assert FOUND.norm_full == pytest.approx(np.sqrt(theta @ K @ theta), rel=1e-6)
    assert FOUND.norm_approximate == pytest.approx(
        np.sqrt(2.0 * (APPROXIMATE.objective_ - FOUND.loss_approximate) / ALPHA), rel=1e-6
    )


def test_the_bound_is_put_together_as_printed() -> None:
    n, B, C, C_B = 40, 60, max(FOUND.norm_full, FOUND.norm_incomplete) ** 2, FOUND.norm_approximate**2
    A_1 = (1 + 2 * FOUND.k_max * C**0.5) / 2**0.5
    A_2 = (C_B / FOUND.lambda_min_approximate) ** 0.5
    A_3 = FOUND.k_max * (2 / ALPHA) ** 0.5 * ((C / FOUND.lambda_min) ** 0.5 + A_2) ** 0.5
    E, N = FOUND.kernel_error, FOUND.n_max
    assert (FOUND.a1, FOUND.a2, FOUND.a3) == pytest.approx((A_1, A_2, A_3))
    assert FOUND.bound == pytest.approx(
        A_1 * (math.log(4 / 0.1) / B) ** 0.5 + N / B * (A_2 * E * n**0.5 + A_3 * (N * E * n**1.5 / B) ** 0.5)
    )
    assert FOUND.bound == pytest.approx(FOUND.sampling_term + FOUND.kernel_term)


def test_the_bound_shows_both_sides_and_every_term() -> None:
    shown = repr(FOUND)
    for name in ("measured", "A_1", "A_2", "A_3", "N_max", "||K - K~||_2", "lambda_min", "lambda~+_min", "||f_B||"):
        assert name in shown
    for number in (FOUND.measured, FOUND.bound, FOUND.a3, FOUND.norm_full, FOUND.norm_approximate):
        assert f"{number:.4g}" in shown


def test_the_bound_is_infinite_where_the_kernel_matrix_is_singular() -> None:
    rows, labels = make_roc_linear(150, random_state=1)
    full = KernelROCSVM(0.1, features="exact").fit(rows, labels)
    approximate = KernelROCSVM(0.1, n_landmarks=10, pairs="incomplete", random_state=0).fit(rows, labels)
    found = error_bound(full, approximate, rows, labels)
    assert (found.lambda_min, found.a3, found.bound) == (0.0, np.inf, np.inf)
    assert found.measured < 0.2
    assert np.isfinite(found.sampling_term)


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_holds_and_says_nothing_below_one(seed: int) -> None:
    rows, labels = make_roc_radial(60, random_state=seed)
    full = KernelROCSVM(1e-2, kernel="laplacian", features="exact").fit(rows, labels)
    approximate = KernelROCSVM(1e-2, kernel="laplacian", n_landmarks=8, pairs="incomplete", random_state=seed)
    found = error_bound(full, approximate.fit(rows, labels), rows, labels)
    assert found.measured < 1.0 < found.bound


def test_the_model_of_drawn_pairs_may_have_the_lower_loss_over_all() -> None:
    # The proof says it cannot; but what is minimised has a penalty, and only the sums compare.
    rows, labels = make_roc_linear(40, random_state=0)
    alpha = 20.0
    all_pairs = [(i, j) for i, j, _ in list_pairs(labels == 1)]
    best = LinearROCSVM(alpha, tol=1e-6).fit(rows, labels)
    least = mean_hinge(all_pairs, best.decision_function(rows))
    losses = []
    for seed in range(10):
        model = LinearROCSVM(alpha, pairs=40, tol=1e-6, random_state=seed).fit(rows, labels)
        losses.append(mean_hinge(all_pairs, model.decision_function(rows)))
        assert losses[-1] + 0.5 * alpha * np.linalg.norm(model.coef_) ** 2 > best.objective_ - best.dual_gap_
    assert min(losses) < least - 1e-3 < least + 1e-3 < max(losses)


def fit(**changes: Any) -> KernelROCSVM:
    return clone(APPROXIMATE).set_params(pairs=60, tol=1e-3, **changes).fit(X, y)


@pytest.mark.parametrize(
    ("full", "approximate", "message"),
    [
        (APPROXIMATE, APPROXIMATE, r"The full model is no KernelROCSVM\(features='exact'\)"),
        (FULL, FULL, r"The approximate model is no KernelROCSVM\(features='nystroem'\)"),
        (LinearROCSVM().fit(X, y), APPROXIMATE, "The full model is no KernelROCSVM"),
        (clone(FULL).set_params(pairs=50, tol=1e-3).fit(X, y), APPROXIMATE, "compares with pairs='all'"),
        (clone(FULL).set_params(loss="squared_hinge").fit(X, y), APPROXIMATE, "is about loss='hinge'"),
        (FULL, clone(APPROXIMATE).set_params(pairs="all").fit(X, y), "pairs drawn with replacement"),
        (
            FULL,
            clone(APPROXIMATE).set_params(pairs=IncompletePairs(50, replace=False)).fit(X, y),
            "pairs drawn with replacement",
        ),
        (FULL, fit(alpha=1.0), r"alpha=0\.05 and 1\.0"),
        (FULL, fit(gamma=1.0), "different kernels"),
        (FULL, fit(random_state=None), "random_state=0"),
        (clone(FULL).fit(X[::-1] + 1.0, y), APPROXIMATE, "fitted to other rows"),
    ],
)
def test_what_the_theorem_is_not_about_is_told(full: Any, approximate: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        error_bound(full, approximate, X, y)


def test_models_not_fitted_and_wrong_probabilities_are_told() -> None:
    with pytest.raises(NotFittedError):
        error_bound(FULL, KernelROCSVM(), X, y)
    for delta in (0.0, 1.0, "little"):
        with pytest.raises(ValueError, match="delta="):
            error_bound(FULL, APPROXIMATE, X, y, delta=delta)  # type: ignore[arg-type]


def test_kept_pairs_are_drawn_once() -> None:
    kept = KeptPairs(IncompletePairs(30))
    rng = np.random.default_rng(0)
    assert kept.bind(y == 1, None, rng) is kept.bind(y == 1, None, rng)
    assert kept.find_drawn().size == 30


def test_the_fields_are_all_there_is_to_a_bound() -> None:
    assert ErrorBound(**vars(FOUND)) == FOUND


# ---- the corrected bound


def test_the_sampling_bounds_are_their_formulas() -> None:
    bound = sampling_bound(500, 0.02, kappa=3.0, delta=0.1)
    R = 10.0
    tail = (1 + 2 * 3 * R) * math.sqrt(math.log(20) / 1000)
    assert bound.radius == pytest.approx(R)
    assert bound.uniform == pytest.approx(4 * 3 * R / math.sqrt(500) + tail)
    assert bound.excess == pytest.approx(4 * 3 * R / math.sqrt(500) + 2 * tail)
    assert bound.expected_excess == pytest.approx(8 * 9 / (0.02 * 500))
    for number in (bound.uniform, bound.excess, bound.expected_excess):
        assert f"{number:.4g}" in str(bound)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"n_pairs": 0, "alpha": 1.0}, "n_pairs=0"),
        ({"n_pairs": 1.5, "alpha": 1.0}, r"n_pairs=1\.5"),
        ({"n_pairs": 5, "alpha": 0.0}, r"alpha=0\.0"),
        ({"n_pairs": 5, "alpha": 1.0, "kappa": -1.0}, r"kappa=-1\.0"),
        ({"n_pairs": 5, "alpha": 1.0, "delta": 1.0}, r"delta=1\.0"),
    ],
)
def test_what_bounds_nothing_is_told(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        sampling_bound(**arguments)


def find_largest_errors(d: NDArray[np.float64], radius: float, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each draw, the largest error of the mean loss over all slopes w up to the radius.

    With one feature a pair's loss is ``max(0, 1 - w d)``; the error is linear in w between kinks, so that it is
    largest at a kink or an end. ``shares`` has a draw a row: how much of the draw each pair is, less what it should be.
    """
    kinks = 1.0 / d[d != 0.0]
    w = np.concatenate([kinks[np.abs(kinks) < radius], [-radius, radius]])
    losses = np.maximum(0.0, 1.0 - np.outer(d, w))
    return np.abs(shares @ losses).max(axis=1)


@pytest.mark.parametrize("alpha", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("n_pairs", [5, 50, 500])
def test_the_uniform_bound_holds_over_the_whole_ball(n_pairs: int, alpha: float) -> None:
    rng = np.random.default_rng(n_pairs)
    spread = (rng.uniform(-1.0, 1.0, 6), rng.uniform(-1.0, 1.0, 9))
    # Pairs as far apart as rows can be, and one in ten that is ranked the other way round.
    extreme = (np.append(np.ones(9), -1.0), -np.ones(1))
    for x_pos, x_neg in (spread, extreme):
        d = np.subtract.outer(x_pos, x_neg).ravel()
        bound = sampling_bound(n_pairs, alpha, kappa=1.0, delta=0.5)
        counts = rng.multinomial(n_pairs, np.full(len(d), 1.0 / len(d)), size=2000)
        errors = find_largest_errors(d, bound.radius, counts / n_pairs - 1.0 / len(d))
        assert errors.max() <= bound.uniform
        assert errors.max() > 0.04 * bound.uniform


@pytest.mark.parametrize(("n_pairs", "alpha"), [(10, 0.1), (100, 0.1), (100, 1.0)])
def test_models_of_drawn_pairs_exceed_the_optimum_by_less_than_their_bounds(n_pairs: int, alpha: float) -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((30, 8))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels = np.repeat([0, 1], 15)
    all_pairs = [(i, j) for i, j, _ in list_pairs(labels == 1)]
    best = LinearROCSVM(alpha, tol=1e-5).fit(rows, labels)
    bound = sampling_bound(n_pairs, alpha, kappa=1.0, delta=0.5)
    excesses, errors = [], []
    for seed in range(25):
        model = LinearROCSVM(alpha, pairs=n_pairs, tol=1e-5, random_state=seed).fit(rows, labels)
        loss = mean_hinge(all_pairs, model.decision_function(rows))
        excesses.append(loss + 0.5 * alpha * np.linalg.norm(model.coef_) ** 2 - best.objective_)
        errors.append(abs(model.objective_ - best.objective_))
        assert np.linalg.norm(model.coef_) <= bound.radius
    assert max(errors) <= bound.uniform
    assert max(excesses) <= bound.excess
    assert -1e-4 < np.mean(excesses) <= bound.expected_excess
