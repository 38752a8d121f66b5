"""The scores of a grid on every fold, along warm-started paths, and the point to choose."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from numbers import Integral, Real
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from rocsvm.estimators._base import Rows, Settings
from rocsvm.estimators._folds import Fold, name_labels
from rocsvm.estimators._progress import Reporter
from rocsvm.features import AbstractMatrix
from rocsvm.inspection import auc, find_threshold
from rocsvm.threads import use_one_thread

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Rows that a screening looks at, and how many times as many make it worth while.
SCREEN_ROWS, WORTH = 5_000, 4
# A grid point is hopeless if the screening has it behind by this much, and by so many standard errors. Of skin,
# accelerometer, ijcnn1, covtype, a9a and bank, screened to a gap of 1e-3, the point that was best on all rows was
# behind by 0.0015 at most.
BEHIND, ERRORS = 0.005, 4.0
# The relative gap to which a screening solves. On radial data that moves scores near the best by 0.001 at most, beside
# those at 1e-3, and hopeless ones by up to 0.004.
SCREEN_TOL = 1e-2


class GridScores(NamedTuple):
    """What is known of the alphas of a path on each fold: arrays of shape (n_alphas, n_folds), NaN where not asked."""

    scores: Floats
    seconds: Floats
    gaps: Floats
    coefs: list[list[Floats | None]]


class FoldModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted model that takes features as they are, for scorers to look at."""

    def __init__(self, w: Floats, threshold: float, classes: NDArray[Any]) -> None:
        self.w = w
        self.threshold = threshold
        self.classes = classes

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, as scikit-learn looks for them."""
        return self.classes

    def decision_function(self, matrix: AbstractMatrix) -> Floats:
        """Return the scores of the rows, less the threshold."""
        scores: Floats = matrix.score(self.w) - self.threshold
        return scores

    def predict(self, matrix: AbstractMatrix) -> NDArray[Any]:
        """Return the classes of the rows."""
        above: NDArray[np.intp] = (self.decision_function(matrix) > 0.0).astype(np.intp)
        return self.classes_[above]

    def score(self, matrix: AbstractMatrix, y: NDArray[Any], sample_weight: Floats | None = None) -> float:
        """Return the area under the ROC curve, as the classifier itself does."""
        return auc(y == self.classes_[1], self.decision_function(matrix), sample_weight)


# Of weights, what they were fitted to with its rows, and what to score with its rows.
Scorer = Callable[[Floats, AbstractMatrix, Rows, AbstractMatrix, Rows], float]


def check_jobs(n_jobs: Any) -> int | None:
    """Return how many folds to work at, at a time, as joblib reads it."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(
            f"n_jobs={n_jobs!r} is no number of folds at a time; write one from 1 up, -1 for one a core, or None."
        )
    return None if n_jobs is None else int(n_jobs)


def make_scorer(scoring: Any, operating_point: Any, *, weighted: bool) -> Scorer:
    """Return what scores weights on held-out rows: AUC if None, else what scikit-learn makes of it."""
    if scoring is None or (isinstance(scoring, str) and scoring == "roc_auc"):
        return _score_auc
    if not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(f"scoring={scoring!r} is no score to choose by; write one name, such as 'average_precision'.")
    scorer = get_scorer(scoring)
    if weighted and "sample_weight" not in inspect.signature(scorer).parameters:
        raise ValueError(
            f"scoring={scoring!r} takes no sample_weight, but rows are weighted. Give it a parameter of that name, "
            "or leave sample_weight out."
        )

    def score(w: Floats, matrix: AbstractMatrix, rows: Rows, held_out: AbstractMatrix, test: Rows) -> float:
        threshold = 0.0
        if operating_point is not None:
            threshold = find_threshold(
                rows.positive, matrix.score(w), rows.weights, operating_point=operating_point
            ).threshold
        options = {} if test.weights is None else {"sample_weight": test.weights}
        # scikit-learn's own scores by name take the label 1 for the positive one; a callable is handed labels as given.
        if isinstance(scoring, str):
            classes, labels = np.array([0, 1]), test.positive.astype(np.intp)
        else:
            classes, labels = np.array(test.classes.tolist()), name_labels(test)
        model = FoldModel(w, threshold, classes)
        try:
            found = scorer(model, held_out, labels, **options)
        except AttributeError as error:
            raise ValueError(
                f"scoring={scoring!r} asks for what a ranking has not, as probabilities. Write one that looks at "
                "decisions or classes, such as 'average_precision'."
            ) from error
        if not isinstance(found, Real) or not np.isfinite(float(found)):
            raise ValueError(
                f"scoring={scoring!r} returned {found!r}, which is no score to choose by. Return a finite number."
            )
        return float(found)

    return score


