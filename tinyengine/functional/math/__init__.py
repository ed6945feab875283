"""Reductions, order, and linear algebra."""

from .linalg import *
from .reductions import *
from .sorting import *
