"""Each refusal says by itself how a command and a web app tell it."""

from __future__ import annotations

import pytest

from agent.task.refusals import BAD_USE, REFUSALS
from agent.task.request import Wanting
from evaluation.fleet import NoFleet
from evaluation.suites import BadSuite
from framework.errors import RunBusy, SettingsError, StoreBusy, TooManyRuns, UnknownRun
from llm.errors import NoProvider, NoScenario, RateLimited
from prompts import PromptError
from sandbox.types import LevelTooLow, SandboxBroken


@pytest.mark.parametrize(
    ("kind", "exit_code", "status"),
    [
        (Wanting, BAD_USE, 422),
        (BadSuite, BAD_USE, 422),
        (SettingsError, BAD_USE, 500),
        (StoreBusy, BAD_USE, 503),
        (UnknownRun, BAD_USE, 404),
        (RunBusy, BAD_USE, 409),
        (PromptError, BAD_USE, 500),
        (TooManyRuns, 3, 429),
        (NoFleet, 3, 500),
        (NoProvider, 3, 503),
        (NoScenario, 3, 422),
        (RateLimited, 3, 503),
        (SandboxBroken, 3, 503),
        (LevelTooLow, 3, 503),
    ],
)
def test_what_is_refused_has_an_exit_code_and_a_status(kind: type[Exception], exit_code: int, status: int) -> None:
    refused = kind("no")
    assert isinstance(refused, REFUSALS)
    assert (refused.exit_code, refused.http_status) == (exit_code, status)
