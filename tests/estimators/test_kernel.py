"""The kernel model against the optimum over its kernel, and what landmarks, alphas and many rows make of it."""

from __future__ import annotations

import pickle
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels

from benchmarks._datasets import MissingDataError, Split
from benchmarks._problems import PHONE, SKIN, Problem
from rocsvm import AllPairs, Certificate, IncompletePairs, KernelROCSVM, NystroemFeatures, certify
from rocsvm.datasets import make_roc_radial
from rocsvm.estimators import _grow, _kernel
from rocsvm.inspection import find_threshold
from rocsvm.kernels import KERNELS
from rocsvm.landmarks import LANDMARKS, KMeansLandmarks
from rocsvm.losses import LOSSES
from rocsvm.solvers import AbstractSolver, Solution, Status, Step
from tests.estimators.data import draw_data
from tests.optimum import Optimum, minimise_over_kernel
from tests.reference import list_pairs

Floats = NDArray[np.float64]

X, Y = draw_data(40)
NEW = draw_data(30, seed=1).X
FLOATS = 10.0 ** np.random.default_rng(4).uniform(-1, 1, size=len(X))
COUNTS = np.random.default_rng(3).integers(0, 4, size=len(X))
RING = make_roc_radial(400, random_state=0)
# From this many rows on features are in single precision.
MANY = make_roc_radial(10_000, random_state=0)

# Each kernel that is one, as scikit-learn computes it.
PARAMETERS: dict[str, dict[str, Any]] = {
    "rbf": {"gamma": 0.5},
    "poly": {"gamma": 0.5, "degree": 2, "coef0": 1.5},
    "linear": {},
    "laplacian": {"gamma": 0.7},
    "cosine": {},
}

each_kernel = pytest.mark.parametrize("kernel", PARAMETERS)
each_loss = pytest.mark.parametrize("loss", LOSSES)
each_scheme = pytest.mark.parametrize("landmarks", LANDMARKS)
each_weights = pytest.mark.parametrize("weights", [None, FLOATS], ids=["alike", "weighted"])


def compare(kernel: str, rows: Any, others: Any) -> Floats:
    """Return the kernel matrix of these rows."""
    return np.asarray(pairwise_kernels(rows, others, metric=kernel, **PARAMETERS[kernel]))


def make(**parameters: Any) -> KernelROCSVM:
    """Return a model that is solved as far as a comparison of scores needs."""
    return KernelROCSVM(**({"alpha": 0.01, "gamma": 0.5, "tol": 1e-8, "random_state": 0} | parameters))


def make_exact(kernel: Any = "rbf", **parameters: Any) -> KernelROCSVM:
    """Return such a model of the whole kernel."""
    return make(**({"kernel": kernel, "features": "exact"} | PARAMETERS.get(kernel, {}) | parameters))


def rank(model: KernelROCSVM, rows: Any) -> Floats:
    """Return the scores without the threshold."""
    return model.decision_function(rows) - model.intercept_[0]


def assert_same_function(
    model: KernelROCSVM, other: KernelROCSVM, rows: Any, its_rows: Any = None, *, rounding: float = 1e-6
) -> None:
    """Compare two solutions of one problem, on the rows as either is given them.

    It is strongly convex in the kernel's space: either function is within ``sqrt(2 * gap / alpha)`` of the best, and
    a score is at most the root of the row's similarity to itself times as far off.
    """
    reach = sum(float(np.sqrt(2.0 * each.dual_gap_ / each.alpha)) for each in (model, other))
    scores, wanted = rank(model, rows), rank(other, rows if its_rows is None else its_rows)
    size = float(np.sqrt(max(np.abs(other.features_.kernel_.diagonal(NEW)).max(), 1.0))) if its_rows is None else 1.0
    assert np.abs(scores - wanted).max() <= reach * size + rounding * max(1.0, np.abs(wanted).max())
    slack = model.dual_gap_ + other.dual_gap_ + 1e-9 * other.objective_
    assert abs(model.objective_ - other.objective_) <= slack


