"""What is let go is told at once only where the other side waits for a message: else two answers would be mixed up."""

from __future__ import annotations

from socket import socketpair
from typing import Any

import pytest

from sandbox.child.proxy import tests_side
from sandbox.child.proxy.peer import Wire


def test_a_wire_knows_whose_turn_it_is() -> None:
    ours, theirs = socketpair()
    with ours, theirs:
        here, there = Wire(ours.fileno()), Wire(theirs.fileno())
        assert not here.has_turn
        there.send(["hello"])
        here.receive()
        assert here.has_turn
        here.send(["c"])
        assert not here.has_turn


def test_nothing_is_told_out_of_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(tests_side.TestsSide, "call", lambda _, target, *__: asked.append(target))
    side = tests_side.TestsSide()
    side.bury()
    assert asked == []
    side.wire.has_turn, side.busy = True, True
    side.bury()
    assert asked == []
    side.busy = False
    side.bury()
    assert asked == [{"op": "bury"}]
