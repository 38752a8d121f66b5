"""What the commands share: arguments, progress, data that is not at hand, and where a report goes."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, TypeVar

from benchmarks._bars import Bar
from benchmarks._datasets import AbstractDataset, MissingDataError
from benchmarks._environment import THREADS, fingerprint

RESULTS = Path(__file__).parent / "results"


class AbstractResults(Protocol):
    """What was measured, and what is to be known about it; a dataclass."""

    environment: dict[str, str]
    notes: list[str]
    skipped: list[str]


def parse(
    name: str, arguments: Sequence[str] | None, description: str | None, *, only: str, repeats: int
) -> argparse.Namespace:
    """Return what the command line asks of a benchmark."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--quick", action="store_true", help="small data and few repeats: under a minute")
    parser.add_argument("--only", metavar="NAME", help=only)
    parser.add_argument("--repeats", type=int, metavar="N", help=f"rounds per dataset ({repeats}; with --quick, 3)")
    options = parser.parse_args(arguments)
    if options.repeats is None:
        options.repeats = 3 if options.quick else repeats
    if options.repeats < 1:
        parser.error(f"--repeats {options.repeats} measures nothing; write 1 or more")
    return options


R = TypeVar("R", bound=AbstractResults)


def conduct(
    name: str,
    options: argparse.Namespace,
    results: R,
    run: Callable[[argparse.Namespace, R], None],
    write_report: Callable[[R], str],
    list_bars: Callable[[R], list[Bar]],
) -> None:
    """Run, and show what there is, also when interrupted; keep what a complete run measured."""
    complete = False
    unset = [variable for variable in THREADS if results.environment[variable] != "1"]
    if unset:
        tell(f"{' and '.join(unset)} should be 1, so that all run on one thread; `make bench` sees to it")
    try:
        run(options, results)
        complete = not options.quick and options.only is None
    except KeyboardInterrupt:
        tell("stopped; what there is:")
    if fingerprint() != results.environment["source"]:
        results.notes.append("The library's source changed while this ran: times are the old one's, memory is both's.")
    report = write_report(results)
    print(f"\n{report}")
    if complete:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.md").write_text(report + "\n", encoding="utf-8")
        content: dict[str, Any] = {"bars": [asdict(bar) for bar in list_bars(results)], **asdict(results)}
        text = json.dumps(content, indent=1, default=float)
        (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


@contextlib.contextmanager
def skip_missing(dataset: AbstractDataset, skipped: list[str]) -> Iterator[None]:
    """Note why a dataset is left out where it is not at hand."""
    try:
        yield
    except MissingDataError as error:
        skip(f"{dataset.name}: {error}", skipped)


def skip(reason: str, skipped: list[str]) -> None:
    """Say once, here and in the report, what is left out and why."""
    if reason not in skipped:
        skipped.append(reason)
        tell(f"skipped {reason}")


START = time.monotonic()


def tell(text: str, prefix: str = "") -> None:
    """Say what runs now, on standard error, so that the tables can be redirected."""
    print(f"{time.monotonic() - START:6.0f} s  {prefix}{': ' if prefix else ''}{text}", file=sys.stderr, flush=True)
