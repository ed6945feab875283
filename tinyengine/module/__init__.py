"""Models and their layers, under MegEngine's names. ``import tinyengine.module as M``."""

from . import init
from .activations import GELU, LeakyReLU, PReLU, ReLU, Sigmoid, SiLU, Softmax
from .linear import Dropout, Embedding, Identity, Linear
from .module import Module
from .sequential import Sequential

__all__ = [
    "GELU",
    "Dropout",
    "Embedding",
    "Identity",
    "LeakyReLU",
    "Linear",
    "Module",
    "PReLU",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "init",
]
