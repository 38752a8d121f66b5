"""Axes to draw on; Matplotlib is imported where something is drawn, and only there."""

from __future__ import annotations

from typing import Any


def open_axes(ax: Any) -> Any:
    """Return the axes given, or those of a new figure."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Pictures are drawn by Matplotlib, which is not installed: pip install matplotlib."
        ) from error
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax
