"""What an import costs, in interpreters that have just started."""

from __future__ import annotations

import subprocess
import sys

from benchmarks._measure import Timing

CODE = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def time_imports(modules: list[str], repeats: int) -> dict[str, Timing]:
    """Return the seconds each import takes, the interpreter's own start left out; modules take turns."""
    timings = {module: Timing() for module in modules}
    for number in range(-1, repeats):
        for module in modules if number % 2 else modules[::-1]:
            seconds = _time_import(module)
            # The first round fills the disk's cache and writes bytecode.
            if number >= 0:
                timings[module].seconds.append(seconds)
    return timings


def _time_import(module: str) -> float:
    done = subprocess.run([sys.executable, "-c", CODE.format(module)], check=True, capture_output=True, text=True)
    return float(done.stdout)
