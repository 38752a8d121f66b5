"""What the package offers, and how little it loads."""

from __future__ import annotations

import importlib.metadata
import json
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import rocsvm

HEAVY = ["numba", "pandas", "polars", "matplotlib", "dask", "pyarrow", "narwhals", "clarabel", "hypothesis"]
PUBLIC = [f"rocsvm.{name}" for name in ("estimators", "features", "inspection", "losses", "pairs", "solvers")]


def list_loaded(code: str) -> set[str]:
    """Return the packages that a fresh interpreter has loaded after some code."""
    report = "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{report}"], check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout))


def test_import_loads_no_heavy_package() -> None:
    loaded = list_loaded("import rocsvm")
    assert "rocsvm" in loaded
    # scikit-learn itself loads pandas where it is installed.
    assert not set(HEAVY) & (loaded - list_loaded("import sklearn.base"))
    assert not {"numba", "matplotlib", "dask", "polars"} & loaded


def test_import_of_every_module_but_the_compiled_loops_loads_no_heavy_package() -> None:
    modules = [module.name for module in pkgutil.walk_packages(rocsvm.__path__, "rocsvm.")]
    assert "rocsvm.loops._numba" in modules
    modules.remove("rocsvm.loops._numba")
    loaded = list_loaded(f"import {', '.join(modules)}")
    assert not set(HEAVY) & (loaded - list_loaded("import sklearn.base"))


FIT_WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(["numba", "pandas", "polars", "matplotlib", "dask", "pyarrow"]))
import rocsvm.loops
rocsvm.loops._has_numba = lambda: False
model = rocsvm.LinearROCSVM().fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"])
assert model.predict([[0.0], [2.0]]).tolist() == ["no", "yes"]
"""


def test_a_model_fits_where_nothing_optional_is_installed() -> None:
    subprocess.run([sys.executable, "-c", FIT_WITHOUT], check=True)


def test_import_writes_nothing_and_warns_of_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import rocsvm"], check=True, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("name", ["rocsvm", *PUBLIC])
def test_every_name_that_is_offered_is_there_and_explained(name: str) -> None:
    module = sys.modules[name]
    assert module.__doc__
    assert module.__all__ == sorted(module.__all__, key=lambda each: (not each.isupper(), each))
    for each in module.__all__:
        offered = getattr(module, each)
        assert offered.__doc__ or not isinstance(offered, type | FunctionType)


def test_the_version_is_that_of_the_distribution() -> None:
    assert rocsvm.__version__ == importlib.metadata.version("rocsvm")


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(rocsvm.__file__).parent / "py.typed").is_file()
