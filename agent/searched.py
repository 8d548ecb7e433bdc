"""What services looked up on the web for a reply, as facts of the run."""

from __future__ import annotations

from agent.events import ToolUsed
from llm.calling import NO_SEARCH
from llm.types import Answer, Search

WEB_SEARCH = "web_search"
"""The service's own search, as a tool that was used."""
NOT_TOLD = "(the service does not tell what it looked for)"
MAX_PAGES = 20
"""Of one search that are told."""


def searches_of(answer: Answer) -> list[ToolUsed]:
    return [ToolUsed(WEB_SEARCH, {"query": one.query or NOT_TOLD}, _found(one)) for one in answer.searches]


def unsearched(answer: Answer) -> list[str]:
    """That the web was to be searched, and who could not; empty where nobody wanted it, or it could."""
    return [note for note in answer.notes if note.endswith(NO_SEARCH)]


def _found(search: Search) -> str:
    """The pages, a line each, or why there are none."""
    lines = [" ".join(f"{title} {url}".split()) for title, url in search.pages[:MAX_PAGES]]
    return "\n".join(lines) or search.error or "nothing was found"
