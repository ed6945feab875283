"""Automatic differentiation: managers that record what is computed and work out gradients."""

from .grad_manager import GradManager

__all__ = ["GradManager"]
