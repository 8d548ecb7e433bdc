"""Does HTTP for all providers.

It follows no redirects and sends no foreign headers, and it reads bodies under a deadline and a size limit.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import ssl
from codecs import BOM_UTF8
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import aclosing, contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from ..errors import AlienReply, LLMError, TruncatedStream, Unreachable
from .faults import StatusFault, Whom

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")
CONNECT_S = 10.0
"""The seconds that connecting to a service may take."""
MAX_BODY_BYTES = 8 * 1024 * 1024
"""The most bytes of a body that is read."""
MAX_FAULT_BYTES = 64 * 1024
"""The bytes of an error's body that are read."""
OUR_HEADERS = frozenset((
    "accept", "accept-encoding", "anthropic-version", "authorization", "connection", "content-length", "content-type",
    "host", "transfer-encoding", "user-agent",
))  # fmt: skip
"""The headers that are sent. Client libraries add more from the environment; those are dropped."""


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return (address := ipaddress.ip_address(host)).is_loopback or address.is_unspecified
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def proxy_for(url: str) -> str:
    """Returns host and port of the proxy that clients take from the environment for this address; "" for none."""
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return ""
    named = getproxies()
    return urlsplit(named.get(parts.scheme) or named.get("all", "")).netloc.rpartition("@")[2]


def open_client(base_url: str, key: str, stall_s: float, *, key_header: str = "authorization") -> httpx2.AsyncClient:
    """Returns a client for one service. `stall_s` seconds without a byte end a request.

    Connections are not kept open: a handshake is short compared to a model's reply, and a connection that the server
    closed meanwhile would lose a request.
    """
    import httpx2  # noqa: PLC0415  importing it costs more than the whole room

    parts = httpx2.URL(base_url)

    async def guard(request: httpx2.Request) -> None:
        if (request.url.scheme, request.url.host, request.url.port) != (parts.scheme, parts.host, parts.port):
            raise httpx2.UnsupportedProtocol("another host than the configured one")
        for name in set(request.headers) - OUR_HEADERS:
            del request.headers[name]
        if key or not parts.userinfo:
            request.headers.pop("authorization", None)
        if key:
            request.headers[key_header] = f"Bearer {key}" if key_header == "authorization" else key

    async def bound(response: httpx2.Response) -> None:
        response.aiter_bytes = _bounded(response.aiter_bytes, error=response.is_error)

    return httpx2.AsyncClient(
        base_url=base_url,
        follow_redirects=False,
        verify=_trusted(),
        trust_env=not is_loopback(base_url),
        timeout=httpx2.Timeout(stall_s, connect=CONNECT_S),
        limits=httpx2.Limits(max_keepalive_connections=0),
        event_hooks={"request": [guard], "response": [bound]},
    )


def _bounded(read: Callable[..., AsyncGenerator[bytes]], *, error: bool) -> Callable[..., AsyncGenerator[bytes]]:
    """Returns a reader of an unpacked body without its byte order mark, so small that its caller may keep all of it: an
    error is cut at MAX_FAULT_BYTES, anything else raises Flood beyond MAX_BODY_BYTES."""

    async def bounded(chunk_size: int | None = None) -> AsyncGenerator[bytes]:
        size = 0
        async with aclosing(read(chunk_size)) as chunks:
            async for chunk in chunks:
                yield chunk if size else chunk.removeprefix(BOM_UTF8)
                size += len(chunk)
                if error and size > MAX_FAULT_BYTES:
                    return
                if size > MAX_BODY_BYTES:
                    raise Flood

    return bounded


class Flood(Exception):
    """The answer is longer than MAX_BODY_BYTES."""


