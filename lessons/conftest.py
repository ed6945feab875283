"""What nbval lacks for the lessons: patience for output, tolerance on request, one failure each."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

OUTPUT_TIMEOUT = 30  # seconds; nbval waits 5, too short for a busy machine
TOLERANCE = 1e-3  # relative; for cells tagged nbval-approx
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Approximate(str):
    """A text that equals another one whose numbers are close and whose other letters are equal."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return NotImplemented
        mine, theirs = NUMBER.findall(self), NUMBER.findall(other)
        # Columns of numbers are padded to equal width, so the spaces may differ with the digits.
        rest = ["".join(NUMBER.sub("#", text).split()) for text in (self, other)]
        return (
            rest[0] == rest[1]
            and len(mine) == len(theirs)
            and all(
                math.isclose(float(a), float(b), rel_tol=TOLERANCE)
                for a, b in zip(mine, theirs, strict=True)
            )
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Set the patience of every cell and the tolerance of those that ask for it."""
    for item in items:
        if not hasattr(item, "output_timeout"):
            continue
        item.output_timeout = OUTPUT_TIMEOUT
        if "nbval-approx" in item.cell.metadata.get("tags", ()):
            exact = item.sanitize
            item.sanitize = lambda text, exact=exact: (
                Approximate(exact(text)) if isinstance(text, str) else text
            )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any) -> Any:
    """Remember the first failed cell of a notebook."""
    report = yield
    if report.failed and hasattr(item.parent, "kernel"):
        item.parent.first_failure = item.parent.__dict__.get("first_failure", item.name)
    return report


def pytest_runtest_setup(item: Any) -> None:
    """Skip the cells after a failed one: they build on it and would only repeat the failure."""
    failed = getattr(item.parent, "first_failure", None)
    if failed:
        pytest.skip(f"{failed} of this notebook failed")
