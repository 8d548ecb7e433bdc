"""A prompt gets what its model can hold, and no more than the house allows."""

from __future__ import annotations

from typing import Any

import pytest

from agent.session import FORMAT_TOKENS, Session
from llm.chains import Chains, Target
from llm.meter import Meter
from llm.pool import alone
from llm.router import Router
from llm.types import Caps


class Small:
    """A provider that only knows how much its models hold."""

    name = "small"

    def __init__(self, context: int | None) -> None:
        self.context = context

    def caps(self, model: str) -> Caps:
        return Caps(context=self.context)


def session(context: int | None) -> Session:
    router = Router(alone({"small": Small(context)}), Chains((Target("small", "m"),)))  # type: ignore[dict-item]
    services: dict[str, Any] = {"sandbox": None, "port": None}
    return Session(
        run_id="r", router=router, meter=Meter(), provider="small", model="m", scripted=False, deadline=0.0, **services
    )


@pytest.mark.parametrize(
    ("context", "expected"),
    [(None, 24_000), (200_000, 24_000), (8_192, 8_192 - 2_000 - FORMAT_TOKENS), (2_048, 1_024)],
)
def test_the_limit_follows_the_model(context: int | None, expected: int) -> None:
    assert session(context).limit_of("generator", 2_000) == expected
