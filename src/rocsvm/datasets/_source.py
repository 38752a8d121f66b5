"""A published table: where it lies, how it is packed, and the digest of its tidy form."""

from __future__ import annotations

import csv
import hashlib
import io
import zipfile
import zlib
from dataclasses import dataclass

from rocsvm.datasets._errors import ChecksumError, DatasetError


@dataclass(frozen=True)
class Source:
    """A table as its publisher packs it, and as it is kept here.

    Kept is a tidy CSV text: a header, the columns named, and last ``target``, 1 for positive and 0 else. Numbers are
    written in the shortest form that reads back the same, so that equal tables are equal bytes. Its digest is what
    is checked, whichever way the table came.

    Parameters
    ----------
    name : str
        What errors call it.
    file : str
        Name of the gzipped tidy text, in the cache or in a folder of local copies.
    sha256 : str
        Digest of the tidy text, not compressed.
    url : str
        Address of the publisher's archive.
    members : tuple of str
        Path to the table inside the archive; each but the last is an archive itself.
    delimiter : str
        What parts the publisher's columns.
    has_header : bool
        Whether the publisher's first line names them.
    columns : dict of str to type
        Names and types, ``int``, ``float`` or ``str``, of the publisher's first columns, which are kept.
    positive : str
        What the publisher's last column says of a positive row.
    """

    name: str
    file: str
    sha256: str
    url: str
    members: tuple[str, ...]
    delimiter: str
    has_header: bool
    columns: dict[str, type]
    positive: str

    @property
    def archive(self) -> str:
        """Name of the publisher's archive."""
        return self.url.rpartition("/")[2]

    def unpack(self, archive: bytes, origin: str) -> bytes:
        """Return the checked tidy text of the table in the publisher's archive, which came from somewhere."""
        content = archive
        try:
            for member in self.members:
                with zipfile.ZipFile(io.BytesIO(content)) as inner:
                    content = inner.read(member)
            text = self._tidy(content)
        except (zipfile.BadZipFile, zlib.error, EOFError, LookupError, ValueError, csv.Error) as error:
            raise DatasetError(
                f"{origin} gave {len(archive):,} bytes, of SHA-256 {digest(archive)}, which are not the archive of the "
                f"{self.name} dataset: {error}. They may be a page of the network's own, to log in. Open {self.url} in "
                "a browser, and try again."
            ) from error
        self.check(text, f"What {origin} gave", "The publisher may have changed it; tell the authors of rocsvm")
        return text

    def check(self, text: bytes, what: str, remedy: str) -> None:
        """Raise `ChecksumError` unless this is the tidy text."""
        found = digest(text)
        if found != self.sha256:
            raise ChecksumError(
                f"{what} is not the {self.name} dataset as it is known here: the SHA-256 of its table is {found}, "
                f"where {self.sha256} is expected. {remedy}."
            )

    def _tidy(self, published: bytes) -> bytes:
        rows = csv.reader(io.StringIO(published.decode("utf-8-sig"), newline=""), delimiter=self.delimiter)
        if self.has_header:
            next(rows)
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*self.columns, "target"])
        kinds = list(self.columns.values())
        for row in filter(None, rows):
            kept = [str(kind(cell)) for kind, cell in zip(kinds, row, strict=False)]
            writer.writerow([*kept, int(row[-1] == self.positive)])
        return out.getvalue().encode()


def digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
