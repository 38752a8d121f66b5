"""Exact features against the kernel matrix, given or computed."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import linalg, sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocsvm import ExactKernelFeatures
from rocsvm.features import _exact
from rocsvm.kernels import KernelFault
from tests.features.rows import DEFINITE, NEW, X, Y, multiply
from tests.kernels.definition import LAYOUTS

each_kernel = pytest.mark.parametrize("kernel", DEFINITE)
each_layout = pytest.mark.parametrize("layout", LAYOUTS)

REPEATED = np.vstack([X, X[:20], X[:5]])


def make(kernel: Any = "rbf", **parameters: Any) -> ExactKernelFeatures:
    return ExactKernelFeatures(kernel, **({"gamma": 0.3} | parameters))


def compare(kernel: str, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the kernel matrix of these rows."""
    return make(kernel).fit(X).kernel_.compare(rows, others)


@each_layout
@each_kernel
def test_products_of_features_are_the_kernel(kernel: str, layout: str) -> None:
    rows = LAYOUTS[layout](REPEATED)
    features = make(kernel)
    Z = features.fit_transform(rows)
    fresh = features.transform(LAYOUTS[layout](NEW))
    assert Z.dtype == fresh.dtype == np.float64
    for product, wanted in (
        (multiply(Z), compare(kernel, REPEATED, REPEATED)),
        (multiply(fresh, Z), compare(kernel, NEW, REPEATED)),
    ):
        assert np.abs(product - wanted).max() <= 1e-6 * np.abs(wanted).max()
    # Where features come from a factor that is complete, to the last digits.
    assert np.abs(multiply(Z) - compare(kernel, REPEATED, REPEATED)).max() <= 1e-10 * np.abs(multiply(Z)).max()


@each_kernel
def test_a_matrix_given_is_as_good_as_one_computed(kernel: str) -> None:
    whole = compare(kernel, REPEATED, REPEATED)
    features = make("precomputed").fit(whole)
    assert np.abs(multiply(features.transform(whole)) - whole).max() <= 1e-10 * np.abs(whole).max()
    computed = make(kernel).fit(REPEATED)
    # The last pivots, which leave 1e-12 of a similarity, are known to a thousandth of themselves, and new rows may
    # need them where the rows fitted do not.
    np.testing.assert_allclose(
        multiply(features.transform(compare(kernel, NEW, REPEATED))), multiply(computed.transform(NEW)), atol=1e-3
    )


def test_no_row_is_kept_that_others_explain() -> None:
    features = make("linear").fit(X)
    assert features.landmarks_.shape == (3, 3)
    assert features.transform(NEW).shape == (30, 3)
    assert features.get_feature_names_out().tolist() == [f"exactkernelfeatures{place}" for place in range(3)]
    assert len(make("laplacian").fit(REPEATED).landmarks_) == len(X)
    assert make("precomputed").fit(compare("linear", X, X)).landmarks_.shape == (3, 1)


def test_features_do_not_depend_on_the_order_of_the_rows() -> None:
    shuffled = np.random.default_rng(0).permutation(REPEATED)
    np.testing.assert_allclose(
        make("rbf").fit(REPEATED).transform(NEW), make("rbf").fit(shuffled).transform(NEW), atol=1e-7
    )


def test_folded_weights_score_as_features_do() -> None:
    for features, rows in (
        (make().fit(X), NEW),
        (make("precomputed").fit(compare("rbf", X, X)), compare("rbf", NEW, X)),
    ):
        w = np.random.default_rng(0).normal(size=features.normalization_.shape[1])
        np.testing.assert_allclose(features.score_rows(rows, features.fold(w)), features.transform(rows) @ w, atol=1e-7)


def test_an_indefinite_kernel_is_told_and_its_positive_part_taken() -> None:
    with pytest.warns(UserWarning, match="kernel='sigmoid' is indefinite on these rows: .* are negative, the least -"):
        features = make("sigmoid").fit(X)
    assert not features.is_definite_
    whole = features.kernel_.compare(X, X)
    values, vectors = linalg.eigh(whole)
    positive = (vectors * np.maximum(values, 0.0)) @ vectors.T
    assert np.abs(multiply(features.transform(X)) - positive).max() <= 1e-7
    with pytest.warns(UserWarning, match="kernel='precomputed' is indefinite"):
        given = make("precomputed").fit(whole)
    assert np.abs(multiply(given.transform(whole)) - positive).max() <= 1e-7


def test_a_matrix_whose_diagonal_hides_that_it_is_indefinite_is_told() -> None:
    # The factorisation stops at a pivot of zero, and leaves 1 beside it.
    with pytest.warns(UserWarning, match="kernel='precomputed' is indefinite on these rows: 1 of 3"):
        make("precomputed").fit(np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))


