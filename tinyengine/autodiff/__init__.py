"""Automatic differentiation: managers that record what is computed and work out gradients."""

from .function import Function
from .grad_check import grad_check
from .grad_manager import GradManager

__all__ = ["Function", "GradManager", "grad_check"]
