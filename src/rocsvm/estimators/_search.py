"""The scores of a grid on every fold, along warm-started paths, and the point to choose."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
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
# accelerometer, ijcnn1, covtype, a9a and bank, the point that was best on all rows was behind by 0.0015 at most.
BEHIND, ERRORS = 0.005, 4.0
# The relative gap that is enough to tell hopeless points.
SCREEN_TOL = 1e-2
# A path is given up where it has been behind for so many alphas, each time by so many standard errors and 0.005.
IN_A_ROW, FALL_ERRORS = 2, 1.0


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
        model = FoldModel(w, threshold, np.array(test.classes.tolist()))
        try:
            found = scorer(model, held_out, name_labels(test), **options)
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


# Whether to give up the rest of a path, of the scores so far, of shape (n_alphas, n_folds).
GiveUp = Callable[[Floats], bool]


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
        give_up: GiveUp | None = None,
    ) -> GridScores:
        """Return the scores of the wanted alphas, each fold's features being those that ``divide`` returns.

        Folds run side by side in threads, each with a generator of its own, so that the number of threads changes
        nothing. Where alphas may be given up, folds wait for each other at each of them, and all their features are in
        memory at a time.
        """
        wanted = np.ones(len(self.alphas), dtype=np.bool_) if wanted is None else wanted
        rngs = self.settings.rng.spawn(len(self.folds))
        paths = [_Path(self, fold, divide, wanted, gamma, rng) for fold, rng in zip(self.folds, rngs, strict=True)]
        with use_one_thread(), Parallel(self.n_jobs, backend="threading") as pool:
            if give_up is None:
                pool(delayed(path.run)() for path in paths)
            else:
                for n_done in range(1, int(wanted.sum()) + 1):
                    pool(delayed(path.advance)() for path in paths)
                    if give_up(np.stack([path.scores[wanted][:n_done] for path in paths], axis=1)):
                        break
                for path in paths:
                    path.close()
        scores, seconds, gaps = (
            np.stack([getattr(path, part) for path in paths], axis=1) for part in ("scores", "seconds", "gaps")
        )
        return GridScores(scores, seconds, gaps, [path.coefs for path in paths])

    def leave_out(self) -> GridScores:
        """Return what is known where no alpha is asked for."""
        nothing = np.full((len(self.alphas), len(self.folds)), np.nan)
        return GridScores(nothing, nothing, nothing, [[None] * len(self.alphas) for _ in self.folds])


class _Path:
    """The path of one fold over the wanted alphas, from the largest down."""

    def __init__(
        self, search: Search, fold: Fold, divide: Divide, wanted: Mask, gamma: float | None, rng: np.random.Generator
    ) -> None:
        self.scores, self.seconds, self.gaps = np.full((3, len(search.alphas)), np.nan)
        self.coefs: list[Floats | None] = [None] * len(search.alphas)
        self._search, self._fold, self._divide, self._rng = search, fold, divide, rng
        self._places, self._gamma = np.flatnonzero(wanted), gamma
        self._steps: Generator[None, None, None] | None = None

    def run(self) -> None:
        """Go all the way."""
        for _ in self._walk():
            pass

    def advance(self) -> None:
        """Go on to the next alpha."""
        if self._steps is None:
            self._steps = self._walk()
        next(self._steps)

    def close(self) -> None:
        """Let go of the features, wherever the path ended."""
        if self._steps is not None:
            self._steps.close()

    def _walk(self) -> Generator[None, None, None]:
        search, fold = self._search, self._fold
        teller = search.reporter.start_path(fold.number, self._gamma, len(self._places))
        begun = perf_counter()
        train, test = search.rows.tell(fold.train), search.rows.tell(fold.test)
        matrix, held_out = self._divide(fold, self._rng)
        settings = search.settings._replace(rng=self._rng)
        path = settings.follow(settings.pose(matrix, train), search.alphas[self._places], exact=False)
        n_done = 0
        try:
            for place, solution in zip(self._places, path, strict=True):
                self.scores[place] = search.scorer(solution.w, matrix, train, held_out, test)
                self.gaps[place], self.coefs[place] = solution.relative_gap, solution.w
                self.seconds[place] = perf_counter() - begun
                teller.tell(float(search.alphas[place]), float(self.scores[place]))
                n_done += 1
                yield
                begun = perf_counter()
        finally:
            teller.close(n_left=len(self._places) - n_done)


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
    best = find_best(scores.reshape(-1, scores.shape[-1]))
    return ~is_behind(best, scores, ERRORS) & np.isfinite(scores).all(axis=-1)


def find_best(scores: Floats) -> Floats:
    """Return the scores of the point, of those known of all folds, that has the best mean."""
    best: Floats = scores[int(np.nanargmax(scores.mean(axis=-1)))]
    return best


def is_behind(best: Floats, scores: Floats, errors: float) -> Mask:
    """Return which points are behind the best one by so much that it can hardly be the luck of the folds."""
    behind = best - scores
    error = behind.std(axis=-1, ddof=1) / np.sqrt(scores.shape[-1]) if scores.shape[-1] > 1 else 0.0
    return np.asarray(behind.mean(axis=-1) > np.maximum(BEHIND, errors * error))


class Falling:
    """Gives a path up once its scores have fallen behind, at some alphas in a row, its own best and that of all paths.

    What is left of it are penalties yet smaller, which fit the rows yet closer.
    """

    def __init__(self) -> None:
        self._best: Floats | None = None

    def __call__(self, scores: Floats) -> bool:
        """Return whether to give the rest of a path up, of the scores so far."""
        own = find_best(scores)
        if self._best is None or own.mean() > self._best.mean():
            self._best = own
        last = scores[-IN_A_ROW:]
        return bool(
            len(scores) > IN_A_ROW
            and is_behind(own, last, FALL_ERRORS).all()
            and is_behind(self._best, last, FALL_ERRORS).all()
        )


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
