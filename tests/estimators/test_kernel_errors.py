"""What no kernel model can be made of is told: what was asked, why it cannot be, and what to write instead."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from rocsvm import ExactKernelFeatures, KernelROCSVM, Newton, NystroemFeatures
from rocsvm.estimators import _kernel
from rocsvm.features import _exact
from rocsvm.kernels import KernelFault
from rocsvm.landmarks import UniformLandmarks
from tests.estimators.data import draw_data

X, Y = draw_data(60)
SIMILAR = rbf_kernel(X, gamma=0.5)
NO_WORK = pytest.mark.usefixtures("no_work")


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a solver is reached."""

    def refuse(*given: Any, **options: Any) -> None:
        raise AssertionError("the solver was reached")

    monkeypatch.setattr(Newton, "solve", refuse)


@NO_WORK
def test_the_watch_for_work_sees_work() -> None:
    with pytest.raises(AssertionError, match="reached"):
        KernelROCSVM(n_landmarks=10).fit(X, Y)


def assert_refused(match: str, *data: Any, error: type[Exception] = ValueError, **parameters: Any) -> None:
    model = KernelROCSVM(**parameters)
    with pytest.raises(error, match=match):
        model.fit(*(data or (X, Y)))
    assert not [name for name in vars(model) if name in ("coef_", "dual_coef_", "features_", "landmarks_")]


def put(array: Any, place: Any, value: float) -> Any:
    changed = np.array(array, dtype=float)
    changed[place] = value
    return changed


# --- Arguments ---

COUNT = "is not a whole number from 1 up; write one, or 'auto' for as many as kernel_tol needs"
WIDTH = "is not a positive number; write 'scale', 'auto', 'median' or, for example, gamma=0.5"
KERNEL = "is no kernel; write 'rbf', 'poly', .*'precomputed', or a callable of two arrays of rows"
FEATURES = r"names no features; write 'nystroem', 'exact' or an object such as NystroemFeatures\(\)"
LANDMARKS = r"names no landmarks; write 'uniform', .* an array of rows or an object such as UniformLandmarks\(\)"
POSITIVE = "is not a positive number; write, for example"

ARGUMENTS: list[tuple[str, Any, str]] = [
    *(("n_landmarks", value, COUNT) for value in (0, -1, 2.5, np.nan, None, True, "300", "all", [20])),
    *(("gamma", value, WIDTH) for value in (0, 0.0, -1.0, np.nan, np.inf, None, True, [0.5])),
    ("gamma", "wide", "is no width; write one of 'scale', 'auto', 'median', or a positive number"),
    *(("kernel", value, KERNEL) for value in ("rfb", None, 1, ["rbf"])),
    ("kernel", "precomputed", "has no rows to choose landmarks among. Write features='exact' with it"),
    *(("features", value, FEATURES) for value in ("nystrom", None, 1, UniformLandmarks(), NystroemFeatures)),
    *(("landmarks", value, LANDMARKS) for value in ("best", "")),
    ("landmarks", None, "names no way to choose them; write 'kmeans', for example"),
    *(("kernel_tol", value, f"{POSITIVE}, kernel_tol=0.01") for value in (0, -0.1, np.nan, np.inf, "1%", None, True)),
    *(("degree", value, f"{POSITIVE}, degree=3") for value in (0, -2, np.inf, "3")),
    *(("coef0", value, "is not a finite number; write, for example, coef0=1.0") for value in (np.nan, np.inf, "1")),
    *(("alpha", value, POSITIVE) for value in (0, -1.0, np.nan, "1e-3", None)),
    ("tol", 0.0, POSITIVE),
    ("max_iter", 0, "is not a whole number from 1 up; write one, or None"),
    ("loss", "hinges", r"names no loss; write 'hinge', 'squared_hinge' or an object such as Hinge\(\)"),
    ("pairs", "every", "names no pairs; write 'all', 'incomplete', a number of pairs or an object"),
    ("solver", "adam", "names no solver; write"),
    ("operating_point", "f1", "names none; use 'youden', a dict"),
    ("verbose", "yes", "write 0, 1 for a line a step, or a callable that takes a Step"),
    ("random_state", "seed", "seeds no generator; write a whole number from 0 up"),
]


