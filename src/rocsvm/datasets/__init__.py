"""The data of the paper: its two synthetic models and its three real sets."""

from rocsvm.datasets._accelerometer import fetch_accelerometer
from rocsvm.datasets._bank import fetch_bank
from rocsvm.datasets._errors import ChecksumError, DatasetError
from rocsvm.datasets._population import PopulationAUC, population_auc
from rocsvm.datasets._simulate import make_roc_linear, make_roc_radial
from rocsvm.datasets._skin import fetch_skin
from rocsvm.datasets._store import get_data_home

__all__ = [
    "ChecksumError",
    "DatasetError",
    "PopulationAUC",
    "fetch_accelerometer",
    "fetch_bank",
    "fetch_skin",
    "get_data_home",
    "make_roc_linear",
    "make_roc_radial",
    "population_auc",
]
