"""Bounds on the whole kernel's best objective, against that optimum by an independent quadratic program."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import linalg, sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from rocsvm import Certificate, IncompletePairs, KernelROCSVM, LinearROCSVM, certify, full_kernel
from rocsvm.features import NystroemFeatures, wrap_matrix
from rocsvm.full_kernel import bound_below, bound_energy, sum_energy
from rocsvm.kernels import KernelFault, RBFKernel, resolve_kernel
from rocsvm.landmarks import LANDMARKS
from rocsvm.losses import LOSSES
from rocsvm.objective import Objective
from rocsvm.solvers import Newton
from tests.optimum import Optimum, minimise_over_pairs
from tests.reference import list_pairs

Floats = NDArray[np.float64]

each_loss = pytest.mark.parametrize("loss", LOSSES)
each_scheme = pytest.mark.parametrize("scheme", LANDMARKS)
both_bounds = pytest.mark.parametrize("exact", [True, False])

KINDS = ("normal", "rounded", "scaled", "moved")
KERNELS = ("rbf", "laplacian", "poly", "cosine", "linear")


class Problem(NamedTuple):
    """Rows, which of them are positive, and their weights if any; few of all kinds, by seed."""

    X: Floats
    positive: NDArray[np.bool_]
    weights: Floats | None


def draw_problem(seed: int, n_rows: int = 40) -> Problem:
    """Return rows of which the positive lie around the others, and some on the wrong side."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    height = (X[:, 0] * X[:, 1]) + 0.7 * rng.normal(size=n_rows)
    positive = height > np.quantile(height, 0.7)
    kind = KINDS[seed % 4]
    if kind == "rounded":
        X = np.round(X)
    elif kind == "scaled":
        X *= [1.0, 10.0, 0.1]
    elif kind == "moved":
        X += 50.0
    return Problem(X, positive, rng.uniform(0.05, 3.0, n_rows) if seed % 3 == 0 else None)


@functools.cache
def minimise(seed: int, kernel: str, loss: str, alpha: float) -> Optimum:
    """Return the minimum over the whole space of a kernel, of which the rows see what a root of its matrix spans."""
    problem = draw_problem(seed)
    own = resolve_kernel(kernel, "scale", 3, 1.0, problem.X, problem.weights, np.random.default_rng(0))
    values, vectors = linalg.eigh(own.compare(problem.X, problem.X))
    V = vectors * np.sqrt(np.maximum(values, 0.0))
    optimum = minimise_over_pairs(loss, V, list_pairs(problem.positive, problem.weights), alpha)
    assert optimum.upper - optimum.lower <= 1e-6 * optimum.upper
    return optimum


def check_bound(certificate: Certificate, optimum: Optimum, alpha: float) -> None:
    """Assert that the optimum lies between bound and objective.

    Rounding of a similarity moves the optimum by up to some ``1 / alpha`` as much as the similarity.
    """
    slack = (1e-8 + 1e-15 / alpha) * optimum.upper
    assert certificate.lower_bound <= optimum.upper + slack
    assert certificate.objective >= optimum.lower - slack


# Bounds of models


@both_bounds
@each_loss
@each_scheme
@pytest.mark.parametrize("seed", range(12))
def test_no_bound_on_the_whole_kernel_lies(seed: int, scheme: str, loss: str, exact: bool) -> None:
    problem, kernel = draw_problem(seed), KERNELS[seed % 5]
    for alpha in (1e-1, 1e-4, 1e-8):
        model = KernelROCSVM(alpha, kernel=kernel, landmarks=scheme, n_landmarks=6, loss=loss, random_state=seed)
        model.set_params(pairs="incomplete" if seed % 2 else "all").fit(*problem)
        certificate = certify(
            model, problem.X, problem.positive, against="full", sample_weight=problem.weights, exact=exact
        )
        check_bound(certificate, minimise(seed, kernel, loss, alpha), alpha)


