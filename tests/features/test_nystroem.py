"""Nyström features against ``C @ pinv(K) @ C.T``, and against the kernel that they stand for."""

from __future__ import annotations

import pickle
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocsvm import NystroemFeatures
from rocsvm.features import _nystroem, adopt_nystroem
from rocsvm.kernels import KERNELS, KernelFault
from rocsvm.landmarks import LANDMARKS, KMeansLandmarks, UniformLandmarks
from tests.features.rows import DEFINITE, NEW, X, Y, multiply, project
from tests.kernels.definition import LAYOUTS

# Of K the eigenvalues down to 1e-10 of the largest count in double precision, and to 1e-6 in single.
ROUNDING = {"float64": 2e-8, "float32": 2e-5}
INDEFINITE = "ignore:kernel='sigmoid' is indefinite:UserWarning"

each_kernel = pytest.mark.parametrize("kernel", KERNELS)
each_scheme = pytest.mark.parametrize("landmarks", LANDMARKS)
each_layout = pytest.mark.parametrize("layout", LAYOUTS)
each_dtype = pytest.mark.parametrize("dtype", ROUNDING)


def make(**parameters: Any) -> NystroemFeatures:
    return NystroemFeatures(**({"gamma": 0.3, "n_landmarks": 20, "random_state": 0} | parameters))


@pytest.mark.filterwarnings(INDEFINITE)
@each_dtype
@each_scheme
@each_kernel
def test_features_equal_the_formula(kernel: str, landmarks: str, dtype: str) -> None:
    features = make(kernel=kernel, landmarks=landmarks, dtype=dtype).fit(X, Y)
    Z, fresh = features.transform(X), features.transform(NEW)
    assert Z.dtype == fresh.dtype == dtype
    assert Z.shape == (80, features.normalization_.shape[1])
    for product, wanted in (
        (multiply(Z), project(features, X, X)),
        (multiply(fresh, Z), project(features, NEW, X)),
    ):
        # What the landmarks make of a sigmoid kernel may be far larger than the kernel.
        allowed = ROUNDING[dtype] * (100.0 if kernel == "sigmoid" else 1.0)
        assert np.abs(product - wanted).max() <= allowed * np.abs(wanted).max()


@each_scheme
def test_where_no_eigenvalue_is_small_features_equal_the_formula_to_the_last_digits(landmarks: str) -> None:
    features = make(kernel="laplacian", landmarks=landmarks).fit(X, Y)
    assert np.abs(multiply(features.transform(X)) - project(features, X, X)).max() <= 1e-12
    features = make(kernel="laplacian", landmarks=landmarks, dtype="float32").fit(X, Y)
    assert np.abs(multiply(features.transform(X)) - project(features, X, X)).max() <= 1e-6


@each_scheme
@pytest.mark.parametrize("kernel", DEFINITE)
def test_what_features_leave_of_a_kernel_is_positive_semi_definite(kernel: str, landmarks: str) -> None:
    features = make(kernel=kernel, landmarks=landmarks).fit(X, Y)
    whole = features.kernel_.compare(X, X)
    assert np.linalg.eigvalsh(whole - multiply(features.transform(X)))[0] >= -1e-8 * np.abs(whole).max()


@each_scheme
@pytest.mark.parametrize("kernel", DEFINITE)
def test_with_all_rows_as_landmarks_features_are_the_kernel(kernel: str, landmarks: str) -> None:
    features = make(kernel=kernel, landmarks=landmarks, n_landmarks=80)
    Z = features.fit_transform(X, Y)
    whole = features.kernel_.compare(X, X)
    assert np.abs(multiply(Z) - whole).max() <= 1e-8 * np.abs(whole).max()


@each_layout
@pytest.mark.parametrize("kernel", DEFINITE)
def test_any_layout_has_the_features_of_dense_rows(kernel: str, layout: str) -> None:
    own = make(kernel=kernel, landmarks="uniform").fit(LAYOUTS[layout](X))
    dense = make(kernel=kernel, landmarks="uniform").fit(X)
    np.testing.assert_allclose(multiply(own.transform(LAYOUTS[layout](NEW))), multiply(dense.transform(NEW)), atol=1e-9)
    # Rows of one layout and landmarks of another.
    np.testing.assert_allclose(own.transform(NEW), own.transform(LAYOUTS[layout](NEW)), atol=1e-9)


