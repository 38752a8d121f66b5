"""What an import costs, in interpreters that have just started."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field

CODE = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


@dataclass(frozen=True)
class ImportEntry:
    """The seconds that a module takes, the interpreter's own start left out."""

    module: str
    seconds: list[float] = field(default_factory=list)


def time_imports(modules: list[str], repeats: int) -> list[ImportEntry]:
    """Return the seconds each import takes; modules take turns."""
    timings = {module: ImportEntry(module) for module in modules}
    for number in range(-1, repeats):
        for module in modules if number % 2 else modules[::-1]:
            seconds = _time_import(module)
            # The first round fills the disk's cache and writes bytecode.
            if number >= 0:
                timings[module].seconds.append(seconds)
    return list(timings.values())


def _time_import(module: str) -> float:
    done = subprocess.run([sys.executable, "-c", CODE.format(module)], check=True, capture_output=True, text=True)
    return float(done.stdout)
