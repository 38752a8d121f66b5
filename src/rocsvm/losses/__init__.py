"""Losses of one margin, and the registry of their names."""

from rocsvm.losses._base import AbstractLoss, Ramp, Smoothing
from rocsvm.losses._hinge import Hinge
from rocsvm.losses._squared_hinge import SquaredHinge

LOSSES: dict[str, type[AbstractLoss]] = {"hinge": Hinge, "squared_hinge": SquaredHinge}

__all__ = ["LOSSES", "AbstractLoss", "Hinge", "Ramp", "Smoothing", "SquaredHinge"]