@pytest.mark.parametrize(("name", "value", "match"), ARGUMENTS, ids=lambda each: None if callable(each) else str(each))
@NO_WORK
def test_an_argument_that_cannot_be_is_refused_before_the_data_are_looked_at(name: str, value: Any, match: str) -> None:
    match = f"{name}=.*{match}" if name not in ("operating_point", "verbose", "random_state", "pairs") else match
    assert_refused(match, **{name: value})
    assert_refused(match, "no rows at all", None, **{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_landmarks", 20), ("n_landmarks", "auto"), ("landmarks", "uniform"), ("landmarks", X[:5])],
    ids=["number", "auto", "way", "rows"],
)
@pytest.mark.parametrize("features", ["exact", NystroemFeatures(n_landmarks=20), ExactKernelFeatures()], ids=str)
@NO_WORK
def test_landmarks_that_nobody_reads_are_refused(features: Any, name: str, value: Any) -> None:
    match = rf"(?s){name}=.* is not read with features=.*\. Leave {name} out, or set it on a features object"
    assert_refused(match, features=features, **{name: value})


@pytest.mark.parametrize(
    ("name", "value"), [("kernel", "poly"), ("kernel", rbf_kernel), ("gamma", 0.5), ("degree", 2), ("coef0", 0.0)]
)
@NO_WORK
def test_a_kernel_beside_features_that_have_their_own_is_refused(name: str, value: Any) -> None:
    match = rf"{name}=.* is not read with features=NystroemFeatures\(\)\. Leave {name} out, or set it on a features obj"
    assert_refused(match, features=NystroemFeatures(), **{name: value})


@pytest.mark.parametrize(
    ("features", "match"),
    [
        (NystroemFeatures(n_landmarks=0), "n_landmarks=0 is not a whole number from 1 up; write, for example"),
        (NystroemFeatures(gamma=-1.0), f"gamma=-1.0 {WIDTH}"),
        (NystroemFeatures("precomputed"), r"no rows to choose landmarks among; use .*KernelROCSVM\(features='exact'\)"),
        (NystroemFeatures(dtype="int8"), "dtype='int8' is no type of features"),
        (ExactKernelFeatures("rfb"), f"kernel='rfb' {KERNEL}"),
    ],
    ids=str,
)
@NO_WORK
def test_features_that_cannot_be_are_refused_before_the_data_are_looked_at(features: Any, match: str) -> None:
    assert_refused(match, "no rows at all", None, features=features)


@NO_WORK
def test_growing_landmarks_that_are_given_is_refused() -> None:
    match = (
        "n_landmarks='auto' chooses .*, but landmarks is an array of rows.* Name a way .*, such as landmarks='kmeans'"
    )
    assert_refused(match, n_landmarks="auto", landmarks=X[:5])


# --- Landmarks ---


@pytest.mark.parametrize("landmarks", ["kmeans", "uniform", "stratified", "leverage", "rpcholesky"])
def test_more_landmarks_than_distinct_rows_are_told_and_all_rows_taken(landmarks: str) -> None:
    rows, labels = X[:12].repeat(5, axis=0), np.arange(60) % 2
    match = "n_landmarks=20, but only 12 rows are distinct; all of them are landmarks now. Write no more than that"
    model = KernelROCSVM(1e-2, gamma=0.5, n_landmarks=20, landmarks=landmarks, random_state=0)
    with pytest.warns(UserWarning, match=match) as caught:
        model.fit(rows, labels)
    assert [each.filename for each in caught] == [__file__]
    assert {tuple(row) for row in model.landmarks_.tolist()} == {tuple(row) for row in X[:12].tolist()}
    # As many as there are is no fault.
    model.set_params(n_landmarks=12).fit(rows, labels)
    assert len(model.landmarks_) == 12


@pytest.mark.parametrize(
    ("landmarks", "match"),
    [
        (np.ones((4, 2)), "landmarks is an array of rows with 2 features, but X has 3. Give landmarks in the same col"),
        (sparse.csr_array(np.ones((4, 5))), "landmarks is an array of rows with 5 features, but X has 3"),
        (pd.DataFrame(np.ones((4, 1))), "landmarks is an array of rows with 1 features, but X has 3"),
        (put(X[:4], (1, 1), np.nan), "landmarks contains NaN"),
        (put(X[:4], (1, 1), np.inf), "landmarks contains infinity"),
        (X[:0], "0 sample"),
        (X[0], "landmarks is a list of numbers; give the rows themselves"),
        ([["a", "b", "c"]], "Convert your data to numeric values"),
    ],
)
@NO_WORK
def test_landmarks_that_are_no_rows_like_these_are_refused(landmarks: Any, match: str) -> None:
    assert_refused(match, landmarks=landmarks)


# --- Kernel matrices ---


@pytest.mark.parametrize(
    ("matrix", "match"),
    [
        (
            SIMILAR[:, :50],
            r"kernel='precomputed' was given a matrix of shape \(60, 50\), which is not square. Give the",
        ),
        (X, r"a matrix of shape \(60, 3\), which is not square. Give the similarities of all rows to fit with one"),
        (put(SIMILAR, (0, 1), 0.0), "kernel='precomputed' is not symmetric: .* differ by .* Give a kernel with k"),
        (-SIMILAR, "kernel='precomputed' has no positive eigenvalue on these rows.* Give another kernel"),
        (np.zeros((60, 60)), "kernel='precomputed' has no positive eigenvalue"),
        (put(SIMILAR, (3, 3), np.nan), "Input X contains NaN"),
        (SIMILAR.ravel(), "(?s)Expected 2D array, got 1D array"),
    ],
    ids=["wide", "rows", "asymmetric", "negative", "zero", "nan", "flat"],
)
@NO_WORK
def test_a_matrix_that_is_no_kernel_is_refused(matrix: Any, match: str) -> None:
    assert_refused(match, matrix, Y, kernel="precomputed", features="exact")


@NO_WORK
def test_a_sparse_kernel_matrix_is_refused() -> None:
    match = "Sparse data was passed for X, but dense data is required"
    given = sparse.csr_array(SIMILAR)
    assert_refused(match, given, Y, kernel="precomputed", features="exact", error=TypeError)


@pytest.mark.parametrize("columns", [59, 61])
def test_new_rows_are_compared_with_all_rows_fitted(columns: int) -> None:
    model = KernelROCSVM(kernel="precomputed", features="exact").fit(SIMILAR, Y)
    for name in ("decision_function", "predict"):
        with pytest.raises(ValueError, match=f"X has {columns} features, but KernelROCSVM is expecting 60"):
            getattr(model, name)(np.ones((4, columns)))


# --- Kernels ---

INDEFINITE = (
    r"kernel=.* is indefinite on these rows: \d+ of \d+ eigenvalues are negative, the least -.* where the largest is "
    r".*\. Directions of negative eigenvalues are left out; the model is the best in the others, and nothing is proved "
    "about the kernel as a whole"
)


def shift(rows: Any, others: Any) -> Any:
    """Return what is symmetric, and no inner product."""
    return linear_kernel(rows, others) - 3.0


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "sigmoid", "gamma": 5.0, "n_landmarks": 30},
        {"kernel": "sigmoid", "gamma": 5.0, "features": "exact"},
        {"kernel": shift, "features": "exact"},
    ],
    ids=["nystroem", "exact", "callable"],
)
def test_an_indefinite_kernel_is_told_with_what_is_done_about_it(parameters: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match=INDEFINITE) as caught:
        model = KernelROCSVM(1e-2, random_state=0, **parameters).fit(X, Y)
    assert [each.filename for each in caught] == [__file__]
    assert not model.features_.is_definite_
    # Of its part that is definite, the model is as good as any.
    assert model.dual_gap_ <= 1e-3 * model.objective_
    assert model.score(X, Y) > 0.8


