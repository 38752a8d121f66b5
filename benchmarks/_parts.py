"""Where the time of our own fit goes: landmarks, features, and the solve."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from benchmarks._rivals import TOL
from rocsvm import AllPairs, Hinge, Newton, NystroemFeatures
from rocsvm.features import wrap_matrix
from rocsvm.objective import Objective
from rocsvm.threads import use_one_thread
from rocsvm.validation import make_generator


class Parts(NamedTuple):
    """Seconds of each part, how many features there are, and the weights that came out."""

    landmarks: float
    features: float
    solve: float
    n_features: int
    w: Any


def time_parts(X: Any, y: Any, *, alpha: float, gamma: float, n_landmarks: int, seed: int) -> Parts:
    """Return the seconds of the parts of ``KernelROCSVM.fit``, taken one by one; the model is the same."""
    rng = make_generator(seed)
    positive = y == 1
    start = time.perf_counter()
    features = NystroemFeatures(gamma=gamma, n_landmarks=n_landmarks).learn(X, positive, None, rng)
    chosen = time.perf_counter()
    Z = features.compute(X)
    computed = time.perf_counter()
    objective = Objective(wrap_matrix(Z), AllPairs().bind(positive, None, rng), Hinge(), alpha)
    with use_one_thread():
        solution = Newton().solve(objective, tol=TOL, rng=rng)
    solved = time.perf_counter()
    return Parts(chosen - start, computed - chosen, solved - computed, Z.shape[1], solution.w)
