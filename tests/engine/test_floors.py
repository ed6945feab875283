"""A file imports only from lower floors; what each file stands on is stated in one table."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "tinyengine": ROOT / "tinyengine",
    "tinyengine_widgets": ROOT / "widgets" / "tinyengine_widgets",
}

FLOORS = {
    "tinyengine.backend": 0,
    "tinyengine.tensor": 1,
    "tinyengine.promotion": 1,
    "tinyengine.chain_rule": 1,
    "tinyengine.snapshot": 1,
    "tinyengine.scope": 2,
    "tinyengine.serialization": 2,
    "tinyengine.dispatch": 2,
    "tinyengine.op": 3,
    "tinyengine.symbol": 4,
    "tinyengine.formula": 5,
    "tinyengine.trace": 4,
    "tinyengine.random": 3,
    "tinyengine.data.dataset": 0,
    "tinyengine.data.transform": 0,
    "tinyengine.data.toys": 0,
    "tinyengine.data.sampler": 4,
    "tinyengine.data.dataloader": 5,
    "tinyengine.data": 6,
    "tinyengine.functional.names": 0,
    "tinyengine.functional.elemwise.arithmetic": 4,
    "tinyengine.functional.elemwise.transcendental": 4,
    "tinyengine.functional.elemwise.logic": 4,
    "tinyengine.functional.elemwise": 5,
    "tinyengine.functional.tensor.conversion": 4,
    "tinyengine.functional.tensor.shape": 4,
    "tinyengine.functional.tensor.creation": 5,
    "tinyengine.functional.tensor.indexing": 5,
    "tinyengine.functional.tensor.joining": 6,
    "tinyengine.functional.tensor.assignment": 6,
    "tinyengine.functional.tensor.numpy_functions": 6,
    "tinyengine.functional.tensor": 7,
    "tinyengine.functional.math.reductions": 7,
    "tinyengine.functional.math.sorting": 7,
    "tinyengine.functional.math.linalg": 8,
    "tinyengine.functional.math.decompositions": 9,
    "tinyengine.functional.math": 10,
    "tinyengine.functional.nn.activations": 11,
    "tinyengine.functional.arguments": 0,
    "tinyengine.functional.nn.precision": 4,
    "tinyengine.functional.nn.windows": 4,
    "tinyengine.functional.nn.convolution": 11,
    "tinyengine.functional.nn.layers": 12,
    "tinyengine.functional.nn.dropout": 11,
    "tinyengine.functional.nn.attention": 12,
    "tinyengine.functional.nn.ctc": 11,
    "tinyengine.functional.nn.pooling": 11,
    "tinyengine.functional.nn.padding": 11,
    "tinyengine.functional.nn.rearranging": 11,
    "tinyengine.functional.nn.normalization": 11,
    "tinyengine.functional.nn.response": 12,
    "tinyengine.functional.nn.softmax": 11,
    "tinyengine.functional.nn.classes": 11,
    "tinyengine.functional.nn.linear": 11,
    "tinyengine.functional.metric": 12,
    "tinyengine.functional.loss": 12,
    "tinyengine.functional.nn": 14,
    "tinyengine.functional": 15,
    "tinyengine.autodiff.function": 16,
    "tinyengine.autodiff.group": 1,
    "tinyengine.autodiff.grad_manager": 16,
    "tinyengine.autodiff.grad_check": 17,
    "tinyengine.autodiff": 18,
    "tinyengine.module.tree": 19,
    "tinyengine.module.hooks": 19,
    "tinyengine.module.module": 20,
    "tinyengine.module.init": 20,
    "tinyengine.module.sequential": 21,
    "tinyengine.module.linear": 21,
    "tinyengine.module.activations": 21,
    "tinyengine.module.conv": 21,
    "tinyengine.module.pooling": 22,
    "tinyengine.module.normalization": 21,
    "tinyengine.module.recurrent": 21,
    "tinyengine.module.attention": 21,
    "tinyengine.module.rearranging": 22,
    "tinyengine.module": 23,
    "tinyengine.optimizer.optimizer": 18,
    "tinyengine.optimizer.sgd": 19,
    "tinyengine.optimizer.adam": 19,
    "tinyengine.optimizer.adagrad": 19,
    "tinyengine.optimizer.lr_scheduler": 19,
    "tinyengine.optimizer.clip_grad": 18,
    "tinyengine.optimizer": 20,
    "tinyengine": 25,
    "tinyengine_widgets": 26,  # with everything in it
}

ALLOWED = {
    "tinyengine": {"numpy"},
    "tinyengine_widgets": {"tinyengine", "anywidget", "ipywidgets", "traitlets", "IPython"},
}
"""What each package may import besides itself and the standard library."""


def modules() -> dict[str, Path]:
    found = {}
    for package, folder in PACKAGES.items():
        for path in folder.rglob("*.py"):
            parts = (package, *path.relative_to(folder).with_suffix("").parts)
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


MODULES = modules()


def floor(module: str) -> int | None:
    """The floor of a module; of a name inside a module, that of the module."""
    if module.partition(".")[0] == "tinyengine_widgets":
        return FLOORS["tinyengine_widgets"]
    while module not in MODULES and "." in module:
        module = module.rpartition(".")[0]
    return FLOORS.get(module)


def imports(module: str) -> set[str]:
    """Every module or name that `module` imports, also inside functions, but not for types only."""
    path = MODULES[module]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            node.body = [ast.Pass()]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
    return found


def own(name: str) -> bool:
    return name.partition(".")[0] in PACKAGES


@pytest.mark.parametrize("module", [m for m in MODULES if m.partition(".")[0] == "tinyengine"])
def test_a_file_imports_only_from_lower_floors(module: str) -> None:
    assert module in FLOORS, "give this file a floor in the table of this test"
    for name in filter(own, imports(module)):
        below = floor(name)
        assert below is not None
        assert below < FLOORS[module], f"{module} imports {name}, which is not below it"


def test_the_table_has_no_file_too_many() -> None:
    assert set(FLOORS) - {"tinyengine_widgets"} <= set(MODULES)


@pytest.mark.parametrize("module", ["tinyengine.promotion", "tinyengine.chain_rule"])
def test_the_rules_of_dtypes_and_gradients_know_only_arrays(module: str) -> None:
    assert {name.rpartition(".")[0] for name in filter(own, imports(module))} == {
        "tinyengine.backend"
    }


@pytest.mark.parametrize("module", MODULES)
def test_only_declared_packages_are_imported(module: str) -> None:
    package = module.partition(".")[0]
    roots = {name.partition(".")[0] for name in imports(module)}
    roots -= sys.stdlib_module_names | ALLOWED[package] | {package}
    assert roots <= ({"cupy"} if module == "tinyengine.backend" else set())


def test_a_wrong_import_would_be_found() -> None:
    assert "tinyengine.chain_rule.tape" in imports("tinyengine.dispatch")
    assert floor("tinyengine.chain_rule.tape") == FLOORS["tinyengine.chain_rule"]
    assert floor("tinyengine.functional.broadcast_to") == FLOORS["tinyengine.functional"]
    assert "cupy" in imports("tinyengine.backend")
    assert "tinyengine.op.Op" not in imports("tinyengine.dispatch")  # for types only
