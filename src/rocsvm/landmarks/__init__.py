"""Ways to choose the landmarks of a low-rank kernel, and the registry of their names."""

from rocsvm.landmarks._base import AbstractLandmarks, Candidates
from rocsvm.landmarks._distinct import find_distinct, group_rows
from rocsvm.landmarks._given import GivenLandmarks
from rocsvm.landmarks._kmeans import KMeansLandmarks
from rocsvm.landmarks._leverage import LeverageLandmarks
from rocsvm.landmarks._rpcholesky import RPCholeskyLandmarks
from rocsvm.landmarks._stratified import StratifiedLandmarks
from rocsvm.landmarks._uniform import UniformLandmarks

LANDMARKS: dict[str, type[AbstractLandmarks]] = {
    "uniform": UniformLandmarks,
    "stratified": StratifiedLandmarks,
    "kmeans": KMeansLandmarks,
    "leverage": LeverageLandmarks,
    "rpcholesky": RPCholeskyLandmarks,
}

__all__ = [
    "LANDMARKS",
    "AbstractLandmarks",
    "Candidates",
    "GivenLandmarks",
    "KMeansLandmarks",
    "LeverageLandmarks",
    "RPCholeskyLandmarks",
    "StratifiedLandmarks",
    "UniformLandmarks",
    "find_distinct",
    "group_rows",
]
