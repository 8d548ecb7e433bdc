"""From settings to a page that answers: what is built, when it is served, and when the engine is loaded."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager

import gradio as gr
from starlette.applications import Starlette

from framework.secret import Secret
from framework.settings import Settings

from .assets import STATIC
from .desk import Desk, Workshop
from .gate import Gate
from .head import serve_head
from .options import options_from
from .panels.header import TITLE
from .rest import rest_routes
from .theme import theme
from .ui import build_ui

UPLOAD_LIMIT = "10mb"
_logger = logging.getLogger(__name__)


class Server:
    """The page and its routes in one process."""

    def __init__(
        self, settings: Settings, storage_secret: Secret, open_workshop: Callable[[], Awaitable[Workshop]]
    ) -> None:
        options = options_from(settings, storage_secret)
        self.desk = Desk(open_workshop)
        self._root_path = settings.server.root_path
        self._loop: asyncio.AbstractEventLoop | None = None
        gate = Gate(options)
        self._routes = rest_routes(self.desk, gate)
        self.page: gr.Blocks = build_ui(self.desk, gate, options)

    def launch(self, host: str, port: int | None, *, share: bool | None = None) -> str:
        """Serves in the background and returns the address. The engine is loaded after the first answer, not before.

        Raises OSError if the port is taken.
        """
        serve_head(TITLE)
        _, address, _ = self.page.launch(
            server_name=host,
            server_port=port,
            share=share,
            root_path=self._root_path,
            prevent_thread_lock=True,
            app_kwargs={"routes": self._routes, "lifespan": self._lifespan},
            theme=theme(),
            favicon_path=STATIC / "icon.svg",
            footer_links=["api"],
            # Gradio's own history would keep inputs in the visitor's browser.
            run_history=False,
            mcp_server=True,
            # Node as the front server answers every address it does not know with the page, ours included.
            ssr_mode=False,
            max_file_size=UPLOAD_LIMIT,
        )
        self.load_engine()
        return address

    def load_engine(self) -> None:
        if self._loop is not None:
            loading = asyncio.run_coroutine_threadsafe(self.desk.workshop(), self._loop)
            loading.add_done_callback(_log_failure)

    def serve(self) -> None:
        """Blocks until interrupted."""
        self.page.block_thread()

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncGenerator[None]:
        self._loop = asyncio.get_running_loop()
        try:
            yield
        finally:
            await self.desk.aclose()


def _log_failure(loading: Future[Workshop]) -> None:
    """Every later click tries again; the first failure must not pass unseen."""
    if not loading.cancelled() and (error := loading.exception()):
        _logger.error("the engine could not be loaded: %s", error, exc_info=error)
