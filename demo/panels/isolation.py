"""Shows how the programs of this run were isolated, as it was measured."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from demo.look.markup import figures, section_fold
from demo.view.facts import evidence_of
from demo.view.fold import RunView

AXES = ("network", "files", "memory", "disk", "processes", "environment")
"""What programs are kept from, in the words of the evidence."""


def isolation_fold(view: RunView) -> Markup | None:
    found = evidence_of(view) or view.started
    told: Mapping[str, str] = found.isolation if found else {}
    if not told:
        return None
    walls = [axis for axis in AXES if axis in told]
    level = f"{len(walls)} walls" + (f" · {told['level']}" if told.get("level") else "")
    return section_fold("isolation", "Isolation", level, axes(told))


def axes(told: Mapping[str, object]) -> Markup:
    return figures(((axis.capitalize(), told.get(axis)) for axis in AXES), cls="figures axes")
