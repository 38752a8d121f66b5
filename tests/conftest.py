"""What all tests share: the Hypothesis profiles and the two twins of the loops."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import settings

from rocsvm import loops

# `HYPOTHESIS_PROFILE=deep` searches at random and for long; the default repeats the same examples.
settings.register_profile("ci", max_examples=60, deadline=None, derandomize=True, database=None)
settings.register_profile("deep", max_examples=2000, deadline=None, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


# Of module scope, since Hypothesis runs many examples within one call of a test function.
@pytest.fixture(scope="module", params=loops.TWINS)
def twin(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """Each module of loops in turn, forced on the whole library."""
    if request.param == "numba":
        pytest.importorskip("numba", reason="the compiled loops need Numba")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCSVM_LOOPS", request.param)
        yield loops.choose_twin()