def test_an_indefinite_matrix_is_told_with_what_is_done_about_it() -> None:
    with pytest.warns(UserWarning, match=INDEFINITE):
        model = KernelROCSVM(1e-2, kernel="precomputed", features="exact").fit(np.tanh(5.0 * X @ X.T + 1.0), Y)
    assert not model.features_.is_definite_


def test_landmarks_until_an_indefinite_kernel_is_well_seen_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    match = "kernel is indefinite on the landmarks.* n_landmarks='auto' do. Write .* a number of landmarks, or choose a"
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        assert_refused(match, kernel="sigmoid", gamma=5.0, n_landmarks="auto", error=KernelFault)
        # Where so few landmarks do not show it, all rows do.
        monkeypatch.setattr(_kernel, "FIRST", 1)
        match = match.replace("on the landmarks", "on (the landmarks|these rows)")
        assert_refused(match, kernel="sigmoid", gamma=5.0, n_landmarks="auto", error=KernelFault)


def tell_text(rows: Any, others: Any) -> str:
    return "alike"


NONSENSE: dict[str, tuple[Any, str]] = {
    "text": (tell_text, r"kernel=tell_text returned an array of shape \(\) for \d+ and \d+ rows. Have it take two arr"),
    "rows": (lambda rows, others: rows, r"kernel=<lambda> returned an array of shape \(\d+, 3\) for \d+ and \d+ rows"),
    "transposed": (lambda rows, others: linear_kernel(others, np.vstack([rows, rows])), "returned an array of shape"),
    "none": (lambda rows, others: None, r"returned an array of shape \(\)"),
    "ragged": (lambda rows, others: [[1.0], [1.0, 2.0]], "returned list of uneven rows. Have it"),
    "nan": (lambda rows, others: np.full((len(rows), len(others)), np.nan), "returned NaN or infinity. Have it take"),
    "complex": (lambda rows, others: 1j * linear_kernel(rows, others), "returned values of type complex128. Have it"),
    "words": (lambda rows, others: linear_kernel(rows, others).astype(str), "returned values of type <U32"),
    "asymmetric": (
        lambda rows, others: rows[:, :1] + 0.0 * others[:, 0],
        r"kernel=<lambda> is not symmetric: similarities of the same two rows differ by .* Give a kernel with k",
    ),
    "negative": (lambda rows, others: -rbf_kernel(rows, others), "has no positive eigenvalue on these rows"),
    "zero": (lambda rows, others: np.zeros((len(rows), len(others))), "has no positive eigenvalue on these rows"),
}


