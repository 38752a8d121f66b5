"""What both searches share: their settings, their table of results, and what is kept of the choice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.utils.validation import check_consistent_length, column_or_1d

from rocsvm.estimators._base import ROCSVMClassifier, warn_of_gaps
from rocsvm.estimators._folds import split_folds
from rocsvm.estimators._progress import Reporter, SearchCallbacks, resolve_verbose
from rocsvm.estimators._search import GridScores, Search, check_jobs, make_scorer

Floats = NDArray[np.float64]

RULES = ("best", "one_se")


class ROCSVMSearch(SearchCallbacks, ROCSVMClassifier):
    """A classifier that chooses its own penalty by cross-validation."""

    cv: Any
    scoring: Any
    rule: str
    n_jobs: int | None

    alpha_: float
    alphas_: Floats
    best_index_: int
    best_score_: float
    cv_results_: dict[str, Any]
    n_splits_: int

    @property
    def fitted_alpha(self) -> float:
        """The penalty that was chosen."""
        return self.alpha_

    def _plan(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, groups: ArrayLike | None) -> Search:
        """Return what the search is to do, checked, on the rows that weigh anything; the alphas are yet to come."""
        settings = self._check_settings(1.0, None)
        on_progress, n_jobs = resolve_verbose(self.verbose), check_jobs(self.n_jobs)
        if self.rule not in RULES:
            raise ValueError(f"rule={self.rule!r} names no rule; write 'best' or 'one_se'.")
        rows = self._read_rows(X, y, sample_weight)
        if groups is not None:
            groups = column_or_1d(groups)
            check_consistent_length(rows.X, groups)
        folds = split_folds(5 if self.cv is None else self.cv, rows, groups)
        scorer = make_scorer(self.scoring, self.operating_point, weighted=rows.weights is not None)
        reporter = Reporter(self, on_progress)
        return Search(settings, rows.drop_weightless(), folds, np.empty(0), scorer, n_jobs, reporter)

    def _tabulate(self, grid: dict[str, Floats], found: GridScores) -> None:
        """Note the table of results, a row for each grid point, in scikit-learn's names."""
        scores, seconds = found.scores, found.seconds
        means = scores.mean(axis=1)
        results: dict[str, Any] = {f"param_{name}": values for name, values in grid.items()}
        results["params"] = [dict(zip(grid, point, strict=True)) for point in zip(*grid.values(), strict=True)]
        for fold in range(scores.shape[1]):
            results[f"split{fold}_test_score"] = scores[:, fold]
        results["mean_test_score"] = means
        results["std_test_score"] = scores.std(axis=1)
        results["rank_test_score"] = rankdata(-np.nan_to_num(means, nan=-np.inf), method="min").astype(np.int32)
        results["mean_fit_time"] = seconds.mean(axis=1)
        results["std_fit_time"] = seconds.std(axis=1)
        results["max_gap"] = found.gaps.max(axis=1)
        self.cv_results_ = results
        self.n_splits_ = scores.shape[1]
        warn_of_gaps(found.gaps, self.tol, "cv_results_['max_gap']")

    def _note_choice(self, index: int) -> None:
        self.best_index_ = index
        self.best_score_ = float(self.cv_results_["mean_test_score"][index])
        self.alpha_ = float(self.cv_results_["param_alpha"][index])


def average_starts(coefs: list[list[Floats | None]], place: int) -> Floats:
    """Return the mean weights of the folds at one alpha, a start for all rows."""
    return np.asarray(np.mean(np.array([path[place] for path in coefs]), axis=0))
