"""Shows who can be asked, in what order, and how programs are isolated on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from demo.look.markup import figures, table, table_row, tag, with_code

from .isolation import axes

_AT = {"service": "a service, by key", "server": "a server of your own", "process": "in this app"}


def choices_head() -> Markup:
    words = "What runs of this browser start with. It stays in this browser; a key stays in memory, for one run."
    return tag("section", tag("h2", "Your choices"), tag("p", words, cls="hint"))


def services_panel(services: Sequence[tuple[str, str, str, str]]) -> Markup:
    """Returns the table of services from rows (label, where it runs, default model, what is missing or "ready")."""
    rows = (table_row(label, _AT.get(at, at), model, with_code(state)) for label, at, model, state in services)
    intro = "Keys of your own are typed above or on the first page, held in memory, and never stored."
    told = table("Services", ("Service", "Runs", "Model", "State"), rows)
    return tag("section", tag("h2", "Services"), tag("p", intro, cls="hint"), told)


def ladder_panel(rows: Mapping[str, str]) -> Markup:
    """Returns who is asked, in order, for each role. Roles that ask the same models share a line."""
    asked: dict[str, list[str]] = {}
    for role, chain in rows.items():
        asked.setdefault(chain, []).append(role)
    told = ((chain, ", ".join(roles)) for chain, roles in asked.items())
    return tag("section", tag("h2", "Who is asked for what"), figures(told, cls="figures axes wide"))


def doctor_panel(isolation: Mapping[str, object]) -> Markup:
    head = tag("h2", f"Sandbox of this machine: {isolation.get('level')}")
    words = "Found by trying each forbidden act. More: python -m sandbox doctor"
    return tag("section", head, tag("p", words, cls="hint"), axes(isolation))
