"""Starts the app: first the settings, then the page, then the engine behind it."""

from __future__ import annotations

import os
import signal

if __name__ == "__main__":

    def leave(*_: object) -> None:
        """Ends the process at once on Ctrl-C. Loading takes seconds, and there is nothing to put away before the app
        serves."""
        os._exit(130)

    signal.signal(signal.SIGINT, leave)

import asyncio
import importlib
import socket
import sys
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from framework.command_line import CommandParser, run_command
from framework.errors import FrameworkError
from framework.log import setup_logging
from framework.secret import Redactor, kept_key
from framework.settings import Settings
from llm.providers import open_provider
from llm.types import ProviderSettings

if TYPE_CHECKING:
    from demo.workshop import Workshop

PROGRAMS = {
    "run": "agent.__main__",
    "app": "app",
    "eval": "evaluation.__main__",
    "sandbox": "sandbox.__main__",
    "llm": "llm.__main__",
}
"""For each first word after `code-agent`, the module whose `main` gets the other words."""


def main(arguments: list[str] | None = None) -> int:
    parser = CommandParser(prog="app.py", description="Self-healing code agent, as a page in the browser.")
    parser.add_argument("--host", help="address to serve at; default 127.0.0.1, on a Space 0.0.0.0")
    parser.add_argument("--port", type=int, help="default: PORT, else 7860 or the next free one")
    parser.add_argument("--share", action="store_true", default=None, help="open a temporary public link")
    given = parser.parse_args(arguments)
    try:
        settings = Settings.from_env()
        setup_logging(
            Redactor(settings.secrets()),
            level=settings.log_level.upper(),
            as_json=settings.environment == "production",
        )
        host, port = given.host or settings.server.host, given.port or settings.server.port
        check_address(host, port)
        served = replace(settings.server, host=host, port=port, share=given.share or settings.server.share)
        settings = replace(settings, server=served)
        secret = kept_key(settings.state_dir, "browser")
        if settings.zero_gpu:
            announce_gpu_work()
        # Gradio takes seconds to load, so that comes last, when nothing stands in the way of serving.
        server = importlib.import_module("demo.server").Server(settings, secret, lambda: open_workshop(settings))
        server.launch(host, port, share=served.share)
    except (FrameworkError, OSError, OverflowError) as error:
        print(f"app.py: {error}", file=sys.stderr)  # noqa: T201 - the one line that a person gets
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    server.serve()
    return 0


def command() -> NoReturn:
    """Runs `code-agent` of an installed copy. The first word may name a program; everything else goes to the agent."""
    words = sys.argv[1:]
    program = PROGRAMS.get(words[0]) if words else None
    main = importlib.import_module(program or PROGRAMS["run"]).main
    run_command(lambda: main(words[1:] if program else words))


def check_address(host: str, port: int | None) -> None:
    """Raises OSError, in words, if nothing can be served at this address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port or 0))
        except OSError as error:
            raise OSError(f"cannot serve at {host}, port {port or 'any'}: {error.strerror}") from None


def announce_gpu_work() -> None:
    """Creates the provider that has a function for the GPU, because ZeroGPU refuses a Space without one at its start.
    Weights are loaded later."""
    options = ProviderSettings(options={"zero_gpu": True})
    open_provider("huggingface", options)


async def open_workshop(settings: Settings) -> Workshop:
    """Loads the engine in a thread, so that the page goes on answering."""
    module = await asyncio.to_thread(importlib.import_module, "demo.workshop")
    return await module.Workshop.open(settings)


def interrupt(number: int, _frame: FrameType | None) -> None:
    """Puts everything away at the first signal; a second signal ends the process without waiting."""
    signal.signal(number, signal.SIG_DFL)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
