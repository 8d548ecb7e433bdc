"""Looking which lent objects are still held costs each message a little, however many are lent."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.child.objects import crossing
from sandbox.child.objects.crossing import Crossing


class _TestsSide(Crossing):
    prunes = True


class _Held:
    pass


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was looked at, an entry each time."""
    looks: list[object] = []

    def held_by_all(value: Any) -> int:
        looks.append(value)
        return crossing.LAST_REFERENCES + 1

    monkeypatch.setattr(crossing, "getrefcount", held_by_all)
    return looks


def test_many_lent_objects_are_not_looked_at_with_each_message(looked_at: list[object]) -> None:
    side, held = _TestsSide(1), [_Held() for _ in range(2000)]
    for one in held:
        side.export(one)
    for _ in range(1000):
        assert side.let_go() == []
    assert 0 < len(looked_at) <= 1000 * crossing.LOOKED_AT_ONCE


def test_few_are_looked_at_with_each_message_and_given_back_ones_never(looked_at: list[object]) -> None:
    side, held = _TestsSide(1), [_Held() for _ in range(3)]
    numbers = [side.export(one) for one in held]
    side.let_go()
    assert len(looked_at) == 3
    side.release(numbers[:2])
    side.let_go()
    assert len(looked_at) == 4
