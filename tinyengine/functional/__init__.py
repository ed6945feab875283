"""Functions of tensors, grouped as in MegEngine. ``import tinyengine.functional as F``."""

# Star imports, so that a new op needs no list. The losses stay in ``loss`` and ``nn``.
from .elemwise import *
from .math import *
from .metric import *
from .names import _functions
from .nn import *
from .tensor import *

__all__ = _functions(globals())


def __dir__() -> list[str]:
    return __all__
