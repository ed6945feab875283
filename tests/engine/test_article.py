"""The documented introduction, cell by cell: the code unchanged but for the imports.

It prints the documented text, but for two differences, on purpose: see DIFFERENCES.
"""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tinyengine as te

DIFFERENCES = {
    # the name of a dtype, and not the class behind it
    "<class 'numpy.float32'>": "float32",
    "<class 'numpy.float16'>": "float16",
    # the gradient of a scalar is a scalar
    "Tensor([1.], device=cpux:0)": "Tensor(1.0, device=cpux:0)",
}
"""What was printed when the introduction was written, and what is printed now."""

# What np.random.random gave: in the first cell and from cell 8 on only four digits are known.
FIRST = [[0.2397, 0.6569, 0.8097, 0.3523, 0.4676], [0.9492, 0.9415, 0.5636, 0.614, 0.8424]]
SECOND = [
    [0.8246328, 0.8447421, 0.32254046, 0.25825405, 0.60646415],
    [0.47006, 0.59400123, 0.16122891, 0.77490866, 0.0067136],
]
LEFT = [[0.1337, 0.5079, 0.0929, 0.0834, 0.7817], [0.461, 0.7906, 0.81, 0.6579, 0.5813]]
RIGHT = [[0.8897, 0.451, 0.6765, 0.3549, 0.88], [0.4421, 0.7505, 0.6881, 0.9912, 0.6448]]

CELLS = {
    "1": (
        """\
import numpy as np
import tinyengine as mge

# 初始化一個維度為 (2, 5) 的 ndarray，并轉化成 MegEngine 的 Tensor
# 注：目前 MegEngine Tensor 不支持 float64 數值類型，所以這里顯示指定了 ndarray 的數值類型
a = mge.tensor(np.random.random((2,5)).astype('float32'))
print(a)

# 初始化一個長度為3的列表，并轉化成 Tensor
b = mge.tensor([1., 2., 3.])
print(b)
""",
        """\
Tensor([[0.2397 0.6569 0.8097 0.3523 0.4676]
 [0.9492 0.9415 0.5636 0.614  0.8424]], device=xpux:0)
Tensor([1. 2. 3.], device=xpux:0)
""",
    ),
    "2": (
        """\
print(a.dtype)
d = a.astype("float16")
print(d.dtype)
""",
        """\
<class 'numpy.float32'>
<class 'numpy.float16'>
""",
    ),
    "3": ("print(a.shape)\n", "(2, 5)\n"),
    "4": (
        """\
a = mge.tensor(np.random.random((2,5)).astype('float32'))
print(a)

b = a.numpy()
print(b)
""",
        """\
Tensor([[0.8246 0.8447 0.3225 0.2583 0.6065]
 [0.4701 0.594  0.1612 0.7749 0.0067]], device=xpux:0)
[[0.8246328  0.8447421  0.32254046 0.25825405 0.60646415]
 [0.47006    0.59400123 0.16122891 0.77490866 0.0067136 ]]
""",
    ),
    "5": ("print(a.device)\n", "xpux:0\n"),
    "6": (
        """\
b = a.to("cpu0")
print(b.device)
""",
        "cpu0:0\n",
    ),
    "7": (
        """\
import tinyengine as mge

# 默認使用 CPU
mge.set_default_device('cpux')
""",
        "",
    ),
    "8": (
        """\
a = mge.tensor(np.random.random((2,5)).astype('float32'))
print(a)
b = mge.tensor(np.random.random((2,5)).astype('float32'))
print(b)
print(a + b)
""",
        """\
Tensor([[0.1337 0.5079 0.0929 0.0834 0.7817]
 [0.461  0.7906 0.81   0.6579 0.5813]], device=cpux:0)
Tensor([[0.8897 0.451  0.6765 0.3549 0.88  ]
 [0.4421 0.7505 0.6881 0.9912 0.6448]], device=cpux:0)
Tensor([[1.0234 0.9589 0.7694 0.4383 1.6617]
 [0.9031 1.5411 1.4981 1.6491 1.2261]], device=cpux:0)
""",
    ),
    "9": (
        "print(a[1, :])\n",
        "Tensor([0.461  0.7906 0.81   0.6579 0.5813], device=cpux:0)\n",
    ),
    "10": (
        "a.reshape(5, 2)\n",
        """\
Tensor([[0.1337 0.5079]
 [0.0929 0.0834]
 [0.7817 0.461 ]
 [0.7906 0.81  ]
 [0.6579 0.5813]], device=cpux:0)
""",
    ),
    "11": (
        """\
# 原始維度是 (2, 5)，當給出 -1的缺省維度值時，可以推理出另一維度為10
a = a.reshape(1, -1)
print(a.shape)
""",
        "(1, 10)\n",
    ),
    "12": ("print(a.device)\n", "cpux:0\n"),
    "13": (
        """\
import tinyengine as mge
import tinyengine.functional as F
from tinyengine.autodiff import GradManager

x = mge.tensor([1., 3., 5.]).reshape(1, 3)
w = mge.tensor([2., 4., 6.]).reshape(3, 1)
b = mge.tensor(-1.)

gm = GradManager().attach([w, b])   # 新建一個求導器，綁定需要求導的變量
with gm:                            # 開始記錄計算圖
    p = F.matmul(x, w)
    y = p + b
    gm.backward(y)                  # 計算 y 的導數

print(w.grad)
print(b.grad)
""",
        """\
Tensor([[1.]
 [3.]
 [5.]], device=cpux:0)
Tensor([1.], device=cpux:0)
""",
    ),
    "13, record and release": (
        """\
gm = GradManager().attach([w, b])   # 新建一個求導器，綁定需要求導的變量
gm.record()                         # 開始記錄計算圖

p = F.matmul(x, w)
y = p + b

gm.backward(y)                      # 計算 y 的導數
gm.release()                        # 停止記錄計算圖并釋放資源
""",
        "",
    ),
    "14": (
        """\
x = mge.tensor([1., 3., 5.]).reshape(1, 3)
w = mge.tensor([2., 4., 6.]).reshape(3, 1)
b = mge.tensor(-1.)

gm = GradManager().attach([w, b])   # 新建一個求導器，綁定需要求導的變量
with gm:                            # 開始記錄計算圖
    p = F.matmul(x, w)
    y = p + b.detach()              # 停止對 b 求導
    gm.backward(y)                  # 計算 y 的導數

print(b.grad)
""",
        "None\n",
    ),
}


