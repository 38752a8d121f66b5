"""Where tables are looked for, what is kept of a download, and what is refused."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rocsvm.datasets import ChecksumError, DatasetError, get_data_home
from rocsvm.datasets import _download as download_module
from rocsvm.datasets._progress import show_progress
from rocsvm.datasets._source import Source
from rocsvm.datasets._store import load_text, write_file
from tests.datasets.server import Answer, serve

PUBLISHED = b'"size";"kind";"weight";"y"\r\n07;"a, b";1.50;"yes"\r\n8;"c";-2e-7;"no"\r\n'
TIDY = b'size,kind,weight,target\n7,"a, b",1.5,1\n8,c,-2e-07,0\n'


def pack(content: bytes, name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


ARCHIVE = pack(pack(PUBLISHED, "folder/small.csv"), "inner.zip")
SOURCE = Source(
    name="small",
    file="small.csv.gz",
    sha256=hashlib.sha256(TIDY).hexdigest(),
    url="http://127.0.0.1:9/small+table.zip",
    members=("inner.zip", "folder/small.csv"),
    delimiter=";",
    has_header=True,
    columns={"size": int, "kind": str, "weight": float},
    positive="yes",
)


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ROCSVM_DATA", raising=False)
    monkeypatch.setenv("ROCSVM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(download_module, "PAUSE", 0.0)


def load(source: Source, *, data_home: Any = None, download: bool = True, verbose: Any = 0) -> bytes:
    return load_text(source, data_home, download, verbose)


def test_a_download_is_unpacked_tidied_and_kept(tmp_path: Path) -> None:
    with serve(Answer(ARCHIVE)) as server:
        assert load(replace(SOURCE, url=server.url)) == TIDY
    kept = tmp_path / "home" / "small.csv.gz"
    assert gzip.decompress(kept.read_bytes()) == TIDY
    assert list(kept.parent.iterdir()) == [kept]
    assert load(SOURCE, download=False) == TIDY


def test_data_home_goes_before_the_environment(tmp_path: Path) -> None:
    with serve(Answer(ARCHIVE)) as server:
        load(replace(SOURCE, url=server.url), data_home=tmp_path / "own")
    assert (tmp_path / "own" / "small.csv.gz").is_file()
    assert not (tmp_path / "home").exists()


def test_a_local_copy_is_read_and_nothing_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROCSVM_DATA", str(tmp_path))
    (tmp_path / "small.csv.gz").write_bytes(gzip.compress(TIDY, 1))
    assert load(SOURCE) == TIDY
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("variable", ["ROCSVM_DATA", "ROCSVM_HOME"])
def test_an_archive_fetched_by_hand_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str) -> None:
    monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / "small+table.zip").write_bytes(ARCHIVE)
    assert load(SOURCE) == TIDY


def test_a_wrong_local_copy_is_refused_with_both_digests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROCSVM_DATA", str(tmp_path))
    wrong = TIDY.replace(b"8", b"9")
    (tmp_path / "small.csv.gz").write_bytes(gzip.compress(wrong))
    with pytest.raises(ChecksumError) as caught:
        load(SOURCE)
    for part in (hashlib.sha256(wrong).hexdigest(), SOURCE.sha256, "small.csv.gz", "unset ROCSVM_DATA"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"no gzip", gzip.compress(TIDY)[:-9], gzip.compress(TIDY)[:-6] + b"wrong!"],
    # An archive holds the second it was made in, which workers that collect tests must not differ by.
    ids=["empty", "no archive", "cut off", "changed"],
)
def test_a_damaged_cache_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "small.csv.gz").write_bytes(content)
    with pytest.raises(ChecksumError, match=r"small\.csv\.gz .*Delete it"):
        load(SOURCE)


def test_a_changed_table_is_refused_with_both_digests_and_not_kept(tmp_path: Path) -> None:
    changed = pack(pack(PUBLISHED.replace(b"1.50", b"1.51"), "folder/small.csv"), "inner.zip")
    with serve(Answer(changed)) as server, pytest.raises(ChecksumError) as caught:
        load(replace(SOURCE, url=server.url))
    assert hashlib.sha256(TIDY.replace(b"1.5", b"1.51")).hexdigest() in str(caught.value)
    assert SOURCE.sha256 in str(caught.value)
    assert list((tmp_path / "home").iterdir()) == []


def damage(archive: bytes) -> bytes:
    """Return an archive with a changed byte in the middle of its content."""
    return archive[:60] + bytes([archive[60] ^ 255]) + archive[61:]


@pytest.mark.parametrize(
    "content",
    [
        b"<html>Please log in.</html>",
        b"",
        damage(ARCHIVE),
        pack(b"nothing", "other.txt"),
        pack(pack(b"no;table\n", "folder/small.csv"), "inner.zip"),
        pack(pack(b"\xff\xfe", "folder/small.csv"), "inner.zip"),
        pack(pack(PUBLISHED.replace(b"07", b"seven"), "folder/small.csv"), "inner.zip"),
    ],
)
def test_what_is_no_archive_of_the_table_is_refused_and_not_kept(tmp_path: Path, content: bytes) -> None:
    with serve(Answer(content)) as server, pytest.raises(DatasetError) as caught:
        load(replace(SOURCE, url=server.url))
    assert server.url in str(caught.value)
    assert "small dataset" in str(caught.value)
    assert list((tmp_path / "home").iterdir()) == []


def test_offline_it_is_told_what_was_sought_why_not_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        load(replace(SOURCE, url="http://nowhere.invalid/small+table.zip"))
    for part in (
        "The small dataset is not in",
        str(tmp_path / "home"),
        "http://nowhere.invalid/small+table.zip could not be downloaded",
        "put the file, small+table.zip, into",
    ):
        assert part in str(caught.value)


def test_without_leave_to_download_nothing_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROCSVM_DATA", str(tmp_path / "copies"))
    with serve(Answer(ARCHIVE)) as server, pytest.raises(DatasetError, match="download_if_missing=False") as caught:
        load(replace(SOURCE, url=server.url), download=False)
    assert str(tmp_path / "copies") in str(caught.value)
    assert str(tmp_path / "home") in str(caught.value)
    assert server.ranges == []


def test_a_folder_that_cannot_be_is_told_before_anything_is_downloaded(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with serve(Answer(ARCHIVE)) as server, pytest.raises(DatasetError, match="Set ROCSVM_HOME"):
        load(replace(SOURCE, url=server.url), data_home=tmp_path / "file" / "home")
    assert server.ranges == []


def test_a_write_that_fails_leaves_the_old_file_and_no_part(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = tmp_path / "kept.gz"
    write_file(target, b"old")

    def refuse(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:1])
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(OSError, match="full"):
        write_file(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_data_home_is_the_one_named_or_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert get_data_home() == tmp_path / "home"
    assert get_data_home(tmp_path) == tmp_path
    monkeypatch.delenv("ROCSVM_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert get_data_home() == tmp_path / "rocsvm"
    monkeypatch.setattr(sys, "platform", "win32")
    assert get_data_home() == tmp_path / "rocsvm"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert get_data_home() == tmp_path / "Library" / "Caches" / "rocsvm"


def test_a_callable_is_told_of_the_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[int] = []
    with serve(Answer(ARCHIVE)) as server:
        load(replace(SOURCE, url=server.url), verbose=lambda done, total: told.append(done))
    assert told[-1] == len(ARCHIVE)
    assert capsys.readouterr().err == ""


def test_a_bar_is_shown_where_rich_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich", reason="the bar needs rich")
    with show_progress("small", 1) as on_bytes:
        on_bytes(500, 1000)
    assert "downloading small" in capsys.readouterr().err


def test_lines_are_shown_where_rich_is_not(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with show_progress("small", 1) as on_bytes:
        for done in range(0, 1001, 100):
            on_bytes(done, 1000)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "downloading small: 300 of 1,000 bytes"
    assert len(lines) == 4
    with show_progress("small", 1) as on_bytes:
        on_bytes(100, None)
        on_bytes(3 << 20, None)
    assert capsys.readouterr().err == "downloading small: 3,145,728 bytes\n"


def test_nothing_is_shown_with_verbose_0(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("small", 0) as on_bytes:
        on_bytes(1, 2)
    assert capsys.readouterr().err == ""
