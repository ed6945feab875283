"""Ops that make tensors, move their elements about, and change what holds them."""

from ..names import _offer_functions
from .assignment import *
from .conversion import *
from .creation import *
from .indexing import *
from .joining import *
from .numpy_functions import *
from .shape import *

_offer_functions(globals())
