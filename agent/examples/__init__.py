"""What the task text itself promises, read by code: precision first, because a wrong promise would be believed."""

from __future__ import annotations

import re
from collections.abc import Collection

from agent.state import Brief, Example

from .blocks import block_examples, table_examples
from .classify import is_hard, kind_of
from .doctests import doctest_examples
from .names import Names, names_in
from .programs import program_examples
from .prose import prose_examples

__all__ = ["read_brief"]


_LONGEST = 60_000
"""Characters that are read; what follows is still given to the models."""


_BLANKS = re.compile(r"[ \t]{40,}")


def _tame(text: str) -> str:
    """Without the parts that make reading slow and mean nothing."""
    return _BLANKS.sub(" " * 40, text[:_LONGEST])


def read_brief(text: str, code: str | None, files: Collection[str]) -> Brief:
    """What the task is and what it promises. `code`: the person's own program; `files`: names of the data files."""
    text, code = _tame(text), _tame(code) if code else code
    kind = kind_of(text, code, files)
    names = names_in(text, code)
    if kind in ("program", "data"):
        examples = program_examples(text) if kind == "program" else []
    else:
        examples = _promises(text, code, names, fixing=kind == "fix")
    return Brief(kind, is_hard(text, code), names.entry, names.signature, tuple(_consistent(examples)))


def _promises(text: str, code: str | None, names: Names, *, fixing: bool) -> list[Example]:
    found = doctest_examples(text, names)
    found += prose_examples(text, names, fixing=fixing)
    found += block_examples(text, names)
    found += table_examples(text, names)
    return found + (doctest_examples(code, names) if code else [])


def _consistent(examples: list[Example]) -> list[Example]:
    """Each once, in order; two that promise different things for one call are both left out."""
    values: dict[str, set[str]] = {}
    for example in examples:
        if example.call is not None:
            values.setdefault(example.call, set()).add(example.source)
    clear = [e for e in examples if e.call is None or len(values[e.call]) == 1]
    return list({example.source: example for example in _of_one_kind(clear)}.values())


def _of_one_kind(examples: list[Example]) -> list[Example]:
    """Numbers beside collections for one function are lines of its definition (`t(1) = 3`), not of its use."""
    kinds = {_kind(e.expected) for e in examples if e.call is not None and e.expected is not None}
    if not {"number", "collection"} <= kinds:
        return examples
    return [e for e in examples if not (_kind(e.expected or "") == "number" and _DEFINED.search(e.sentence))]


_DEFINED = re.compile(r"\)\s*=\s*-?[\d.]+")


def _kind(expected: str) -> str:
    if expected[:1] in ("[", "(", "{"):
        return "collection"
    return "number" if expected[:1] in "-0123456789." and expected else "other"
