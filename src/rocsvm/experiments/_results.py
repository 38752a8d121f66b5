"""Results kept as they come, a line each, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

import numpy as np

from rocsvm.experiments._cells import Cell


@dataclass(frozen=True)
class Result:
    """What one repeat of a cell gave; ``fault`` says why it gave nothing.

    ``best`` is the AUC, on the same test rows, of what ranks best in the population, where that is known.
    """

    cell: str
    repeat: int
    seconds: float = float("nan")
    search_seconds: float = float("nan")
    alpha: float = float("nan")
    auc: float = float("nan")
    best: float = float("nan")
    gap: float = float("nan")
    n_iter: int = 0
    fault: str = ""


Kind = TypeVar("Kind", bound=Any)


class Ledger(Generic[Kind]):
    """A file of results of one kind that grows by whole lines."""

    def __init__(self, path: Path, kind: type[Kind]) -> None:
        self.path = path
        self.kind = kind
        path.parent.mkdir(parents=True, exist_ok=True)
        self._mend()

    def _mend(self) -> None:
        """Drop a last line that was cut off, as by a loss of power."""
        if not self.path.exists():
            return
        text = self.path.read_bytes()
        n_whole = text.rfind(b"\n") + 1
        if n_whole < len(text):
            os.truncate(self.path, n_whole)

    def read(self) -> list[Kind]:
        """Return all results so far."""
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        results = []
        for number, line in enumerate(lines, start=1):
            try:
                results.append(self._check(self.kind(**json.loads(line))))
            except (ValueError, TypeError) as error:
                raise ValueError(
                    f"Line {number} of {self.path} is no result: {line[:60]!r}. Delete that line, or name another "
                    "folder."
                ) from error
        return results

    def _check(self, result: Kind) -> Kind:
        """Return a result whose values are of the types of its fields; raise TypeError for another."""
        for name, wanted in get_type_hints(self.kind).items():
            value = getattr(result, name)
            if not isinstance(value, (int, float) if wanted is float else wanted):
                raise TypeError(f"{name} is {value!r}")
        return result

    def add(self, result: Kind) -> None:
        """Write one down, on disk before anything else is done."""
        with self.path.open("a", encoding="utf-8") as file:
            # NaN is no JSON; what is left out is read back as NaN.
            known = {name: value for name, value in asdict(result).items() if value == value}  # noqa: PLR0124
            file.write(json.dumps(known) + "\n")
            file.flush()
            os.fsync(file.fileno())


class Summary(NamedTuple):
    """A cell's mean over its repeats, with standard errors; AUC in per cent.

    ``behind`` is how far the AUC is below that of the best scorer on the same test rows, and below 100 where none is
    known. Its mean is the distance from the population AUC, without the luck of the test rows. ``alphas`` are the
    least, the median and the largest penalty chosen, ``n_iter`` the median number of steps, ``gap`` the widest.
    """

    cell: Cell
    n_repeats: int
    seconds: float = float("nan")
    seconds_error: float = float("nan")
    search_seconds: float = float("nan")
    auc: float = float("nan")
    auc_error: float = float("nan")
    behind: float = float("nan")
    behind_error: float = float("nan")
    alphas: tuple[float, float, float] = (float("nan"),) * 3
    n_iter: int = 0
    gap: float = float("nan")
    fault: str = ""


def summarise(cells: Iterable[Cell], results: Iterable[Result]) -> list[Summary]:
    """Return what is known of each cell of which anything is; of a repeat that was run again, what came last."""
    by_cell: dict[str, list[Result]] = defaultdict(list)
    for result in {(result.cell, result.repeat): result for result in results}.values():
        by_cell[result.cell].append(result)
    return [_average(cell, by_cell[cell.key]) for cell in cells if cell.key in by_cell]


def _average(cell: Cell, results: list[Result]) -> Summary:
    good = [result for result in results if not result.fault]
    faults = [result.fault for result in results if result.fault]
    if not good:
        return Summary(cell, 0, fault=faults[-1])
    seconds, auc = np.array([one.seconds for one in good]), 100.0 * np.array([one.auc for one in good])
    behind = np.array([100.0 if np.isnan(one.best) else 100.0 * one.best for one in good]) - auc
    search = float(np.mean([one.search_seconds for one in good]))
    alphas = np.quantile([one.alpha for one in good], [0.0, 0.5, 1.0], method="lower").tolist()
    return Summary(
        cell,
        len(good),
        float(seconds.mean()),
        _find_error(seconds),
        search,
        float(auc.mean()),
        _find_error(auc),
        float(behind.mean()),
        _find_error(behind),
        tuple(alphas),
        int(np.median([one.n_iter for one in good])),
        max(one.gap for one in good),
    )


def _find_error(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the standard error of a mean, not known from one value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
