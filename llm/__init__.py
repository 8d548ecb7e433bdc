"""Ask any model for a reply that keeps its contract: one router, many providers, honest bookkeeping."""

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
    """The room's public names, loaded when one is first asked for: most callers need a few types only."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES.get(name, ".types"), __name__), name)
