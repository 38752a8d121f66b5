"""What the commands share: arguments, progress, cases kept from earlier runs, and where a report goes."""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks._bars import Bar
from benchmarks._datasets import MissingDataError
from benchmarks._environment import THREADS, describe, fingerprint
from benchmarks._results import Results
from benchmarks._store import Case, Environment, Store

RESULTS = Path(__file__).parent / "results"


def parse(name: str, arguments: Sequence[str] | None, description: str | None, *, repeats: int) -> argparse.Namespace:
    """Return what the command line asks of a benchmark."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--quick", action="store_true", help="small data and few repeats; nothing is kept")
    parser.add_argument("--only", metavar="TEXT", help="measure the cases with this in their names, keep the others")
    parser.add_argument("--again", action="store_true", help="measure anew what was measured on this very source too")
    parser.add_argument("--keep", action="store_true", help="keep what was measured on an earlier source too")
    parser.add_argument("--report", action="store_true", help="measure nothing, and report what there is")
    parser.add_argument("--list", action="store_true", help="name the cases")
    parser.add_argument("--repeats", type=int, metavar="N", help=f"rounds per case ({repeats}; with --quick, 3)")
    options = parser.parse_args(arguments)
    if options.repeats is None:
        options.repeats = 3 if options.quick else repeats
    if options.repeats < 1:
        parser.error(f"--repeats {options.repeats} measures nothing; write 1 or more")
    if options.keep and options.again:
        parser.error("--keep keeps what --again measures anew; write one of them")
    return options


R = TypeVar("R", bound=Results)


def conduct(
    name: str,
    options: argparse.Namespace,
    cases: Sequence[Case],
    results: R,
    write_report: Callable[[R], str],
    list_bars: Callable[[R], list[Bar]],
    facts: Environment | None = None,
) -> None:
    """Measure what is asked for and not there yet, and show all there is, also when interrupted.

    Facts are added to those of the environment. Each case is kept as soon as it is measured; the report is once no case
    is missing, or when it is asked for.
    """
    if options.list:
        print("\n".join(case.name for case in cases))
        return
    chosen = [case.name for case in cases if options.only is None or options.only in case.name]
    if not chosen:
        sys.exit(f"--only {options.only}: no case has that in its name; --list names them")
    store = Store(None if options.quick else RESULTS / f"{name}.json", cases)
    environment = describe() | (facts or {})
    unset = [variable for variable in THREADS if environment[variable] != "1"]
    if unset:
        tell(f"{' and '.join(unset)} should be 1, so that all run on one thread; `make bench` sees to it")
    complete, stopped = True, options.report
    for case in cases:
        record = store.read(case)
        done = record is not None and (options.keep or record.environment == environment) and not options.again
        if case.name in chosen and not done and not stopped:
            try:
                entries = case.measure(functools.partial(tell, prefix=case.name))
                record = store.write(case, entries, observe(environment))
            except MissingDataError as error:
                tell(f"skipped, {error}", case.name)
                results.skipped.append(f"{case.name}: {error}")
                continue
            except KeyboardInterrupt:
                tell("stopped; what there is:")
                stopped = True
        if record is None:
            complete = False
        else:
            results.add(case, record)
    report = write_report(results)
    print(f"\n{report}")
    if not options.quick and (complete or options.report):
        store.note(list_bars(results))
        (RESULTS / f"{name}.md").write_text(report + "\n", encoding="utf-8")


def observe(environment: Environment) -> Environment:
    """Return the environment of what was just measured: of two sources, if the source changed meanwhile."""
    source = fingerprint()
    if source == environment["source"]:
        return environment
    tell("the library's source changed meanwhile: times are the old one's, memory is both's")
    return environment | {"source": f"{environment['source']}, then {source}"}


START = time.monotonic()


def tell(text: str, prefix: str = "") -> None:
    """Say what runs now, on standard error, so that the tables can be redirected."""
    print(f"{time.monotonic() - START:6.0f} s  {prefix}{': ' if prefix else ''}{text}", file=sys.stderr, flush=True)
