"""An own task where no model can write it: what can be done, one button each, instead of an error."""

from __future__ import annotations

from markupsafe import Markup

from demo.look.markup import div, press, span, tag


def ways_panel(local: bool) -> Markup:
    """`local`: a server of one's own, such as Ollama, can be reached from here."""
    ollama = _way("undo", "run", "Use Ollama", "free, on this machine") if local else None
    return tag(
        "section",
        tag("h2", "This task needs a model"),
        tag("p", "The demo model only plays the prepared examples. Your task is kept; choose who writes it:"),
        div(
            "ways",
            _way("edit", "key", "Use my API key", "OpenAI, Claude, Groq, Gemini and others"),
            ollama,
            _way("select", "again", "Show me an example", "runs now, no key needed"),
        ),
        cls="ways-card",
        role="alert",
        aria_label="This task needs a model",
    )


def _way(event: str, sign: str, words: str, note: str) -> Markup:
    name = "roman_numerals" if event == "select" else None
    return press(event, sign, words, span("dim", note), cls="way", data_name=name)
