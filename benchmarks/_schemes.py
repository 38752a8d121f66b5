"""Ways to choose landmarks side by side, with more of them, with enough of them, and with the whole kernel."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks._datasets import Split
from benchmarks._kernel_quality import bound_full, find_share, score
from benchmarks._problems import Problem
from benchmarks._rivals import TOL
from benchmarks._store import Tell
from rocsvm import KernelROCSVM, NystroemFeatures
from rocsvm.inspection import auc
from rocsvm.landmarks import LANDMARKS
from rocsvm.solvers import Step

# Up to so many rows the whole kernel is affordable: its matrix and copies are 3 GB.
EXACT_ROWS = 10_000
# Seconds after which a fit with landmarks "auto" is given up.
PATIENCE = 30.0
AUTO, EXACT = "auto", "exact"


@dataclass(frozen=True)
class SchemeEntry:
    """A scheme on a problem: median seconds of the choice and of the whole fit, the share of the trace of K that the
    features leave, and how far the model is from the best of the whole kernel.
    """

    dataset: str
    scheme: str
    n_landmarks: int
    n_features: int
    choice: float | None
    seconds: float
    left: float
    auc: float
    objective: float
    lower_bound: float
    gap_full: float


class OutOfTimeError(Exception):
    """A fit took longer than it is worth waiting for."""


def compare_schemes(problem: Problem, sizes: Sequence[int], repeats: int, tell: Tell) -> list[SchemeEntry]:
    """Return an entry for each scheme and size that is done in time, medians over seeds.

    Each entry's bound on the best of the whole kernel holds for all, so the best of them serves all.
    """
    tell("loading")
    split = problem.dataset.load()
    kernel: dict[str, Any] = {"gamma": problem.gamma, "tol": TOL}
    ways = [(scheme, {"n_landmarks": size, "landmarks": scheme, **kernel}) for size in sizes for scheme in LANDMARKS]
    ways.append((AUTO, {"n_landmarks": "auto", "verbose": Watch(PATIENCE), **kernel}))
    if len(split.y) <= EXACT_ROWS:
        ways.append((EXACT, {"features": "exact", **kernel}))
    entries = []
    for scheme, given in ways:
        tell(f"{scheme} {given.get('n_landmarks', '')}")
        # Slow ones are measured once.
        once = scheme in (AUTO, EXACT)
        try:
            entries.append(measure_scheme(problem, split, scheme, given, 1 if once else repeats))
        except OutOfTimeError as error:
            tell(f"{scheme}: {error}")
    best = max(entry.lower_bound for entry in entries)
    return [SchemeEntry(**(vars(entry) | {"gap_full": find_share(entry.objective, best)})) for entry in entries]


class Watch:
    """What ends a fit, from inside, that has run for so many seconds since its first step."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.start: float | None = None

    def __call__(self, step: Step) -> None:
        now = time.monotonic()
        self.start = now if self.start is None else self.start
        if now - self.start > self.seconds:
            raise OutOfTimeError(f"not done in {self.seconds:.0f} s")


def measure_scheme(problem: Problem, split: Split, scheme: str, given: dict[str, Any], repeats: int) -> SchemeEntry:
    """Return the entry of one scheme, by its own bound."""
    choices, seconds, shares, left, objectives = [], [], [], [], []
    bound = -np.inf
    for seed in range(repeats):
        if scheme in LANDMARKS:
            features = NystroemFeatures(
                gamma=problem.gamma, n_landmarks=given["n_landmarks"], landmarks=scheme, random_state=seed
            )
            start = time.perf_counter()
            features.fit(split.X, split.y)
            choices.append(time.perf_counter() - start)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KernelROCSVM(problem.alpha, random_state=seed, **given).fit(split.X, split.y)
        seconds.append(time.perf_counter() - start)
        shares.append(auc(split.y_test, score(model, split.X_test)))
        left.append(measure_left(model, split.X))
        objectives.append(model.objective_)
        if seed == 0:
            bound = model.objective_ - model.dual_gap_ if scheme == EXACT else bound_full(model, split).lower_bound
    objective = float(np.median(objectives))
    return SchemeEntry(
        problem.name,
        scheme,
        model.landmarks_.shape[0],
        model.coef_.shape[1],
        float(np.median(choices)) if choices else None,
        float(np.median(seconds)),
        float(np.median(left)),
        float(np.median(shares)),
        objective,
        bound,
        float(find_share(objective, bound) or 0.0),
    )


def measure_left(model: KernelROCSVM, X: Any) -> float:
    """Return the share of the trace of the kernel matrix that the model's features leave."""
    step = 20_000
    blocks = (model.features_.compute(X[start : start + step]) for start in range(0, len(X), step))
    seen = sum(float(np.einsum("ij,ij->", Z, Z, dtype=np.float64)) for Z in blocks)
    return max(1.0 - seen / float(model.features_.kernel_.diagonal(X).sum()), 0.0)
