"""Reductions, order, and linear algebra."""

from ..names import _offer_functions
from .decompositions import *
from .linalg import *
from .reductions import *
from .sorting import *

_offer_functions(globals())