@pytest.mark.parametrize(
    ("matrix", "complaint"),
    [
        (np.ones((4, 3)), r"kernel='precomputed' was given a matrix of shape \(4, 3\), which is not square. Give the"),
        (np.ones((1, 2)), "which is not square"),
        (np.array([[1.0, 0.5], [0.1, 1.0]]), "kernel='precomputed' is not symmetric: .* differ by 0.4"),
        (np.zeros((3, 3)), "kernel='precomputed' has no positive eigenvalue on these rows"),
        (-np.eye(3), "kernel='precomputed' has no positive eigenvalue"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "NaN"),
        (sparse.eye_array(3, format="csr"), "[Ss]parse"),
    ],
    ids=["wide", "row", "asymmetric", "zero", "negative", "nan", "sparse"],
)
def test_a_matrix_that_is_no_kernel_is_told(matrix: Any, complaint: str) -> None:
    with pytest.raises((ValueError, TypeError), match=complaint):
        make("precomputed").fit(matrix)


def test_a_matrix_of_single_precision_is_symmetric_enough() -> None:
    whole = compare("rbf", X, X)
    single = whole.astype(np.float32)
    single[0, 1] = np.nextafter(single[0, 1], np.float32(2.0))
    # Rounding to single precision leaves eigenvalues of zero a little below it.
    with pytest.warns(UserWarning, match="indefinite"):
        features = make("precomputed").fit(single)
    assert np.abs(multiply(features.transform(single)) - whole).max() <= 1e-5


def test_new_rows_are_compared_with_all_rows_fitted() -> None:
    features = make("precomputed").fit(compare("rbf", X, X))
    with pytest.raises(ValueError, match="X has 79 features, but ExactKernelFeatures is expecting 80"):
        features.transform(compare("rbf", NEW, X[:-1]))


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"gamma": 0}, "gamma=0 is not a positive number"),
        ({"gamma": -2.0}, "gamma=-2.0 is not a positive number"),
        ({"kernel": "exact"}, "kernel='exact' is no kernel; write 'rbf'"),
        ({"degree": -1}, "degree=-1 is not a positive number"),
        ({"kernel": lambda rows, others: rows @ np.diag([1.0, 2.0, 3.0]) @ others[:, ::-1].T}, "is not symmetric"),
        ({"kernel": lambda rows, others: "alike"}, "kernel=<lambda> returned an array of shape"),
    ],
    ids=["zero gamma", "negative gamma", "kernel of no name", "negative degree", "asymmetric", "no matrix"],
)
def test_parameters_that_make_no_features_are_told(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        make(**wrong).fit(X)
    assert issubclass(KernelFault, ValueError)


def test_what_is_too_large_for_memory_is_told_with_the_figure() -> None:
    advice = "Write features='nystroem' with n_landmarks=1000"
    with pytest.raises(ValueError, match=rf"matrix of 3,000,000 distinct rows, 288,000 GB where this .* {advice}"):
        _exact.check_memory(3_000_000)
    _exact.check_memory(1000)


def test_rows_too_many_are_refused_before_they_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def compare_nothing(rows: Any, others: Any) -> Any:
        raise AssertionError("rows were compared")

    monkeypatch.setattr(_exact, "COPIES", 1e12)
    with pytest.raises(ValueError, match="features='exact' needs the kernel matrix of 80 distinct rows"):
        make(compare_nothing).fit(REPEATED)


def test_weights_move_a_width_found_in_the_data() -> None:
    weights = np.where(np.arange(80) < 50, 1.0, 0.0)
    own = make(gamma="scale").fit(X, sample_weight=weights)
    alone = make(gamma="scale").fit(X[:50])
    assert own.kernel_.gamma == pytest.approx(alone.kernel_.gamma, rel=1e-12)
    np.testing.assert_allclose(own.transform(NEW), alone.transform(NEW), atol=1e-6)


# One check negates the rows, and with them the matrix.
@pytest.mark.filterwarnings("ignore:kernel='precomputed' is indefinite:UserWarning")
@parametrize_with_checks([ExactKernelFeatures(), ExactKernelFeatures("poly"), ExactKernelFeatures("precomputed")])
def test_scikit_learn_finds_nothing_wrong(estimator: Any, check: Any) -> None:
    check(estimator)


def test_a_given_matrix_is_split_both_ways_in_cross_validation() -> None:
    assert get_tags(make("precomputed")).input_tags.pairwise
    assert not get_tags(make()).input_tags.pairwise
    whole, model = compare("rbf", X, X), LinearSVC(C=1.0, fit_intercept=False)
    given = cross_val_score(make_pipeline(make("precomputed"), model), whole, Y)
    computed = cross_val_score(make_pipeline(make("rbf"), model), X, Y)
    assert np.array_equal(given, computed)


def test_a_pickle_and_a_clone_are_as_good() -> None:
    features = make("poly").fit(X)
    assert np.array_equal(pickle.loads(pickle.dumps(features)).transform(NEW), features.transform(NEW))
    assert np.array_equal(clone(features).fit(X).transform(NEW), features.transform(NEW))


def test_features_fill_frames() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    filled = make("linear").set_output(transform="pandas").fit_transform(frame)
    assert filled.columns.tolist() == [f"exactkernelfeatures{place}" for place in range(3)]