@each_kernel
@pytest.mark.filterwarnings(INDEFINITE)
def test_folded_weights_score_as_features_do(kernel: str) -> None:
    features = make(kernel=kernel).fit(X)
    w = np.random.default_rng(0).normal(size=features.normalization_.shape[1])
    wanted = features.transform(NEW) @ w
    np.testing.assert_allclose(
        features.score_rows(NEW, features.fold(w)), wanted, rtol=1e-9, atol=1e-9 * abs(wanted).max()
    )


def test_many_rows_have_features_in_single_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_nystroem, "MANY_ROWS", 80)
    assert make().fit_transform(X).dtype == np.float32
    assert make().fit_transform(X[1:]).dtype == np.float64
    assert make(dtype="float64").fit_transform(X).dtype == np.float64
    assert make(dtype=np.float32).fit_transform(X[1:]).dtype == np.float32


@each_dtype
def test_features_by_the_block_are_those_of_few_rows(dtype: str) -> None:
    many = np.random.default_rng(0).normal(size=(30_000, 3))
    features = make(dtype=dtype).fit(many[:500])
    Z = features.transform(many)
    assert np.abs(Z[-50:] - features.transform(many[-50:])).max() <= 100.0 * np.finfo(dtype).eps * np.abs(Z).max()


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_features_take_little_memory_beyond_themselves(kernel: str) -> None:
    many = np.random.default_rng(0).normal(size=(40_000, 20))
    features = make(kernel=kernel, n_landmarks=100, dtype="float32").fit(many[:1000])
    tracemalloc.start()
    Z = features.transform(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A block of columns has 2 MB in double precision; a few of its size are in work, where all columns take 16 MB.
    assert peak <= Z.nbytes + 10e6


@pytest.mark.parametrize(
    ("parameters", "share"), [({"rank_tol": 0.1}, 0.1), ({}, 1e-10), ({"dtype": "float32"}, 1e-6)], ids=str
)
def test_the_floor_is_a_share_of_the_largest_eigenvalue(parameters: dict[str, Any], share: float) -> None:
    features = make(**parameters).fit(X)
    values = np.linalg.eigvalsh(features.kernel_.compare(features.landmarks_, features.landmarks_))
    assert features.floor_ == pytest.approx(share * values[-1])
    assert features.transform(X).shape[1] == (values > share * values[-1]).sum()


def test_weightless_rows_are_as_if_they_were_not_there() -> None:
    weights = np.where(np.arange(80) < 50, 2.0, 0.0)
    own = make(gamma="scale").fit(np.where(weights[:, None] > 0.0, X, 1e6), sample_weight=weights)
    alone = make(gamma="scale").fit(X[:50], sample_weight=np.ones(50))
    assert np.array_equal(own.landmarks_, alone.landmarks_)
    assert own.kernel_ == alone.kernel_


def test_a_callable_is_the_kernel_it_computes() -> None:
    own = make(kernel=laplacian_kernel, landmarks="uniform").fit(X)
    named = make(kernel="laplacian", gamma=1.0 / 3.0, landmarks="uniform").fit(X)
    np.testing.assert_allclose(multiply(own.transform(NEW)), multiply(named.transform(NEW)), atol=1e-12)


@pytest.mark.parametrize("layout", [*LAYOUTS, "lists", "frame"])
def test_landmarks_may_be_given_and_repeats_are_left_out(layout: str) -> None:
    convert = {**LAYOUTS, "lists": np.ndarray.tolist, "frame": pd.DataFrame}[layout]
    # However many are asked for.
    features = make(landmarks=convert(np.vstack([NEW, NEW[:5]])), n_landmarks=7).fit(X)
    landmarks = features.landmarks_
    assert np.array_equal(landmarks.toarray() if sparse.issparse(landmarks) else landmarks, NEW)
    np.testing.assert_allclose(multiply(features.transform(X)), project(features, X, X), atol=1e-9)


def test_landmarks_may_be_an_object_whose_arguments_are_parameters() -> None:
    features = make(landmarks=KMeansLandmarks(max_iter=1))
    assert features.get_params()["landmarks__max_iter"] == 1
    features.set_params(landmarks__max_iter=3, landmarks__rows_per_landmark=5)
    assert features.landmarks == KMeansLandmarks(5, 3)
    own = make(landmarks=UniformLandmarks()).fit(X)
    assert np.array_equal(own.landmarks_, make(landmarks="uniform").fit(X).landmarks_)


def test_more_landmarks_than_distinct_rows_are_told_and_all_rows_taken() -> None:
    repeated = np.repeat(X[:10], 8, axis=0)
    with pytest.warns(UserWarning, match=r"n_landmarks=20, but only 10 rows are distinct; all of them are landmarks"):
        features = make().fit(repeated)
    assert len(features.landmarks_) == 10
    # Pivots that explain all rows are no fault of the number asked for.
    assert len(make(kernel="linear", landmarks="rpcholesky").fit(X).landmarks_) == 3


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"n_landmarks": 0}, "n_landmarks=0 is not a whole number from 1 up; write, for example, n_landmarks=300"),
        ({"n_landmarks": -3}, "n_landmarks=-3 is not a whole number from 1 up"),
        ({"n_landmarks": 2.5}, "n_landmarks=2.5 is not a whole number from 1 up"),
        ({"n_landmarks": None}, "n_landmarks=None is not a whole number from 1 up"),
        ({"n_landmarks": "auto"}, "n_landmarks='auto' is not a whole number from 1 up"),
        ({"gamma": 0.0}, "gamma=0.0 is not a positive number"),
        ({"gamma": -1}, "gamma=-1 is not a positive number"),
        ({"gamma": "width"}, "gamma='width' is no width"),
        ({"kernel": "rfb"}, "kernel='rfb' is no kernel; write 'rbf'"),
        ({"kernel": "precomputed"}, "kernel='precomputed' has no rows to choose landmarks among; use ExactKernelFea"),
        ({"rank_tol": 0.0}, "rank_tol=0.0 is not a positive number; write, for example, rank_tol=1e-6"),
        ({"dtype": "float16"}, "dtype='float16' is no type of features; write 'auto', 'float32' or 'float64'"),
        ({"dtype": None}, "dtype=None is no type of features"),
        ({"landmarks": "best"}, "landmarks='best' names no landmarks; write 'uniform', .* an array of rows or an obj"),
        ({"landmarks": [1, 2, 3]}, "landmarks is a list of numbers; give the rows themselves"),
        ({"landmarks": None}, "landmarks=None names no way to choose them; write 'kmeans', for example"),
        ({"landmarks": UniformLandmarks}, "landmarks"),
        ({"landmarks": np.ones((4, 2))}, "landmarks is an array of rows with 2 features, but X has 3. Give landmarks"),
        ({"landmarks": sparse.csr_array((4, 5))}, "landmarks is an array of rows with 5 features, but X has 3"),
        ({"landmarks": [[1.0, np.nan, 0.0]]}, "landmarks contains NaN"),
        ({"landmarks": np.ones((0, 3))}, "0 sample"),
        ({"landmarks": sparse.csr_array((0, 3))}, "0 sample"),
        ({"landmarks": "stratified"}, r"no labels were given. Call fit\(X, y\), or write landmarks='uniform'"),
        ({"kernel": "poly", "degree": 2.5}, "degree=2.5 would take a root of -"),
        ({"random_state": -1}, "random_state=-1 seeds no generator"),
    ],
    ids=str,
)
def test_parameters_that_make_no_features_are_told(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        make(**wrong).fit(X)


def test_an_indefinite_kernel_is_told_and_what_is_done_about_it() -> None:
    with pytest.warns(UserWarning, match=r"kernel='sigmoid' is indefinite on these rows: .* eigenvalues are negative"):
        features = make(kernel="sigmoid").fit(X)
    assert not features.is_definite_
    assert make().fit(X).is_definite_


def asymmetric(rows: Any, others: Any) -> Any:
    return 1.0 + rows.sum(axis=1)[:, None] + 0.0 * others.sum(axis=1)


def hostile(rows: Any, others: Any) -> Any:
    return -laplacian_kernel(rows, others)


@pytest.mark.parametrize(
    ("kernel", "complaint"),
    [
        (asymmetric, r"kernel=asymmetric is not symmetric: .* Give a kernel with k\(a, b\) = k\(b, a\)"),
        (hostile, "kernel=hostile has no positive eigenvalue on these rows.* Give another kernel"),
        (lambda rows, others: rows, "returned an array of shape"),
    ],
    ids=["asymmetric", "hostile", "rows"],
)
def test_a_callable_that_is_no_kernel_is_told(kernel: Any, complaint: str) -> None:
    with pytest.raises(KernelFault, match=complaint):
        make(kernel=kernel).fit(X)


def test_rows_of_another_width_are_told() -> None:
    features = make().fit(X)
    with pytest.raises(ValueError, match="X has 2 features, but NystroemFeatures is expecting 3"):
        features.transform(X[:, :2])
    with pytest.raises(NotFittedError):
        make().transform(X)


# These compare a fit to repeated rows with one to shuffled, weighted rows, at one seed: other rows, another draw.
DRAWN = {
    f"check_sample_weight_equivalence_on_{kind}_data": "at one seed, other rows draw other landmarks"
    for kind in ("dense", "sparse")
}


# Some checks have five rows, and some a single one.
@pytest.mark.filterwarnings("ignore:n_landmarks=4, but only:UserWarning")
@parametrize_with_checks(
    [
        NystroemFeatures(n_landmarks=4),
        NystroemFeatures("laplacian", n_landmarks=4, landmarks="rpcholesky"),
        NystroemFeatures("poly", n_landmarks=4, landmarks="uniform"),
    ],
    expected_failed_checks=lambda features: {} if features.landmarks == "kmeans" else DRAWN,
)
def test_scikit_learn_finds_nothing_wrong(estimator: Any, check: Any) -> None:
    check(estimator)


def test_features_have_names_and_fill_frames() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    features = make(n_landmarks=3).fit(frame)
    names = ["nystroemfeatures0", "nystroemfeatures1", "nystroemfeatures2"]
    assert features.get_feature_names_out().tolist() == names
    assert features.feature_names_in_.tolist() == ["a", "b", "c"]
    filled = features.set_output(transform="pandas").transform(frame)
    assert filled.columns.tolist() == names
    assert np.array_equal(filled.to_numpy(), features.set_output(transform="default").transform(frame))


def test_a_pickle_and_a_clone_are_as_good() -> None:
    features = make(kernel="poly", landmarks=KMeansLandmarks(max_iter=2)).fit(X)
    assert np.array_equal(pickle.loads(pickle.dumps(features)).transform(NEW), features.transform(NEW))
    again = clone(features)
    assert not hasattr(again, "landmarks_")
    assert np.array_equal(again.fit(X).transform(NEW), features.transform(NEW))


def test_features_serve_other_models_of_scikit_learn() -> None:
    circles = NEW[:, 0] ** 2 + NEW[:, 1] ** 2 > 1.5
    assert make_pipeline(make(), LogisticRegression(C=1e3)).fit(NEW, circles).score(NEW, circles) == 1.0


@pytest.mark.filterwarnings(INDEFINITE)
@pytest.mark.parametrize("parameters", [{}, {"gamma": 0.3, "coef0": 0.5}], ids=["defaults", "given"])
@each_kernel
def test_features_that_scikit_learn_fitted_are_adopted(kernel: str, parameters: dict[str, float]) -> None:
    taken = {name: value for name, value in parameters.items() if name in KERNELS[kernel]}
    # A repeated landmark stays.
    fitted = Nystroem(kernel, **taken, n_components=12, random_state=0).fit(np.repeat(X[:10], 2, axis=0))
    wanted = fitted.transform(NEW)
    np.testing.assert_allclose(adopt_nystroem(fitted).transform(NEW), wanted, atol=1e-9 * np.abs(wanted).max())


def test_kernels_of_scikit_learn_that_are_not_ours_are_not_adopted() -> None:
    with pytest.raises(ValueError, match=r"Nystroem\(kernel='chi2'\) is no kernel that can be measured; use one of"):
        adopt_nystroem(Nystroem("chi2", n_components=5).fit(np.abs(X)))
