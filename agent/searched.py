"""Turns the web searches that a model service made for a reply into facts of the run."""

from __future__ import annotations

from agent.events import ToolUsed
from llm.calling import NO_SEARCH
from llm.types import Answer, Search

WEB_SEARCH = "web_search"
"""The name under which the service's own search is reported as a used tool."""
NOT_TOLD = "(the service does not tell what it looked for)"
MAX_PAGES = 20
"""The most pages of one search that are reported."""


def searches_of(answer: Answer) -> list[ToolUsed]:
    return [ToolUsed(WEB_SEARCH, {"query": one.query or NOT_TOLD}, _found(one)) for one in answer.searches]


def unsearched(answer: Answer) -> list[str]:
    """Returns the notes that a search was wanted and which service could not do it; empty when no search was wanted, or
    when it was done."""
    return [note for note in answer.notes if note.endswith(NO_SEARCH)]


def _found(search: Search) -> str:
    """Returns the pages, one a line, or why there are none."""
    lines = [" ".join(f"{title} {url}".split()) for title, url in search.pages[:MAX_PAGES]]
    return "\n".join(lines) or search.error or "nothing was found"
