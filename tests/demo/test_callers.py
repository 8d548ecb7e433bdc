"""Who a caller is, and how often they may start a run."""

from __future__ import annotations

import pytest

from demo.gate import Gate, TooOften
from demo.options import UiOptions
from framework.rate import Rate


def gate(*, behind_proxy: bool) -> Gate:
    return Gate(UiOptions(storage_secret="x", rate=Rate(1, 3600.0), behind_proxy=behind_proxy))


def test_what_a_caller_writes_before_the_proxys_word_makes_nobody_else_of_them() -> None:
    door = gate(behind_proxy=True)
    door.count({"x-forwarded-for": "1.1.1.1, 9.9.9.9"}, "10.0.0.1")
    with pytest.raises(TooOften):
        door.count({"x-forwarded-for": "2.2.2.2, 9.9.9.9"}, "10.0.0.1")
    door.count({"x-forwarded-for": "1.1.1.1, 8.8.8.8"}, "10.0.0.1")


def test_without_a_proxy_the_header_means_nothing() -> None:
    door = gate(behind_proxy=False)
    door.count({"x-forwarded-for": "1.1.1.1"}, "10.0.0.1")
    with pytest.raises(TooOften):
        door.count({"x-forwarded-for": "2.2.2.2"}, "10.0.0.1")
