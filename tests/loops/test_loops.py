"""Every hot loop, as NumPy and as Numba run it, against its definition."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rocsvm import loops
from rocsvm.loops import _numpy
from rocsvm.losses import LOSSES, Smoothing
from tests import reference, strategies

EPS = np.finfo(np.float64).eps

each_case = pytest.mark.parametrize(("name", "smoothing"), strategies.CASES)


def list_public_functions(module: ModuleType) -> dict[str, Any]:
    own = {name: value for name, value in vars(module).items() if callable(value) and not name.startswith("_")}
    return {name: value for name, value in own.items() if getattr(value, "__module__", None) == module.__name__}


@st.composite
def two_classes(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ascending queries, an ascending base, and the weights of the base, a third of them all ones."""
    n_queries, n_base = draw(st.integers(1, 20)), draw(st.integers(1, 20))
    scores = draw(strategies.lattice_scores(n_queries + n_base))
    weights = draw(strategies.choose_weights(n_base, "any"))
    return np.sort(scores[:n_queries]), np.sort(scores[n_queries:]), np.ones(n_base) if weights is None else weights


def allow(twin: ModuleType, weights: np.ndarray) -> float:
    """Return a relative tolerance; NumPy's prefix sums lose the digits by which weights differ."""
    ratio = weights.max() / weights.min() if twin is _numpy else 1.0
    return max(1e-12, len(weights) * EPS * ratio)


def test_both_twins_have_the_same_functions() -> None:
    pytest.importorskip("numba")
    from rocsvm.loops import _numba

    plain, compiled = list_public_functions(_numpy), list_public_functions(_numba)
    assert set(plain) == set(compiled) - {"compiled"}
    for name, function in plain.items():
        twin = getattr(compiled[name], "py_func", compiled[name])
        assert list(inspect.signature(function).parameters) == list(inspect.signature(twin).parameters), name


def test_every_loop_is_tested_here() -> None:
    source = inspect.getsource(sys.modules[__name__])
    assert [name for name in list_public_functions(_numpy) if f"twin.{name}(" not in source] == []


def test_environment_chooses_the_twin(twin: ModuleType) -> None:
    assert loops.choose_twin() is twin


def test_unknown_twin_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCSVM_LOOPS", "fortran")
    with pytest.raises(ValueError, match="ROCSVM_LOOPS='fortran' names no loops; write one of numpy, numba"):
        loops.choose_twin()


def test_missing_numba_is_answered_by_numpy_or_by_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_has_numba", lambda: False)
    for name in ("_choose_faster", "_import_numba"):
        monkeypatch.setattr(loops, name, getattr(loops, name).__wrapped__)
    monkeypatch.delenv("ROCSVM_LOOPS", raising=False)
    assert loops.choose_twin() is _numpy
    monkeypatch.setenv("ROCSVM_LOOPS", "numba")
    with pytest.raises(ImportError, match=r"pip install 'rocsvm\[fast\]'"):
        loops.choose_twin()


