"""The bank marketing data."""

from __future__ import annotations

import os
from typing import Any

from rocsvm.datasets._serve import serve
from rocsvm.datasets._source import Source
from rocsvm.datasets._store import load_text

BANK = Source(
    name="bank",
    file="bank_marketing_additional_full.csv.gz",
    sha256="60198d0a8588626c60ecbc689d59afeae8ef334d8159e6d27e4e9611f34fdfb9",
    url="https://archive.ics.uci.edu/static/public/222/bank+marketing.zip",
    members=("bank-additional.zip", "bank-additional/bank-additional-full.csv"),
    delimiter=";",
    has_header=True,
    columns={
        "age": int,
        "job": str,
        "marital": str,
        "education": str,
        "default": str,
        "housing": str,
        "loan": str,
        "contact": str,
        "month": str,
        "day_of_week": str,
        "duration": int,
        "campaign": int,
        "pdays": int,
        "previous": int,
        "poutcome": str,
        "emp.var.rate": float,
        "cons.price.idx": float,
        "cons.conf.idx": float,
        "euribor3m": float,
        "nr.employed": float,
    },
    positive="yes",
)

DESCRIPTION = """Bank marketing.

Telephone calls of a Portuguese bank, in order of date; positive are those after which a deposit was made.
41,188 rows, 10 numeric and 10 text features, 4,640 positive (11.27 %).
A missing answer is the text "unknown"; pdays is 999 where there was no earlier contact.
The length of the call, duration, is known only once the call is over.

Moro, S., Cortez, P. and Rita, P. A data-driven approach to predict the success of bank telemarketing. Decision
Support Systems 62 (2014), 22-31. UCI Machine Learning Repository, id 222, doi:10.24432/C5K306. CC BY 4.0.
"""


def fetch_bank(
    *,
    duration: bool = False,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    verbose: Any = 1,
) -> Any:
    """Return the bank marketing data, 41,188 calls of which 11.27 % led to a deposit.

    Parameters
    ----------
    duration : bool, default=False
        Whether to keep the length of the call. It is known only after the call, when the answer is known too: a model
        that uses it cannot choose whom to call.
    data_home : path, optional
        Folder to keep it in; see `get_data_home`.
    download_if_missing : bool, default=True
        Whether to fetch it where it is not at hand.
    return_X_y : bool, default=False
        Whether to return ``X, y`` alone.
    as_frame : bool, default=False
        Whether X is a data frame and y a series; needs pandas.
    verbose : int or callable, default=1
        1 shows a bar on standard error while downloading, by `rich` where that is installed and else in lines; a
        callable is told how many bytes of how many have come.

    Returns
    -------
    Bunch or tuple
        With ``data``, ``target``, ``frame``, ``feature_names``, ``target_names`` and ``DESCR``; or X and y.

    Notes
    -----
    Positive is a deposit. Ten features are text, as published: without a frame X is then an array of objects. Encode
    them, for example by `sklearn.preprocessing.OneHotEncoder` in `sklearn.compose.make_column_transformer`. Twelve
    rows repeat another.

    What is checked is the SHA-256 of the table in a tidy form (a CSV text with numbers in their shortest form),
    the same for a download as for a copy in the folder that ``ROCSVM_DATA`` names. That table
    and the published ``bank-additional-full.csv``, of SHA-256
    74adfc578bf77a7ff4bb1ba4a9f8709d9e3c6907342959c2c8416847e0afb4d8, each follow from the other.

    The data are of the UCI archive (id 222), under CC BY 4.0, which asks for a citation: see ``DESCR``.

    Examples
    --------
    >>> X, y = fetch_bank(return_X_y=True, as_frame=True)  # doctest: +SKIP
    >>> X.shape, int(y.sum())  # doctest: +SKIP
    ((41188, 19), 4640)
    """
    text = load_text(BANK, data_home, download_if_missing, verbose)
    return serve(
        BANK,
        text,
        [name for name in BANK.columns if duration or name != "duration"],
        return_X_y=return_X_y,
        as_frame=as_frame,
        target_names=("no deposit", "deposit"),
        description=DESCRIPTION,
    )
