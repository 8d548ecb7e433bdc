"""Who can be asked, in what order, and how programs are walled off here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from demo.look.markup import div, tag

from .isolation import AXES

_AT = {"service": "a service, by key", "server": "a server of your own", "process": "in this app"}


def choices_head() -> Markup:
    words = "What runs of this browser start with. It stays in this browser; a key stays in memory, for one run."
    return tag("section", tag("h2", "Your choices"), tag("p", words, cls="hint"))


def services_panel(services: Sequence[tuple[str, str, str, str]]) -> Markup:
    """Rows (label, where it runs, default model, what is missing or "ready")."""
    head = tag("tr", *(tag("th", name, scope="col") for name in ("Service", "Runs", "Model", "State")))
    rows = [
        tag("tr", tag("th", label, scope="row"), tag("td", _AT.get(at, at)), tag("td", model), tag("td", state))
        for label, at, model, state in services
    ]
    table = tag("table", tag("caption", "Services", cls="sr"), tag("thead", head), tag("tbody", *rows), cls="plain")
    intro = "Keys of your own are typed above or on the first page, held in memory, and never stored."
    return tag(
        "section",
        tag("h2", "Services"),
        tag("p", intro, cls="hint"),
        div("scroll", table, tabindex="0", role="region", aria_label="Services"),
    )


def ladder_panel(rows: Mapping[str, str]) -> Markup:
    """Role -> who is asked, in order."""
    items = (div("figure", tag("dt", role), tag("dd", chain)) for role, chain in rows.items())
    return tag("section", tag("h2", "Who is asked for what"), tag("dl", *items, cls="figures axes"))


def doctor_panel(isolation: Mapping[str, object]) -> Markup:
    items = (div("figure", tag("dt", axis.capitalize()), tag("dd", isolation.get(axis))) for axis in AXES)
    head = tag("h2", f"Sandbox of this machine: {isolation.get('level')}")
    words = "Found by trying each forbidden act. More: python -m sandbox doctor"
    return tag("section", head, tag("p", words, cls="hint"), tag("dl", *items, cls="figures axes"))
