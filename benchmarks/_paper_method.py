"""The paper's own way to train a ROC-SVM, linear or of Nyström features, in plain NumPy: a rival, and no part of the
library.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

Floats = NDArray[np.float64]

# Eigenvalues below this share of the largest count as zero in the pseudo-inverse.
RANK_TOL = 1e-10
STEP, BETA1, BETA2 = 0.002, 0.9, 0.999
TOLERANCE, MAX_ITER = 1e-4, 50_000


class PaperROCSVM(ClassifierMixin, BaseEstimator):
    """The incomplete linear ROC-SVM of section 2.2: n pairs drawn with replacement, hinge, ADAMAX."""

    def __init__(self, alpha: float = 1e-3, *, random_state: int | None = None) -> None:
        self.alpha = alpha
        self.random_state = random_state

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        self.classes_ = np.unique(y)
        rng = np.random.default_rng(self.random_state)
        differences = draw_differences(X, y == self.classes_[1], len(y), rng)
        beta, self.n_iter_ = minimise_hinge(differences, self.alpha)
        if self.n_iter_ == MAX_ITER:
            warnings.warn(f"{MAX_ITER} steps did not suffice.", ConvergenceWarning, stacklevel=2)
        self.coef_ = beta[None, :]
        self.intercept_ = np.zeros(1)
        return self

    def decision_function(self, X: Any) -> Floats:
        scores: Floats = X @ self.coef_[0]
        return scores


class PaperNystroem(TransformerMixin, BaseEstimator):
    """The Nyström features of section 3.1: ``C @ K^(-1/2)``, a stratified draw of the rows as landmarks."""

    def __init__(self, gamma: float, n_landmarks: int = 300, *, random_state: int | None = None) -> None:
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        rng = np.random.default_rng(self.random_state)
        self.landmarks_ = X[draw_stratified(y, self.n_landmarks, rng)]
        values, vectors = np.linalg.eigh(rbf_kernel(self.landmarks_, gamma=self.gamma))
        kept = values > RANK_TOL * values[-1]
        self.root_ = vectors[:, kept] / np.sqrt(values[kept]) @ vectors[:, kept].T
        return self

    def transform(self, X: Any) -> Floats:
        features: Floats = rbf_kernel(X, self.landmarks_, gamma=self.gamma) @ self.root_
        return features


def draw_stratified(y: NDArray[Any], n_rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the places of so many rows, drawn from each class in proportion to its size, one at least."""
    classes, counts = np.unique(y, return_counts=True)
    n_pos = int(np.clip(round(n_rows * counts[1] / counts.sum()), 1, n_rows - 1))
    wanted = (n_rows - n_pos, n_pos)
    drawn = [
        rng.choice(np.flatnonzero(y == label), size, replace=False) for label, size in zip(classes, wanted, strict=True)
    ]
    return np.concatenate(drawn)


def draw_differences(X: Any, positive: NDArray[np.bool_], n_pairs: int, rng: np.random.Generator) -> Any:
    """Return ``X[i] - X[j]`` of pairs of a positive i and a negative j, drawn with replacement."""
    rows_pos, rows_neg = np.flatnonzero(positive), np.flatnonzero(~positive)
    chosen_pos = rows_pos[rng.integers(len(rows_pos), size=n_pairs)]
    chosen_neg = rows_neg[rng.integers(len(rows_neg), size=n_pairs)]
    differences = X[chosen_pos] - X[chosen_neg]
    # Column by column: with two features, products with it take a tenth less time than row by row.
    return differences if sparse.issparse(differences) else np.asfortranarray(differences)


def minimise_hinge(differences: Any, alpha: float) -> tuple[Floats, int]:
    """Return the weights where ADAMAX stops on ``mean max(0, 1 - D beta) + alpha / 2 * norm(beta)**2``.

    The subgradient takes two products with D. Of four ways to write it, this was the fastest by far at
    n = 100,000 and p = 2: 0.26 s, against 2.7 s with the violating rows gathered by a mask and 4.8 s with
    all rows multiplied by it.
    """
    n_pairs, n_features = differences.shape
    beta, mean, bound = np.zeros(n_features), np.zeros(n_features), np.zeros(n_features)
    n_iter, change = 0, np.inf
    while change >= TOLERANCE and n_iter < MAX_ITER:
        n_iter += 1
        violated = (differences @ beta < 1.0).astype(np.float64)
        gradient = alpha * beta - (violated @ differences) / n_pairs
        mean = BETA1 * mean + (1.0 - BETA1) * gradient
        bound = np.maximum(BETA2 * bound, np.abs(gradient))
        # A feature that no pair differs in has gradient zero, and stays.
        step = STEP / (1.0 - BETA1**n_iter) * np.divide(mean, bound, out=np.zeros_like(mean), where=bound > 0.0)
        beta = beta - step
        change = float(np.abs(step).max())
    return beta, n_iter
