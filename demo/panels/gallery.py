"""Shows the examples of the first screen, and the ways to get a model for one's own task.

Both are static, so that they are painted at once. One click runs an example.
"""

from __future__ import annotations

from markupsafe import Markup

from demo.look.markup import button, div, span, tag
from llm.scenarios import Scenario, list_scenarios

FIRST = 6
"""How many examples are shown at once; a button shows the others."""


def gallery() -> Markup:
    examples = sorted(list_scenarios(), key=lambda one: one.card.place)
    more = tag(
        "details",
        tag("summary", f"All {len(examples)} examples"),
        div("cards", *map(_card, examples[FIRST:])),
        cls="all-examples",
        data_key="all",
    )
    head = tag("h2", "Try one", span("dim", " no key needed; one click runs it"), cls="gallery-head")
    return tag("section", head, div("cards first", *map(_card, examples[:FIRST])), more, aria_label="Examples")


def _card(example: Scenario) -> Markup:
    card = example.card
    foot = span("card-foot", span(f"tag tag-{card.tag.replace(' ', '-')}", card.tag), span("dim", f"~{card.seconds} s"))
    words = span("card-name", card.title), span("card-benefit", card.benefit), foot
    return tag("button", *words, type="button", cls="example", data_do="select", data_name=example.name)


def ways_panel(local: bool) -> Markup:
    """Returns the ways to get a model for one's own task. `local` says that a server on one's own machine, such as
    Ollama, can be reached."""
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
    return button(event, sign, words, span("dim", note), cls="way", data_name=name)
