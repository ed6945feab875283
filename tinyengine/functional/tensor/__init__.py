"""Ops that make tensors, move their elements about, and change what holds them."""

from .conversion import *
from .creation import *
from .indexing import *
from .joining import *
from .shape import *
