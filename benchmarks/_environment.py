"""On what the numbers were taken: machine, versions and threads, and nothing that names the machine."""

from __future__ import annotations

import hashlib
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import rocsvm

PACKAGES = ("rocsvm", "numpy", "scipy", "scikit-learn", "numba")
# Folders of the library that no benchmark runs.
LEFT_OUT = {"cli", "experiments"}
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")


def describe() -> dict[str, str]:
    """Return what to know about a run, by name; two runs with the same facts can stand in one table."""
    facts = {
        "processor": f"{_name_processor()}, {os.cpu_count()} cores",
        "memory": _read_memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }
    facts |= {package: _find_version(package) for package in PACKAGES}
    facts |= {name: os.environ.get(name, "not set") for name in THREADS}
    facts["source"] = fingerprint()
    facts["loops"] = os.environ.get("ROCSVM_LOOPS", "") or ("numpy" if facts["numba"] == "absent" else "numba")
    return facts


def fingerprint() -> str:
    """Return a digest of the source that is measured, by which a run knows that it changed meanwhile."""
    folder = Path(rocsvm.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        if path.relative_to(folder).parts[0] in LEFT_OUT:
            continue
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _name_processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _read_memory() -> str:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return "unknown"
    return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB"


def _find_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
