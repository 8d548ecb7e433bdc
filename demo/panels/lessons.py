"""Shows what was found out in a run, and what every later attempt is told."""

from __future__ import annotations

from markupsafe import Markup

from agent.outcome.words import plural
from demo.look.markup import join, listed, section_fold, span, tag
from demo.view.fold import RunView
from demo.view.names import attempt_names, in_words


def lessons_fold(view: RunView) -> Markup | None:
    if not view.diagnoses and not view.lessons and not view.recalled:
        return None
    brought = sum(one.lessons for one in view.recalled)
    count = f"{f'{brought} brought along, ' if brought else ''}{plural(len(view.lessons), 'lesson')}, " + (
        "1 diagnosis" if len(view.diagnoses) == 1 else f"{len(view.diagnoses)} diagnoses"
    )
    return section_fold("lessons", "Lessons", count, lessons(view))


def lessons(view: RunView) -> Markup:
    names = attempt_names(view)
    causes = [
        join(
            (
                tag("b", in_words(names, f"{one.candidate}: at fault is the {one.fault} ({one.category})")),
                tag("p", in_words(names, one.explanation)),
                tag("p", span("dim", "Proposed: "), in_words(names, one.repair_hint)) if one.repair_hint else None,
                span("dim", f"Confidence {one.confidence:.0%}"),
            )
        )
        for one in view.diagnoses
    ]
    brought = [
        join((plural(one.lessons, "lesson"), " ", span("dim", f"of run {one.run[:8]}, {one.similarity:.0%} alike")))
        for one in view.recalled
    ]
    kept = [in_words(names, lesson) for lesson in view.lessons]
    return join(
        (
            listed("Brought along from earlier runs, as hints", brought),
            listed("Every later attempt is told", kept, "ol"),
            listed("What was found", causes),
        )
    )