FIT_TWICE_THEN_FORCE = """
import os, sys, warnings
sys.path.insert(0, sys.argv[1])
os.environ.pop("ROCSVM_LOOPS", None)
from rocsvm import LinearROCSVM
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        assert LinearROCSVM().fit([[0.0], [1.0]], [0, 1]).predict([[1.0]]) == [1]
print(*(f"{each.category.__name__}: {each.message}" for each in caught), sep="\\n")
os.environ["ROCSVM_LOOPS"] = "numba"
try:
    LinearROCSVM().fit([[0.0], [1.0]], [0, 1])
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise ImportError('Numba needs NumPy 1.0 or less')", "ImportError: Numba needs NumPy 1.0 or less."),
        ("import numpy; numpy.long_gone", "AttributeError: module 'numpy' has no attribute 'long_gone'."),
    ],
)
def test_broken_numba_is_answered_by_numpy_with_one_warning(code: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text(code)
    run = [sys.executable, "-c", FIT_TWICE_THEN_FORCE, str(tmp_path)]
    warned, raised = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
    told = f"Numba is installed, but importing it fails with {message} Run `pip install --upgrade numba`"
    assert warned.startswith(f"RuntimeWarning: {told}")
    assert warned.endswith("ROCSVM_LOOPS=numpy to do without it. Until then the loops run in NumPy, slower.")
    assert raised.startswith(told)


def test_importing_the_library_imports_no_numba() -> None:
    code = "import sys, rocsvm.objective, rocsvm.solvers; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@each_case
@given(classes=two_classes())
def test_find_windows_equals_double_loop(twin: ModuleType, name: str, smoothing: Smoothing, classes: Any) -> None:
    queries, base, _ = classes
    upper, width, _, _ = LOSSES[name]().ramp(smoothing)
    near, far = twin.find_windows(queries, base, upper, width)
    for q, query in enumerate(queries.tolist()):
        excess = [upper - (query - score) for score in base.tolist()]
        assert near[q] == sum(e <= 0.0 for e in excess)
        assert far[q] == max(near[q], sum(e <= width for e in excess))


@each_case
@given(scores=strategies.float_scores(30), n_queries=st.integers(1, 29))
def test_find_windows_rounds_each_excess_the_same_from_either_side(
    twin: ModuleType, name: str, smoothing: Smoothing, scores: np.ndarray, n_queries: int
) -> None:
    queries, base = np.sort(scores[:n_queries]), np.sort(scores[n_queries:])
    upper, width, _, _ = LOSSES[name]().ramp(smoothing)
    excess = upper - (queries[:, None] - base)
    for end, limit in zip(twin.find_windows(queries, base, upper, width), (0.0, width), strict=True):
        np.testing.assert_array_equal(end, np.sum(excess <= limit, axis=1))
    for end, limit in zip(twin.find_windows(-base[::-1], -queries[::-1], upper, width), (0.0, width), strict=True):
        np.testing.assert_array_equal(end[::-1], np.sum(excess <= limit, axis=0))


@each_case
@given(classes=two_classes())
def test_sum_ramp_equals_double_loop(twin: ModuleType, name: str, smoothing: Smoothing, classes: Any) -> None:
    queries, base, weights = classes
    values, pulls = twin.sum_ramp(queries, base, weights, *LOSSES[name]().ramp(smoothing))
    loss = reference.LOSSES[name](*smoothing)
    rtol = allow(twin, weights)
    # A query whose window ends just short of its neighbours loses digits to them in NumPy's prefix sums.
    noise = 4.0 * EPS * weights.sum() if twin is _numpy else 0.0
    for q, query in enumerate(queries.tolist()):
        pairs = list(zip(base.tolist(), weights.tolist(), strict=True))
        value = math.fsum(weight * loss.value(query - score) for score, weight in pairs)
        pull = math.fsum(-weight * loss.derivative(query - score) for score, weight in pairs)
        assert values[q] == pytest.approx(value, rel=rtol, abs=noise * smoothing.width)
        assert pulls[q] == pytest.approx(pull, rel=rtol, abs=noise)


@each_case
def test_sum_ramp_keeps_its_digits_across_jumps(twin: ModuleType, name: str, smoothing: Smoothing) -> None:
    # Groups a few margins wide, 1e9 apart: sums carried from one to the next would swamp it.
    rng = np.random.default_rng(1)
    groups = 2.0**30 * np.arange(-3.0, 4.0)[:, None]
    queries = np.sort((groups + rng.integers(-12, 12, (7, 30)) / 8).ravel())
    base = np.sort((groups + rng.integers(-12, 12, (7, 25)) / 8).ravel())
    weights = rng.integers(1, 4, len(base)).astype(float)
    values, pulls = twin.sum_ramp(queries, base, weights, *LOSSES[name]().ramp(smoothing))
    loss = reference.LOSSES[name](*smoothing)
    pairs = list(zip(base.tolist(), weights.tolist(), strict=True))
    wanted = [math.fsum(weight * loss.value(query - score) for score, weight in pairs) for query in queries.tolist()]
    np.testing.assert_allclose(values, wanted, rtol=1e-12, atol=1e-12 * smoothing.width)
    wanted = [
        math.fsum(-weight * loss.derivative(query - score) for score, weight in pairs) for query in queries.tolist()
    ]
    np.testing.assert_allclose(pulls, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("margin", [-1e9, -1.0, 0.0, 0.5, 0.95, 1.0, 1.05, 1.5, 2.0, 1e9])
@each_case
def test_sum_ramp_of_one_pair_is_its_ramp(twin: ModuleType, name: str, smoothing: Smoothing, margin: float) -> None:
    ramp = LOSSES[name]().ramp(smoothing)
    values, pulls = twin.sum_ramp(np.array([margin]), np.zeros(1), np.full(1, 3.0), *ramp)
    np.testing.assert_allclose(values, 3.0 * ramp.value(np.array([margin])), rtol=1e-14)
    np.testing.assert_allclose(pulls, 3.0 * ramp.pull(np.array([margin])), rtol=1e-14)


@st.composite
def slices(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values, and ascending starts and stops; some slices are empty, some share nothing."""
    n, n_slices = draw(st.integers(1, 25)), draw(st.integers(1, 15))
    places = st.lists(st.integers(0, n), min_size=n_slices, max_size=n_slices).map(lambda own: np.sort(np.array(own)))
    start, stop = draw(places), draw(places)
    entries = st.lists(st.integers(-10, 10) | st.integers(-(10**9), 10**9), min_size=2 * n, max_size=2 * n)
    return np.array(draw(entries), dtype=np.float64).reshape(n, 2), start, np.maximum(start, stop)


