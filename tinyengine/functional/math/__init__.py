"""Reductions, order, and linear algebra."""

from .decompositions import *
from .linalg import *
from .reductions import *
from .sorting import *
