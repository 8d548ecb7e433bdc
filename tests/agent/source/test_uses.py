"""Uses of objects in many orders show what one call leaves behind for others, also behind a step that raises."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from agent.source.uses import asked_of, mixed, raising_methods, uses_in

CACHE = """
def test_drop():
    c = Cache(2)
    c.put("a", 1)
    c.put("b", 2)
    c.put("c", 3)
    assert c.get("b") == 2
"""
ACCOUNT = """
def test_deposit():
    a = Account()
    a.deposit(5)
    assert a.balance == 5
def test_raise():
    a = Account()
    with pytest.raises(ValueError):
        a.withdraw(10)
"""


class Cache:
    """Drops what was put in first."""

    def __init__(self, size: int) -> None:
        self.size, self.held = size, OrderedDict[str, int]()

    def put(self, key: str, value: int) -> None:
        self.held.pop(key, None)
        self.held[key] = value
        if len(self.held) > self.size:
            self.held.popitem(last=False)

    def get(self, key: str) -> int | None:
        return self.held.get(key)


class UsedCache(Cache):
    """Drops what was used longest ago."""

    def get(self, key: str) -> int | None:
        if key in self.held:
            self.held.move_to_end(key)
        return self.held.get(key)


class Account:
    def __init__(self) -> None:
        self.balance = 0

    def deposit(self, amount: int) -> None:
        self.balance += amount

    def withdraw(self, amount: int) -> None:
        if amount > self.balance:
            raise ValueError
        self.balance -= amount


class LateAccount(Account):
    def withdraw(self, amount: int) -> None:
        self.balance -= amount
        if self.balance < 0:
            raise ValueError


def outcome_of(step: Callable[[], Any]) -> Any:
    try:
        return step()
    except ValueError:
        return "raises ValueError"


def answers(calls: list[str], name: str, kind: type) -> list[object]:
    return [eval(call, {name: kind, "outcome_of": outcome_of}) for call in calls]


def test_that_reading_something_counts_as_use_shows_in_some_order_of_the_calls() -> None:
    calls = [use.as_expression() for use in mixed(list(uses_in(CACHE, {"Cache": None})))]
    assert answers(calls, "Cache", Cache) != answers(calls, "Cache", UsedCache)
    assert any("it.get('a')" in call for call in calls), "with an argument that only another method was given"


def test_what_a_raising_step_leaves_behind_is_seen() -> None:
    uses = list(uses_in(ACCOUNT, {"Account": None}))
    raising = raising_methods(uses)
    assert raising == {"it.withdraw"}
    calls = [use.going_on(raising).as_expression() for use in mixed(uses)]
    assert any("outcome_of(lambda: it.withdraw(10)), it.balance" in call for call in calls)
    assert answers(calls, "Account", Account) != answers(calls, "Account", LateAccount)
    call = "[[it.deposit(5), outcome_of(lambda: it.withdraw(10))] for it in [Account()]][0]"
    assert asked_of(call, "Account") == "Account((), [('deposit', (5,)), ('withdraw', (10,))])"
