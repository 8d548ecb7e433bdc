"""Asks any model for a reply in the form that was asked for.

There is one router, there are many providers, and every try and cost is recorded.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .choose import LLMSettings, build_router
    from .errors import LLMError
    from .meter import Meter
    from .router import Router
    from .types import Answer, Message, Reply, Request

__all__ = ["Answer", "LLMError", "LLMSettings", "Message", "Meter", "Reply", "Request", "Router", "build_router"]
_HOMES = {
    "LLMError": ".errors",
    "LLMSettings": ".choose",
    "Meter": ".meter",
    "Router": ".router",
    "build_router": ".choose",
}


def __getattr__(name: str) -> object:
    """Returns a public name of this room and loads its module only then, because most callers need only a few types."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES.get(name, ".types"), __name__), name)