def assert_converged_or_told(fit: Callable[[], KernelROCSVM]) -> KernelROCSVM:
    """Return the fitted model, whose gap is below its tol or told in one warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fit()
    gap = model.dual_gap_ / model.objective_
    told = [str(each.message) for each in caught]
    assert told == [] if gap <= model.tol else len(told) == 1 and f"relative gap of {gap:.1e}, above tol" in told[0]
    return model


# --- The optimum over the whole kernel ---


@each_weights
@each_loss
@each_kernel
def test_the_exact_model_is_the_optimum_of_the_papers_problem(kernel: str, loss: str, weights: Any) -> None:
    for alpha in (1e-3, 1e-1):
        model = make_exact(kernel, alpha=alpha, loss=loss, tol=1e-6).fit(X, Y, weights)
        optimum = minimise_over_kernel(loss, compare(kernel, X, X), list_pairs(Y == 1, weights), alpha)
        assert optimum.upper - optimum.lower <= 1e-6 * optimum.upper
        assert model.objective_ >= optimum.lower * (1.0 - 1e-9)
        assert model.objective_ - model.dual_gap_ <= optimum.upper * (1.0 + 1e-9)
        assert model.dual_gap_ <= 1e-6 * model.objective_
        # Two functions so near the best are near each other, in the space and so on any row.
        gap = model.dual_gap_ + optimum.upper - optimum.lower
        reach = 2.0 * np.sqrt(2.0 * gap / alpha * compare(kernel, NEW, NEW).max())
        assert np.abs(rank(model, NEW) - compare(kernel, NEW, X) @ optimum.w).max() <= reach + 1e-6


@each_loss
def test_the_exact_model_of_drawn_pairs_is_the_optimum_over_these(loss: str) -> None:
    model = make_exact(loss=loss, tol=1e-6, pairs=IncompletePairs(100)).fit(X, Y)
    drawn = IncompletePairs(100).bind(Y == 1, None, np.random.default_rng(0))
    pairs = list(zip(drawn.first.tolist(), drawn.second.tolist(), drawn.weights.tolist(), strict=True))
    optimum = minimise_over_kernel(loss, compare("rbf", X, X), pairs, 0.01)
    assert optimum.lower * (1.0 - 1e-9) <= model.objective_
    assert model.objective_ - model.dual_gap_ <= optimum.upper * (1.0 + 1e-9)


@each_loss
@each_kernel
def test_all_rows_as_landmarks_give_the_exact_model(kernel: str, loss: str) -> None:
    model = make(kernel=kernel, landmarks=X, loss=loss, **PARAMETERS[kernel]).fit(X, Y, FLOATS)
    assert_same_function(model, make_exact(kernel, loss=loss).fit(X, Y, FLOATS), NEW, rounding=1e-4)


def test_fewer_landmarks_have_a_larger_objective() -> None:
    whole = make_exact().fit(X, Y)
    objectives = [make(landmarks=X[:n]).fit(X, Y).objective_ for n in (2, 6, 20, 40)]
    assert objectives == sorted(objectives, reverse=True)
    assert objectives[0] > 1.1 * objectives[-1]
    assert objectives[-1] >= whole.objective_ - whole.dual_gap_


@each_weights
@each_kernel
def test_a_matrix_given_is_as_good_as_its_kernel_by_name(kernel: str, weights: Any) -> None:
    given = make_exact("precomputed").fit(compare(kernel, X, X), Y, weights)
    named = make_exact(kernel).fit(X, Y, weights)
    columns = compare(kernel, NEW, X)
    assert_same_function(given, named, columns, NEW, rounding=1e-3)
    assert np.array_equal(given.predict(columns), named.predict(NEW))
    assert given.n_features_in_ == len(X)
    assert given.score(compare(kernel, X, X), Y) == pytest.approx(named.score(X, Y), abs=1e-3)


def test_a_callable_is_the_kernel_it_computes() -> None:
    for features in ({"features": "exact"}, {"landmarks": X[:15]}):
        own = make(kernel=laplacian_kernel, **features).fit(X, Y)
        named = make(kernel="laplacian", **(features | {"gamma": 1.0 / 3.0})).fit(X, Y)
        assert_same_function(own, named, NEW)
        assert np.array_equal(own.predict(NEW), named.predict(NEW))


# --- What is fitted ---


def test_fit_returns_the_model_with_all_it_documents() -> None:
    model = KernelROCSVM(n_landmarks=10, random_state=0)
    assert model.fit(X, Y) is model
    documented = {
        "classes_", "coef_", "dual_coef_", "dual_gap_", "features_", "intercept_", "landmarks_", "n_features_in_",
        "n_iter_", "objective_",
    }  # fmt: skip
    assert {name for name in vars(model) if name.endswith("_")} == documented
    assert model.landmarks_.shape == (10, 3)
    assert model.coef_.shape == (1, model.features_.transform(X).shape[1])
    assert model.dual_coef_.shape == (1, 10)
    assert model.intercept_.shape == (1,)
    assert 0.0 <= model.dual_gap_ <= 1e-3 * model.objective_
    assert type(model.objective_) is type(model.dual_gap_) is float
    grown = model.set_params(n_landmarks="auto").fit(X, Y)
    assert {name for name in vars(grown) if name.endswith("_")} == documented | {"kernel_gap_"}
    assert type(grown.kernel_gap_) is float


def test_a_fit_without_growth_forgets_the_gap_of_one_with() -> None:
    model = KernelROCSVM(n_landmarks="auto", random_state=0).fit(X, Y)
    assert not hasattr(model.set_params(n_landmarks=10).fit(X, Y), "kernel_gap_")


FEATURES: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "nystroem": ({"n_landmarks": 12}, X, NEW),
    "sparse": ({"n_landmarks": 12, "landmarks": "uniform"}, sparse.csr_array(X), sparse.csr_array(NEW)),
    "exact": ({"features": "exact"}, X, NEW),
    "precomputed": ({"features": "exact", "kernel": "precomputed"}, compare("rbf", X, X), compare("rbf", NEW, X)),
}


@pytest.mark.parametrize("kind", FEATURES)
def test_weights_on_similarities_score_as_weights_on_features_do(kind: str) -> None:
    parameters, rows, new = FEATURES[kind]
    model = make(**parameters).fit(rows, Y)
    wanted = model.features_.transform(new) @ model.coef_[0]
    similarities = model.features_.kernel_.compare(new, model.landmarks_)
    assert similarities @ model.dual_coef_[0] == pytest.approx(wanted, abs=1e-6)
    assert rank(model, new) == pytest.approx(wanted, abs=1e-6)
    assert np.array_equal(model.predict(new), (model.decision_function(new) > 0.0).astype(int))


@each_weights
@each_loss
def test_the_objective_is_its_definition_at_the_function_found(loss: str, weights: Any) -> None:
    model = KernelROCSVM(1e-3, gamma=0.5, n_landmarks=15, loss=loss, random_state=0).fit(X, Y, weights)
    value, _ = AllPairs().sum(LOSSES[loss](), model.decision_function(X), Y == 1, weights)
    dual = model.dual_coef_[0]
    squared_norm = dual @ compare("rbf", model.landmarks_, model.landmarks_) @ dual
    assert model.objective_ == pytest.approx(value + 0.5e-3 * squared_norm, rel=1e-8)


@pytest.mark.parametrize("kind", FEATURES)
def test_a_whole_weight_equals_as_many_rows(kind: str) -> None:
    parameters, rows, new = FEATURES[kind]
    columns = np.arange(len(X)).repeat(COUNTS)
    is_given = kind == "precomputed"
    repeated = rows[columns][:, columns] if is_given else rows[columns]
    if kind in ("nystroem", "sparse"):
        # Of other rows a seed draws others.
        parameters = {"landmarks": X[:12]}
    for operating_point in ("youden", {"sensitivity": 0.8}):
        own = make(**parameters, operating_point=operating_point)
        weighted, wanted = own.fit(rows, Y, COUNTS), make(**parameters, operating_point=operating_point)
        wanted.fit(repeated, Y[columns])
        its_new = new[:, columns] if is_given else new
        assert_same_function(weighted, wanted, new, its_new, rounding=1e-4)
        assert np.array_equal(weighted.predict(new), wanted.predict(its_new))


@pytest.mark.parametrize("kind", FEATURES)
def test_a_weight_of_zero_leaves_the_row_out(kind: str) -> None:
    parameters, rows, new = FEATURES[kind]
    kept = np.flatnonzero(COUNTS)
    is_given = kind == "precomputed"
    own, wanted = make(**parameters).fit(rows, Y, COUNTS), make(**parameters)
    wanted.fit(rows[kept][:, kept] if is_given else rows[kept], Y[kept], COUNTS[kept])
    assert_same_function(own, wanted, new, new[:, kept] if is_given else new, rounding=1e-5)


# --- Landmarks ---


@each_scheme
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_every_way_to_choose_landmarks_fits_a_ring(layout: Any, landmarks: str) -> None:
    rows, labels = RING
    model = KernelROCSVM(1e-3, n_landmarks=25, landmarks=landmarks, random_state=0).fit(layout(rows), labels)
    chosen = model.landmarks_.toarray() if sparse.issparse(model.landmarks_) else model.landmarks_
    assert np.unique(chosen, axis=0).shape == (25, 2)
    assert model.dual_gap_ <= 1e-3 * model.objective_
    # What is known of the noise allows no more: the radius itself has this much.
    assert model.score(layout(rows), labels) > 0.93
    if landmarks != "kmeans":
        assert {tuple(row) for row in chosen.tolist()} <= {tuple(row) for row in rows.tolist()}


@pytest.mark.parametrize("wrap", [np.asarray, np.ndarray.tolist, pd.DataFrame, sparse.csr_array, sparse.csc_array])
def test_landmarks_may_be_given(wrap: Any) -> None:
    model, wanted = make(landmarks=wrap(NEW)).fit(X, Y), make(landmarks=NEW, n_landmarks=3).fit(X, Y)
    assert model.landmarks_.shape == (30, 3)
    assert_same_function(model, wanted, X)


def test_landmarks_may_be_an_object_and_features_too() -> None:
    wanted = KernelROCSVM(gamma=0.5, n_landmarks=12, landmarks=KMeansLandmarks(max_iter=2), random_state=0).fit(X, Y)
    features = NystroemFeatures(gamma=0.5, n_landmarks=12, landmarks=KMeansLandmarks(max_iter=2))
    model = KernelROCSVM(features=features, random_state=0).fit(X, Y)
    assert np.array_equal(model.dual_coef_, wanted.dual_coef_)
    assert model.features_ is not features
    assert not hasattr(features, "landmarks_")


def test_features_with_a_seed_of_their_own_keep_to_it() -> None:
    features = NystroemFeatures(n_landmarks=12, random_state=5)
    first, other = (KernelROCSVM(features=features, random_state=seed).fit(X, Y) for seed in (0, 1))
    assert np.array_equal(first.landmarks_, other.landmarks_)
    assert np.array_equal(first.landmarks_, features.fit(X, Y).landmarks_)


# --- Small alphas ---


@each_loss
@pytest.mark.parametrize("features", [{"n_landmarks": 60}, {"features": "exact"}], ids=["nystroem", "exact"])
def test_every_alpha_reaches_its_gap_or_says_how_far_it_came(features: dict[str, Any], loss: str) -> None:
    rows, labels = draw_data(150)
    best = np.inf
    for power in range(10):
        alpha = 10.0**-power
        model = assert_converged_or_told(
            lambda alpha=alpha: KernelROCSVM(alpha, loss=loss, random_state=0, **features).fit(rows, labels)
        )
        assert np.isfinite(model.dual_coef_).all()
        # Less of a penalty cannot cost more.
        assert model.objective_ - model.dual_gap_ <= best * (1.0 + 1e-9)
        best = model.objective_
        if power <= 7:
            assert model.dual_gap_ <= 1e-3 * model.objective_


@pytest.mark.parametrize("alpha", [1e-1, 1e-3, 1e-5, 1e-7, 1e-9])
def test_every_alpha_reaches_its_gap_on_many_rows_too(alpha: float) -> None:
    model = assert_converged_or_told(lambda: KernelROCSVM(alpha, n_landmarks=60, random_state=0).fit(*MANY))
    assert model.features_.dtype_ == np.float32
    if alpha >= 1e-7:
        assert model.dual_gap_ <= 1e-3 * model.objective_


def test_steps_that_run_out_are_told_with_the_gap_reached() -> None:
    with pytest.warns(ConvergenceWarning, match="Raise max_iter") as caught:
        model = KernelROCSVM(1e-6, max_iter=2, n_landmarks=20, random_state=0).fit(X, Y)
    assert f"relative gap of {model.dual_gap_ / model.objective_:.1e}, above tol=0.001" in str(caught[0].message)
    assert [each.filename for each in caught] == [__file__]


# --- What each argument does ---


class Idle(AbstractSolver):
    """Takes one step to nowhere, and claims to have arrived."""

    def solve(self, objective: Any, w0: Any = None, **options: Any) -> Solution:
        w = np.zeros(objective.matrix.shape[1])
        return Solution(w, Status.CONVERGED, 1, objective.value(w, objective.matrix.score(w)), 0.0)


# Each argument with a value that is not its default, beside what it needs to show.
CHANGES: dict[str, tuple[Any, dict[str, Any]]] = {
    "alpha": (0.1, {}),
    "kernel": ("laplacian", {}),
    "gamma": (3.0, {}),
    "degree": (2, {"kernel": "poly"}),
    "coef0": (0.3, {"kernel": "poly"}),
    "features": ("exact", {}),
    "n_landmarks": (7, {}),
    "landmarks": ("uniform", {"n_landmarks": 10}),
    "kernel_tol": (0.9, {"n_landmarks": "auto"}),
    "loss": ("squared_hinge", {}),
    "pairs": ("incomplete", {}),
    "solver": (Idle(), {}),
    "operating_point": ({"sensitivity": 0.5}, {}),
    "tol": (1e-8, {}),
    "max_iter": (1, {}),
    "random_state": (1, {"n_landmarks": 10}),
    "verbose": (1, {}),
}


def observe(capsys: pytest.CaptureFixture[str], **parameters: Any) -> tuple[Any, ...]:
    """Return all that can be seen of a second fit."""
    model = KernelROCSVM(**({"random_state": 0, "n_landmarks": 30} | parameters))
    model.fit(*draw_data(35, 2, seed=9))
    capsys.readouterr()
    rows, labels = draw_data(120, seed=3)
    before = dict(model.get_params(deep=False))
    model.fit(rows, labels).set_operating_point(rows, labels)
    assert all(model.get_params(deep=False)[name] is value for name, value in before.items())
    seen = (model.decision_function(NEW).tolist(), model.n_iter_, model.objective_, model.dual_gap_)
    return *seen, np.asarray(model.landmarks_).tolist(), capsys.readouterr().err


def test_every_argument_has_a_change_to_show() -> None:
    assert set(CHANGES) == set(KernelROCSVM().get_params(deep=False))


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_argument_changes_something_and_stays_as_given(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_kernel, "FIRST", 10)
    value, beside = CHANGES[name]
    changed = {name: value} if name != "features" else {name: value, "n_landmarks": 300}
    assert observe(capsys, **beside) == observe(capsys, **beside)
    assert observe(capsys, **beside, **changed) != observe(capsys, **beside)


@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_kernels_without_a_width_do_not_read_it(kernel: str) -> None:
    assert KERNELS[kernel] == ()
    models = [make(kernel=kernel, gamma=gamma, n_landmarks=10).fit(X, Y) for gamma in (0.1, 7.0)]
    assert np.array_equal(models[0].dual_coef_, models[1].dual_coef_)


def test_a_callable_is_handed_each_step() -> None:
    steps: list[Step] = []
    model = KernelROCSVM(n_landmarks=12, random_state=0, verbose=steps.append).fit(X, Y)
    assert [step.n_iter for step in steps] == list(range(1, model.n_iter_ + 1))
    assert steps[-1].objective == model.objective_


# --- The same call, the same model ---

CASES: dict[str, tuple[dict[str, Any], Any]] = {
    **{scheme: ({"landmarks": scheme}, RING) for scheme in LANDMARKS},
    "median": ({"gamma": "median"}, RING),
    "random pairs": ({"pairs": "incomplete"}, RING),
    "single precision": ({}, MANY),
    "single precision, rpcholesky": ({"landmarks": "rpcholesky"}, MANY),
    "single precision, random pairs": ({"pairs": "incomplete", "landmarks": "uniform"}, MANY),
    "auto": ({"n_landmarks": "auto", "kernel_tol": 0.05}, RING),
}


@pytest.mark.parametrize("case", CASES)
def test_a_seed_gives_the_same_model_bit_for_bit(case: str) -> None:
    parameters, data = CASES[case]
    parameters = {"n_landmarks": 20} | parameters
    model, again, other = (KernelROCSVM(1e-3, random_state=seed, **parameters).fit(*data) for seed in (7, 7, 8))
    for name in ("dual_coef_", "intercept_", "landmarks_", "objective_", "dual_gap_", "n_iter_"):
        assert np.array_equal(getattr(model, name), getattr(again, name))
    assert not np.array_equal(model.dual_coef_, other.dual_coef_)


def test_a_generator_is_drawn_from() -> None:
    models = [KernelROCSVM(n_landmarks=8, random_state=np.random.default_rng(4)).fit(X, Y) for _ in range(2)]
    assert np.array_equal(models[0].landmarks_, models[1].landmarks_)
    first = models[0].landmarks_
    assert not np.array_equal(models[0].fit(X, Y).landmarks_, first)


# --- Many rows ---


def test_a_model_keeps_landmarks_and_no_row() -> None:
    rows, labels = make_roc_radial(20_000, n_features=10, random_state=0)
    model = KernelROCSVM(1e-3, n_landmarks=30, random_state=0).fit(rows, labels)
    # Landmarks, their weights, and the square matrix that makes features; the rows take 1.6 MB.
    assert len(pickle.dumps(model)) <= 8 * 30 * (10 + 2 + 30) + 10_000


def test_rows_are_scored_a_block_at_a_time() -> None:
    rows = np.random.default_rng(0).normal(size=(50_000, 3))
    model = make(landmarks=rows[:200]).fit(X, Y)
    tracemalloc.start()
    scores = model.decision_function(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # All similarities would take 80 MB; a block of them takes 2 MB, and a few of its size are in work.
    assert peak <= 3 * scores.nbytes + 10e6
    some = np.random.default_rng(1).integers(len(rows), size=50)
    assert model.decision_function(rows[some]) == pytest.approx(scores[some], abs=1e-9)


POINTS: list[Any] = ["youden", {"sensitivity": 0.9}, {"specificity": 0.9}, {"sensitivity": 1.0}, None]


@pytest.mark.parametrize("point", POINTS, ids=str)
@pytest.mark.parametrize("repeats", [1, 5])
@pytest.mark.parametrize("alpha", [1e-2, 1e-7])
def test_predictions_divide_the_rows_fitted_as_the_threshold_does(alpha: float, repeats: int, point: Any) -> None:
    rows, labels = (array[: len(array) // repeats].repeat(repeats, axis=0) for array in MANY)
    if repeats > 1:
        # Rows alike score alike, and stand on one side.
        labels = np.random.default_rng(0).permutation(labels)
    model = KernelROCSVM(alpha, n_landmarks=30, operating_point=point, tol=0.05, random_state=0).fit(rows, labels)
    assert model.features_.dtype_ == np.float32
    predicted = model.predict(rows)
    if point is None:
        assert model.intercept_[0] == 0.0
        return
    wanted = find_threshold(labels == 1, rank(model, rows), operating_point=point)
    assert np.mean(predicted[labels == 1] == 1) == pytest.approx(wanted.sensitivity, abs=1e-12)
    assert np.mean(predicted[labels == 0] == 0) == pytest.approx(wanted.specificity, abs=1e-12)
    for name, share in point.items() if isinstance(point, dict) else ():
        assert getattr(wanted, name) >= share


def test_many_rows_reach_what_few_do_in_double_precision() -> None:
    rows, labels = MANY
    landmarks = rows[:40]
    single, double = (
        KernelROCSVM(1e-3, features=NystroemFeatures(landmarks=landmarks, dtype=dtype), tol=1e-5).fit(rows, labels)
        for dtype in ("auto", "float64")
    )
    assert (single.features_.dtype_, double.features_.dtype_) == (np.float32, np.float64)
    # Directions lost in rounding are left out, which can but raise the objective.
    assert double.objective_ - double.dual_gap_ <= single.objective_ <= 1.01 * double.objective_
    assert single.score(rows, labels) == pytest.approx(double.score(rows, labels), abs=1e-3)


# --- As many landmarks as it takes ---


def bracket(loss: str, alpha: float, rows: Floats, labels: Any, weights: Any = None) -> Optimum:
    """Return the optimum over the whole kernel."""
    return minimise_over_kernel(loss, compare("rbf", rows, rows), list_pairs(labels == 1, weights), alpha)


@each_loss
@pytest.mark.parametrize("kernel_tol", [0.5, 0.1, 0.01, 1e-4])
def test_the_gap_of_enough_landmarks_is_a_bound_and_below_its_tolerance(
    kernel_tol: float, loss: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_kernel, "FIRST", 3)
    for seed in range(4):
        rows, labels = draw_data(40, seed=seed)
        weights = None if seed % 2 else FLOATS
        options = {"landmarks": list(LANDMARKS)[seed], "loss": loss, "kernel_tol": kernel_tol, "random_state": seed}
        model = KernelROCSVM(1e-3, gamma=0.5, n_landmarks="auto", **options).fit(rows, labels, weights)
        assert 0.0 <= model.kernel_gap_ <= kernel_tol
        optimum = bracket(loss, 1e-3, rows, labels, weights)
        assert model.objective_ >= optimum.lower * (1.0 - 1e-8)
        assert model.objective_ * (1.0 - model.kernel_gap_) <= optimum.upper * (1.0 + 1e-8)
        # No two are alike, and none but the means of k-means is anything but a row.
        assert len(np.unique(model.landmarks_, axis=0)) == len(model.landmarks_)
        assert options["landmarks"] == "kmeans" or len(model.landmarks_) <= len(rows)


def test_a_tighter_tolerance_takes_more_landmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel, "FIRST", 5)
    sizes = []
    for kernel_tol in (0.5, 0.05, 1e-3):
        model = KernelROCSVM(1e-3, gamma=2.0, n_landmarks="auto", kernel_tol=kernel_tol, random_state=0).fit(*RING)
        sizes.append(len(model.landmarks_))
        own: Certificate = certify(model, *RING, against="full", random_state=0)
        assert model.objective_ == pytest.approx(own.objective, rel=1e-9)
        assert own.relative_gap <= kernel_tol * 1.01
    assert sizes[0] < sizes[1] < sizes[2]
    assert all(size in (5, 10, 20, 40, 80, 160, 320) for size in sizes)


def test_many_rows_take_as_many_landmarks_as_it_takes() -> None:
    model = KernelROCSVM(1e-3, n_landmarks="auto", random_state=0).fit(*MANY)
    assert model.features_.dtype_ == np.float32
    assert model.kernel_gap_ <= 0.01
    assert 40 < len(model.landmarks_) <= 200
    assert certify(model, *MANY, against="full", random_state=0).relative_gap <= 0.0101


def test_where_landmarks_do_not_suffice_that_is_told_with_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel, "FIRST", 3)
    monkeypatch.setattr(_grow, "MOST", 12)
    with pytest.warns(ConvergenceWarning, match="n_landmarks='auto' stopped at 12 landmarks") as caught:
        model = KernelROCSVM(1e-3, gamma=0.5, n_landmarks="auto", random_state=0).fit(X, Y)
    text = str(caught[0].message)
    assert f"a relative distance of {model.kernel_gap_:.1e} from the best of the whole kernel" in text
    assert "above kernel_tol=0.01. Raise alpha or kernel_tol, lower gamma, or write n_landmarks=" in text
    assert [each.filename for each in caught] == [__file__]
    assert model.kernel_gap_ > 0.01
    assert len(model.landmarks_) == 12
    optimum = bracket("hinge", 1e-3, X, Y)
    assert model.objective_ * (1.0 - model.kernel_gap_) <= optimum.upper * (1.0 + 1e-8)


@each_scheme
@pytest.mark.parametrize(("n_distinct", "repeats"), [(1, 2), (2, 1), (10, 1), (10, 40), (40, 2)])
def test_few_or_repeated_rows_are_no_more_landmarks_than_they_are(
    n_distinct: int, repeats: int, landmarks: str
) -> None:
    rows = X[:n_distinct].repeat(repeats, axis=0)
    labels = np.arange(len(rows)) % 2
    model = KernelROCSVM(1e-2, gamma=0.5, n_landmarks="auto", landmarks=landmarks, random_state=0).fit(rows, labels)
    assert len(model.landmarks_) <= n_distinct
    assert model.kernel_gap_ <= 0.01
    assert np.isfinite(model.decision_function(NEW)).all()


@each_kernel
def test_every_definite_kernel_grows(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel, "FIRST", 3)
    options = {"n_landmarks": "auto", "random_state": 0, "kernel": kernel} | PARAMETERS[kernel]
    model = KernelROCSVM(1e-2, **options).fit(X, Y)
    optimum = minimise_over_kernel("hinge", compare(kernel, X, X), list_pairs(Y == 1), 1e-2)
    assert model.kernel_gap_ <= 0.01
    assert optimum.lower * (1.0 - 1e-6) <= model.objective_ <= optimum.upper / (1.0 - 0.01)


# --- The paper's data ---


def load(problem: Problem) -> Split:
    """Return its rows, where they are at hand."""
    try:
        return problem.dataset.load()
    except MissingDataError as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "least"), [(SKIN, 0.9998), (PHONE, 0.93)], ids=lambda each: getattr(each, "name", "")
)
def test_held_out_rows_are_ranked_better_than_in_the_paper(problem: Problem, least: float) -> None:
    split = load(problem)
    model = KernelROCSVM(problem.alpha, gamma=problem.gamma, random_state=0).fit(split.X, split.y)
    assert model.dual_gap_ <= 1e-3 * model.objective_
    assert model.score(split.X_test, split.y_test) >= least


@pytest.mark.slow
def test_alphas_over_seven_decades_reach_their_gap_on_the_accelerometer() -> None:
    split = load(PHONE)
    assert len(split.X) > 22_000
    for power in range(1, 8):
        model = KernelROCSVM(10.0**-power, gamma=PHONE.gamma, n_landmarks=300, random_state=0).fit(split.X, split.y)
        assert model.dual_gap_ <= 1e-3 * model.objective_
