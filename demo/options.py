"""What the app tells its screen at the start; all of it comes from the settings."""

from __future__ import annotations

from dataclasses import dataclass

from framework.rate import Rate
from framework.secret import Secret


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    name: str
    label: str
    model: str = ""
    """The model it uses unless another one is named."""
    ready: bool = False
    """Usable as configured: a key is set, or none is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UiOptions:
    storage_secret: str
    """Encrypts what the page keeps in the browser; must outlive a restart."""
    providers: tuple[ProviderChoice, ...] = (ProviderChoice("mock", "Demo model (scripted, offline)", "", True),)
    provider: str = "mock"
    """The choice that stands at the start."""
    public: bool = False
    """Strangers use it (a Space, a share link): their addresses never meet the owner's keys."""
    api_key: Secret | None = None
    """Required by REST and MCP when set."""
    rate: Rate | None = None
    """New runs per caller; None: no limit."""
    max_queue: int = 64

    @property
    def demo_mode(self) -> bool:
        return self.provider == "mock"
