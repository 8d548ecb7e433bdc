"""Checks the clauses that were read from the task; each ends as kept, as broken, or as open."""

from .bench import LawBench
from .inspecting import CHECKERS, inspect, inspect_new, unnamed_in

__all__ = ["CHECKERS", "LawBench", "inspect", "inspect_new", "unnamed_in"]
