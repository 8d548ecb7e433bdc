"""The README's pictures show what the app shows: words, look and files are compared, pixels are not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser

from demo.look.theme import CSS

from .conftest import App
from .pictures import WORDS, files, look, screens, words_of

STALE = "run: make pictures"


def stored() -> dict[str, Any]:
    return json.loads(WORDS.read_text(encoding="utf-8"))


def test_the_pictures_have_the_look_of_the_style_sheets_and_are_those_whose_words_are_stored():
    assert stored()["look"] == look(), STALE
    assert stored()["files"] == files(), STALE
    assert {f"{name}.png" for name in stored()["words"]} | {"run.gif"} == set(files())


def test_another_rule_is_another_look_and_a_comment_is_not(monkeypatch: pytest.MonkeyPatch):
    was = look()
    monkeypatch.setattr("tests.browser.pictures.CSS", "/* why */\n" + CSS)
    assert look() == was
    monkeypatch.setattr("tests.browser.pictures.CSS", CSS + ".new { color: red; }")
    assert look() != was


@pytest.mark.browser
def test_the_pictures_are_not_stale(app: App, chromium: Browser):
    seen = {name: words_of(page) for name, page in screens(chromium, app)}
    assert stored()["words"] == seen, STALE
