"""Every number printed in the lessons is computed again and compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from .conftest import LESSONS, NAMES, load

Nbval = Callable[..., tuple[dict[str, int], str]]


def code_cells(name: str) -> int:
    return sum(cell["cell_type"] == "code" for cell in load("en", name)["cells"])


def test_every_cell_of_every_lesson_gives_what_is_printed(nbval: Nbval) -> None:
    counts, output = nbval(LESSONS / "en")
    assert counts == {"passed": sum(map(code_cells, NAMES))}, output


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        (
            "01_computation_graph",
            "from tinyengine import Tensor\nTensor.__mul__ = Tensor.__add__",
        ),
        (
            "06_grad_manager",
            "import tinyengine.functional as F\n"
            "right = F.matmul\n"
            "F.matmul = lambda a, b: right(a, b) * 2.0",
        ),
    ],
)
def test_a_wrong_engine_is_noticed(nbval: Nbval, name: str, wrong: str) -> None:
    counts, output = nbval(LESSONS / "en" / f"{name}.ipynb", startup=wrong)
    assert counts.get("failed") == 1, output
    assert "Cell outputs differ" in output


def notebook(path: Path, *cells: tuple[str, str], tags: tuple[str, ...] = ()) -> Path:
    """Write a notebook of code cells that claim to have printed the given texts."""
    v4 = nbformat.v4
    made = []
    for count, (code, printed) in enumerate(cells, start=1):
        output = v4.new_output("stream", name="stdout", text=printed)
        made.append(
            v4.new_code_cell(
                code,
                id=f"c{count}",
                execution_count=count,
                outputs=[output] if printed else [],
                metadata={"tags": list(tags)},
            )
        )
    nbformat.write(v4.new_notebook(cells=made), path)
    return path


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A folder under the rules of lessons/conftest.py."""
    rules = (LESSONS / "conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(rules, encoding="utf-8")
    return tmp_path


def test_tagged_cells_are_compared_with_a_tolerance(nbval: Nbval, scratch: Path) -> None:
    code = "print('loss   3.14159 [ 0.5 1.]')"
    close = notebook(
        scratch / "close.ipynb", (code, "loss 3.1416 [0.5001 1. ]\n"), tags=("nbval-approx",)
    )
    far = notebook(scratch / "far.ipynb", (code, "loss 3.2 [0.5 1.]\n"), tags=("nbval-approx",))
    word = notebook(
        scratch / "word.ipynb", (code, "gain 3.14159 [0.5 1.]\n"), tags=("nbval-approx",)
    )
    untagged = notebook(scratch / "untagged.ipynb", (code, "loss 3.1416 [0.5001 1. ]\n"))
    counts, output = nbval(close, far, word, untagged)
    assert counts == {"passed": 1, "failed": 3}, output
    assert "close.ipynb::Cell 0" not in output


def test_after_a_failure_the_rest_of_that_notebook_is_skipped(nbval: Nbval, scratch: Path) -> None:
    bad = notebook(scratch / "bad.ipynb", ("1 / 0", ""), ("x = 1", ""), ("print(x)", "1\n"))
    good = notebook(scratch / "good.ipynb", ("print(2)", "2\n"))
    counts, output = nbval(bad, good)
    assert counts == {"failed": 1, "skipped": 2, "passed": 1}, output
