"""Tables in Markdown, aligned so that they read well as plain text too."""

from __future__ import annotations

from collections.abc import Sequence


def write_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column is text and whose others are numbers, flushed right."""
    # A rule needs three signs.
    widths = [max(3, *(len(cell) for cell in column)) for column in zip(headers, *rows, strict=True)]
    rule = [("-" * width if place == 0 else "-" * (width - 1) + ":") for place, width in enumerate(widths)]
    return "\n".join(_write_row(row, widths) for row in [headers, rule, *rows])


def _write_row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell.ljust(width) if place == 0 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def write_number(value: float | None, digits: int = 3) -> str:
    """Return a number to a few significant digits without an exponent where one reads well; a dash for None."""
    if value is None:
        return "–"
    if value == 0.0 or 1e-4 <= abs(value) < 1e6:
        decimals = digits - 1 - _find_magnitude(value)
        return f"{value:,.{max(decimals, 0)}f}"
    return f"{value:.{digits - 1}e}"


def _find_magnitude(value: float) -> int:
    return int(f"{value:e}".rpartition("e")[2])


def write_share(value: float) -> str:
    """Return a share in per cent."""
    return f"{100.0 * value:.3g} %"
