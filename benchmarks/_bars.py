"""What must hold, and whether it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks._table import write_table


@dataclass(frozen=True)
class Bar:
    """Something that must hold. ``met`` is None where it was not measured."""

    claim: str
    limit: str
    measured: str
    met: bool | None


def judge_bar(claim: str, limit: str, measured: str | None, met: bool) -> Bar:
    return Bar(claim, limit, "not measured", None) if measured is None else Bar(claim, limit, measured, met)


def write_bars(bars: Sequence[Bar]) -> str:
    verdicts = {True: "met", False: "NOT MET", None: "–"}
    rows = [(bar.claim, bar.limit, bar.measured, verdicts[bar.met]) for bar in bars]
    return write_table(["what", "bar", "measured", ""], rows)
