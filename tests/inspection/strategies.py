"""Hypothesis strategies for rankings: ties, infinities, neighbouring floats, rare classes, rows without weight."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.strategies import labels

Ranking = tuple[NDArray[np.bool_], NDArray[np.floating], NDArray[np.float64] | None]

MAX_ROWS = 30
EXTREMES = [0.0, -0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0), 1e308, np.finfo(float).max, -np.finfo(float).max, -1e308]


@st.composite
def rankings(draw: st.DrawFn, *, weights: str = "any", lowest: float = -np.inf) -> Ranking:
    """Return labels, scores and weights; both classes carry weight. ``weights`` is any, none, integer or float."""
    n = draw(st.integers(2, MAX_ROWS))
    score = draw(
        st.sampled_from(
            [
                st.integers(-2, 2).map(float),
                st.sampled_from([*EXTREMES, np.inf, lowest]),
                st.floats(lowest, allow_nan=False),
                st.floats(-3.0, 3.0),
            ]
        )
    )
    scores = np.array(draw(st.lists(score, min_size=n, max_size=n)))
    y = draw(labels(n))
    kind = draw(st.sampled_from(["none", "integer", "float"])) if weights == "any" else weights
    if kind == "none":
        return y, scores, None
    weight = {"integer": st.integers(0, 4).map(float), "float": st.just(0.0) | st.floats(1e-3, 1e3)}[kind]
    drawn = np.array(draw(st.lists(weight, min_size=n, max_size=n)))
    for own in (y, ~y):
        if not drawn[own].any():
            drawn[np.flatnonzero(own)[0]] = 1.0
    return y, scores, drawn