@both_bounds
@each_loss
@pytest.mark.parametrize("alpha", [1.0, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("seed", [0, 1, 6, 7])
def test_of_landmarks_that_explain_all_the_bound_is_near_the_optimum(
    seed: int, alpha: float, loss: str, exact: bool
) -> None:
    problem = draw_problem(seed)
    distinct = np.unique(problem.X, axis=0)
    model = KernelROCSVM(alpha, landmarks=distinct, n_landmarks=len(distinct), loss=loss, random_state=0).fit(*problem)
    certificate = certify(
        model, problem.X, problem.positive, against="full", sample_weight=problem.weights, exact=exact
    )
    optimum = minimise(seed, "rbf", loss, alpha)
    check_bound(certificate, optimum, alpha)
    assert certificate.lower_bound >= optimum.lower * (1.0 - 5e-3)
    assert certificate.objective == pytest.approx(model.objective_, rel=1e-6 + 1e-13 / alpha)


@each_scheme
def test_the_sum_proves_no_less_than_the_pass_and_each_says_which_it_is(scheme: str) -> None:
    problem = draw_problem(4)
    model = KernelROCSVM(1e-3, landmarks=scheme, n_landmarks=15, random_state=0).fit(*problem)
    summed, bounded = (
        certify(model, problem.X, problem.positive, against="full", exact=exact, random_state=0)
        for exact in (True, False)
    )
    assert "in the space of the whole kernel, summed over " in summed.method
    assert "in the space of the whole kernel, bounded without a sum over " in bounded.method
    assert summed.objective == bounded.objective
    assert summed.lower_bound > bounded.lower_bound >= 0.0


def test_the_kernel_is_summed_unasked_while_rows_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = draw_problem(4)
    model = KernelROCSVM(1e-3, n_landmarks=15, random_state=0).fit(*problem)
    few = certify(model, problem.X, problem.positive, against="full")
    monkeypatch.setattr(full_kernel, "MANY_ROWS", 3)
    many = certify(model, problem.X, problem.positive, against="full")
    assert "summed over" in few.method
    assert "bounded without a sum" in many.method
    assert few.lower_bound > many.lower_bound


@both_bounds
def test_more_landmarks_prove_more(exact: bool) -> None:
    problem = draw_problem(4)
    rows = np.random.default_rng(0).permutation(problem.X)
    gaps = []
    for n_landmarks in (3, 10, 30):
        model = KernelROCSVM(1e-2, landmarks=rows[:n_landmarks], random_state=0).fit(*problem)
        gaps.append(certify(model, problem.X, problem.positive, against="full", exact=exact).relative_gap)
    assert gaps[0] > gaps[1] > gaps[2]


def test_a_model_of_drawn_pairs_is_measured_over_all_and_by_itself_over_its_own() -> None:
    problem = draw_problem(4)
    rng = np.random.default_rng(0)
    pairs = IncompletePairs(30).bind(problem.positive, None, rng)
    features = NystroemFeatures(n_landmarks=12, random_state=0).fit(problem.X)
    objective = Objective(wrap_matrix(features.transform(problem.X)), pairs, LOSSES["hinge"](), 1e-2)
    own = full_kernel.prove(features, problem.X, objective, Newton().solve(objective, rng=rng))
    matrix = features.kernel_.compare(problem.X, problem.X)
    values, vectors = linalg.eigh(matrix)
    drawn = list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.weights.tolist(), strict=True))
    optimum = minimise_over_pairs("hinge", vectors * np.sqrt(np.maximum(values, 0.0)), drawn, 1e-2)
    check_bound(own, optimum, 1e-2)
    assert own.lower_bound > 0.5 * optimum.lower


