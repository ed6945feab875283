"""Element-wise ops: what one element of the result owes to one of each operand."""

from ..names import _offer_functions
from .arithmetic import *
from .logic import *
from .transcendental import *

_offer_functions(globals())
