"""Functions of tensors, grouped as in MegEngine. ``import tinyengine.functional as F``."""

# Star imports, so that a new op needs no list.
from .elemwise import *
from .math import *
from .tensor import *

__all__ = [
    name
    for name, value in globals().items()
    if getattr(value, "__module__", "").startswith(f"{__name__}.") and name[0] != "_"
]


def __dir__() -> list[str]:
    return __all__