@given(given_slices=slices(), n_columns=st.integers(1, 2))
def test_sum_slices_equals_double_loop(twin: ModuleType, given_slices: Any, n_columns: int) -> None:
    values, start, stop = given_slices
    values = np.ascontiguousarray(values[:, :n_columns])
    sums = twin.sum_slices(values, start, stop)
    for q in range(len(start)):
        for k in range(n_columns):
            assert sums[q, k] == math.fsum(values[start[q] : stop[q], k].tolist())


def thin_rows(n_rows: int, seed: int) -> sparse.csr_array:
    """Return rows of small whole numbers, most of them zero, their columns in no order and some of them twice."""
    rng = np.random.default_rng(seed)
    per_row = rng.integers(0, 5, n_rows)
    starts = np.append(0, np.cumsum(per_row)).astype(np.int32)
    data = rng.integers(-8, 9, starts[-1]).astype(np.float64)
    return sparse.csr_array((data, rng.integers(0, 4, starts[-1]).astype(np.int32), starts), shape=(n_rows, 4))


@given(n_rows=st.integers(0, 20), seed=st.integers(0, 1000))
def test_sum_outer_equals_loop(twin: ModuleType, n_rows: int, seed: int) -> None:
    rows = thin_rows(n_rows, seed)
    weights = np.random.default_rng(seed).integers(0, 3, n_rows).astype(np.float64)
    total = twin.sum_outer(rows.data, rows.indices, rows.indptr, weights, 4)
    wanted = sum((w * np.outer(row, row) for w, row in zip(weights, rows.toarray(), strict=True)), np.zeros((4, 4)))
    np.testing.assert_array_equal(total, wanted)


@given(given_slices=slices(), seed=st.integers(0, 1000))
def test_sum_cross_equals_double_loop(twin: ModuleType, given_slices: Any, seed: int) -> None:
    values, near, far = given_slices
    rng = np.random.default_rng(seed)
    rows = thin_rows(len(near) + len(values), seed)
    weights = rng.integers(1, 4, rows.shape[0]).astype(np.float64)
    places = rng.permutation(rows.shape[0])
    own, others = places[: len(near)], places[len(near) :]
    cross = twin.sum_cross(rows.data, rows.indices, rows.indptr, weights, own, others, near, far, 4)
    weighted, wanted = rows.toarray() * weights[:, None], np.zeros((4, 4))
    for q in range(len(own)):
        for other in others[near[q] : far[q]]:
            wanted += np.outer(weighted[own[q]], weighted[other])
    np.testing.assert_array_equal(cross, wanted)


@given(
    scores=strategies.lattice_scores(20) | strategies.float_scores(20),
    low=st.floats(-2, 2),
    scale=st.sampled_from([1e-9, 0.1, 1.0, 8.0, 1e9]),
    n_cells=st.integers(1, 50),
)
def test_find_cells_equals_loop(twin: ModuleType, scores: np.ndarray, low: float, scale: float, n_cells: int) -> None:
    wanted = [math.floor(min(max((score - low) * scale, 0.0), n_cells - 1.0)) for score in scores.tolist()]
    cells = twin.find_cells(scores, low, scale, n_cells)
    assert cells.dtype == np.int32
    np.testing.assert_array_equal(cells, wanted)


