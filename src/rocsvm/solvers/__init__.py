"""Solvers, and the registry of their names."""

from rocsvm.solvers._base import AbstractSolver, OnStep, Solution, Status, Step
from rocsvm.solvers._newton import Newton

SOLVERS: dict[str, type[AbstractSolver]] = {"newton": Newton}

__all__ = ["SOLVERS", "AbstractSolver", "Newton", "OnStep", "Solution", "Status", "Step"]
