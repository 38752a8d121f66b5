"""What a search tells while it runs: lines, calls, and scikit-learn's callbacks."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.base import clone

from rocsvm import KernelROCSVMCV, LinearROCSVMCV
from rocsvm.estimators import _search
from rocsvm.estimators._progress import Progress
from tests.estimators.data import draw_data

X, Y = draw_data()


def make_linear(**parameters: Any) -> LinearROCSVMCV:
    return LinearROCSVMCV(**({"alphas": 4, "cv": 3, "random_state": 0} | parameters))


def make_kernel(**parameters: Any) -> KernelROCSVMCV:
    return KernelROCSVMCV(**({"alphas": 3, "gammas": 2, "cv": 2, "n_landmarks": 10, "random_state": 0} | parameters))


def fit_with_screening(patch: pytest.MonkeyPatch, n_rows: int = 1200, **parameters: Any) -> KernelROCSVMCV:
    """Return a search that looks at 200 rows first."""
    patch.setattr(_search, "SCREEN_ROWS", 200)
    rows, labels = draw_data(n_rows, 2)
    return make_kernel(alphas=4, gammas=[1e-3, 1.0, 1e3], cv=3, n_landmarks=20, **parameters).fit(
        rows, np.asarray(np.hypot(*rows.T) + 0.3 * labels > 1.2)
    )


# --- Lines and calls ---


@pytest.mark.parametrize("make", [make_linear, make_kernel])
def test_silence_is_the_default(make: Any, capsys: pytest.CaptureFixture[str]) -> None:
    make().fit(X, Y)
    assert capsys.readouterr() == ("", "")


LINE = r"\[ *(\d+)/12\] fold (\d)  {gamma}alpha (\S+)  score (0\.\d{{4}})  best so far (0\.\d{{4}})  \d+ s left"


@pytest.mark.parametrize(("make", "gamma"), [(make_linear, ""), (make_kernel, r"gamma \d\.\de[+-]\d\d  ")])
@pytest.mark.parametrize("verbose", [1, True, np.True_, 2])
def test_verbose_writes_a_line_a_grid_point_to_standard_error(
    make: Any, gamma: str, verbose: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    make(verbose=verbose).fit(X, Y)
    out, err = capsys.readouterr()
    assert out == ""
    told = [re.fullmatch(LINE.format(gamma=gamma), line) for line in err.splitlines()]
    assert [int(line[1]) for line in told if line] == list(range(1, 13))
    assert err.endswith("0 s left\n")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("make", [make_linear, make_kernel])
def test_a_callable_is_handed_each_score_of_the_table(make: Any, n_jobs: int) -> None:
    told: list[Progress] = []
    model = make(verbose=told.append, n_jobs=n_jobs).fit(X, Y)
    assert [one.n_done for one in told] == list(range(1, 13))
    assert {one.n_total for one in told} == {12}
    places = {tuple(point.values()): place for place, point in enumerate(model.cv_results_["params"])}
    for one in told:
        place = places[(one.alpha,) if one.gamma is None else (one.gamma, one.alpha)]
        assert one.score == model.cv_results_[f"split{one.fold}_test_score"][place]
    assert len({(one.fold, one.gamma, one.alpha) for one in told}) == 12
    assert [one.best_score for one in told] == np.maximum.accumulate([one.score for one in told]).tolist()
    assert all(0.0 < one.seconds <= other.seconds for one, other in pairwise(told))
    assert all(one.seconds_left == pytest.approx(one.seconds / one.n_done * (one.n_total - one.n_done)) for one in told)


def test_what_watches_may_stop_the_search() -> None:
    class Enough(Exception):  # noqa: N818
        pass

    def stop(progress: Progress) -> None:
        if progress.n_done == 5:
            raise Enough

    model = make_linear(verbose=stop)
    with pytest.raises(Enough):
        model.fit(X, Y)
    assert not hasattr(model, "coef_")


def test_watching_changes_nothing() -> None:
    watched, wanted = make_linear(verbose=lambda progress: None).fit(X, Y), make_linear().fit(X, Y)
    assert np.array_equal(watched.coef_, wanted.coef_)
    assert np.array_equal(watched.coefs_path_, wanted.coefs_path_)


def test_a_screening_is_told_too_and_what_it_leaves_out_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Progress] = []
    model = fit_with_screening(monkeypatch, verbose=told.append)
    n_left_out = int(np.isnan(model.cv_results_["mean_test_score"]).sum())
    assert n_left_out > 0
    assert told[0].n_total == 2 * 12 * 3
    assert told[-1].n_done == told[-1].n_total == (2 * 12 - n_left_out) * 3 == len(told)


# --- scikit-learn's callbacks ---


class Task(NamedTuple):
    name: str
    number: int
    parent: str | None
    most: int | None


class Recorder:
    """Notes the tasks that begin and end."""

    def __init__(self) -> None:
        self.begun: list[Task] = []
        self.ended: list[Task] = []
        self.calls: list[str] = []

    def setup(self, estimator: Any, context: Any) -> None:
        self.calls.append("setup")

    def teardown(self, estimator: Any, context: Any) -> None:
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator: Any, context: Any, **given: Any) -> None:
        self.begun.append(self.read(context))

    def on_fit_task_end(self, estimator: Any, context: Any, **given: Any) -> None:
        self.ended.append(self.read(context))

    @staticmethod
    def read(context: Any) -> Task:
        parent = context.parent
        return Task(context.task_name, context.task_id, parent and parent.task_name, context.max_subtasks)


@pytest.fixture
def recorder() -> Recorder:
    pytest.importorskip("sklearn.callback", reason="callbacks need scikit-learn 1.9")
    return Recorder()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("make", "n_paths", "n_alphas"), [(make_linear, 3, 4), (make_kernel, 4, 3)])
def test_callbacks_see_a_task_a_path_and_one_in_it_a_point(
    make: Any, n_paths: int, n_alphas: int, n_jobs: int, recorder: Recorder
) -> None:
    model = make(n_jobs=n_jobs).set_callbacks(recorder).fit(X, Y)
    assert recorder.calls == ["setup", "teardown"]
    root, *rest = recorder.begun
    assert root == Task("fit", 0, None, n_paths) == recorder.ended[-1]
    paths = [task for task in rest if task.parent == "fit"]
    assert sorted(task.number for task in paths) == list(range(n_paths))
    assert {task.most for task in paths} == {n_alphas}
    folds = [re.search(r"fold (\d)$", task.name) for task in paths]
    assert sorted(int(found[1]) for found in folds if found) == sorted(
        [*range(model.n_splits_)] * (n_paths // model.n_splits_)
    )
    for path in paths:
        points = [task for task in rest if task.parent == path.name]
        assert [task.number for task in points] == list(range(n_alphas))
        assert [task.name for task in points] == [f"alpha {alpha:.1e}" for alpha in model.alphas_]
    assert sorted(recorder.begun) == sorted(recorder.ended)


def test_callbacks_change_nothing_and_are_kept_from_no_clone(recorder: Recorder) -> None:
    watched = make_linear().set_callbacks(recorder)
    assert np.array_equal(watched.fit(X, Y).coef_, make_linear().fit(X, Y).coef_)
    assert np.array_equal(clone(watched).set_callbacks().fit(X, Y).coef_, watched.coef_)


def test_callbacks_are_torn_down_where_a_fit_fails(recorder: Recorder) -> None:
    def fail(progress: Progress) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        make_linear(verbose=fail).set_callbacks(recorder).fit(X, Y)
    assert recorder.calls == ["setup", "teardown"]


def test_callbacks_see_a_screening_as_paths_of_their_own(monkeypatch: pytest.MonkeyPatch, recorder: Recorder) -> None:
    monkeypatch.setattr(KernelROCSVMCV, "fit", _set_before(KernelROCSVMCV.fit, recorder))
    model = fit_with_screening(monkeypatch)
    scored = ~np.isnan(model.cv_results_["mean_test_score"]).reshape(3, 4)
    paths = [task for task in recorder.begun if task.parent == "fit"]
    assert len(paths) == (3 + scored.any(axis=1).sum()) * 3
    assert [task.number for task in paths] == list(range(len(paths)))
    assert sum(task.name.startswith("alpha") for task in recorder.begun) == (12 + scored.sum()) * 3


def _set_before(fit: Any, recorder: Recorder) -> Any:
    return lambda model, *data: fit(model.set_callbacks(recorder), *data)