@given(sample=strategies.lattice_samples(), data=st.data())
def test_tally_cells_equals_loop(twin: ModuleType, sample: strategies.Sample, data: st.DataObject) -> None:
    n_cells = data.draw(st.integers(1, 10))
    n = len(sample.scores)
    given_cells = data.draw(st.lists(st.integers(0, n_cells - 1), min_size=n, max_size=n))
    cells = np.array(given_cells, dtype=np.int32)
    mass, moment = twin.tally_cells(cells, sample.positive, sample.scores, sample.weights, n_cells)
    weights = np.ones(n) if sample.weights is None else sample.weights
    own = [cell + n_cells * positive for cell, positive in zip(given_cells, sample.positive.tolist(), strict=True)]
    np.testing.assert_array_equal(cells, own)
    assert len(mass) == len(moment) == 2 * n_cells
    for cell in range(2 * n_cells):
        inside = [row for row in range(n) if own[row] == cell]
        assert mass[cell] == pytest.approx(math.fsum(weights[row] for row in inside), rel=1e-14)
        terms = [weights[row] * sample.scores[row] for row in inside]
        assert moment[cell] == pytest.approx(math.fsum(terms), abs=1e-14 * math.fsum(map(abs, terms)))


@given(data=st.data(), n=st.integers(1, 10), n_pairs=st.integers(1, 40))
def test_scatter_pairs_equals_loop(twin: ModuleType, data: st.DataObject, n: int, n_pairs: int) -> None:
    rows = st.lists(st.integers(0, n - 1), min_size=n_pairs, max_size=n_pairs)
    first, second = data.draw(rows), data.draw(rows)
    pull = data.draw(st.lists(st.integers(0, 1000).map(float), min_size=n_pairs, max_size=n_pairs))
    wanted = np.zeros(n)
    for i, j, own in zip(first, second, pull, strict=True):
        wanted[i] -= own
        wanted[j] += own
    np.testing.assert_array_equal(twin.scatter_pairs(np.array(first), np.array(second), np.array(pull), n), wanted)


@given(sample=strategies.lattice_samples(), data=st.data())
def test_find_near_equals_loop(twin: ModuleType, sample: strategies.Sample, data: st.DataObject) -> None:
    n, n_pairs = len(sample.scores), data.draw(st.integers(0, 30))
    rows = st.lists(st.integers(0, n - 1), min_size=n_pairs, max_size=n_pairs)
    first, second = (np.array(data.draw(rows), dtype=np.intp) for _ in range(2))
    distances = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.5, 8.0, np.inf]), min_size=n_pairs, max_size=n_pairs))
    )
    active = np.array(data.draw(st.lists(st.booleans(), min_size=n_pairs, max_size=n_pairs)), dtype=np.bool_)
    radius, slack = data.draw(st.sampled_from([0.25, 2.0, 1e9])), data.draw(st.sampled_from([0.0, 1e-9]))
    near, turned = twin.find_near(first, second, distances, active, sample.scores, radius, slack)
    excess = [1.0 - (sample.scores[i] - sample.scores[j]) for i, j in zip(first, second, strict=True)]
    assert near.tolist() == [k for k in range(n_pairs) if abs(excess[k]) <= radius * distances[k] + slack]
    assert turned.tolist() == [k for k in range(n_pairs) if (excess[k] > 0.0) != active[k]]


