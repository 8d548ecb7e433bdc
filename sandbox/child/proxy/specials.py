"""Special methods by what an answer of theirs, when they are the solution's own, says about a pass."""

from __future__ import annotations

_METHOD = "an answer inside a check came from a special method (==, <, bool, len, in, [], call ...)"
ANSWERED = f"{_METHOD} of the solution's own"
"""Why a pass cannot be confirmed after such an answer."""
ANSWERED_THERE = f"{_METHOD} of a library's object, which lives in the program's process"
"""The same where the object is said to be of a class of the standard library or of an installed package."""
SILENT = frozenset(("__setitem__", "__delitem__"))
"""They answer nothing."""
_PASSING_WORDS = "call enter exit aenter aexit await next aiter anext"
PASSING = frozenset(f"__{word}__" for word in _PASSING_WORDS.split())
"""Special methods that are not doubted for a library's class: what they return is judged by itself."""
TOLD = frozenset(("__len__", "__str__", "__repr__", "__format__"))
"""They tell the size or the text of an object."""
COMPARING = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))
"""They hear what the tests expect, and may give an object in place of yes or no, as those of arrays do."""
_JUDGING_WORDS = """
bool contains
add sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul
radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor rmatmul
iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor imatmul
"""
JUDGING = COMPARING.union(f"__{word}__" for word in _JUDGING_WORDS.split())
"""They say yes or no, or hear with what their object is compared. What others give is a value, which tests compare like
what any method returns."""
_BINARY_WORDS = "eq ne lt le gt ge add sub mul truediv floordiv mod pow and or xor"
BINARY = frozenset(f"__{word}__" for word in _BINARY_WORDS.split())
"""They may be tried on the other operand; an object does not know what cannot cross to it."""