@pytest.mark.parametrize("features", ["nystroem", "exact", "auto"])
@pytest.mark.parametrize("kind", NONSENSE)
@NO_WORK
def test_a_callable_that_returns_nonsense_is_refused(kind: str, features: str) -> None:
    kernel, match = NONSENSE[kind]
    parameters = {
        "nystroem": {"n_landmarks": 20},
        "auto": {"n_landmarks": "auto"},
        "exact": {"features": "exact"},
    }[features]
    assert_refused(match, kernel=kernel, error=KernelFault, **parameters)


def test_nonsense_of_new_rows_is_told() -> None:
    def forget(rows: Any, others: Any) -> Any:
        similar = rbf_kernel(rows, others)
        return similar if len(rows) > 3 else similar * np.nan

    model = KernelROCSVM(kernel=forget, features="exact", operating_point=None).fit(X, Y)
    with pytest.raises(ValueError, match="kernel=forget returned NaN or infinity"):
        model.predict(X[:3])


def test_what_a_callable_raises_is_left_as_it_is() -> None:
    def fail(rows: Any, others: Any) -> Any:
        raise ZeroDivisionError("my own")

    assert_refused("my own", kernel=fail, n_landmarks=10, error=ZeroDivisionError)


@pytest.mark.parametrize(
    ("scale", "parameters", "match"),
    [
        (
            1e200,
            {"kernel": "poly", "gamma": 1.0},
            "kernel='poly' with .* overflows on these rows. Scale the features, low",
        ),
        (1e200, {"kernel": "linear"}, "kernel='linear' with .* overflows on these rows"),
        (1e200, {}, "gamma='scale' is 0 on these rows: their spread is beyond double precision. Scale the features"),
        (1.0, {"kernel": "poly", "degree": 2.5}, "degree=2.5 would take a root of -.* Write a whole degree"),
    ],
)
@NO_WORK
def test_similarities_beyond_all_numbers_are_told(scale: float, parameters: dict[str, Any], match: str) -> None:
    for features in ({"n_landmarks": 10, "landmarks": "uniform"}, {"features": "exact"}):
        assert_refused(match, scale * X, Y, **features, **parameters)


