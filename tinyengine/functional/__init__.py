"""Functions of tensors, grouped as in MegEngine. ``import tinyengine.functional as F``."""

# Star imports, so that a new op needs no list.
from .elemwise import *
from .math import *
from .names import _functions
from .nn import *
from .tensor import *

__all__ = _functions(globals())


def __dir__() -> list[str]:
    return __all__