@both_bounds
@pytest.mark.parametrize("ours", [False, True])
def test_anyones_nystroem_pipeline_is_measured(ours: bool, exact: bool) -> None:
    problem = draw_problem(4)
    features: Any = NystroemFeatures(gamma=0.3, n_landmarks=30) if ours else Nystroem(gamma=0.3, n_components=30)
    model = make_pipeline(features.set_params(random_state=0), LogisticRegression()).fit(problem.X, problem.positive)
    certificate = certify(model, problem.X, problem.positive, alpha=1e-2, against="full", exact=exact)
    values, vectors = linalg.eigh(RBFKernel(0.3).compare(problem.X, problem.X))
    V = vectors * np.sqrt(np.maximum(values, 0.0))
    optimum = minimise_over_pairs("hinge", V, list_pairs(problem.positive), 1e-2)
    check_bound(certificate, optimum, 1e-2)
    assert certificate.lower_bound > 0.5 * optimum.lower


@both_bounds
def test_sparse_rows_have_the_same_bound(exact: bool) -> None:
    problem = draw_problem(1)
    options = {"against": "full", "exact": exact, "random_state": 0}
    model = KernelROCSVM(1e-3, n_landmarks=10, random_state=0).fit(problem.X, problem.positive)
    dense = certify(model, problem.X, problem.positive, **options)
    thin = certify(model, sparse.csr_array(problem.X), problem.positive, **options)
    assert thin.lower_bound == pytest.approx(dense.lower_bound, rel=1e-6)
    assert thin.objective == pytest.approx(dense.objective, rel=1e-9)


