"""What a program left behind: plots shown in place, everything offered for download."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

from demo.markup import code_block, icon, join, span, tag
from demo.shot import LeftFile, Shot

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"})


def files_panel(shot: Shot) -> Markup:
    output = next((run.stdout for run in reversed(shot.view.executions) if run.stdout), "")
    parts = [_one(shot.run_id, file) for file in shot.files]
    if output:
        parts.append(join((tag("h4", "What the program printed"), code_block(output, "Output"))))
    return join(parts) if parts else tag("p", "The program left no files and printed nothing.", cls="hint")


def _one(run_id: str, file: LeftFile) -> Markup:
    address = file_address(run_id, file.name)
    picture = None
    if file.mime in PICTURES:
        picture = tag("img", src=address, alt=f"Picture {file.name}, made by the program", loading="lazy")
    save = tag("a", icon("down"), f"Download {file.name}", href=address + "?save=1", download=True, cls="save")
    return tag("figure", picture, tag("figcaption", save, span("dim", f" {size_words(file.size)}")), cls="file")


def file_address(run_id: str, name: str) -> str:
    """Relative, so that it holds behind a proxy's prefix too."""
    return f"runs/{quote(run_id, safe='')}/files/{quote(name)}"


def downloads(shot: Shot) -> Markup:
    """The bundle, once there is something to bundle."""
    if not shot.run_id or shot.view.outcome is None:
        return Markup("")
    address = f"runs/{quote(shot.run_id, safe='')}/bundle.zip"
    words = "Download everything (code, tests, evidence, replay)"
    return tag("p", tag("a", icon("down"), words, href=address, download=True, cls="save"), cls="downloads")


def size_words(size: int) -> str:
    return f"{size} bytes" if size < 1024 else f"{size / 1024:.1f} KB" if size < 1024**2 else f"{size / 1024**2:.1f} MB"
