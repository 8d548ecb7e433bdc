"""Whose runs are whose: a browser's, or those of an account that signed in, which no browser can claim."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import gradio.oauth
import pytest
from starlette.requests import HTTPConnection

from demo.desk import Desk
from demo.doors.gate import Gate
from demo.options import UiOptions, options_from
from demo.presses.admission import Admission
from demo.server import Server
from demo.ui import build_ui
from framework.secret import Secret
from framework.settings import Settings

ACCOUNT = {"userinfo": {"sub": "4711"}, "expires_at": time.time() + 3600}


OPEN = Gate(UiOptions(storage_secret="browser"))


def owner_of(stored: dict[str, str] | None, **session: Any) -> str:
    connection = HTTPConnection({"type": "http", "headers": [], "session": session})
    return Admission(cast(Any, None), OPEN).who(stored, cast(gr.Request, SimpleNamespace(request=connection))).owner


def test_an_account_owns_its_runs_in_every_browser():
    one, other = {"owner": "one"}, {"owner": "other"}
    assert owner_of(one, oauth_info=ACCOUNT) == owner_of(other, oauth_info=ACCOUNT)
    assert owner_of(one) == one["owner"]
    past = {**ACCOUNT, "expires_at": time.time() - 1}
    assert owner_of(one, oauth_info=past) == one["owner"], "a session that is over is none"


def test_no_browser_can_claim_an_account():
    for name in (owner_of(None, oauth_info=ACCOUNT), OPEN.key_owner({"x-api-key": "a key"})):
        assert name
        assert owner_of({"owner": name}) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "buttons"),
    [
        ({}, set[str]()),
        ({"OAUTH_CLIENT_ID": "id"}, set[str]()),
        ({"SPACE_ID": "me/it"}, {"duplicate"}),
        ({"SPACE_ID": "me/it", "OAUTH_CLIENT_ID": "id"}, {"duplicate", "sign-in"}),
    ],
)
def test_signing_in_and_duplicating_are_offered_where_they_work(
    variables: dict[str, str], buttons: set[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SYSTEM", "spaces")
    monkeypatch.setenv("SPACE_ID", "me/it")
    for name in ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL"):
        monkeypatch.setattr(gradio.oauth, name, "x")
    options = options_from(Settings.from_env({"LLM_PROVIDER": "mock", **variables}), Secret("browser"))

    async def no_workshop() -> Any:
        raise AssertionError("the page is built without the engine")

    page = build_ui(Desk(no_workshop), Gate(options), options)
    shown = {str(block.elem_id) for block in page.blocks.values() if getattr(block, "elem_id", None)}
    assert shown & {"duplicate", "sign-in"} == buttons
    assert page.expects_oauth == ("sign-in" in buttons)
    [footer] = [str(one.value) for one in page.blocks.values() if getattr(one, "elem_id", None) == "footer"]  # type: ignore[attr-defined]
    assert ("https://huggingface.co/spaces/me/it/tree/main" in footer) == ("duplicate" in buttons)
    assert "gradio_api/mcp/" in footer


def test_the_web_app_is_made_when_it_is_served_and_not_with_each_page(monkeypatch: pytest.MonkeyPatch):
    made: list[object] = []
    monkeypatch.setattr("gradio.routes.App.create_app", lambda *given, **_: made.append(given))

    async def no_workshop() -> Any:
        raise AssertionError("the page is built without the engine")

    Server(Settings.from_env({"LLM_PROVIDER": "mock"}), Secret("browser"), no_workshop)
    assert made == []
