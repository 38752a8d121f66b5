"""Schemes of pairs, and the registry of their names."""

from rocsvm.pairs._all import AllPairs
from rocsvm.pairs._base import AbstractCurvature, AbstractPairs, AbstractPairSums, PairSums
from rocsvm.pairs._incomplete import IncompletePairs

PAIRS: dict[str, type[AbstractPairs]] = {"all": AllPairs, "incomplete": IncompletePairs}

__all__ = ["PAIRS", "AbstractCurvature", "AbstractPairSums", "AbstractPairs", "AllPairs", "IncompletePairs", "PairSums"]
