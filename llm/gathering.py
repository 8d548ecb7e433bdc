"""What the wires have in common that send JSON and get it back in pieces: posting, reading, gathering."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing
from typing import TYPE_CHECKING, Any, ClassVar

from .chat_api import BROKEN_OFF, ChatCollector
from .complaint import read_complaint
from .errors import AlienReply, LLMError, Overloaded, TruncatedStream
from .faults import Whom, from_body
from .remote import RemoteProvider
from .shapes import text
from .types import Completion, Delta, Request
from .wire import as_object, sendable

if TYPE_CHECKING:
    import httpx2

DONE = "[DONE]"


class GatheringProvider(RemoteProvider):
    """Base of the wires without a client library. A subclass writes `_body` and says how a body is parted
    (`_frames`)."""

    path: ClassVar[str]
    holds: ClassVar[str]
    """Name of the part of a body in which a reply stands."""
    after_finish_s: ClassVar[float] = 0.0
    """How long counts of tokens are waited for once the reply itself is complete."""
    collector: ClassVar[type[ChatCollector]] = ChatCollector

    async def _send(self, request: Request, model: str) -> AbstractAsyncContextManager[httpx2.Response]:
        client = await self._connected()
        return client.stream("POST", self.path, json=sendable(self._body(request, model)))

    def _frames(self, answer: httpx2.Response, whom: Whom, until: float) -> AsyncGenerator[str]:
        raise NotImplementedError

    def _whole(self, body: dict[str, Any], request: Request, model: str) -> Completion:
        gathering = self.collector()
        gathering.take(body)
        if body.get("error") or not gathering.messages:
            raise from_body(body, self._service(model, request))
        return self._completion(gathering, request, model)

    async def _events(
        self, answer: httpx2.Response, request: Request, model: str, until: float
    ) -> AsyncGenerator[Delta | Completion]:
        gathering, whom = self.collector(), self._service(model, request)
        try:
            async with aclosing(self._frames(answer, whom, until)) as frames:
                while (data := await self._next_frame(frames, finished=bool(gathering.stop))) != DONE:
                    if added := gathering.take(self._frame(data, whom, begun=gathering.messages > 0)):
                        yield Delta(added)
            if not gathering.stop:
                raise whom.error(TruncatedStream, "the stream ended before its end")
            yield self._completion(gathering, request, model)
        except LLMError as error:
            error.usage = gathering.usage()
            raise

    async def _next_frame(self, frames: AsyncIterator[str], *, finished: bool) -> str:
        """The next piece of the body that says anything; a reply that is complete is not lost to a connection that
        breaks or stalls afterwards."""
        if finished and not self.after_finish_s:
            return DONE
        try:
            async with asyncio.timeout(self.after_finish_s if finished else None):
                while not (data := (await anext(frames, DONE)).strip()):
                    pass
                return data
        except (TimeoutError, LLMError):
            if finished:
                return DONE
            raise

    def _frame(self, data: str, whom: Whom, *, begun: bool) -> dict[str, Any]:
        """What one piece of the body says. One that is cut is a stream that broke, not a wrong address."""
        try:
            body = as_object(data, whom)
        except AlienReply:
            if begun or data.startswith("{"):
                raise whom.error(TruncatedStream, "the stream broke in the middle") from None
            raise
        if body.get("error") or (self.holds not in body and read_complaint(data).words):
            raise from_body(body, whom)
        return body

    def _completion(self, gathering: ChatCollector, request: Request, model: str) -> Completion:
        if gathering.stop in BROKEN_OFF:
            raise self._service(model).error(Overloaded, f"it broke the reply off ({gathering.stop})")
        return self._done(
            request,
            model,
            gathering.finish,
            text=text("".join(gathering.texts)),
            usage=gathering.usage(),
            model_reported=gathering.model,
            tool_calls=gathering.calls() if gathering.finish == "tool" else (),
        )
