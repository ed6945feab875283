"""Functions of tensors, grouped as in MegEngine. ``import tinyengine.functional as F``."""

from .elemwise import add, div, mul, neg, sub
from .math import matmul, sum
from .tensor import broadcast_to, copy, expand_dims, reshape, swapaxes

__all__ = [
    "add",
    "broadcast_to",
    "copy",
    "div",
    "expand_dims",
    "matmul",
    "mul",
    "neg",
    "reshape",
    "sub",
    "sum",
    "swapaxes",
]