def execute(source: str, namespace: dict[str, Any]) -> str:
    """Run a cell as a notebook does: what it prints, and the value of a last expression."""
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None  # type: ignore[attr-defined]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body, []), "cell", "exec"), namespace)
        value = None if last is None else eval(compile(last, "cell", "eval"), namespace)
        if value is not None:
            print(repr(value))
    return printed.getvalue()


@pytest.fixture(scope="module")
def notebook() -> Iterator[dict[str, tuple[str, dict[str, Any]]]]:
    """What each cell printed, run in order in one namespace, and the namespace after it."""
    draws = iter([FIRST, SECOND, LEFT, RIGHT])
    namespace: dict[str, Any] = {}
    printed = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("numpy.random.random", lambda shape: np.array(next(draws)).reshape(shape))
        te.set_default_device("xpux")
        for number, (source, _) in CELLS.items():
            printed[number] = execute(source, namespace), dict(namespace)
    yield printed
    te.set_default_device("cpux")


@pytest.mark.parametrize("number", CELLS)
def test_the_cell_prints_the_documented_text(number: str, notebook: Any) -> None:
    documented = CELLS[number][1]
    for then, now in DIFFERENCES.items():
        documented = documented.replace(then, now)
    assert notebook[number][0] == documented


def test_record_and_release_give_the_gradients_that_with_gives(notebook: Any) -> None:
    # The gradients of the same w and b from cell 13 are added to.
    after = notebook["13, record and release"][1]
    assert after["w"].grad.tolist() == [[2.0], [6.0], [10.0]]
    assert after["b"].grad.item() == 2.0


def test_a_cell_can_be_run_alone_and_again(notebook: Any) -> None:
    _, namespace = notebook["14"]
    assert execute(CELLS["14"][0], namespace) == "None\n"
    assert namespace["w"].grad.tolist() == [[1.0], [3.0], [5.0]]


def test_each_difference_is_one() -> None:
    documented = "".join(text for _, text in CELLS.values())
    assert all(documented.count(then) == 1 for then in DIFFERENCES)
