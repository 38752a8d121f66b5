"""Where the published tables and the paper are, outside of the repository; tests that need them skip without."""

from __future__ import annotations

import os
from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared"
DATA = Path(os.environ.get("ROCSVM_DATA") or SHARED / "data")
PAPER = SHARED / "PAPER.tex"
