"""The task as law: every clause that was read from it ends as checked by something, as refuted, or as open."""

from .bench import LawBench
from .inspecting import CHECKERS, inspect, inspect_new, unnamed_in

__all__ = ["CHECKERS", "LawBench", "inspect", "inspect_new", "unnamed_in"]
