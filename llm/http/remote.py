"""Holds what all providers behind HTTP share: one exchange, read whole or streamed, with every fault translated."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import AlienReply, BadRequest, ContextTooLong, LLMError, NoProvider
from ..redact import quiet_libraries, scrub
from ..replies.toolcalls import emulate
from ..tokens import prompt_tokens
from ..types import Caps, Completion, Delta, Finish, Provider, ProviderSettings, Request, SchemaMode
from .dialect import SEARCH, Dialect
from .faults import StatusFault, Whom, as_status, from_exception
from .wire import content_type, is_loopback, open_client, proxy_for, read_fault, read_object

STALL_S = 120.0
"""The seconds without a byte after which a request is given up."""
LOCAL_STALL_S = 300.0
"""The same for one's own machine, where a long prompt is read for minutes before the first word comes."""
TOTAL_S = 600.0
"""The seconds of one exchange."""
JSON_TYPES = ("application/json", "application/problem+json")
STREAM_TYPES = ("text/event-stream", "application/x-ndjson", "application/jsonl")
MAX_DOWNGRADES = 10
"""The most times that one request is sent again in a simpler form."""
MIN_REPLY_TOKENS = 128
"""The fewest tokens for which it makes sense to ask for a reply."""
SAMPLING = ("temperature", "seed")


