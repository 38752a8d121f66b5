"""Where tables lie on this machine, and how they come there."""

from __future__ import annotations

import gzip
import os
import sys
import uuid
import zlib
from pathlib import Path
from typing import Any

from rocsvm.datasets._download import download
from rocsvm.datasets._errors import ChecksumError, DatasetError
from rocsvm.datasets._progress import show_progress
from rocsvm.datasets._source import Source


def get_data_home(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder that datasets are kept in.

    Parameters
    ----------
    data_home : path, optional
        The folder. If None, the one that the environment variable ``ROCSVM_HOME`` names, else ``rocsvm`` in the
        user's cache folder.

    Returns
    -------
    Path
        The folder, which may not exist yet.
    """
    given = data_home or os.environ.get("ROCSVM_HOME")
    if given:
        return Path(given).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "rocsvm"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rocsvm"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rocsvm"


def load_text(
    source: Source, data_home: str | os.PathLike[str] | None, download_if_missing: bool, verbose: Any
) -> bytes:
    """Return the checked tidy text of a table: a local copy, one in the cache, or one downloaded into it."""
    copies = os.environ.get("ROCSVM_DATA")
    home = get_data_home(data_home)
    folders = {home: "Delete it, and it will be downloaded again"}
    if copies:
        folders = {Path(copies): "Replace it, or unset ROCSVM_DATA"} | folders
    for folder, remedy in folders.items():
        if (folder / source.file).is_file():
            return read_text(source, folder / source.file, remedy)
        if (folder / source.archive).is_file():
            return source.unpack((folder / source.archive).read_bytes(), str(folder / source.archive))
    sought = f"The {source.name} dataset is not in {' or '.join(map(str, folders))}"
    if not download_if_missing:
        raise DatasetError(
            f"{sought}, and download_if_missing=False forbids to fetch it. Write download_if_missing=True, or set "
            f"ROCSVM_DATA to a folder that has {source.file} or {source.archive}."
        )
    make_folder(home)
    try:
        with show_progress(source.name, verbose) as on_bytes:
            archive = download(source.url, on_bytes)
    except DatasetError as error:
        raise DatasetError(
            f"{sought}, and {error} Try again where there is a network; or fetch that address by other means, and put "
            f"the file, {source.archive}, into {home}."
        ) from error.__cause__
    text = source.unpack(archive, source.url)
    write_file(home / source.file, gzip.compress(text, 6, mtime=0))
    return text


def read_text(source: Source, path: Path, remedy: str) -> bytes:
    """Return the checked text of a file."""
    try:
        text = gzip.decompress(path.read_bytes())
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ChecksumError(f"{path} cannot be unpacked: {error}. {remedy}.") from error
    source.check(text, str(path), remedy)
    return text


def make_folder(folder: Path) -> None:
    """Make a folder that files can be written to, or say that it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError("no right to write there")
    except OSError as error:
        raise DatasetError(
            f"Datasets are to be kept in {folder}, which cannot be: {error}. Set ROCSVM_HOME to a folder that you may "
            "write to, or write data_home=..."
        ) from error


def write_file(path: Path, content: bytes) -> None:
    """Write a file such that others see all of it or nothing."""
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
