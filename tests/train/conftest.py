from __future__ import annotations

from collections.abc import Iterator

import pytest

import tinyengine as te
from tinyengine import chain_rule


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    """Every test begins on the CPU with the same random numbers, and leaves no record behind."""
    te.set_default_device("cpux")
    te.random.seed(20200325)
    yield
    te.set_default_device("cpux")
    leftovers = [*chain_rule.managers, *chain_rule.observers, *chain_rule.tape]
    for left in (chain_rule.managers, chain_rule.observers, chain_rule.tape):
        left.clear()
    assert not leftovers, f"the test left {leftovers}"
