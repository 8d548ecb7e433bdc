"""Dates, times of day and durations near others: as values, and in texts as most people write them."""

from __future__ import annotations

import random
import re
from datetime import date, datetime, timedelta
from typing import Any

_MOMENT = re.compile(r"(?<![\d:])(?:(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d(?::\d\d)?))?|(\d\d?:\d\d(?::\d\d)?))(?![\d:])")


def has_moment(text: str) -> bool:
    """Returns whether the text tells a date or a time of day."""
    return _MOMENT.search(text) is not None


def other_moment(value: Any, rng: random.Random) -> Any:
    """Returns a date or duration some days earlier or later; where there is a time of day, perhaps some minutes. The
    value itself where the calendar ends."""
    steps = [timedelta(days=days) for days in (1, 7, 30, 366)]
    steps += [] if type(value) is date else [timedelta(minutes=minutes) for minutes in (1, 45, 600)]
    try:
        return value + rng.choice(steps) * rng.choice((1, -1))
    except OverflowError:
        return value


def with_other_moment(text: str, rng: random.Random) -> str:
    """Returns the text with another date or time of day in place of the first one in it, written in the same way; ""
    where there is none."""
    found = _MOMENT.search(text)
    if found is None:
        return ""
    day, between, clock = found[1], found[2] or "", found[3] or found[4] or ""
    form = ("%Y-%m-%d" if day else "") + between + ("", "%H:%M", "%H:%M:%S")[clock.count(":")]
    try:
        told = datetime.strptime(found[0], form)
    except ValueError:
        return ""
    other: datetime = other_moment(told, rng) if day else _other_clock(told, rng)
    return f"{text[: found.start()]}{other.strftime(form)}{text[found.end() :]}"


def _other_clock(told: datetime, rng: random.Random) -> datetime:
    """Returns another time of day, in half the cases with the same hour."""
    return told.replace(minute=rng.randrange(60), hour=rng.choice((told.hour, rng.randrange(24))))
