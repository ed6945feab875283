"""Element-wise ops.

Each states its local derivatives: what one element of the result owes to one of each operand.
"""

from __future__ import annotations

from ..backend import Array
from ..op import op


@op("+", operator="add")
def add(x: Array, y: Array) -> Array:
    """Element-wise sum of `x` and `y`, stretched to a common shape.

    >>> add(tensor([1., 2.]), 10.)
    Tensor([11. 12.], device=cpux:0)
    """
    return x + y


add.partials(x=lambda: 1, y=lambda: 1)


@op("−", operator="sub")
def sub(x: Array, y: Array) -> Array:
    """Element-wise difference `x` − `y`, stretched to a common shape.

    >>> sub(tensor([1., 2.]), tensor([[1.], [2.]]))
    Tensor([[ 0.  1.]
     [-1.  0.]], device=cpux:0)
    """
    return x - y


sub.partials(x=lambda: 1, y=lambda: -1)


@op("×", operator="mul")
def mul(x: Array, y: Array) -> Array:
    """Element-wise product of `x` and `y`, stretched to a common shape.

    >>> mul(tensor([2., 3.]), 4.)
    Tensor([ 8. 12.], device=cpux:0)
    """
    return x * y


mul.partials(x=lambda y: y, y=lambda x: x)


@op("÷", operator="truediv")
def div(x: Array, y: Array) -> Array:
    """Element-wise quotient `x` / `y`, stretched to a common shape. Integers divide to float32.

    >>> div(tensor([1, 2]), 4)
    Tensor([0.25 0.5 ], device=cpux:0)
    """
    return x / y


div.partials(x=lambda y: 1 / y, y=lambda out, y: -out / y)


@op("−", operator="neg")
def neg(x: Array) -> Array:
    """Element-wise −`x`.

    >>> neg(tensor([1., -2.]))
    Tensor([-1.  2.], device=cpux:0)
    """
    return -x


neg.partials(x=lambda: -1)
