"""Runs chat models in this process through transformers.

Replies are streamed, can be cancelled, have bound headers, and reuse earlier prompts.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..errors import NoProvider
from ..local import zero
from ..local.describe import caps_of
from ..local.engine import require_packages, share
from ..local.job import Generated, Options
from ..local.plan import Plan, make_job
from ..types import Caps, Completion, Delta, Note, Provider, ProviderSettings, Request, Usage

if TYPE_CHECKING:
    from ..local.load import Loaded


class HuggingFaceProvider(Provider):
    """Any chat model, named by its id or its folder. The options are the fields of `llm.local.job.Options`."""

    def __init__(self, name: str, settings: ProviderSettings) -> None:
        require_packages()
        self.name, self._default = name, settings.model
        self._options = _options(settings)
        if self._options.zero_gpu:
            zero.borrowing()

    def caps(self, model: str) -> Caps:
        return caps_of(model or self._default)

    async def stream(self, request: Request, *, model: str) -> AsyncGenerator[Note | Delta | Completion]:
        model = model or self._default
        if not model:
            raise NoProvider("No local model is named: set HF_MODEL to a chat model's id or folder.")
        plan = Plan()

        def work(loaded: Loaded, emit: Callable[[str], None], cancelled: Callable[[], bool]) -> Generated:
            job = make_job(loaded, request, plan, self._options)
            if self._options.zero_gpu:
                return zero.decode_on_gpu(model, job, emit, cancelled)
            return loaded.decode(job, emit, cancelled)

        async with aclosing(share(model, self._options).stream(work)) as items:
            async for item in items:
                if isinstance(item, Generated):
                    yield self._completion(item, model, plan)
                else:
                    yield Delta(item) if isinstance(item, str) else item

    def _completion(self, outcome: Generated, model: str, plan: Plan) -> Completion:
        notes = [*plan.notes]
        if outcome.closed_early:
            notes.append("the reply's header was closed early to fit the token limit")
        return Completion(
            text=outcome.text,
            finish="stop" if outcome.ended else "length",
            usage=Usage(input=plan.prompt, output=outcome.tokens, cached=outcome.reused),
            provider=self.name,
            model=model,
            model_reported=model,
            schema_mode=plan.schema_mode,
            ignored=plan.ignored,
            notes=tuple(notes),
        )


def _options(settings: ProviderSettings) -> Options:
    known = {field.name for field in fields(Options)}
    given: dict[str, Any] = {
        key: value for key, value in settings.options.items() if key in known and value is not None
    }
    given.setdefault("token", settings.key or None)
    return Options(**given)
