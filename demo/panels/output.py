"""Shows what the person asked to see: an explanation, or the pictures, files and printed text of a program."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

from demo.look.markup import code_block, div, icon, join, span, tag
from demo.view.fold import RunView
from demo.view.shot import Shot
from framework.storage.records import StoredFile

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"})


def output_panel(shot: Shot) -> Markup:
    """Returns the content of the tab beside the programs; nothing for a program that is judged by its functions
    alone."""
    printed, said = printout(shot), explanation(shot.view)
    if not shot.files and not printed and not said:
        return Markup("")
    pictures = [_picture(shot.link_ref, file) for file in shot.files if file.mime in PICTURES]
    saves = [_save(shot.link_ref, file) for file in shot.files]
    return tag(
        "section",
        _explained(said) if said else None,
        *pictures,
        code_block(printed, "What the program printed") if printed else None,
        div("tools", *saves) if saves else None,
        cls="output",
        aria_label="Output",
    )


def explanation(view: RunView) -> str:
    """Returns the explanation that was asked for; "" if none was. These are a model's words, and nothing marks them as
    proven."""
    return view.conclusion.explanation.strip() if view.conclusion else ""


def printout(shot: Shot) -> str:
    """Returns what the program that is handed back printed when it ran as a script."""
    return shot.view.conclusion.evidence.script_output if shot.view.conclusion else ""


def _explained(said: str) -> Markup:
    known = "These are the model's words; what was tried stands under Proof."
    return div("explanation", *(tag("p", one) for one in said.split("\n\n")), tag("p", known, cls="hint"))


def _picture(run_id: str, file: StoredFile) -> Markup:
    address = file_address(run_id, file.name)
    return tag("img", src=address, alt=f"Picture {file.name}, made by the program")


def _save(run_id: str, file: StoredFile) -> Markup:
    address = file_address(run_id, file.name) + "?save=1"
    words = join((file.name, span("dim", f" {size_words(file.size)}")))
    return tag("a", icon("down"), words, href=address, download=True, cls="quiet", aria_label=f"Download {file.name}")


def file_address(run_id: str, name: str) -> str:
    """Returns the address of a file. It is relative, so that it also holds behind a proxy's prefix."""
    return f"runs/{quote(run_id, safe='')}/files/{quote(name)}"


def size_words(size: int) -> str:
    return f"{size} bytes" if size < 1024 else f"{size / 1024:.1f} KB" if size < 1024**2 else f"{size / 1024**2:.1f} MB"