class RemoteProvider(Provider):
    """The base of the providers behind HTTP. A subclass writes (`_body`), sends (`_send`) and reads (`_read_whole`,
    `_events`) its protocol. It always asks for a stream, because a long reply in one piece looks like a server that has
    died."""

    def __init__(self, name: str, settings: ProviderSettings) -> None:
        """Takes settings that hold the service's line of the table, as `open_provider` provides them."""
        assert settings.service is not None
        self.name = name
        self._settings = settings
        self._spec = settings.service
        self._base_url = (settings.base_url or self._spec.base_url).rstrip("/")
        self._thoughts = int(settings.options.get("thoughts", self._spec.thoughts))
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()
        """One client for each event loop that asks. No client keeps a connection open between two questions."""
        self._dialects: dict[str, Dialect] = {}
        quiet_libraries()

    def caps(self, model: str) -> Caps:
        raise NotImplementedError

    async def ready(self) -> None:
        """Loads what the first call needs."""
        await self._connected()

    async def stream(self, request: Request, *, model: str) -> AsyncGenerator[Delta | Completion]:
        """Yields one exchange. It is repeated in a simpler form if the service refuses a part that can be left out."""
        service = self._whom(model, request)
        if not self._settings.key and self._spec.at == "service" and not self._settings.base_url:
            raise NoProvider(f"{self.name}: no key is configured; set {self._spec.key_name}.")
        for _ in range(MAX_DOWNGRADES):
            try:
                async with aclosing(self._exchange(request, model)) as items:
                    async for item in items:
                        yield item
                return
            except StatusFault as fault:
                if not self._simplified(request, model, fault):
                    raise from_exception(fault, service) from None
        raise service.error(BadRequest, "it refused the request in every form")

    async def _exchange(self, request: Request, model: str) -> AsyncGenerator[Delta | Completion]:
        """Sends the request once and yields the reply. Raises StatusFault for an HTTP error, and errors of
        `llm.errors`."""
        service = self._whom(model, request)
        until = self._now() + float(self._settings.options.get("total_s", TOTAL_S))
        try:
            async with AsyncExitStack() as entered:
                async with asyncio.timeout_at(until):
                    answer = await entered.enter_async_context(await self._send(request, model))
                response = getattr(answer, "response", answer)
                kind = content_type(response)
                if not 200 <= response.status_code < 300:
                    raise await read_fault(response, service, until)
                if kind in STREAM_TYPES:
                    async with aclosing(self._events(answer, request, model, until)) as items:
                        async for item in items:
                            yield item
                elif kind in JSON_TYPES:
                    done = self._read_whole(await read_object(response, service, until), request, model)
                    yield Delta(done.text)
                    yield done
                else:
                    raise service.error(AlienReply, f"the answer is {kind[:40] or 'of unknown type'}, not JSON")
        except LLMError:
            raise
        except Exception as error:  # noqa: BLE001  the boundary to the client libraries: each error is translated, none lost
            raise as_status(error) or from_exception(error, service) from None

    async def _connected(self) -> Any:
        """Returns the client library's client for the running event loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            stall_s = LOCAL_STALL_S if is_loopback(self._base_url) else STALL_S
            self._clients[loop] = await self._open_client(float(self._settings.options.get("stall_s", stall_s)))
        return self._clients[loop]

    def _whom(self, model: str, request: Request | None = None) -> Whom:
        """Returns whom errors are about. Errors do not quote what stands in the request."""
        spec = self._spec
        return Whom(
            self.name,
            model,
            address=self._base_url,
            secret=self._settings.key,
            private=tuple(message.content for message in request.messages) if request else (),
            key_name=spec.key_name,
            url_name=spec.url_name,
            model_help=self._model_help(model),
            start=spec.start if is_loopback(self._base_url) else "",
            proxy=proxy_for(self._base_url),
        )

    def _model_help(self, model: str) -> str:
        """Returns what to do if the model is missing."""
        own = self._spec.model
        meant = difflib.get_close_matches(model, [own, self._spec.strong], 1, 0.6) if own else []
        return f"did you mean {meant[0]}?" if meant and meant[0] != model else "check the model's name"

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _alien(self, model: str, words: str) -> AlienReply:
        return self._whom(model).error(AlienReply, f"an answer {words}")

    async def _open_client(self, stall_s: float) -> Any:
        return open_client(self._base_url, self._settings.key, stall_s)

    def _dialect(self, model: str) -> Dialect:
        """Returns what is known of the model's dialect."""
        return self._dialects.setdefault(model, self._first_dialect())

    def _first_dialect(self) -> Dialect:
        """Returns what the service is assumed to take before it has refused anything."""
        raise NotImplementedError

    def _mode(self, request: Request, model: str) -> SchemaMode:
        """Returns how the reply's schema is enforced: by the service only if the reply is nothing but the JSON
        object."""
        if request.schema is None:
            return "none"
        beside = request.code != "none" or request.tools or self._search(request, model)
        return "prompt" if beside else self._dialect(model).schema

    def _searches(self, model: str) -> bool:
        return bool(self._spec.search) and SEARCH not in self._dialect(model).without

    def _search(self, request: Request, model: str) -> Mapping[str, Any]:
        """Returns what is sent in addition if the web may be searched."""
        return self._spec.search if request.search and self._searches(model) else {}

    def _adapted(self, request: Request, model: str) -> Request:
        """Returns the request as this model takes it: with tools described in words if it takes none."""
        return request if self.caps(model).tools else emulate(request)

    def _completed(self, request: Request, model: str, finish: Finish | None, **read: Any) -> Completion:
        """Returns the completion with what was `read` of the reply. Raises AlienReply if the reason for its end is
        unknown."""
        if finish is None:
            raise self._alien(model, "without a known reason to stop")
        dialect = self._dialect(model)
        ignored = tuple(name for name in SAMPLING if name in dialect.without and getattr(request, name) is not None)
        given: dict[str, Any] = {"schema_mode": self._mode(request, model), "ignored": ignored, **read}
        given["model_reported"] = scrub(read.get("model_reported") or "", self._settings.key) or None
        return Completion(finish=finish, provider=self.name, model=model, notes=tuple(dialect.notes), **given)

    def _limit(self, request: Request, dialect: Dialect) -> int:
        """Returns the tokens of the reply and the thoughts before it, as far as the service takes so many and the
        context has room. Raises ContextTooLong."""
        wanted = dialect.allowed(request.max_tokens + self._thoughts)
        room = dialect.context - prompt_tokens(request) - dialect.spare if dialect.context else wanted
        if room < min(wanted, MIN_REPLY_TOKENS):
            words = f"the prompt leaves no room for a reply in a context of {dialect.context} tokens"
            raise self._whom("", request).error(ContextTooLong, words)
        return min(wanted, room)

    def _body(self, request: Request, model: str) -> dict[str, Any]:
        """Returns the body of the question."""
        raise NotImplementedError

    async def _send(self, request: Request, model: str) -> AbstractAsyncContextManager[Any]:
        """Posts the question. The context manager yields the response, or an object that holds it as `response`."""
        raise NotImplementedError

    def _read_whole(self, body: dict[str, Any], request: Request, model: str) -> Completion:
        """Returns the completion of an answer in one piece."""
        raise NotImplementedError

    def _events(self, answer: Any, request: Request, model: str, until: float) -> AsyncGenerator[Delta | Completion]:
        """Yields the reply as it is written. `answer` is what `_send` yielded."""
        raise NotImplementedError

    def _simplified(self, request: Request, model: str, fault: StatusFault) -> bool:
        """Leaves out what the service refused and remembers it. Returns False if nothing can be left out."""
        sent = self._body(request, model)
        return self._dialect(model).learn(fault, {**sent, **sent.get("options", {})}, prompt_tokens(request))
