"""Brings together the handlers of the page."""

from __future__ import annotations

from ..desk import Desk
from ..options import UiOptions
from .admission import Admission
from .afterwards import Afterwards
from .choice import ModelChoice
from .commands import Commands
from .replays import Replays
from .turns import Turns
from .viewer import Viewer


class Handlers:
    """The handlers of the page. All its visitors share them."""

    def __init__(self, desk: Desk, admission: Admission, options: UiOptions) -> None:
        self.turns = Turns(admission)
        self.viewer = Viewer(desk, admission, self.turns)
        self.commands = Commands(desk, admission, options)
        self.afterwards = Afterwards(desk, admission, self.turns)
        self.replays = Replays(desk, admission, self.turns)
        self.choice = ModelChoice(desk, admission, options)
