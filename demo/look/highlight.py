"""Turns Python and diffs into coloured lines. The style sheet defines the colours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from html import unescape

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.python import PythonLexer

from .markup import plain, span, tag

_LEXER = PythonLexer(stripnl=False, ensurenl=False)
# Its output is escaped, and every line closes the elements that it opens.
_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True)
_TAG = re.compile(r"<[^>]*>")


@lru_cache(maxsize=256)
def python_lines(code: str) -> tuple[Markup, ...]:
    return tuple(Markup(line) for line in highlight(plain(code), _LEXER, _FORMATTER).rstrip("\n").split("\n"))


@lru_cache(maxsize=128)
def python_block(code: str, label: str) -> Markup:
    """Returns a numbered listing that the keyboard can scroll. If it shows another text than the program's, e.g. a
    control character spelt out, it also carries the program itself for copying."""
    lines = python_lines(code.rstrip("\n"))
    rows = (span("row", line, "\n") for line in lines)
    told = tag("code", *rows, data_program=None if _reads(lines) == code.rstrip("\n") else json.dumps(code))
    return tag("pre", told, cls="listing numbered", tabindex="0", role="region", aria_label=label)


def _reads(lines: Iterable[Markup]) -> str:
    return unescape(_TAG.sub("", "\n".join(lines)))


@lru_cache(maxsize=128)
def diff_block(text: str, label: str = "Changes") -> Markup:
    """Returns a unified diff with one element for each line. Sign and colour tell added lines from removed ones."""
    rows = (_diff_row(line) for line in text.splitlines() if not line.startswith(("+++", "---")))
    return tag("pre", tag("code", *rows), cls="listing diff", tabindex="0", role="region", aria_label=label)


def _diff_row(line: str) -> Markup:
    if line.startswith("@@"):
        return span("diff-meta", line + "\n")
    kind = {"+": "diff-add", "-": "diff-del"}.get(line[:1], "diff-same")
    coloured = Markup("").join(python_lines(line[1:]))
    return span(kind, span("sign", line[:1] or " "), coloured, "\n")
