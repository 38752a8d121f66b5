"""Why a dataset cannot be had."""

from __future__ import annotations


class DatasetError(OSError):
    """A dataset that is not at hand and cannot be fetched; says why, and what to do."""


class ChecksumError(DatasetError):
    """Bytes that are not those of the dataset; gives both digests."""
