"""How many pairs, and how many landmarks: the distance from the exact optimum, certified."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from rocsvm.certificate import certify
from rocsvm.datasets import make_roc_linear, make_roc_radial
from rocsvm.estimators import KernelROCSVM, LinearROCSVM
from rocsvm.experiments._cells import TABLES
from rocsvm.experiments._results import Ledger
from rocsvm.pairs import IncompletePairs

N_ROWS, N_TEST = 10_000, 25_000
PAIRS_ALPHA, LANDMARKS_ALPHA = 1e-3, 1e-4
# Pairs as multiples of the rows.
MULTIPLES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
LANDMARKS = (10, 20, 50, 100, 200, 400)
SCHEMES = ("uniform", "stratified", "kmeans", "leverage", "rpcholesky")
PAIRS_REPEATS, LANDMARKS_REPEATS, QUICK_REPEATS = 10, 5, 1
# To which relative gap the best objective is found: over all pairs, and over the whole kernel by so many landmarks.
TOL, REFERENCE_LANDMARKS = 1e-6, 400


@dataclass(frozen=True)
class Finding:
    """What one model of a study is worth.

    ``excess`` is how far its objective, over all pairs, is above a proved lower bound on the best, as a share of
    that bound: over linear models in the study of pairs, over the whole kernel in that of landmarks. Models of the same
    rows are measured by the same bound.
    """

    study: str
    scheme: str
    size: float
    repeat: int
    excess: float
    auc: float
    seconds: float

    @property
    def key(self) -> tuple[str, str, float, int]:
        """What was asked."""
        return self.study, self.scheme, self.size, self.repeat


Question = tuple[str, str, float, int]


def list_questions(tables: Iterable[int] = TABLES, *, quick: bool = False) -> list[Question]:
    """Return what the studies ask: of pairs with table 1, of landmarks with table 2. A quick one asks less."""
    multiples, landmarks = (MULTIPLES[::2], LANDMARKS[::2]) if quick else (MULTIPLES, LANDMARKS)
    pairs_repeats, landmarks_repeats = (QUICK_REPEATS,) * 2 if quick else (PAIRS_REPEATS, LANDMARKS_REPEATS)
    tables = set(tables)
    of_pairs: list[Question] = [
        ("pairs", scheme, multiple, repeat)
        for repeat in range(pairs_repeats)
        for scheme in ("with replacement", "without replacement")
        for multiple in multiples
    ]
    of_landmarks: list[Question] = [
        ("landmarks", scheme, float(n_landmarks), repeat)
        for repeat in range(landmarks_repeats)
        for scheme in SCHEMES
        for n_landmarks in landmarks
    ]
    return of_pairs * (1 in tables) + of_landmarks * (2 in tables)


def name_kind(question: Question) -> str:
    """Return what repeats of a question share."""
    study, scheme, size, _ = question
    return f"{study}, {scheme}, {size:g}"


def find_unanswered(questions: Sequence[Question], ledger: Ledger[Finding]) -> list[Question]:
    """Return the questions without a finding."""
    known = {finding.key for finding in ledger.read()}
    return [question for question in questions if question not in known]


def answer(question: Question) -> Finding:
    """Return the finding that answers a question."""
    return study_pairs(question) if question[0] == "pairs" else study_landmarks(question)


def study_pairs(question: Question) -> Finding:
    """Return how far a linear model of random pairs is from the best of all pairs."""
    _, scheme, multiple, repeat = question
    X, y = make_roc_linear(N_ROWS + N_TEST, random_state=repeat)
    train, test = slice(N_ROWS), slice(N_ROWS, None)
    pairs = IncompletePairs(round(multiple * N_ROWS), replace=scheme == "with replacement")
    begun = perf_counter()
    model = LinearROCSVM(PAIRS_ALPHA, pairs=pairs, tol=TOL, random_state=repeat).fit(X[train], y[train])
    seconds = perf_counter() - begun
    certificate = certify(model, X[train], y[train], tol=TOL)
    excess = certificate.objective / certificate.lower_bound - 1.0
    return Finding(*question, float(excess), model.score(X[test], y[test]), seconds)


def study_landmarks(question: Question) -> Finding:
    """Return how far a model of some landmarks is from the best of the whole kernel."""
    _, scheme, n_landmarks, repeat = question
    (X, y), (X_test, y_test) = draw_radial(repeat)
    begun = perf_counter()
    model = make_kernel_model(scheme, int(n_landmarks), repeat).fit(X, y)
    seconds = perf_counter() - begun
    # The norm of the function is that of its weights, so that the objective is that over the whole kernel.
    excess = model.objective_ / bound_whole_kernel(repeat) - 1.0
    return Finding(*question, float(excess), model.score(X_test, y_test), seconds)


@functools.cache
def bound_whole_kernel(repeat: int) -> float:
    """Return the best lower bound on the objective over the whole kernel that many landmarks prove."""
    (X, y), _ = draw_radial(repeat)
    model = make_kernel_model("rpcholesky", REFERENCE_LANDMARKS, repeat).fit(X, y)
    return float(certify(model, X, y, against="full", tol=TOL).lower_bound)


def make_kernel_model(scheme: str, n_landmarks: int, seed: int) -> KernelROCSVM:
    """Return a model of the study of landmarks, not fitted yet."""
    return KernelROCSVM(
        LANDMARKS_ALPHA, gamma=0.5, n_landmarks=n_landmarks, landmarks=scheme, tol=TOL, random_state=seed
    )


def draw_radial(repeat: int) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return the rows of a repeat, to train on and to test on."""
    X, y = make_roc_radial(N_ROWS + N_TEST, random_state=repeat)
    return (X[:N_ROWS], y[:N_ROWS]), (X[N_ROWS:], y[N_ROWS:])