def _score_auc(w: Floats, matrix: AbstractMatrix, rows: Rows, held_out: AbstractMatrix, test: Rows) -> float:
    return auc(test.positive, held_out.score(w), test.weights)


# Of a fold, the features to fit to and those to score; what it draws comes from the generator.
Divide = Callable[[Fold, np.random.Generator], tuple[AbstractMatrix, AbstractMatrix]]


class Search(NamedTuple):
    """What all paths of a search share."""

    settings: Settings
    rows: Rows
    folds: list[Fold]
    alphas: Floats
    scorer: Scorer
    n_jobs: int | None
    reporter: Reporter

    def score(
        self,
        divide: Divide,
        *,
        wanted: Mask | None = None,
        gamma: float | None = None,
    ) -> GridScores:
        """Return the scores of the wanted alphas, each fold's features being those that ``divide`` returns.

        Folds run side by side in threads, each with a generator of its own, so that the number of threads changes
        nothing.
        """
        wanted = np.ones(len(self.alphas), dtype=np.bool_) if wanted is None else wanted
        rngs = self.settings.rng.spawn(len(self.folds))
        with use_one_thread():
            paths = Parallel(self.n_jobs, backend="threading")(
                delayed(self._score_fold)(fold, divide, wanted, gamma, rng)
                for fold, rng in zip(self.folds, rngs, strict=True)
            )
        scores, seconds, gaps = (np.stack([path[part] for path in paths], axis=1) for part in range(3))
        return GridScores(scores, seconds, gaps, [path[3] for path in paths])

    def leave_out(self) -> GridScores:
        """Return what is known where no alpha is asked for."""
        nothing = np.full((len(self.alphas), len(self.folds)), np.nan)
        return GridScores(nothing, nothing, nothing, [[None] * len(self.alphas) for _ in self.folds])

    def _score_fold(
        self, fold: Fold, divide: Divide, wanted: Mask, gamma: float | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats, Floats, list[Floats | None]]:
        scores, seconds, gaps = np.full((3, len(self.alphas)), np.nan)
        coefs: list[Floats | None] = [None] * len(self.alphas)
        teller = self.reporter.start_path(fold.number, gamma, int(wanted.sum()))
        settings = self.settings._replace(rng=rng)
        begun = perf_counter()
        train, test = self.rows.tell(fold.train), self.rows.tell(fold.test)
        matrix, held_out = divide(fold, rng)
        path = settings.follow(settings.pose(matrix, train), self.alphas[wanted], exact=False)
        for place, solution in zip(np.flatnonzero(wanted), path, strict=True):
            scores[place] = self.scorer(solution.w, matrix, train, held_out, test)
            gaps[place], coefs[place] = solution.relative_gap, solution.w
            seconds[place] = perf_counter() - begun
            teller.tell(float(self.alphas[place]), float(scores[place]))
            begun = perf_counter()
        teller.close()
        return scores, seconds, gaps, coefs


def draw_screen(rows: Rows, rng: np.random.Generator) -> NDArray[np.intp] | None:
    """Return the places of a sample that keeps the shares of the classes; None where all rows cost little more."""
    n_rows = len(rows.positive)
    if n_rows < WORTH * SCREEN_ROWS:
        return None
    chosen = []
    for own in (rows.positive, ~rows.positive):
        members = np.flatnonzero(own)
        # All of a class that is rare: it is the one that scores depend on.
        size = min(len(members), max(SCREEN_ROWS // 5, round(SCREEN_ROWS * len(members) / n_rows)))
        chosen.append(rng.choice(members, size, replace=False))
    return np.sort(np.concatenate(chosen))


def find_hopeful(scores: Floats) -> Mask:
    """Return which points, of scores of shape (..., n_folds), may yet be the best by what a screening has seen."""
    best = scores.reshape(-1, scores.shape[-1])[int(np.argmax(scores.mean(axis=-1)))]
    behind = best - scores
    error = behind.std(axis=-1, ddof=1) / np.sqrt(scores.shape[-1]) if scores.shape[-1] > 1 else 0.0
    return np.asarray(behind.mean(axis=-1) <= np.maximum(BEHIND, ERRORS * error))


def choose_point(scores: Floats, rule: str) -> int:
    """Return the place of the best mean score along alphas that fall, the largest alpha of equals.

    By the rule "one_se" it is the largest alpha whose mean is at most one standard error of the best below it.
    """
    means = scores.mean(axis=1)
    best = int(np.nanargmax(means))
    if rule == "best" or scores.shape[1] < 2:
        return best
    error = scores[best].std(ddof=1) / np.sqrt(scores.shape[1])
    return int(np.flatnonzero(means >= means[best] - error)[0])
