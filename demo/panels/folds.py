"""Shows the closed sections beneath a run, each with its count.

They tell why the verdict is what it is, what was not checked, the checks, the lessons, the figures and the isolation.
"""

from __future__ import annotations

from markupsafe import Markup

from demo.look.markup import div
from demo.view.fold import RunView

from .figures import figures_fold
from .isolation import isolation_fold
from .lessons import lessons_fold
from .suites import suites_fold
from .unchecked import unchecked_fold
from .why import why_fold

FOLDS = (
    why_fold,
    unchecked_fold,
    suites_fold,
    lessons_fold,
    figures_fold,
    isolation_fold,
)
"""The sections from above to below. Each returns None if it has nothing to show."""


def folds_panel(view: RunView) -> Markup:
    if view.started is None:
        return Markup("")
    return div("folds", *(part(view) for part in FOLDS))
