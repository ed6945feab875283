"""Saving and loading: what comes back, what is refused, and that no crash costs the old file."""

from __future__ import annotations

import io
import json
import os
import pickle
import signal
import subprocess
import sys
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine import Parameter, Tensor, load, save

T = te.tensor


def there_and_back(obj: Any, **options: Any) -> Any:
    file = io.BytesIO()
    save(obj, file)
    file.seek(0)
    return load(file, **options)


def test_everything_comes_back_as_it_was() -> None:
    obj = {
        "weights": OrderedDict(w=Parameter([[1.5, -2.0]], device="cpu1"), b=T(3, name="bias")),
        "array": np.arange(6, dtype="int64").reshape(2, 3),
        7: [1, 2.5, True, None, "线性", (float("inf"), -0.1)],
        ("a", 1): np.float64(0.1),
        "empty": T(np.zeros((0, 3))),
        "half": T([1.0], dtype="float16"),
        "wide": T([0.1], dtype="float64"),
    }
    back = there_and_back(obj)
    assert list(back) == list(obj)
    assert type(back["weights"]) is OrderedDict
    w, b = back["weights"].values()
    assert (type(w), str(w.device), w.tolist()) == (Parameter, "cpu1:0", [[1.5, -2.0]])
    assert (type(b), b.dtype, b.name, b.item()) == (Tensor, np.int32, "bias", 3)
    assert back["array"].dtype == np.int64
    assert back["array"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert back[7] == obj[7]
    assert type(back["a", 1]) is np.float64
    assert back["empty"].shape == (0, 3)
    assert [back[name].dtype for name in ("half", "wide")] == ["float16", "float64"]
    assert back["wide"].item() == 0.1


def test_every_bit_comes_back() -> None:
    numbers = np.random.default_rng(0).integers(0, 2**32, 1000, dtype="uint32").view("float32")
    back = there_and_back(T(numbers))
    assert back.numpy().tobytes() == numbers.tobytes()


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        (None, ["cpu0:0", "cpu1:0"]),
        ("cpu2", ["cpu2:0", "cpu2:0"]),
        ({"cpu0": "cpu3"}, ["cpu3:0", "cpu1:0"]),
        ({"cpu1:0": "cpu3"}, ["cpu0:0", "cpu3:0"]),
        (lambda name: name.replace("cpu", "cpu4")[:4], ["cpu4:0", "cpu4:0"]),
    ],
)
def test_tensors_go_where_they_are_sent(where: Any, wanted: list[str]) -> None:
    back = there_and_back([T(1.0, device="cpu0"), T(1.0, device="cpu1")], map_location=where)
    assert [str(t.device) for t in back] == wanted


def test_what_cannot_be_saved_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save(1, path)
    for wrong, where in (
        ({"a": [1, print]}, r"obj\['a'\]\[1\] is of type builtin_function"),
        ({print: 1}, "a key of obj is of type builtin"),
        (np.array([print], object), "obj is of type ndarray"),
    ):
        with pytest.raises(TypeError, match=rf"save\(\): {where}"):
            save(wrong, path)
    assert load(path) == 1
    assert os.listdir(tmp_path) == ["model"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"", b"hello", pickle.dumps({"a": 1})):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"load\(\): '.*file' is damaged, or not a file that"):
            load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    save({"a": T(np.arange(1000.0)), "b": [1, 2]}, path)
    whole = path.read_bytes()
    for cut in (10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match="is damaged"):
            load(path)
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 0xFF
    path.write_bytes(bytes(changed))
    with pytest.raises(ValueError, match="is damaged"):
        load(path)


def test_a_file_cannot_run_code_or_ask_for_other_classes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    harmful = io.BytesIO()
    np.save(harmful, np.array([print], object), allow_pickle=True)
    for contents in ({"array": 0}, {"os.system": "true"}, {"Tensor": {"array": 0}}):
        with zipfile.ZipFile(path, "w") as archive:
            known = {"format": "tinyengine", "version": 1, "contents": contents}
            archive.writestr("contents.json", json.dumps(known))
            archive.writestr("0.npy", harmful.getvalue())
        with pytest.raises(ValueError, match="is damaged, or not a file that"):
            load(path)


WRITER = """
import sys
import numpy as np
import tinyengine as te
big = [te.tensor(np.ones(250_000)) for _ in range(40)]
print("ready", flush=True)
while True:
    te.save({"new": big}, sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_being_killed_while_saving_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "model"
    for wait in (0.01, 0.05, 0.13):
        save({"old": T([1.0])}, path)
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(wait)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert list(load(path)) in (["old"], ["new"])
