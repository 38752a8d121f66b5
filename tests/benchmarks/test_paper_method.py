from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from benchmarks import _paper_method
from benchmarks._paper_method import PaperROCSVM, draw_differences, minimise_hinge
from rocsvm import LinearROCSVM, certify


def draw_rows(n_rows: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    return X, (X[:, 0] + X[:, 1] + rng.normal(size=n_rows) > 1.0).astype(int)


def find_minimum(differences: np.ndarray, alpha: float) -> float:
    """Return the least mean hinge plus penalty by a QP solver."""
    clarabel = pytest.importorskip("clarabel")
    n_pairs, n_features = differences.shape
    # Over beta and one slack a pair: slack >= 1 - D beta and slack >= 0.
    quadratic = sparse.block_diag(
        [alpha * sparse.eye_array(n_features), sparse.csc_array((n_pairs, n_pairs))], format="csc"
    )
    linear = np.concatenate([np.zeros(n_features), np.full(n_pairs, 1.0 / n_pairs)])
    identity = sparse.eye_array(n_pairs)
    rows = sparse.block_array([[-sparse.csc_array(differences), -identity], [None, -identity]], format="csc")
    limits = np.concatenate([-np.ones(n_pairs), np.zeros(n_pairs)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(2 * n_pairs)]
    return clarabel.DefaultSolver(quadratic, linear, rows, limits, cones, settings).solve().obj_val


def value(differences: np.ndarray, beta: np.ndarray, alpha: float) -> float:
    return float(np.maximum(0.0, 1.0 - differences @ beta).mean() + 0.5 * alpha * beta @ beta)


@pytest.mark.parametrize("alpha", [1e-1, 1e-3])
def test_adamax_comes_near_the_minimum_over_its_pairs(alpha: float) -> None:
    X, y = draw_rows(400, 3)
    differences = draw_differences(X, y == 1, 400, np.random.default_rng(0))
    beta, n_iter = minimise_hinge(differences, alpha)
    least = find_minimum(differences, alpha)
    assert 0 < n_iter < _paper_method.MAX_ITER
    assert least * (1.0 - 1e-6) <= value(differences, beta, alpha) <= least * 1.01


def test_paper_method_comes_near_the_certified_optimum_over_all_pairs() -> None:
    X, y = draw_rows(4000, 2)
    ours = LinearROCSVM(alpha=1e-3, random_state=0).fit(X, y)
    certificate = certify(PaperROCSVM(alpha=1e-3, random_state=0).fit(X, y), X, y, alpha=1e-3)
    # What it loses is the price of n pairs instead of all.
    assert ours.objective_ - ours.dual_gap_ <= certificate.objective <= 1.02 * ours.objective_


def test_sparse_rows_train_as_dense_ones_do() -> None:
    X, y = draw_rows(300, 3)
    X[np.abs(X) < 0.5] = 0.0
    dense = PaperROCSVM(random_state=0).fit(X, y)
    thin = PaperROCSVM(random_state=0).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-9)


def test_each_difference_is_a_positive_row_less_a_negative_one() -> None:
    X = np.array([[1.0], [10.0], [100.0], [1000.0]])
    differences = draw_differences(X, np.array([True, False, True, False]), 500, np.random.default_rng(0))
    assert set(differences[:, 0]) == {1.0 - 10.0, 1.0 - 1000.0, 100.0 - 10.0, 100.0 - 1000.0}


def test_running_out_of_steps_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_paper_method, "MAX_ITER", 3)
    with pytest.warns(ConvergenceWarning, match="3 steps"):
        PaperROCSVM(random_state=0).fit(*draw_rows(50, 2))
