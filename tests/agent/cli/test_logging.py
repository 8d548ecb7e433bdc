"""What the command line logs: lines for a person, or JSON for whoever gathers them in production."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.__main__ import main

PRODUCTION = {"ENVIRONMENT": "production", "API_KEY": "kq3Vx9-Wm2_Zt7RbLw5Yd8Hn4Pj6Gs"}


@pytest.fixture
def logged() -> Iterator[None]:
    root = logging.getLogger()
    before = (root.level, root.handlers[:])
    yield
    root.setLevel(before[0])
    root.handlers[:] = before[1]


@pytest.mark.usefixtures("logged")
@pytest.mark.parametrize(("environment", "as_json"), [({}, False), (PRODUCTION, True)])
def test_log_lines_are_json_in_production(
    environment: dict[str, str], as_json: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"ENV_FILE": "", "STATE_DIR": str(tmp_path), **environment}.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert main(["demo", "--list"]) == 0
    logging.getLogger("x").warning("look here")
    [line] = [line for line in stream.getvalue().splitlines() if "look here" in line]
    assert line.startswith("{") == as_json
    if as_json:
        assert json.loads(line)["message"] == "look here"
