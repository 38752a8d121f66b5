"""What a run ran on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import numpy as np
import scipy
import sklearn

from rocsvm import loops


def describe_machine() -> dict[str, str]:
    """Return processor, cores, system, versions and which loops ran."""
    return {
        "processor": _name_processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "loops": loops.choose_twin().__name__.rpartition("_")[2],
    }


def _name_processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"
