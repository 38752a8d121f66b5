"""Peak memory of one fit beyond its data, read in a process of its own."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks._datasets import AbstractDataset
from benchmarks._rivals import Rival

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def measure_peak(rival: Rival, dataset: AbstractDataset) -> float | None:
    """Return the bytes per row that a fit needs beyond X and y; None where the system does not tell."""
    if not RESET.exists():
        return None
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(measure_peak_here, rival, dataset).result()


def measure_peak_here(rival: Rival, dataset: AbstractDataset) -> float:
    """Return the same, in this process.

    Imports and compiled loops are in memory before the baseline is read, and the peak of loading the data
    is forgotten: writing 5 to clear_refs sets the high-water mark back to what is resident now.
    """
    split = dataset.load()
    X, y = split.X, split.y
    del split
    rival.warm_up(X, y)
    release_memory()
    RESET.write_text("5")
    before = read_status("VmRSS")
    # The fit is held, so that what it keeps counts; both numbers are in kilobytes.
    fit = rival.fit(X, y, seed=0)
    peak = read_status("VmHWM")
    del fit
    return 1024.0 * (peak - before) / rival.count_rows(len(y))


def release_memory() -> None:
    """Hand freed memory back to the system, which else would hide as much of the fit's own."""
    gc.collect()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)


def read_status(name: str) -> int:
    """Return an entry of this process's status, in kilobytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1])
