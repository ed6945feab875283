"""save and load: tensors in any nesting of dicts, lists and tuples, in a file that cannot run code.

The file is a zip archive: `contents.json` says how things are nested, and each array is an entry in
NumPy's own format. Zip's checksums tell a damaged file; nothing in it is ever executed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, TypeAlias

import numpy as np

from .backend import Device, device as find_device
from .tensor import Parameter, Tensor

Path: TypeAlias = str | os.PathLike[str]
MapLocation: TypeAlias = str | Device | Mapping[str, str] | Callable[[str], str] | None

_CONTENTS = "contents.json"
_FORMAT = {"format": "tinyengine", "version": 1}
_CONTAINERS: dict[str, Callable[[Any], Any]] = {"list": list, "tuple": tuple}
_DICTS: dict[str, type[dict[Any, Any]]] = {"dict": dict, "OrderedDict": OrderedDict}
_TENSORS = {"Tensor": Tensor, "Parameter": Parameter}


def save(obj: Any, f: Path | IO[bytes]) -> None:
    """Write `obj` to a file, by its path or already open for writing.

    A file at that path is replaced only when the new one is complete: whatever happens while it is
    written, the old one stays.

    Args:
        obj: tensors, NumPy arrays, numbers, strings, booleans and None, in dicts, lists and tuples.
        f: where to.

    Raises:
        TypeError: `obj` holds something else; the message says where.

    >>> import io
    >>> file = io.BytesIO()
    >>> save({"weight": Tensor([1., 2.], device="cpux"), "epoch": 3}, file)
    >>> load(io.BytesIO(file.getvalue()))
    {'weight': Tensor([1. 2.], device=cpux:0), 'epoch': 3}
    """
    arrays: list[Any] = []
    contents = {**_FORMAT, "contents": _written(obj, "obj", arrays)}
    target = _replacing(f) if isinstance(f, (str, os.PathLike)) else contextlib.nullcontext(f)
    with target as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_CONTENTS, json.dumps(contents))
        for number, array in enumerate(arrays):
            with archive.open(f"{number}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)


def load(f: Path | IO[bytes], map_location: MapLocation = None) -> Any:
    """What :func:`save` wrote to a file, given by its path or already open for reading.

    Args:
        f: where from.
        map_location: where tensors go: the name of a device, a dict or a function from the device
            that each was on to another; by default where they were.

    Raises:
        ValueError: the file is not one of save()'s, or is damaged.

    """
    name = os.fspath(f) if isinstance(f, (str, os.PathLike)) else getattr(f, "name", "the file")
    try:
        with zipfile.ZipFile(f) as archive:
            contents = json.loads(archive.read(_CONTENTS))
            if {key: contents.get(key) for key in _FORMAT} != _FORMAT:
                raise ValueError(f"it is of another format or version than {_FORMAT}")
            return _Reader(archive, map_location).read(contents["contents"])
    except FileNotFoundError:
        raise
    except (
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        TypeError,
        IndexError,
        EOFError,
        OSError,
    ) as e:
        raise ValueError(
            f"load(): {name!r} is damaged, or not a file that save() wrote: {e}"
        ) from e


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of the one at `path` once it is complete and on disk."""
    path = os.fspath(path)
    folder, name = os.path.split(os.path.abspath(path))
    file = tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name}.", delete=False)  # noqa: SIM115
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file.name)
        raise


def _written(obj: Any, where: str, arrays: list[Any]) -> Any:
    """`obj` as JSON; its arrays are put aside."""
    if obj is None or type(obj) in (bool, int, float, str):
        return obj
    if type(obj) in (list, tuple):
        items = [_written(item, f"{where}[{i}]", arrays) for i, item in enumerate(obj)]
        return {type(obj).__name__: items}
    if type(obj) in (dict, OrderedDict):
        pairs = [
            [_written(key, f"a key of {where}", arrays), _written(v, f"{where}[{key!r}]", arrays)]
            for key, v in obj.items()
        ]
        return {type(obj).__name__: pairs}
    if type(obj) in (Tensor, Parameter):
        arrays.append(obj.numpy())
        known = {"array": len(arrays) - 1, "device": str(obj.device), "name": obj.name}
        return {type(obj).__name__: known}
    if isinstance(obj, (np.ndarray, np.generic)) and obj.dtype.kind in "biufcUS":
        arrays.append(np.asarray(obj))
        return {"array" if isinstance(obj, np.ndarray) else "scalar": len(arrays) - 1}
    raise TypeError(
        f"save(): {where} is of type {type(obj).__name__}; what can be saved are tensors, arrays,"
        " numbers, strings, booleans and None, in dicts, lists and tuples (of a module or an"
        " optimizer save its state_dict())"
    )


class _Reader:
    """Puts together again what was written."""

    def __init__(self, archive: zipfile.ZipFile, map_location: MapLocation) -> None:
        self.archive = archive
        self.map_location = map_location

    def read(self, written: Any) -> Any:
        if not isinstance(written, dict):
            return written
        ((kind, content),) = written.items()
        if kind in _CONTAINERS:
            return _CONTAINERS[kind](self.read(item) for item in content)
        if kind in _DICTS:
            return _DICTS[kind]((self.read(key), self.read(value)) for key, value in content)
        if kind in _TENSORS:
            array = self.array(content["array"])
            place = self.place(content["device"])
            return _TENSORS[kind](array, dtype=array.dtype, device=place, name=content["name"])
        if kind in ("array", "scalar"):
            return self.array(content) if kind == "array" else self.array(content)[()]
        raise ValueError(f"it holds a {kind!r}, which this version does not know")

    def array(self, number: int) -> np.ndarray[Any, Any]:
        data = io.BytesIO(self.archive.read(f"{int(number)}.npy"))
        array: np.ndarray[Any, Any] = np.lib.format.read_array(data, allow_pickle=False)
        return array

    def place(self, name: str) -> Device:
        where = self.map_location
        if where is None:
            return find_device(name)
        if isinstance(where, (str, Device)):
            return find_device(where)
        if callable(where):
            return find_device(where(name))
        return find_device(where.get(name, where.get(name.partition(":")[0], name)))
