"""From a tidy text to what callers ask for: arrays, frames, or all of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from rocsvm.datasets._source import Source


def serve(
    source: Source,
    text: bytes,
    features: Sequence[str],
    *,
    return_X_y: bool,
    as_frame: bool,
    target_names: Sequence[str],
    description: str,
) -> Any:
    """Return the features named and the target, as scikit-learn's fetchers do."""
    columns = read_columns(source, text)
    table = {name: columns[name] for name in features}
    X: Any
    y: Any = columns["target"]
    frame = None
    if as_frame:
        pandas = import_pandas(source.name)
        X, y = pandas.DataFrame(table), pandas.Series(y, name="target")
        frame = X.assign(target=y)
    else:
        X = stack(table)
    if return_X_y:
        return X, y
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        feature_names=list(features),
        target_names=list(target_names),
        DESCR=description,
    )


def read_columns(source: Source, text: bytes) -> dict[str, NDArray[Any]]:
    """Return the columns of a checked text, each in its type."""
    _, *rows = csv.reader(io.StringIO(text.decode(), newline=""))
    kinds = [*source.columns.items(), ("target", int)]
    return {
        name: np.array(cells, dtype=object) if kind is str else np.array([kind(cell) for cell in cells])
        for (name, kind), cells in zip(kinds, zip(*rows, strict=True), strict=True)
    }


def stack(table: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Return columns side by side: numbers in double precision, or objects where some are text."""
    columns = list(table.values())
    is_mixed = any(column.dtype == object for column in columns)
    out = np.empty((len(columns[0]), len(columns)), dtype=object if is_mixed else np.float64)
    for place, column in enumerate(columns):
        out[:, place] = column
    return out


def import_pandas(name: str) -> Any:
    """Return pandas, or say that it is missing."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            f"as_frame=True asks for the {name} dataset as a data frame, but pandas is not installed. Install it, or "
            "write as_frame=False."
        ) from error
    return pandas
