"""Certificates of anyone's linear model, against the optimum by an independent quadratic program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from rocsvm import Certificate, Hinge, KernelROCSVM, LinearROCSVM, SquaredHinge, certify
from rocsvm.losses import LOSSES
from tests.optimum import minimise_over_all_pairs
from tests.solvers.problems import ROUNDING, Problem, problems, simulate

each_loss = pytest.mark.parametrize("loss", LOSSES)


class Given(ClassifierMixin, BaseEstimator):
    """A model that learnt elsewhere: weights, and nothing else."""

    def __init__(self, w: Any = None) -> None:
        self.w = w

    def fit(self, X: Any, y: Any) -> Given:
        self.coef_ = self.w
        return self


def hold(w: Any) -> Given:
    return Given(w).fit(None, None)


SAMPLE = simulate(60, 3, seed=2)
X, y = SAMPLE.X, SAMPLE.positive.astype(int)
MODELS = {
    "LinearROCSVM": LinearROCSVM(1e-2),
    "LogisticRegression": LogisticRegression(),
    "LinearSVC": LinearSVC(random_state=0),
    "SGDClassifier": SGDClassifier(random_state=0),
    "SVC": SVC(kernel="linear"),
    "Ridge": Ridge(),
    "random": Given(np.random.default_rng(0).standard_normal((1, 3))),
    "huge": Given(1e6 * np.random.default_rng(0).standard_normal(3)),
    "zero": Given(np.zeros(3)),
}


def check_certificate(certificate: Certificate, problem: Problem, w: Any) -> None:
    """Assert that the bound is below the optimum, and the objective that of its definition."""
    optimum = problem.minimise()
    assert certificate.objective == pytest.approx(problem.define_value(np.ravel(w)), rel=1e-6)
    assert certificate.lower_bound <= optimum.upper * (1.0 + ROUNDING)
    assert certificate.objective >= optimum.lower * (1.0 - ROUNDING)


@pytest.mark.parametrize("alpha", [1e1, 1e-2, 1e-5])
@each_loss
@pytest.mark.parametrize("name", MODELS)
def test_the_optimum_lies_between_bound_and_objective(name: str, loss: str, alpha: float) -> None:
    model = MODELS[name].fit(X, y)
    certificate = certify(model, X, y, alpha=alpha, loss=loss)
    problem = SAMPLE._replace(alpha=alpha, loss=loss)
    check_certificate(certificate, problem, model.coef_)
    assert certificate.lower_bound >= problem.minimise().lower * (1.0 - 1.1e-3)


@settings(max_examples=100)
@given(problem=problems())
def test_no_certificate_of_random_weights_lies(problem: Problem) -> None:
    problem = problem._replace(n_pairs=None)
    w = np.random.default_rng(0).standard_normal(problem.X.shape[1])
    certificate = certify(
        hold(w), problem.X, problem.positive, alpha=problem.alpha, loss=problem.loss, sample_weight=problem.weights
    )
    check_certificate(certificate, problem, w)


def test_a_better_model_has_a_smaller_gap_below_the_same_bound() -> None:
    good, bad = LinearROCSVM(1e-2).fit(X, y), hold(-LinearROCSVM(1e-2).fit(X, y).coef_)
    certificates = [certify(model, X, y, alpha=1e-2) for model in (good, bad)]
    assert certificates[0].relative_gap <= 2e-3
    assert certificates[1].relative_gap > 0.5
    assert certificates[0].lower_bound == pytest.approx(certificates[1].lower_bound, rel=1e-3)


def test_the_gap_is_the_share_of_the_objective_above_the_bound() -> None:
    certificate = Certificate(objective=4.0, lower_bound=3.0, method="by hand")
    assert certificate.relative_gap == 0.25
    assert Certificate(2.0, 2.0 + 1e-15, "rounded").relative_gap == 0.0
    assert Certificate(0.0, 0.0, "nothing").relative_gap == 0.0


def test_a_certificate_tells_how_near_its_bound_is() -> None:
    certificate = certify(hold(np.ones(3)), X, y, alpha=1e-2, tol=1e-6)
    assert "dual value over all pairs" in certificate.method
    told = float(certificate.method.split("within ")[1].split(" ")[0])
    assert 0.0 <= told <= 1e-6
    optimum = SAMPLE._replace(alpha=1e-2).minimise()
    assert certificate.lower_bound == pytest.approx(optimum.upper, rel=1e-6)


# What is measured


@each_loss
def test_a_roc_svm_is_measured_under_its_own_penalty_and_loss(loss: str) -> None:
    model = LinearROCSVM(3e-2, loss=loss).fit(X, y)
    certificate = certify(model, X, y)
    assert certificate == certify(model, X, y, alpha=3e-2, loss=loss)
    assert certificate.objective == pytest.approx(model.objective_, rel=1e-9)
    assert certificate.relative_gap <= 1e-3


def test_a_model_of_drawn_pairs_is_measured_over_all() -> None:
    model = LinearROCSVM(1e-2, pairs=30, random_state=0).fit(X, y)
    optimum = SAMPLE._replace(alpha=1e-2).minimise()
    certificate = certify(model, X, y)
    assert certificate.objective >= optimum.lower
    assert certificate.objective - optimum.upper <= certificate.relative_gap * certificate.objective + 1e-9
    assert certificate.relative_gap > model.dual_gap_ / model.objective_


@pytest.mark.parametrize(("loss", "same"), [("squared_hinge", SquaredHinge()), ("hinge", Hinge()), ("hinge", None)])
def test_a_loss_comes_as_a_name_or_an_object_and_is_the_hinge_for_others(loss: str, same: Any) -> None:
    model = hold(np.ones(3))
    assert certify(model, X, y, alpha=1e-2, loss=loss) == certify(model, X, y, alpha=1e-2, loss=same)


def test_the_loss_asked_for_beats_the_models_own() -> None:
    model = LinearROCSVM(1e-2, loss="hinge").fit(X, y)
    squared = certify(model, X, y, loss="squared_hinge")
    assert squared.objective == pytest.approx(
        SAMPLE._replace(alpha=1e-2, loss="squared_hinge").define_value(model.coef_[0])
    )


@each_loss
def test_whole_weights_count_rows_and_none_leaves_a_row_out(loss: str) -> None:
    counts = np.random.default_rng(1).integers(0, 4, len(y))
    model = hold([0.3, -0.2, 0.5])
    weighted = certify(model, X, y, alpha=1e-2, loss=loss, sample_weight=counts, tol=1e-6)
    repeated = certify(model, np.repeat(X, counts, axis=0), np.repeat(y, counts), alpha=1e-2, loss=loss, tol=1e-6)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-12)
    assert weighted.lower_bound == pytest.approx(repeated.lower_bound, rel=2e-6)


def test_weights_change_the_bound() -> None:
    weights = np.random.default_rng(1).uniform(0.01, 5.0, len(y))
    optimum = minimise_over_all_pairs("hinge", X, SAMPLE.positive, 1e-2, weights)
    certificate = certify(hold(np.ones(3)), X, y, alpha=1e-2, sample_weight=weights, tol=1e-6)
    assert certificate.lower_bound == pytest.approx(optimum.upper, rel=1e-6)


@pytest.mark.parametrize("wrap", [sparse.csr_array, sparse.csc_matrix, np.asfortranarray, np.ndarray.tolist])
def test_rows_of_any_container_have_the_same_certificate(wrap: Any) -> None:
    rounded = np.where(np.abs(X) > 0.5, X, 0.0)
    wanted = certify(hold(np.ones(3)), rounded, y, alpha=1e-2)
    found = certify(hold(np.ones(3)), wrap(rounded), y, alpha=1e-2)
    assert found.objective == pytest.approx(wanted.objective)
    assert found.lower_bound == pytest.approx(wanted.lower_bound, rel=1e-3)


@pytest.mark.parametrize("labels", [np.array(["no", "yes"]), np.array([-1.0, 1.0]), np.array([False, True])])
def test_the_larger_label_is_positive(labels: Any) -> None:
    model = hold(np.ones(3))
    assert certify(model, X, labels[y], alpha=1e-2) == certify(model, X, y, alpha=1e-2)


@pytest.mark.parametrize("w", [np.ones(3), np.ones((1, 3)), [1.0, 1.0, 1.0], np.ones(3, dtype=np.float32)])
def test_weights_come_in_any_shape_of_one_row(w: Any) -> None:
    assert certify(hold(w), X, y, alpha=1e-2) == certify(hold(np.ones((1, 3))), X, y, alpha=1e-2)


def test_sparse_weights_of_a_linear_svc_are_read() -> None:
    thin = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    model = SVC(kernel="linear").fit(thin, y)
    assert sparse.issparse(model.coef_)
    wanted = certify(hold(model.coef_.toarray()), thin, y, alpha=1e-2)
    assert certify(model, thin, y, alpha=1e-2) == wanted


def test_the_bound_holds_whatever_the_seed_on_large_data() -> None:
    problem = simulate(30_000, 3)
    model = hold(np.ones(3))
    seeds: list[Any] = [0, np.random.default_rng(1), np.random.RandomState(2), None]
    found = [certify(model, problem.X, problem.positive, alpha=1e-3, random_state=seed) for seed in seeds]
    assert len({certificate.objective for certificate in found}) == 1
    bounds = [certificate.lower_bound for certificate in found]
    assert max(bounds) <= min(bounds) * (1.0 + 1.1e-3)


def test_the_model_and_the_rows_are_left_alone() -> None:
    model, rows = LinearROCSVM(1e-2).fit(X, y), X.copy()
    before = model.coef_.tobytes(), model.intercept_.tobytes()
    certify(model, rows, y, alpha=1e-5)
    assert (model.coef_.tobytes(), model.intercept_.tobytes()) == before
    assert rows.tobytes() == X.tobytes()


# Errors


three = np.arange(len(y)) % 3
ERRORS = {
    "no alpha": (LogisticRegression().fit(X, y), {}, "LogisticRegression does not say which penalty.*write alpha="),
    "no alpha, a name alike": (
        hold(np.ones(3)).set_params(w=1.0),
        {},
        "Given does not say which penalty.*write alpha=",
    ),
    "alpha of zero": (hold(np.ones(3)), {"alpha": 0.0}, "alpha=0.0 is not a positive number"),
    "tol of zero": (hold(np.ones(3)), {"alpha": 1.0, "tol": 0.0}, "tol=0.0 is not a positive number"),
    "no such loss": (hold(np.ones(3)), {"alpha": 1.0, "loss": "log"}, "loss='log'.*'hinge', 'squared_hinge'"),
    "no coef_": (DummyClassifier().fit(X, y), {"alpha": 1.0}, "DummyClassifier has no coef_.*LogisticRegression"),
    "a curved kernel": (SVC(kernel="rbf").fit(X, y), {"alpha": 1.0}, "SVC has no coef_"),
    "three classes": (LogisticRegression().fit(X, three), {"alpha": 1.0}, "coef_ of 3 rows.*two classes"),
    "three classes, one against one": (SVC(kernel="linear").fit(X, three), {"alpha": 1.0}, "coef_ of 3 rows"),
    "too narrow": (hold(np.ones(2)), {"alpha": 1.0}, "X has 3 features, but the model has 2 weights"),
    "weights not known": (hold(np.array([1.0, np.nan, 0.0])), {"alpha": 1.0}, "coef_ contains NaN"),
    "weights of the rows": (hold(np.ones(3)), {"alpha": 1.0, "sample_weight": -np.ones(len(y))}, "negative values"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_certified_is_told_with_what_to_write(case: str) -> None:
    model, options, message = ERRORS[case]
    with pytest.raises(ValueError, match=message):
        certify(model, X, y, **options)


def test_a_pipeline_is_certified_on_the_features_of_its_last_step() -> None:
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    Z = pipeline[:-1].transform(X)
    certificate = certify(pipeline, X, y, alpha=1e-2)
    assert certificate == certify(pipeline[-1], Z, y, alpha=1e-2)
    check_certificate(certificate, SAMPLE._replace(X=Z, alpha=1e-2), pipeline[-1].coef_)


def test_of_a_grid_search_the_best_model_is_certified() -> None:
    search = GridSearchCV(LinearROCSVM(random_state=0), {"alpha": [1e-2, 1.0]}).fit(X, y)
    assert certify(search, X, y, random_state=0) == certify(search.best_estimator_, X, y, random_state=0)


@pytest.mark.parametrize("model", [LinearROCSVM(), LogisticRegression()])
def test_labels_that_the_model_was_not_fitted_on_are_told(model: Any) -> None:
    with pytest.raises(ValueError, match="neither of the labels fitted"):
        certify(model.fit(X, y), X, np.where(y == y.max(), "a", "b"), alpha=1.0)


def test_how_to_measure_against_the_whole_kernel_is_no_option_elsewhere() -> None:
    with pytest.raises(ValueError, match="exact=True says how to measure against='full'"):
        certify(hold(np.ones(3)), X, y, alpha=1.0, exact=True)


@pytest.mark.parametrize("model", [LinearROCSVM(), LogisticRegression(), make_pipeline(StandardScaler(), LinearSVC())])
def test_a_model_not_fitted_is_told(model: Any) -> None:
    with pytest.raises(NotFittedError):
        certify(model, X, y, alpha=1.0)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (X, three, "multiclass"),
        (X, np.zeros(len(y)), "one class only"),
        (np.where(X > 2.0, np.nan, X), y, "NaN"),
        (X[1:], y, "inconsistent"),
    ],
)
def test_rows_and_labels_are_checked(rows: Any, labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        certify(hold(np.ones(3)), rows, labels, alpha=1.0)


@pytest.mark.parametrize("model", [LinearROCSVM(), KernelROCSVM(n_landmarks=10), LogisticRegression()], ids=repr)
def test_rows_of_other_columns_are_refused_as_by_predict(model: Any) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["height", "width"])
    labels = rng.random(60) < 0.5
    assert certify(model.fit(table, labels), table, labels, alpha=1e-2).objective > 0.0
    with pytest.raises(ValueError, match="feature names should match"):
        certify(model, table[["width", "height"]], labels, alpha=1e-2)
    rows = table.to_numpy()
    with pytest.raises(ValueError, match=r"X has 1 features, but \w+ is expecting 2"):
        certify(model.fit(rows, labels), rows[:, :1], labels, alpha=1e-2)
