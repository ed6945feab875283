"""Functions of neural networks: activations, layers, normalisation."""

from ..names import _functions
from .activations import *

__all__ = _functions(globals())
