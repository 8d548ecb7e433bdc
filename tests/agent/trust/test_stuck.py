"""Signatures of failures."""

from __future__ import annotations

from agent.trust import signature


def test_addresses_lines_paths_and_times_do_not_make_another_failure() -> None:
    one = {"t0": "<Foo object at 0x7f01> in /tmp/a/x.py line 3 after 12 ms"}
    two = {"t0": "<Foo object at 0x7f99> in /var/b/x.py line 8 after 90 ms"}
    assert signature(one) == signature(two) != ""


def test_another_value_or_another_check_is_another_failure() -> None:
    base = signature({"t0": "assert 3 == 4"})
    assert base != signature({"t0": "assert 5 == 4"})
    assert base != signature({"t1": "assert 3 == 4"})


def test_no_failure_has_no_signature_and_order_does_not_matter() -> None:
    assert signature({}) == ""
    assert signature({"a": "x", "b": "y"}) == signature({"b": "y", "a": "x"})