@contextmanager
def translated(whom: Whom) -> Generator[None]:
    """Turns what goes wrong while an answer is read into errors of `llm.errors`."""
    import httpx2  # noqa: PLC0415

    try:
        yield
    except (TimeoutError, httpx2.TimeoutException):
        raise whom.error(Unreachable, "the answer stalled and was given up") from None
    except httpx2.DecodingError:
        raise whom.error(AlienReply, "the answer cannot be decoded") from None
    except Flood:
        raise whom.error(AlienReply, "the answer is far too long") from None
    except httpx2.TransportError as error:
        words = f"the connection broke in the middle ({type(error).__name__})"
        raise whom.error(TruncatedStream, words) from None


@cache
def _trusted() -> ssl.SSLContext:
    """Returns the trusted certificates. They are read once, because that takes longer than opening a client."""
    import httpx2  # noqa: PLC0415

    return httpx2.create_ssl_context()


def read_chunks(response: httpx2.Response, whom: Whom, until: float) -> AsyncGenerator[bytes]:
    """Yields the body, until the event loop's clock says `until`. Raises only errors of `llm.errors`."""
    return timely(response.aiter_bytes(), response, whom, until)


async def timely(items: AsyncIterator[T], response: httpx2.Response, whom: Whom, until: float) -> AsyncGenerator[T]:
    """Yields the items, until the event loop's clock says `until`. They come from the body of `response`, which is
    closed with this generator."""
    try:
        while True:
            with translated(whom):
                try:
                    async with asyncio.timeout_at(until):
                        item = await anext(items)
                except StopAsyncIteration:
                    return
            yield item
    finally:
        # The libraries' nested generators would be left half read, and the event loop would stumble over them at its
        # end. Reading on after the connection is closed ends each of them.
        with suppress(Exception):
            await response.aclose()
            async for _ in items:
                pass


async def read_lines(response: httpx2.Response, whom: Whom, until: float) -> AsyncGenerator[str]:
    """Yields the lines of a body as they arrive, an unfinished last line too."""
    pending: list[bytes] = []
    """The pieces of the line that has not ended. Joining them with each chunk would take the square of a long line's
    time."""
    async with aclosing(read_chunks(response, whom, until)) as chunks:
        async for chunk in chunks:
            more, *begun = chunk.split(b"\n")
            pending.append(more)
            for piece in begun:
                yield b"".join(pending).decode(errors="replace").rstrip("\r")
                pending = [piece]
    if last := b"".join(pending):
        yield last.decode(errors="replace")


async def read_events(response: httpx2.Response, whom: Whom, until: float) -> AsyncGenerator[str]:
    """Yields the data of each server-sent event. An event that is cut by the end of the body is left out, as the
    standard says."""
    data: list[str] = []
    async with aclosing(read_lines(response, whom, until)) as lines:
        async for line in lines:
            if not line and data:
                yield "\n".join(data)
                data = []
            elif line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))


async def read_object(response: httpx2.Response, whom: Whom, until: float) -> dict[str, Any]:
    """Returns the body as one JSON object. Raises AlienReply if it is anything else."""
    body = b"".join([chunk async for chunk in read_chunks(response, whom, until)])
    return as_object(body.decode(errors="replace"), whom)


async def read_fault(response: httpx2.Response, whom: Whom, until: float) -> StatusFault:
    """Returns the HTTP error that a response is, with as much of its body as can be read."""
    body = b""
    with suppress(LLMError):  # the status alone says enough
        async with aclosing(read_chunks(response, whom, until)) as chunks:
            async for chunk in chunks:
                body += chunk
    return StatusFault(response.status_code, response.headers, body.decode(errors="replace"))


def sendable(body: dict[str, Any]) -> dict[str, Any]:
    """Returns the body with a ? for each half of a surrogate pair, which no service takes."""
    return json.loads(json.dumps(body, ensure_ascii=False).encode(errors="replace"))


def as_object(text: str, whom: Whom) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise whom.error(AlienReply, "the answer is not JSON") from None
    if not isinstance(value, dict):
        raise whom.error(AlienReply, "the answer is not a JSON object")
    return cast(dict[str, Any], value)


def content_type(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()
