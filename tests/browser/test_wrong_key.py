"""A visitor's own key that the service does not know."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.agent.command_line import free_port
from tests.llm.servers import Server, json_reply

from .conftest import App, Visitor, launched

pytestmark = pytest.mark.browser
WRONG = "sk-wrong-key-0123456789abcdef"
REFUSED = {"error": {"message": f"Incorrect API key provided: {WRONG}.", "code": "invalid_api_key"}}


def test_a_wrong_key_is_told_with_its_remedy_and_shown_nowhere(chromium: Browser, tmp_path: Path):
    port = free_port()
    with Server(json_reply(REFUSED, 401)) as service, launched(port, tmp_path, OPENAI_BASE_URL=service.url):
        context = chromium.new_context()
        visitor = Visitor(context.new_page(), App(f"http://127.0.0.1:{port}", tmp_path))
        visitor.page.goto(visitor.app.address)
        visitor.page.fill("#task textarea", "Write double(x): twice the number.\ndouble(2) -> 4")
        visitor.chip("Options")
        visitor.page.locator("#provider input").click()
        visitor.page.get_by_role("option", name="OpenAI").first.click()
        visitor.page.fill("#model-name input, #model-name textarea", "gpt-5.4-mini")
        visitor.page.fill("#key input", WRONG)
        visitor.page.click("#check")
        expect(visitor.page.locator("#checked")).to_contain_text("key")
        visitor.page.click("#run")
        visitor.page.wait_for_url("**/?run=*")
        visitor.wait("failed")
        told = visitor.page.locator("#run-page").inner_text()
        assert "key" in visitor.page.locator("#strip").inner_text()
        assert WRONG not in told + visitor.page.content()
        assert WRONG[4:] not in (tmp_path / "log").read_text()
        expect(visitor.page.locator(".timeline .status-running")).to_have_count(0)
        context.close()
