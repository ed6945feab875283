"""The examples in the docstrings run, and everything public has a docstring."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from typing import Any

import pytest

import tinyengine as te

MODULES = ["tinyengine", *(m.name for m in pkgutil.walk_packages(te.__path__, "tinyengine."))]


@pytest.mark.parametrize("name", [m for m in MODULES if not m.startswith("tinyengine.functional.")])
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    names = {"tensor": te.tensor, "Parameter": te.Parameter, **vars(module), "__name__": "__main__"}
    failed, _ = doctest.testmod(module, extraglobs=names)
    assert failed == 0


def public(module: Any) -> list[Any]:
    return [getattr(module, name) for name in module.__all__]


def functions() -> list[Any]:
    found = {f for m in (te.functional, te.functional.nn, te.functional.loss) for f in public(m)}
    return sorted(found, key=lambda f: str(f.__name__))


@pytest.mark.parametrize("function", functions(), ids=lambda f: f.__name__)
def test_every_function_has_an_example_that_runs(function: Any) -> None:
    names = {**vars(te.functional.loss), **vars(te.functional), "tensor": te.tensor}
    test = doctest.DocTestParser().get_doctest(function.__doc__, names, function.__name__, None, 0)
    assert test.examples
    te.set_default_device("cpux")
    assert not doctest.DocTestRunner().run(test).failed


@pytest.mark.parametrize(
    "module",
    [te, te.functional, te.autodiff, te.random, te.module, te.module.init, te.optimizer],
    ids=lambda m: m.__name__,
)
def test_everything_public_has_a_docstring(module: Any) -> None:
    for value in public(module):
        assert inspect.getdoc(value), value
        if inspect.isclass(value):
            members = [m for k, m in vars(value).items() if not k.startswith("_") and callable(m)]
            assert all(inspect.getdoc(member) for member in members), value


def test_methods_are_called_by_their_names() -> None:
    for name in ("reshape", "astype", "to", "sum", "detach"):
        assert getattr(te.Tensor, name).__name__ == name
