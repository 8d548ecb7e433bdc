"""The cards of the examples: one click runs one."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from demo.look.markup import div, span, tag
from demo.screens.examples import FIRST, MORE, ExampleCard


def gallery() -> Markup:
    more = tag(
        "details",
        tag("summary", f"All {len(FIRST) + len(MORE)} examples"),
        div("cards", *_cards(MORE)),
        cls="all-examples",
        data_key="all",
    )
    head = tag("h2", "Try one", span("dim", " no key needed; one click runs it"), cls="gallery-head")
    return tag("section", head, div("cards first", *_cards(FIRST)), more, aria_label="Examples")


def _cards(examples: Sequence[ExampleCard]) -> list[Markup]:
    return [
        tag(
            "button",
            span("card-name", one.title),
            span("card-benefit", one.benefit),
            span("card-foot", span(f"tag tag-{one.tag.replace(' ', '-')}", one.tag), span("dim", f"~{one.seconds} s")),
            type="button",
            cls="example",
            data_do="select",
            data_name=one.name,
        )
        for one in examples
    ]
