"""The README's pictures show what the app shows: their words are compared, pixels are not."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser

from .conftest import App
from .pictures import FOLDER, WORDS, screens, words_of

pytestmark = pytest.mark.browser


def test_the_pictures_are_not_stale(app: App, chromium: Browser):
    stored = json.loads(WORDS.read_text(encoding="utf-8"))
    seen = {name: words_of(page) for name, page in screens(chromium, app)}
    assert stored == seen, "run: make pictures"
    assert all((FOLDER / f"{name}.png").exists() for name in seen)
