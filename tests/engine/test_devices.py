"""Devices: their names, what is equal, the default, and what is computed where."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

import tinyengine as te
from tinyengine.backend import device

T = te.tensor


@pytest.mark.parametrize(
    ("name", "logical"),
    [
        ("xpux", "xpux:0"),
        ("cpux", "cpux:0"),
        ("cpu0", "cpu0:0"),
        ("cpu12", "cpu12:0"),
        ("cpu0:1", "cpu0:1"),
        ("xpu1", "xpu1:0"),
        ("gpu0", "gpu0:0"),
        ("gpux:2", "gpux:2"),
    ],
)
def test_names(name: str, logical: str) -> None:
    where = device(name)
    assert str(where) == where.logical_name == logical
    assert where == name
    assert where == logical
    assert device(logical) is where
    assert pickle.loads(pickle.dumps(where)) is where


def test_devices_are_equal_by_logical_name() -> None:
    x, c = T(1.0, device="xpux"), T(1.0, device="cpu0")
    assert x.device != c.device
    assert x.device != "cpu0"
    assert x.device not in (None, 0)
    assert len({x.device, c.device, T(2.0, device="cpu0").device}) == 2
    assert c.device.physical_name == "cpu0:0"
    assert repr(c.device) == 'CompNode("cpu0:0" from "cpu0:0")'


def test_the_default_device() -> None:
    assert te.get_default_device() == "cpux"
    te.set_default_device("cpu1")
    assert te.get_default_device() == "cpu1"
    assert T(1.0).device == "cpu1"
    te.set_default_device(device("cpu2:1"))
    assert te.get_default_device() == "cpu2:1"
    te.set_default_device()
    assert te.get_default_device() == "xpux"
    te.set_default_device("gpu7")  # there may be one when the first tensor is made


def test_what_is_computed_stays_where_its_operands_are() -> None:
    x = T([1.0, 2.0], device="cpu1")
    for y in (x + 1, 2 - x, x * [1.0, 2.0], x[0], x.sum(), x.reshape(2, 1), x.detach(), T(x)):
        assert y.device == "cpu1"
    assert T(x, device="cpu0").device == x.to("cpu0").device == "cpu0"
    assert T([T(1.0, device="cpu1")]).device == "cpux"


def test_counting() -> None:
    assert te.get_device_count("cpu") == os.cpu_count()
    assert te.get_device_count("xpu") >= 1
    assert te.is_cuda_available() == (te.get_device_count("gpu") > 0)


def started(default: str | None, code: str) -> subprocess.CompletedProcess[str]:
    variables = {k: v for k, v in os.environ.items() if k != "MGE_DEFAULT_DEVICE"}
    if default is not None:
        variables["MGE_DEFAULT_DEVICE"] = default
    command = [sys.executable, "-c", f"import tinyengine as te; {code}"]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(("default", "want"), [(None, "xpux:0"), ("cpu0", "cpu0:0")])
def test_the_variable_is_read_at_import(default: str | None, want: str) -> None:
    run = started(default, "print(te.tensor(1.).device)")
    assert (run.stdout.strip(), run.stderr) == (want, "")


@pytest.mark.parametrize("default", ["foo", ""])
def test_a_wrong_variable_is_an_error_at_import(default: str) -> None:
    run = started(default, "")
    assert run.returncode != 0
    message = run.stderr.strip().splitlines()[-1]
    assert message.startswith(
        f"ValueError: environment variable MGE_DEFAULT_DEVICE: unknown device {default!r}: allowed"
    )
