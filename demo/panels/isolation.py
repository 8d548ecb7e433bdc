"""How the programs of this run were walled off, as it was measured."""

from __future__ import annotations

from markupsafe import Markup

from demo.look.markup import div, section_fold, tag
from demo.view.facts import evidence_of, mapping
from demo.view.fold import RunView

AXES = ("network", "files", "memory", "disk", "processes", "environment")


def isolation_fold(view: RunView) -> Markup | None:
    told = mapping(evidence_of(view).get("isolation")) or (view.started.isolation if view.started else {})
    if not told:
        return None
    items = [div("figure", tag("dt", axis.capitalize()), tag("dd", str(told[axis]))) for axis in AXES if axis in told]
    level = f"{len(items)} walls" + (f" · {told['level']}" if told.get("level") else "")
    return section_fold("isolation", "Isolation", level, tag("dl", *items, cls="figures axes"))
