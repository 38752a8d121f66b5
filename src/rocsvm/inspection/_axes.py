"""Axes to draw on; Matplotlib is imported where something is drawn, and only there."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


def check_search(estimator: Any, attribute: str, wanted: str) -> None:
    """Raise TypeError unless this is such a search, known by its name, and NotFittedError unless it is fitted."""
    if isinstance(estimator, Pipeline):
        raise TypeError(f"A Pipeline has no search of its own to draw; give its last step, model[-1], if a {wanted}.")
    if not {kind.__name__ for kind in type(estimator).__mro__} & set(wanted.split(" or ")):
        raise TypeError(f"{type(estimator).__name__} is no search that can be drawn; give a fitted {wanted}.")
    check_is_fitted(estimator, attribute)


def open_axes(ax: Any) -> Any:
    """Return the axes given, or those of a new figure."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Pictures are drawn by Matplotlib, which is not installed: pip install matplotlib."
        ) from error
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax
