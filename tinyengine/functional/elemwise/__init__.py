"""Element-wise ops: what one element of the result owes to one of each operand."""

from .arithmetic import *
from .logic import *
from .transcendental import *
