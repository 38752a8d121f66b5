"""Mercer kernels: similarities of rows, and the registry of their names."""

from rocsvm.kernels._base import AbstractColumns, AbstractKernel, KernelFault, name_kernel
from rocsvm.kernels._callable import CallableKernel
from rocsvm.kernels._gamma import GAMMAS, find_gamma
from rocsvm.kernels._named import NamedKernel, narrow_indices
from rocsvm.kernels._rbf import RBFKernel
from rocsvm.kernels._resolve import KERNELS, check_kernel, resolve_kernel

__all__ = [
    "GAMMAS",
    "KERNELS",
    "AbstractColumns",
    "AbstractKernel",
    "CallableKernel",
    "KernelFault",
    "NamedKernel",
    "RBFKernel",
    "check_kernel",
    "find_gamma",
    "name_kernel",
    "narrow_indices",
    "resolve_kernel",
]
