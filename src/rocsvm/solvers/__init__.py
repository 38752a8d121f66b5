"""Solvers, and the registry of their names."""

from rocsvm.solvers._adamax import Adamax
from rocsvm.solvers._base import AbstractSolver, OnStep, Solution, Status, Step
from rocsvm.solvers._first_order import MAX_STEPS
from rocsvm.solvers._gradient_descent import GradientDescent
from rocsvm.solvers._newton import Newton

SOLVERS: dict[str, type[AbstractSolver]] = {"newton": Newton, "adamax": Adamax, "gd": GradientDescent}

__all__ = [
    "MAX_STEPS",
    "SOLVERS",
    "AbstractSolver",
    "Adamax",
    "GradientDescent",
    "Newton",
    "OnStep",
    "Solution",
    "Status",
    "Step",
]
