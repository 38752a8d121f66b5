"""What was measured, case by case, on disk: a run that is cut short goes on where it stopped."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_type_hints

from benchmarks._bars import Bar

Tell = Callable[[str], None]
Environment = dict[str, str]


@dataclass(frozen=True)
class Case:
    """What is measured in one go and kept as one.

    Parameters
    ----------
    name : str
        What ``--only`` chooses by.
    table : str
        The field of the results that its entries are added to.
    kind : type
        The dataclass of an entry: of numbers, strings, and lists of them or of such dataclasses.
    measure : callable
        From a function that is told what runs now to a list of entries.
    """

    name: str
    table: str
    kind: type
    measure: Callable[[Tell], list[Any]]


class Record(NamedTuple):
    """The entries of a case, when they were measured and in which environment."""

    entries: list[Any]
    date: str
    environment: Environment


class Store:
    """The records of one benchmark in a file; with no path, in no file."""

    def __init__(self, path: Path | None, cases: Sequence[Case]) -> None:
        self.path = path
        content = json.loads(path.read_text(encoding="utf-8")) if path is not None and path.exists() else {}
        self.environments: dict[str, Environment] = content.get("environments", {})
        self.bars: list[dict[str, Any]] = content.get("bars", [])
        known = {case.name for case in cases}
        self.records = {name: raw for name, raw in content.get("cases", {}).items() if name in known}

    def read(self, case: Case) -> Record | None:
        """Return what was measured of a case; None where there is nothing, or nothing that can be read any more."""
        raw = self.records.get(case.name)
        if raw is None:
            return None
        try:
            entries = [decode(case.kind, entry) for entry in raw["entries"]]
        except (KeyError, TypeError):
            return None
        return Record(entries, raw["date"], self.environments[raw["environment"]])

    def write(self, case: Case, entries: list[Any], environment: Environment) -> Record:
        """Keep what was measured of a case, and return it."""
        date = datetime.datetime.now(datetime.UTC).date().isoformat()
        key = hashlib.sha256(json.dumps(environment, sort_keys=True).encode()).hexdigest()[:8]
        self.environments[key] = environment
        raw = [dataclasses.asdict(entry) for entry in entries]
        self.records[case.name] = {"date": date, "environment": key, "entries": raw}
        self._save()
        return Record(entries, date, environment)

    def note(self, bars: Sequence[Bar]) -> None:
        """Keep what came of the bars."""
        self.bars = [dataclasses.asdict(bar) for bar in bars]
        self._save()

    def _save(self) -> None:
        if self.path is None:
            return
        used = {raw["environment"] for raw in self.records.values()}
        environments = {key: facts for key, facts in self.environments.items() if key in used}
        content = {"bars": self.bars, "environments": environments, "cases": self.records}
        self.path.parent.mkdir(exist_ok=True)
        # Whatever ends the run meanwhile, the file is the old one or the new one.
        fresh = self.path.with_suffix(".tmp")
        fresh.write_text(json.dumps(content, indent=1, default=float) + "\n", encoding="utf-8")
        fresh.replace(self.path)


def decode(kind: type, raw: dict[str, Any]) -> Any:
    """Return the dataclass that `dataclasses.asdict` made this of."""
    hints = get_type_hints(kind)
    values = {}
    for name, value in raw.items():
        inner = next(iter(get_args(hints[name])), None)
        nested = isinstance(value, list) and dataclasses.is_dataclass(inner)
        values[name] = [decode(inner, item) for item in value] if nested else value
    return kind(**values)