def test_progress_is_told_block_by_block(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(full_kernel, "SIDE", 8)
    problem = draw_problem(4)
    model = KernelROCSVM(1e-3, n_landmarks=15, random_state=0).fit(*problem)
    told: list[tuple[int, int]] = []
    options = {"against": "full", "random_state": 0}
    certify(model, problem.X, problem.positive, verbose=lambda done, total: told.append((done, total)), **options)
    assert len(told) > 3
    assert told == [(done, len(told)) for done in range(1, len(told) + 1)]
    assert capsys.readouterr().err == ""
    certify(model, problem.X, problem.positive, verbose=1, **options)
    assert f"block {len(told)} of {len(told)}\n" in capsys.readouterr().err


def test_a_model_without_a_kernel_has_no_whole_space() -> None:
    problem = draw_problem(4)
    model = LinearROCSVM().fit(problem.X, problem.positive)
    with pytest.raises(ValueError, match=r"LinearROCSVM has no kernel.*Write against='pairs'"):
        certify(model, problem.X, problem.positive, against="full")


def test_an_indefinite_kernel_is_told_wherever_it_shows() -> None:
    problem = draw_problem(4)

    def contrast(rows: Any, others: Any) -> Floats:
        """Return a definite kernel among the first ten rows, and an indefinite one among all."""
        matrix = RBFKernel(0.5).compare(rows, others)
        apart = (rows[:, :1] > cut) != (others[:, :1] > cut).T
        return np.where(apart, 2.0 * matrix, matrix)

    order = np.argsort(problem.X[:, 0])
    cut = problem.X[order[9], 0]
    model = KernelROCSVM(1e-2, kernel=contrast, landmarks=problem.X[order[:10]], random_state=0).fit(*problem)
    assert model.features_.is_definite_
    with pytest.raises(ValueError, match=r"indefinite on these rows.*against='pairs'"):
        certify(model, problem.X, problem.positive, against="full")
    with pytest.warns(UserWarning, match="indefinite"):
        model = KernelROCSVM(1e-2, kernel="sigmoid", gamma=5.0, n_landmarks=30, random_state=0).fit(*problem)
    with pytest.raises(ValueError, match=r"indefinite on the landmarks.*against='pairs'"):
        certify(model, problem.X, problem.positive, against="full")


# Their parts


@pytest.mark.parametrize("alpha", [1e-6, 0.1, 10.0])
@pytest.mark.parametrize(("linear", "energy"), [(1.0, 0.5), (1.0, 1e-4), (0.3, 0.0), (-1.0, 2.0), (0.0, 0.0)])
def test_the_bound_is_that_of_the_best_share(linear: float, energy: float, alpha: float) -> None:
    shares = np.append(0.0, np.geomspace(1e-9, 1.0, 100_001))
    values = shares * linear - shares**2 * energy / (2.0 * alpha)
    found = bound_below(linear, energy, alpha)
    assert found >= values.max() - 1e-15
    assert found == pytest.approx(values.max(), rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("side", [1, 7, 1024])
@pytest.mark.parametrize("seed", range(4))
def test_energies_equal_or_bound_the_product(seed: int, side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_kernel, "SIDE", side)
    X, rng = draw_problem(seed).X, np.random.default_rng(seed)
    slope, kernel = rng.normal(size=len(X)), RBFKernel(0.5)
    product = float(slope @ kernel.compare(X, X) @ slope)
    summed = sum_energy(kernel, X, slope)
    assert product <= summed + 1e-13
    assert summed == pytest.approx(product, rel=1e-9)
    for n_landmarks in (1, 5, 20):
        assert bound_energy(kernel, X[:n_landmarks], X, slope) >= product
    distinct = np.unique(X, axis=0)
    assert bound_energy(kernel, distinct, X, slope) == pytest.approx(product, rel=1e-3)


def test_without_slopes_there_is_nothing_to_sum() -> None:
    X, none = draw_problem(0).X, np.zeros(0)
    assert sum_energy(RBFKernel(0.5), X[:0], none) == 0.0
    assert bound_energy(RBFKernel(0.5), X[:5], X[:0], none) == 0.0


@pytest.mark.parametrize("offset", [1e3, 1e5])
@pytest.mark.parametrize("name", ["linear", "poly"])
def test_similarities_that_lose_digits_never_prove_too_much(name: str, offset: float) -> None:
    """Of rows far from zero the product is a small difference of large numbers: exact it is with whole numbers."""
    rng = np.random.default_rng(0)
    rows, slope = rng.integers(-5, 6, size=(30, 3)), rng.integers(-3, 4, size=30)
    slope[0] -= slope.sum()
    moved = [[int(entry) + int(offset) for entry in row] for row in rows.tolist()]
    power = 3 if name == "poly" else 1
    matrix = [[sum(a * b for a, b in zip(row, other, strict=True)) ** power for other in moved] for row in moved]
    product = sum(
        int(u) * int(v) * entry
        for u, own in zip(slope, matrix, strict=True)
        for v, entry in zip(slope, own, strict=True)
    )
    kernel = resolve_kernel(name, 1.0, 3, 0.0, np.array(moved), None, rng)
    floats = np.array(moved, dtype=np.float64)
    assert sum_energy(kernel, floats, slope.astype(np.float64)) >= product
    assert bound_energy(kernel, floats[:10], floats, slope.astype(np.float64)) >= product


def test_contradictions_of_a_kernel_count_as_its_rounding() -> None:
    class Coarse(RBFKernel):
        """Rounds each similarity to single precision, and calls each row like itself by one."""

        def compare(self, rows: Any, others: Any) -> Floats:
            noise = 1e-7 * np.sin(1e3 * (rows @ np.arange(1.0, 4.0))[:, None] + 1e3 * (others @ np.ones(3))[None, :])
            return super().compare(rows, others) + noise

    X, slope = draw_problem(0).X, np.random.default_rng(1).normal(size=40)
    slope -= slope.mean()
    product = float(slope @ RBFKernel(0.01).compare(X, X) @ slope)
    for energy in (sum_energy(Coarse(0.01), X, slope), bound_energy(Coarse(0.01), X[:20], X, slope)):
        assert energy >= product


def test_an_indefinite_kernel_among_landmarks_is_a_fault() -> None:
    kernel = resolve_kernel("sigmoid", 5.0, 3, 1.0, np.zeros((1, 3)), None, np.random.default_rng(0))
    X = draw_problem(0).X
    with pytest.raises(KernelFault, match="indefinite on the landmarks"):
        bound_energy(kernel, X[:20], X, np.ones(40))
