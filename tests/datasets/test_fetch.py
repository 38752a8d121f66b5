"""The three real sets, from copies where they are at hand: `ROCSVM_DATA`, or the folder beside the repository."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rocsvm.datasets import _accelerometer, _bank, _skin, fetch_accelerometer, fetch_bank, fetch_skin
from rocsvm.datasets._accelerometer import ACCELEROMETER
from rocsvm.datasets._bank import BANK
from rocsvm.datasets._serve import serve as make_tables
from rocsvm.datasets._skin import SKIN
from rocsvm.datasets._source import Source
from tests.datasets.server import Answer, serve
from tests.datasets.test_store import SOURCE, TIDY
from tests.shared import DATA

CASES: dict[str, tuple[Callable[..., Any], Source, Any, tuple[int, int], int]] = {
    "skin": (fetch_skin, SKIN, _skin, (245_057, 3), 50_859),
    "bank": (fetch_bank, BANK, _bank, (41_188, 19), 4_640),
    "accelerometer": (fetch_accelerometer, ACCELEROMETER, _accelerometer, (31_991, 6), 571),
}
# What others found the publisher's own files to be.
PUBLISHED_SHA256 = {
    "skin": "e30c0a845385dcc95a45c45ed263465674a49638e98ef740afd520769c7714a4",
    "bank": "74adfc578bf77a7ff4bb1ba4a9f8709d9e3c6907342959c2c8416847e0afb4d8",
}


@pytest.fixture(params=["bank", "accelerometer", pytest.param("skin", marks=pytest.mark.slow)])
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    name = request.param
    if not (DATA / CASES[name][1].file).is_file():
        pytest.skip("no copies of the real sets: set ROCSVM_DATA to their folder")
    monkeypatch.setenv("ROCSVM_DATA", str(DATA))
    return (name, *CASES[name])


def test_a_real_set_has_its_rows_columns_and_positives(case: Any) -> None:
    _, fetch, source, _, shape, n_positive = case
    X, y = fetch(return_X_y=True)
    assert X.shape == shape
    assert y.sum() == n_positive
    assert set(y.tolist()) == {0, 1}
    if fetch is fetch_skin:
        assert len(np.unique(X, axis=0)) == 51_433
    assert X.dtype == (object if str in source.columns.values() and fetch is fetch_bank else np.float64)


def test_duration_is_kept_on_demand_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bank, "load_text", lambda *_: b"")
    monkeypatch.setattr(_bank, "serve", lambda source, text, features, **_: features)
    assert set(fetch_bank(duration=True)) - set(fetch_bank()) == {"duration"}
    assert len(fetch_bank()) == 19


def restore(name: str, source: Source) -> bytes:
    """Return the publisher's file as it follows from the tidy copy: in reverse, and by other means."""
    rows = list(csv.reader(io.StringIO(gzip.decompress((DATA / source.file).read_bytes()).decode())))
    if name == "skin":
        return "".join("\t".join([*row[:3], "1" if row[3] == "1" else "2"]) + "\r\n" for row in rows[1:]).encode()
    if name == "accelerometer":
        return "".join(",".join(row[:-1]) + "\r\n" for row in rows).encode()
    lines = [";".join(f'"{cell}"' for cell in [*rows[0][:-1], "y"])]
    for row in rows[1:]:
        cells = [
            f'"{cell}"' if kind is str else cell.removesuffix(".0")
            for cell, kind in zip(row, source.columns.values(), strict=False)
        ]
        lines.append(";".join([*cells, '"yes"' if row[-1] == "1" else '"no"']))
    return ("\r\n".join(lines) + "\r\n").encode()


def test_a_real_set_is_the_same_from_a_copy_and_from_the_publishers_archive(
    case: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name, fetch, source, module, _, _ = case
    copied = fetch(return_X_y=True)
    content = restore(name, source)
    if name in PUBLISHED_SHA256:
        assert hashlib.sha256(content).hexdigest() == PUBLISHED_SHA256[name]
    for member in reversed(source.members):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(member, content)
        content = out.getvalue()
    monkeypatch.delenv("ROCSVM_DATA")
    with serve(Answer(content)) as server:
        monkeypatch.setattr(module, source.name.upper(), replace(source, url=server.url))
        fetched = fetch(return_X_y=True, data_home=tmp_path, verbose=0)
    for one, other in zip(copied, fetched, strict=True):
        assert np.array_equal(one, other)


def show(**changes: Any) -> Any:
    arguments = {"return_X_y": False, "as_frame": False, "target_names": ("no", "yes"), "description": "Small."}
    return make_tables(SOURCE, TIDY, ["weight", "kind"], **(arguments | changes))


def test_a_bunch_has_what_scikit_learns_have() -> None:
    bunch = show()
    assert bunch.data.tolist() == [[1.5, "a, b"], [-2e-7, "c"]]
    assert bunch.target.tolist() == [1, 0]
    assert (bunch.feature_names, bunch.target_names) == (["weight", "kind"], ["no", "yes"])
    assert (bunch.frame, bunch.DESCR) == (None, "Small.")


def test_a_frame_keeps_names_and_types() -> None:
    bunch = show(as_frame=True)
    assert bunch.frame.columns.tolist() == ["weight", "kind", "target"]
    assert bunch.data["weight"].dtype == np.float64
    assert bunch.data["kind"].tolist() == ["a, b", "c"]
    X, y = show(as_frame=True, return_X_y=True)
    assert X.equals(bunch.data)
    assert y.name == "target"
    assert y.tolist() == [1, 0]


def test_a_frame_without_pandas_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="as_frame=False"):
        show(as_frame=True)


@pytest.mark.parametrize("name", CASES)
def test_addresses_files_and_digests_are_those_of_the_docstrings(name: str) -> None:
    fetch, source, module, _, _ = CASES[name]
    assert source.url.startswith("https://archive.ics.uci.edu/static/public/")
    assert len(source.sha256) == 64
    assert PUBLISHED_SHA256.get(name, "Activity") in (fetch.__doc__ or "")
    assert "CC BY 4.0" in module.DESCRIPTION
