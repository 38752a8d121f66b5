"""One file over HTTP: in memory, resumed where it broke off, and whole or not at all."""

from __future__ import annotations

import http.client
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from rocsvm.datasets._errors import DatasetError

# Told how many bytes of how many have come; the total is None where the server does not say.
OnBytes = Callable[[int, int | None], None]

# Seconds without a byte after which a server is given up.
TIMEOUT = 30.0
# Seconds before trying again, doubled each time.
PAUSE = 1.0
TRIES = 4
CHUNK = 1 << 16


def download(url: str, on_bytes: OnBytes) -> bytes:
    """Return what an address holds, having tried several times; raise `DatasetError` if it cannot be had."""
    transfer = Transfer(url, on_bytes)
    fault: Exception | None = None
    for attempt in range(TRIES):
        if attempt:
            time.sleep(PAUSE * 2.0 ** (attempt - 1))
        try:
            return transfer.run()
        except (OSError, http.client.HTTPException) as error:
            fault = error
            if is_final(error):
                break
    raise DatasetError(f"{url} could not be downloaded: {explain(fault)}.") from fault


def is_final(fault: Exception) -> bool:
    """Return whether trying again is in vain: there is no network, or the server says that it will not."""
    if isinstance(fault, urllib.error.HTTPError):
        return fault.code < 500 and fault.code not in (408, 416, 429)
    return isinstance(getattr(fault, "reason", None), socket.gaierror)


def explain(fault: Exception | None) -> str:
    """Return what went wrong, in words."""
    if isinstance(fault, urllib.error.HTTPError):
        return f"HTTP status {fault.code}, {fault.reason}"
    reason = getattr(fault, "reason", fault)
    if isinstance(reason, TimeoutError):
        return f"no byte came within {TIMEOUT:g} seconds"
    return str(reason) or type(fault).__name__


class Transfer:
    """A download under way: the bytes so far, and what tells whether the server still has the same file."""

    def __init__(self, url: str, on_bytes: OnBytes) -> None:
        self._url = url
        self._on_bytes = on_bytes
        self.restart()

    def restart(self) -> None:
        """Forget the bytes so far."""
        self._received = bytearray()
        self._validator = ""

    def run(self) -> bytes:
        """Return the whole file, or raise OSError or HTTPException with the bytes so far kept."""
        headers = {"User-Agent": "rocsvm"}
        if self._received and self._validator:
            headers |= {"Range": f"bytes={len(self._received)}-", "If-Range": self._validator}
        else:
            self.restart()
        try:
            response = urllib.request.urlopen(urllib.request.Request(self._url, headers=headers), timeout=TIMEOUT)
        except urllib.error.HTTPError as refusal:
            refusal.close()
            self.restart()
            raise
        with response:
            self._receive(response)
        return bytes(self._received)

    def _receive(self, response: Any) -> None:
        if response.status != 206:
            self.restart()
        elif not response.headers.get("Content-Range", "").startswith(f"bytes {len(self._received)}-"):
            self.restart()
            raise ConnectionError("the server sent another part of the file than was asked for")
        tag = response.headers.get("ETag", "")
        # A weak tag vouches for no bytes.
        self._validator = response.headers.get("Last-Modified", "") if tag.startswith("W/") or not tag else tag
        length = response.headers.get("Content-Length")
        total = None if length is None else len(self._received) + int(length)
        while chunk := response.read1(CHUNK):
            self._received += chunk
            self._on_bytes(len(self._received), total)
        if total is not None and len(self._received) < total:
            raise ConnectionError(f"the connection broke off after {len(self._received):,} of {total:,} bytes")
