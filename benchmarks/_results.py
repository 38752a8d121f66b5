"""What all benchmarks' results share: where each case was measured, and how a report shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks._store import Case, Environment, Record
from benchmarks._table import write_table


@dataclass
class Results:
    """What was measured and where, by the names of cases; a table of entries for each field that a subclass adds."""

    dates: dict[str, str] = field(default_factory=dict)
    environments: dict[str, Environment] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def add(self, case: Case, record: Record) -> None:
        getattr(self, case.table).extend(record.entries)
        self.dates[case.name] = record.date
        self.environments[case.name] = record.environment

    def list_environments(self) -> list[Environment]:
        """Return the environments, each once."""
        distinct: list[Environment] = []
        for environment in self.environments.values():
            if environment not in distinct:
                distinct.append(environment)
        return distinct

    def mark(self, case: str) -> str:
        """Return a number for the environment of a case, and nothing where all cases have the same."""
        distinct = self.list_environments()
        if len(distinct) < 2 or case not in self.environments:
            return ""
        return f" [{1 + distinct.index(self.environments[case])}]"


def write_mixture(results: Results) -> list[str]:
    """Return a warning where not all was measured on the same source, machine and versions."""
    distinct = results.list_environments()
    if len(distinct) < 2:
        return []
    differing = [name for name in distinct[0] if len({environment.get(name) for environment in distinct}) > 1]
    warning = (
        f"**Not all of this was measured in one environment: {len(distinct)} of them differ in "
        f"{', '.join(differing)}. Numbers in brackets say which; see *Where*.**"
    )
    return [warning]


def write_skipped(reasons: list[str]) -> list[str]:
    return ["## Skipped", "\n".join(f"- {reason}" for reason in reasons)] if reasons else []


def write_where(results: Results) -> list[str]:
    """Return the environments side by side; and which case was measured in which, where there are several."""
    distinct = results.list_environments()
    if not distinct:
        return []
    names = list(dict.fromkeys(name for environment in distinct for name in environment))
    rows = [(name, *(environment.get(name, "–") for environment in distinct)) for name in names]
    rows.insert(0, ("date", *(_span(results, environment) for environment in distinct)))
    if len(distinct) == 1:
        return ["## Where", "\n".join(f"- {name}: {fact}" for name, fact in rows)]
    numbers = [str(number + 1) for number in range(len(distinct))]
    cases = [(case, numbers[distinct.index(environment)]) for case, environment in results.environments.items()]
    return ["## Where", write_table(["", *numbers], rows), write_table(["case", "where"], cases)]


def _span(results: Results, environment: Environment) -> str:
    dates = sorted({results.dates[case] for case, found in results.environments.items() if found == environment})
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
