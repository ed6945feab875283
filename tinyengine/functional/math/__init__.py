"""Reductions, order, and linear algebra."""

from ..names import _functions
from .decompositions import *
from .linalg import *
from .reductions import *
from .sorting import *

__all__ = _functions(globals())