@pytest.mark.parametrize(("adaptive", "shared"), [(True, False), (True, True), (False, False)])
@pytest.mark.parametrize(("radius", "step_tol", "max_steps"), [(np.inf, 0.0, 60), (0.2, 0.0, 60), (np.inf, 0.012, 60)])
@pytest.mark.parametrize("n_pairs", [0, 1, 40])
def test_take_steps_equals_loop(
    twin: ModuleType, n_pairs: int, radius: float, step_tol: float, max_steps: int, adaptive: bool, shared: bool
) -> None:
    rng = np.random.default_rng(5)
    differences, shares = 1.0 + rng.standard_normal((n_pairs, 3)), rng.uniform(0.0, 0.05, n_pairs)
    active, held = rng.random(n_pairs) < 0.5, rng.integers(0, 9, n_pairs).astype(float)
    # Pairs that are not listed pull as well.
    rest, rest_linear = np.array([0.3, -0.2, 0.0]), 0.4
    pull, linear = rest + (shares * active) @ differences, rest_linear + float(shares @ active)
    weights, momentum, total = rng.standard_normal(3), rng.standard_normal(3), rng.standard_normal(3)
    scale = np.full(3, 0.5) if adaptive else np.ones(3)
    alpha, step, beta1, beta2, before = 0.1, 0.02, 0.8, 0.9, 4

    w, m, u, sums, steps_held, n_taken, sum_linear = weights, momentum, scale, total, held, before, 0.0
    while True:
        below = np.array([float(sum(row * w)) < 1.0 for row in differences], dtype=bool)
        q = rest + sum(
            (share * row for share, row, own in zip(shares, differences, below, strict=True) if own), 0.0 * w
        )
        last_linear = rest_linear + math.fsum(shares[below])
        sums, steps_held, sum_linear, n_taken = sums + q, steps_held + below, sum_linear + last_linear, n_taken + 1
        gradient = alpha * w - q
        m = beta1 * m + (1.0 - beta1) * gradient
        if adaptive:
            u = np.maximum(beta2 * u, np.abs(gradient).max() if shared else np.abs(gradient))
        moved = step / (1.0 - beta1**n_taken) * m / u
        w = w - moved
        change = np.abs(moved).max()
        if np.linalg.norm(w - weights) > radius or change < step_tol or n_taken >= max_steps:
            break

    start = weights.copy()
    told = twin.take_steps(
        differences, shares, active, held, pull, total, linear, weights, momentum, scale,
        alpha, step, beta1, beta2, adaptive, shared, step_tol, radius, before, max_steps,
    )  # fmt: skip
    assert told[0] == n_taken > before + 1
    assert n_taken < max_steps or radius == np.inf
    np.testing.assert_allclose(told[1:], [change, last_linear, sum_linear], rtol=1e-10)
    np.testing.assert_array_equal(active, below)
    np.testing.assert_array_equal(held, steps_held)
    for found, wanted in ((pull, q), (total, sums), (weights, w), (momentum, m), (scale, u)):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
    assert not np.array_equal(start, weights)


@pytest.mark.parametrize("shared", [False, True])
def test_take_steps_leaves_a_weight_that_nothing_pulls(twin: ModuleType, shared: bool) -> None:
    differences, zeros = np.array([[1.0, 0.0]]), [np.zeros(2) for _ in range(5)]
    pull, total, weights, momentum, scale = zeros
    pull += differences[0]
    active = np.ones(1, dtype=np.bool_)
    twin.take_steps(
        differences, np.ones(1), active, np.zeros(1), pull, total, 1.0, weights, momentum, scale,
        0.0, 0.1, 0.9, 0.999, True, shared, 0.0, np.inf, 0, 5,
    )  # fmt: skip
    np.testing.assert_allclose(weights, [0.5, 0.0], rtol=1e-12)


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 7), (5, 8), (40, 27), (3000, 2)], ids=str)
@pytest.mark.parametrize("layout", ["rows", "columns", "reversed", "read-only"])
def test_products_of_single_precision_lose_no_digits(twin: ModuleType, shape: tuple[int, int], layout: str) -> None:
    rng = np.random.default_rng(3)
    features = rng.standard_normal(shape).astype(np.float32)
    weights, slope = rng.standard_normal(shape[1]), rng.standard_normal(shape[0])
    laid = {"columns": np.asfortranarray(features), "reversed": features[::-1, ::-1]}.get(layout, features.copy())
    laid.setflags(write=layout != "read-only")
    if layout == "reversed":
        weights, slope = weights[::-1], slope[::-1]
    scores, gathered = twin.score_single(laid, weights.copy()), twin.gather_single(laid, slope.copy())
    assert scores.dtype == gathered.dtype == np.float64
    if layout == "reversed":
        weights, slope, scores, gathered = weights[::-1], slope[::-1], scores[::-1], gathered[::-1]
    for row in range(shape[0]):
        terms = features[row].astype(np.float64) * weights
        assert scores[row] == pytest.approx(math.fsum(terms), abs=1e-15 * len(terms) * np.abs(terms).sum())
    for k in range(shape[1]):
        terms = features[:, k].astype(np.float64) * slope
        assert gathered[k] == pytest.approx(math.fsum(terms), abs=1e-15 * len(terms) * np.abs(terms).sum())
