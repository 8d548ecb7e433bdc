"""Turns settings into a page that answers.

It decides what is built, when it is served, and when the engine is loaded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, cast

import gradio as gr
from fastapi import FastAPI
from gradio.routes import App
from starlette.applications import Starlette
from starlette.datastructures import URLPath
from starlette.routing import BaseRoute, Match, NoMatchFound, Route
from starlette.types import Receive, Scope, Send

from framework.secret import Secret
from framework.settings import Settings, trust_proxies

from .desk import Desk
from .doors.api import MCP_PATH, agent_server
from .doors.gate import Gate
from .doors.rest import rest_app
from .look.assets import STATIC
from .look.head import serve_head
from .look.theme import theme
from .options import options_from
from .panels.header import TITLE
from .ui import build_ui

if TYPE_CHECKING:
    from .workshop import Workshop

UPLOAD_LIMIT = "10mb"
_logger = logging.getLogger(__name__)


class Beside(BaseRoute):
    """Hands every address of our own app to that app. All other addresses are the page's."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        inner = str(scope["path"]).removeprefix(scope.get("root_path", "")).startswith("/api/")
        ours = inner or any(one.matches(scope)[0] != Match.NONE for one in self.app.routes)
        return (Match.FULL, {"endpoint": self.app}) if ours else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: Any) -> URLPath:
        """Raises NoMatchFound: the page looks up its own addresses by name and asks every route, this one first."""
        raise NoMatchFound(name, path_params)


class Server:
    """The page and its routes in one process."""

    def __init__(
        self, settings: Settings, storage_secret: Secret, open_workshop: Callable[[], Awaitable[Workshop]]
    ) -> None:
        options = options_from(settings, storage_secret)
        self.desk = Desk(open_workshop)
        self._root_path = settings.server.root_path
        self._loop: asyncio.AbstractEventLoop | None = None
        self._gate = gate = Gate(options)
        self._agents = agent_server(self.desk, gate)
        beside = rest_app(self.desk, gate)
        [found] = self._agents.streamable_http_app().routes
        handler = cast(Route, found).endpoint
        beside.router.routes += [Route(path, handler) for path in (MCP_PATH, MCP_PATH + "/")]
        self._rest = Beside(beside)
        self._proxies = settings.server.trusted_proxies
        with _not_served_yet():
            self.page: gr.Blocks = build_ui(self.desk, gate, options)

    def launch(self, host: str, port: int | None, *, share: bool | None = None) -> str:
        """Serves in the background and returns the address. The engine is loaded only once the server is up.

        Raises OSError if the port is taken.
        """
        serve_head(TITLE)
        trust_proxies(self._proxies)
        _, address, _ = self.page.launch(
            server_name=host,
            server_port=port,
            share=share,
            root_path=self._root_path,
            prevent_thread_lock=True,
            app_kwargs={"routes": [self._rest], "lifespan": self._lifespan},
            theme=theme(),
            favicon_path=STATIC / "icon.svg",
            footer_links=["api"],
            # Gradio's own history would keep inputs in the visitor's browser.
            run_history=False,
            # With Node as the front server, every address that Gradio does not know would answer with the page, ours
            # included.
            ssr_mode=False,
            max_file_size=UPLOAD_LIMIT,
            # Gradio would check once whether the page comes within 3 s, and end the app of a busy machine if it does
            # not.
            _frontend=False,
        )
        self.load_engine()
        return address

    def load_engine(self) -> None:
        if self._loop is not None:
            loading = asyncio.run_coroutine_threadsafe(self.desk.workshop(), self._loop)
            loading.add_done_callback(_log_failure)

    def serve(self) -> None:
        self.page.block_thread()

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncGenerator[None]:
        self._loop = asyncio.get_running_loop()
        try:
            async with self._agents.session_manager.run():
                yield
        finally:
            await self.desk.aclose()
            await self._gate.aclose()


@contextmanager
def _not_served_yet() -> Generator[None]:
    """Keeps Gradio from making its web app while the page is built. It would make one anew with each page and for the
    queue, a tenth of a second each time; nobody needs one before `launch` makes its own."""
    made = App.create_app
    App.create_app = staticmethod(lambda *_, **__: None)  # type: ignore[assignment]
    try:
        yield
    finally:
        App.create_app = made


def _log_failure(loading: Future[Workshop]) -> None:
    """Logs the failure. Every later click loads the engine again, so nothing else would report the first failure."""
    if not loading.cancelled() and (error := loading.exception()):
        _logger.error("the engine could not be loaded: %s", error, exc_info=error)
