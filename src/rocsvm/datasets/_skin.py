"""The skin segmentation data."""

from __future__ import annotations

import os
from typing import Any

from rocsvm.datasets._serve import serve
from rocsvm.datasets._source import Source
from rocsvm.datasets._store import load_text

SKIN = Source(
    name="skin",
    file="skin_segmentation.csv.gz",
    sha256="573a1159c5f32bb0c4de6cdce1ce4ec014fdb00552bc9d517dfb5b9eafe2a979",
    url="https://archive.ics.uci.edu/static/public/229/skin+segmentation.zip",
    members=("Skin_NonSkin.txt",),
    delimiter="\t",
    has_header=False,
    columns={"B": int, "G": int, "R": int},
    positive="1",
)

DESCRIPTION = """Skin segmentation.

Colours of pixels in photographs of faces; positive are those of skin.
245,057 rows, 3 features (blue, green, red, from 0 to 255), 50,859 positive (20.75 %).
Only 51,433 rows are distinct, and the file is grouped by class.

Bhatt, R. and Dhall, A. Skin Segmentation. UCI Machine Learning Repository, id 229, doi:10.24432/C5T30C. CC BY 4.0.
"""


def fetch_skin(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    verbose: Any = 1,
) -> Any:
    """Return the skin segmentation data, 245,057 pixels of which 20.75 % are skin.

    Parameters
    ----------
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
    Positive is skin. Only 51,433 rows are distinct: of rows divided at random, most of those held out were also
    trained on. The paper draws 100,000 rows with the shares of the classes kept.

    What is checked is the SHA-256 of the table in a tidy form (a CSV text with numbers in their shortest form),
    the same for a download as for a copy in the folder that ``ROCSVM_DATA`` names. That table
    and the published ``Skin_NonSkin.txt``, of SHA-256
    e30c0a845385dcc95a45c45ed263465674a49638e98ef740afd520769c7714a4, each follow from the other.

    The data are of the UCI archive (id 229), under CC BY 4.0, which asks for a citation: see ``DESCR``.

    Examples
    --------
    >>> X, y = fetch_skin(return_X_y=True)  # doctest: +SKIP
    >>> X.shape, int(y.sum())  # doctest: +SKIP
    ((245057, 3), 50859)
    """
    text = load_text(SKIN, data_home, download_if_missing, verbose)
    return serve(
        SKIN,
        text,
        list(SKIN.columns),
        return_X_y=return_X_y,
        as_frame=as_frame,
        target_names=("other", "skin"),
        description=DESCRIPTION,
    )
