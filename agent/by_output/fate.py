"""Decides how a script ended: it crashed, it ran without putting out what was asked for, or it put that out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from agent.examples.types import Demand
from agent.trust.facts import LACKS_OUTPUT
from sandbox.types import Artifact, Execution

from .drawn import RECORD, Drawing

Fate = Literal["ok", "crash", "timeout", "missing output"]
MISSING = LACKS_OUTPUT
SILENT = MISSING + "nothing was printed and no file was made"


def fate_of(execution: Execution, lacks: str) -> Fate:
    if execution.status == "timeout":
        return "timeout"
    if execution.status != "ok":
        return "crash"
    return "missing output" if lacks else "ok"


def lacking(execution: Execution, drawings: Sequence[Drawing], demand: Demand, blank: Sequence[str] = ()) -> str:
    """Returns, in one sentence, what the task demands and the script did not put out; "" if nothing is missing or the
    script did not run to its end. `blank` names pictures that show one colour only."""
    if execution.status != "ok":
        return ""
    made = [artifact for artifact in execution.artifacts if artifact.name != RECORD]
    if not execution.stdout.strip() and not made:
        return SILENT
    pictures = [artifact for artifact in made if is_picture(artifact)]
    if demand.picture and not pictures:
        return MISSING + "the task asks for a picture, and none was drawn"
    absent = [name for name in demand.makes if not _is_there(name, made)]
    if absent:
        return MISSING + f"{', '.join(absent)} was not written"
    return _lacking_in_pictures(pictures, drawings, demand, blank) if demand.picture else ""


def _lacking_in_pictures(
    pictures: Sequence[Artifact], drawings: Sequence[Drawing], demand: Demand, blank: Sequence[str]
) -> str:
    """Returns what all pictures lack; one good picture is enough, because a script may save others beside it."""
    if all(picture.name in blank for picture in pictures):
        return MISSING + f"{pictures[0].name} is blank"
    shown = [axes for drawing in drawings for axes in drawing.axes]
    if shown and all(axes.empty for axes in shown):
        return MISSING + f"nothing is drawn in the axes of {pictures[0].name}"
    if demand.labelled and shown and not any(axes.labelled for axes in shown if not axes.empty):
        return MISSING + f"the axes of {pictures[0].name} are not labelled"
    return ""


def is_picture(artifact: Artifact) -> bool:
    return artifact.mime.startswith("image/") or artifact.mime == "application/pdf"


def _is_there(name: str, made: Sequence[Artifact]) -> bool:
    short = name.rpartition("/")[2].lower()
    return any(artifact.name.rpartition("/")[2].lower() == short for artifact in made)
