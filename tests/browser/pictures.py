"""The README's pictures, taken from the app itself: python -m tests.browser.pictures (`make pictures`).

Beside them lies what could be read on them, and which look and which files that was. A test reads the screens again and
compares words, look and files, not the pixels that another machine's fonts draw.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from demo.look.theme import CSS
from tests.agent.command_line import free_port

from .conftest import CHROMIUM, FLAGS, ROOT, App, Visitor, launched

FOLDER = ROOT / "demo" / "static" / "pictures"
WORDS = FOLDER / "words.json"
EXAMPLE = "roman_numerals"
SIZES = {"wide": {"width": 1280, "height": 844}, "phone": {"width": 390, "height": 844}}
_FRAME_MS = 900
# What differs from run to run: seconds, and the figures that hang on them.
_VARYING = re.compile(r"\d+(?:[.,]\d+)? ?(?:ms|s|min|MB)\b|\d+(?:\.\d+)?k? tokens")


def words_of(page: Page) -> str:
    """What can be read on the screen, without the figures that differ from run to run."""
    text = page.evaluate("document.querySelector('main').innerText")
    return " ".join(_VARYING.sub("#", text).split())


def look() -> str:
    """Changes with any rule of the style sheets and any token, and not with a comment or a line break."""
    return _digest(" ".join(re.sub(r"/\*.*?\*/", "", CSS, flags=re.DOTALL).split()).encode())


def files() -> dict[str, str]:
    """Of each picture what it is: words that were stored without their pictures are told, too."""
    return {path.name: _digest(path.read_bytes()) for path in sorted(FOLDER.glob("*.*")) if path != WORDS}


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def screens(browser: Browser, app: App) -> Iterator[tuple[str, Page]]:
    """(name, page showing it) of every picture."""
    for size, viewport in SIZES.items():
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            visitor = Visitor(context.new_page(), app)
            _open(visitor)
            yield f"first-{size}-{scheme}", visitor.page
            visitor.start(EXAMPLE)
            visitor.wait("finished")
            expect(visitor.page.locator("#actions [data-do=retry]")).to_be_visible()
            yield f"run-{size}-{scheme}", visitor.page
            context.close()


def animation(browser: Browser, app: App) -> list[Image.Image]:
    """A run from the click to the verdict, a picture a second."""
    visitor = Visitor(browser.new_page(viewport=SIZES["wide"]), app)  # type: ignore[arg-type]
    _open(visitor)
    frames = [_picture(visitor.page)]
    visitor.start(EXAMPLE)
    while not visitor.page.locator("#strip .status-finished").count() and len(frames) < 30:
        frames.append(_picture(visitor.page))
        visitor.page.wait_for_timeout(_FRAME_MS)
    visitor.page.wait_for_timeout(500)
    return [*frames, *[_picture(visitor.page)] * 3]


def _open(visitor: Visitor) -> None:
    """The first screen with everything that a person reads on it: its parts are drawn one after the other."""
    visitor.page.goto(visitor.app.address)
    for part in (".example >> nth=0", "#card-foot button >> nth=0", "#run"):
        expect(visitor.page.locator(part)).to_be_visible()


def _picture(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    told: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        port = free_port()
        with launched(port, Path(folder)):
            app = App(f"http://127.0.0.1:{port}", Path(folder))
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for name, page in screens(browser, app):
                told[name] = words_of(page)
                _picture(page).quantize(128).save(FOLDER / f"{name}.png", optimize=True)
            frames = [frame.resize((800, 528)).quantize(64) for frame in animation(browser, app)]
            browser.close()
    frames[0].save(
        FOLDER / "run.gif", save_all=True, append_images=frames[1:], duration=_FRAME_MS, loop=0, optimize=True
    )
    stored = {"words": told, "look": look(), "files": files()}
    WORDS.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
