"""Sequential: a list of layers, with names."""

from __future__ import annotations

from typing import Any

import pytest

import tinyengine.module as M


def names(pairs: Any) -> list[str]:
    return [name for name, _ in pairs]


def test_sequential_is_a_list_of_layers() -> None:
    net = M.Sequential(M.Linear(2, 3), M.ReLU(), M.Linear(3, 1))
    assert names(net.named_parameters()) == ["0.bias", "0.weight", "2.bias", "2.weight"]
    assert len(net) == 3
    assert list(net) == [net[0], net[1], net[-1]]
    head = net[:2]
    assert isinstance(head, M.Sequential)
    assert head[0] is net[0]
    net[1] = M.Sigmoid()
    assert [type(layer) for layer in net] == [M.Linear, M.Sigmoid, M.Linear]
    del net[1]
    assert names(net.named_children()) == ["0", "2"]
    del net[:]
    assert len(net) == 0
    assert net(5) == 5


def test_sequential_takes_names() -> None:
    net = M.Sequential({"fc": M.Linear(2, 1), "act": M.ReLU()})
    assert names(net.named_parameters()) == ["fc.bias", "fc.weight"]
    assert net.fc is net[0]
    with pytest.raises(ValueError, match="cannot be called 'forward', which is taken"):
        M.Sequential({"forward": M.ReLU()})
    with pytest.raises(ValueError, match="cannot be called 'training', which is taken"):
        M.Sequential({"training": M.ReLU()})
    with pytest.raises(TypeError, match=r"layer '1' is list \[\], not a Module; unpack it"):
        M.Sequential(M.ReLU(), [])  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        net[2]
