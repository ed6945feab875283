"""tinyengine: tensors and automatic differentiation, small enough to read, under MegEngine's names.

>>> import tinyengine as te
>>> x = te.tensor([1., 3., 5.], device="cpux")
>>> x * 2
Tensor([ 2.  6. 10.], device=cpux:0)
"""

from . import autodiff, data, functional, module, optimizer, random
from .backend import (
    get_default_device,
    get_device_count,
    is_cuda_available,
    set_default_device,
)
from .serialization import load, save
from .tensor import Parameter, Tensor, Tensor as tensor
from .trace import Trace

__version__ = "0.1.0"

__all__ = [
    "Parameter",
    "Tensor",
    "Trace",
    "autodiff",
    "data",
    "functional",
    "get_default_device",
    "get_device_count",
    "is_cuda_available",
    "load",
    "module",
    "optimizer",
    "random",
    "save",
    "set_default_device",
    "tensor",
]
