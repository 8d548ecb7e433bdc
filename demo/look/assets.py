"""Reads the style sheets and scripts of the page from their files, once."""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).parents[1] / "static"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


TOKENS = _read("tokens.css")
PANELS = _read("panels.css")
PAGE = _read("page.css")
PANEL_JS = _read("panel.js")
PAGE_JS = _read("page.js")
ICON = _read("icon.svg")
