"""The accelerometer and gyroscope data."""

from __future__ import annotations

import os
from typing import Any

from rocsvm.datasets._serve import serve
from rocsvm.datasets._source import Source
from rocsvm.datasets._store import load_text

ACCELEROMETER = Source(
    name="accelerometer",
    file="accelerometer_gyro_mobile_phone.csv.gz",
    sha256="fc8862f3ac4f09646ba514a3601be1de4311cc51f4c0c84ece5bd629d2877a89",
    url="https://archive.ics.uci.edu/static/public/755/accelerometer+gyro+mobile+phone+dataset.zip",
    members=("accelerometer_gyro_mobile_phone_dataset.csv",),
    delimiter=",",
    has_header=True,
    columns={
        "accX": float,
        "accY": float,
        "accZ": float,
        "gyroX": float,
        "gyroY": float,
        "gyroZ": float,
        "timestamp": str,
        "Activity": int,
    },
    positive="0",
)

NOT_FEATURES = ("timestamp", "Activity")

DESCRIPTION = """Accelerometer and gyroscope of a mobile phone.

A phone carried by someone who walks and, at times, stands: ten readings a second, in order; positive is standing.
31,991 rows, 6 features (acceleration and rotation along three axes), 571 positive (1.78 %).

AlSahly, A. Accelerometer Gyro Mobile Phone. UCI Machine Learning Repository, id 755; introduced in
doi:10.3390/s22176513. CC BY 4.0.
"""


def fetch_accelerometer(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    verbose: Any = 1,
) -> Any:
    """Return the accelerometer data, 31,991 readings of a phone of which 1.78 % are of standing.

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
    Positive is standing, the published ``Activity`` 0. The rows are one recording in time order, and every standing
    row lies among rows 20,923 to 21,951, in ten runs: rows divided at random have their neighbours in time on the
    other side, and score better than a new recording would. The time and ``Activity`` are no features.

    What is checked is the SHA-256 of the table in a tidy form (a CSV text with numbers in their shortest form),
    the same for a download as for a copy in the folder that ``ROCSVM_DATA`` names. It was
    computed from such a copy; what bytes the archive itself holds could not be compared.

    The data are of the UCI archive (id 755), under CC BY 4.0, which asks for a citation: see ``DESCR``.

    Examples
    --------
    >>> X, y = fetch_accelerometer(return_X_y=True)  # doctest: +SKIP
    >>> X.shape, int(y.sum())  # doctest: +SKIP
    ((31991, 6), 571)
    """
    text = load_text(ACCELEROMETER, data_home, download_if_missing, verbose)
    return serve(
        ACCELEROMETER,
        text,
        [name for name in ACCELEROMETER.columns if name not in NOT_FEATURES],
        return_X_y=return_X_y,
        as_frame=as_frame,
        target_names=("walking", "standing"),
        description=DESCRIPTION,
    )
