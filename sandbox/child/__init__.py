"""What runs behind the walls: sent to the worker as source, and importing nothing of the project."""

from __future__ import annotations

from .calls import evaluate
from .inprocess import inprocess
from .judge import judge
from .program import script
from .serve import serve
from .warm import warm

__all__ = ["evaluate", "inprocess", "judge", "script", "serve", "warm"]
