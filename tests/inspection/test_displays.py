"""Pictures show what was found: lines, bands, the choice, and what was left out."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_circles
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from rocsvm import KernelROCSVMCV, LinearROCSVM, LinearROCSVMCV, rocsvm_path
from rocsvm.inspection import CVResultDisplay, RocPathDisplay

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def draw_on_no_screen():
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def table():
    X, y = make_circles(300, factor=0.5, noise=0.2, random_state=0)
    return pd.DataFrame(X, columns=["height", "width"]), y


@pytest.fixture(scope="module")
def linear(table):
    return LinearROCSVMCV(6, cv=3, random_state=0).fit(*table)


@pytest.fixture(scope="module")
def kernel(table):
    return KernelROCSVMCV(4, 3, cv=3, n_landmarks=20, random_state=0).fit(*table)


def find_line(ax, label):
    return next(line for line in ax.get_lines() if str(line.get_label()).startswith(label))


def test_scores_against_alpha(linear):
    display = CVResultDisplay.from_estimator(linear)
    scores = linear.cv_results_["mean_test_score"]
    np.testing.assert_allclose(display.ax_.get_lines()[0].get_xydata(), np.c_[linear.alphas_, scores])
    star = find_line(display.ax_, "chosen")
    np.testing.assert_allclose(star.get_xydata(), [[linear.alpha_, linear.best_score_]])
    band = display.ax_.collections[0].get_paths()[0].vertices[:, 1]
    folds = np.stack([linear.cv_results_[f"split{fold}_test_score"] for fold in range(3)])
    error = folds.std(axis=0, ddof=1) / np.sqrt(3)
    assert band.max() == pytest.approx((scores + error).max())
    assert display.figure_ is display.ax_.figure


def test_scores_over_the_grid(kernel):
    display = CVResultDisplay.from_estimator(kernel)
    drawn = display.ax_.images[0].get_array()
    np.testing.assert_allclose(drawn[:, ::-1].ravel(), kernel.cv_results_["mean_test_score"])
    column, row = np.array(display.ax_.patches[0].get_xy()) + 0.5
    assert kernel.alphas_[::-1][int(column)] == kernel.alpha_
    assert kernel.gammas_[int(row)] == kernel.gamma_


def test_a_line_for_each_gamma(kernel):
    display = CVResultDisplay.from_estimator(kernel, kind="line")
    for gamma, means in zip(kernel.gammas_, kernel.cv_results_["mean_test_score"].reshape(3, 4), strict=True):
        np.testing.assert_allclose(find_line(display.ax_, f"gamma {gamma:.2g}").get_ydata(), means)


def test_what_was_left_out_is_told_and_not_drawn():
    scores = np.linspace(0.8, 0.9, 12).reshape(2, 3, 2)
    scores[0] = np.nan
    display = CVResultDisplay(np.array([1.0, 0.1, 0.01]), scores, 5, gammas=np.array([0.5, 2.0]))
    texts = [text.get_text() for text in display.plot().ax_.texts]
    assert texts.count("left out") == 3
    labels = [line.get_label() for line in display.plot(kind="line").ax_.get_lines()]
    assert "gamma 0.5" not in labels
    assert "gamma 2" in labels


def test_the_score_has_its_name(table):
    model = LinearROCSVMCV(3, cv=2, scoring="average_precision", random_state=0).fit(*table)
    assert "average precision" in CVResultDisplay.from_estimator(model).ax_.get_ylabel()


def test_weights_along_a_path(table):
    path = rocsvm_path(*table, 5, random_state=0)
    display = RocPathDisplay.from_path(path)
    for name, weights in zip(["height", "width"], path.coefs.T, strict=True):
        np.testing.assert_allclose(find_line(display.ax_, name).get_xydata(), np.c_[path.alphas, weights])
    (right,) = (ax for ax in display.figure_.axes if ax is not display.ax_)
    np.testing.assert_allclose(right.get_lines()[0].get_ydata(), path.aucs)


def test_weights_of_the_folds_and_the_choice(linear):
    display = RocPathDisplay.from_estimator(linear)
    height = find_line(display.ax_, "height")
    np.testing.assert_allclose(height.get_ydata(), linear.coefs_path_.mean(axis=0)[:, 0])
    band = display.ax_.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx(linear.coefs_path_[:, :, 0].max())
    assert find_line(display.ax_, "chosen").get_xdata()[0] == linear.alpha_


def test_many_features_are_drawn_and_the_largest_named():
    coefs = np.arange(1.0, 41.0).reshape(2, 20)
    display = RocPathDisplay(np.array([1.0, 0.1]), coefs).plot()
    named = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert named == [f"feature {place}" for place in range(12, 20)]
    assert len(display.ax_.get_lines()) == 20 + 1


def test_drawn_where_asked(linear):
    _, ax = pyplot.subplots()
    assert CVResultDisplay.from_estimator(linear, ax=ax).ax_ is ax
    assert RocPathDisplay.from_estimator(linear, ax=ax).ax_ is ax


def test_what_cannot_be_drawn(linear, table):
    with pytest.raises(ValueError, match=r"kind='pie' is no picture.*'grid'"):
        CVResultDisplay.from_estimator(linear, kind="pie")
    with pytest.raises(ValueError, match=r"kind='grid' needs gammas"):
        CVResultDisplay.from_estimator(linear, kind="grid")
    with pytest.raises(NotFittedError):
        CVResultDisplay.from_estimator(LinearROCSVMCV())
    with pytest.raises(TypeError, match=r"LinearROCSVM is no search.*LinearROCSVMCV"):
        RocPathDisplay.from_estimator(LinearROCSVM().fit(*table))
    with pytest.raises(TypeError, match=r"give its last step, model\[-1\]"):
        CVResultDisplay.from_estimator(make_pipeline(linear))
    with pytest.raises(TypeError, match="GridSearchCV is no search that can be drawn"):
        CVResultDisplay.from_estimator(GridSearchCV(LinearROCSVM(), {"alpha": [0.1, 1.0]}).fit(*table))


def test_a_path_of_one_alpha_is_a_point(table):
    path = rocsvm_path(*table, [1e-2], random_state=0)
    display = RocPathDisplay.from_path(path)
    assert find_line(display.ax_, "height").get_marker() == "o"
    (right,) = (ax for ax in display.figure_.axes if ax is not display.ax_)
    assert right.get_lines()[0].get_marker() == "o"


def test_without_matplotlib_the_error_says_what_to_install(linear, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        CVResultDisplay.from_estimator(linear)
