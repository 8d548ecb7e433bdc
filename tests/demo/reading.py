"""HTML as a browser reads it: its tags, what would run, and the words that a person sees."""

from __future__ import annotations

from html.parser import HTMLParser


class _Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [
            name for name, value in attrs if name.startswith("on") or (value or "").startswith("javascript")
        ]

    def handle_data(self, data: str) -> None:
        self.words.append(data.strip())


def tags_of(html: str) -> set[str]:
    return set(_Reader(html).tags)


def handlers_of(html: str) -> list[str]:
    return _Reader(html).handlers


def text_of(html: str) -> str:
    return " ".join(word for word in _Reader(html).words if word)