# --- Memory ---


@NO_WORK
def test_a_kernel_matrix_too_large_for_memory_is_refused_with_its_size() -> None:
    rows = np.arange(3_000_000.0)[:, None]
    asked = r"features='exact' needs the kernel matrix of 3,000,000 distinct rows, 288,000 GB where this machine has \d"
    advice = re.escape("Write features='nystroem' with n_landmarks=1000, say: certify(model, X, y, against='full')")
    assert_refused(f"{asked}.*{advice}", rows, rows[:, 0] % 2, features="exact")


@NO_WORK
def test_memory_is_asked_for_before_rows_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def compare_nothing(rows: Any, others: Any) -> Any:
        raise AssertionError("rows were compared")

    monkeypatch.setattr(_exact, "COPIES", 1e12)
    assert_refused("needs the kernel matrix of 60 distinct rows", features="exact", kernel=compare_nothing)


# --- Rows ---


@pytest.mark.parametrize(
    ("rows", "labels", "match"),
    [
        (put(X, (3, 1), np.nan), Y, "(?s)Input X contains NaN.*imputer"),
        (put(X, (3, 1), np.inf), Y, "Input X contains infinity"),
        (pd.DataFrame({"dose": X[:, 0], "ward": ["low"] * 60}), Y, "X holds text, 'low' in column 'ward'.*OneHotEncod"),
        (X[:-1], Y, r"inconsistent numbers of samples: \[59, 60\]"),
        (X, np.zeros(60), "y holds one class only"),
        (X, np.arange(60) % 3, "y holds 3 classes. Wrap the estimator in sklearn.multiclass.OneVsRestClassifier"),
        (X, None, "requires y to be passed"),
    ],
    ids=["nan", "infinity", "text", "lengths", "one class", "three classes", "no labels"],
)
@NO_WORK
def test_rows_and_labels_that_cannot_be_are_refused(rows: Any, labels: Any, match: str) -> None:
    for features in ({"n_landmarks": 10}, {"features": "exact"}):
        assert_refused(match, rows, labels, **features)


@pytest.mark.parametrize("weights", [-1.0, np.zeros(60), np.ones(59), "balanced", Y])
@NO_WORK
def test_weights_that_cannot_be_are_refused(weights: Any) -> None:
    assert_refused("(?i)sample[_ ]weight", X, Y, weights, n_landmarks=10)
    assert_refused("(?i)sample[_ ]weight", SIMILAR, Y, weights, kernel="precomputed", features="exact")


# --- After the fit ---


@pytest.mark.parametrize("name", ["decision_function", "predict", "score", "set_operating_point"])
def test_a_model_without_a_fit_says_so(name: str) -> None:
    labels = () if name in ("decision_function", "predict") else (Y,)
    with pytest.raises(NotFittedError, match=r"not fitted yet\. Call 'fit'"):
        getattr(KernelROCSVM(), name)(X, *labels)


@pytest.mark.parametrize("name", ["decision_function", "predict", "score", "set_operating_point"])
@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (X[:, :2], "X has 2 features, but KernelROCSVM is expecting 3 features"),
        (put(X, (0, 0), np.nan), "Input X contains NaN"),
        (X[:, 0], "Expected 2D array"),
    ],
    ids=["narrow", "nan", "flat"],
)
def test_rows_unlike_those_fitted_are_refused(rows: Any, match: str, name: str) -> None:
    model = KernelROCSVM(n_landmarks=10).fit(X, Y)
    labels = () if name in ("decision_function", "predict") else (Y,)
    with pytest.raises(ValueError, match=match):
        getattr(model, name)(rows, *labels)
