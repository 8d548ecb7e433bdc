"""The engine that `framework.runs` uses to walk the agent's graph, and the function that checks what a run is asked to
do."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import is_dataclass, replace
from types import ModuleType
from typing import Any

from framework.engine import Pending
from framework.port import StorePort
from framework.secret import Redactor, Secret
from framework.settings import Settings
from framework.visitors import KeysHere, SealedKeys, VisitorKeys
from framework.waiting import Lazy
from llm.costs import CostLog
from llm.errors import NoProvider
from llm.meter import Meter, PaidCall
from prompts import PromptError
from sandbox import open_sandbox
from sandbox import types as sandbox_types
from sandbox.types import LEVELS, Level, LevelTooLow, Sandbox

from . import models, state
from .by_output.missing import MAX_PASTED_CHARS, MISSING_FILE, files_from, missing_sentence
from .config import AgentConfig
from .events import AgentEvent, RunFailed, RunStopped, codec
from .examples import types as example_types
from .graph import build_graph
from .nodes import RepairOrder
from .session import Session
from .session.packages import MISSING_PACKAGES, unmet
from .source.files import FileSandbox
from .state import AgentState, findings, recalled, steps
from .task.order import Order
from .task.own_tests import own_suites
from .task.pasted import with_pasted
from .task.refusals import REFUSALS
from .task.request import BadInput, Wanting, check_edited, check_files, check_task, check_unchanged, config_from
from .task.spec import RunSpec

ENGINE_FAILED = 1
"""The exit code when the fault is in the product itself."""
ANSWERS = {
    "ambiguous": ("approve", "abort", "tick"),
    "clarify": ("approve", "abort", "tick", "revise"),
    "review_repair": ("approve", "abort", "revise", "edit"),
    MISSING_PACKAGES: ("approve", "abort"),
}
"""Actions that may answer a question, by the question's kind. Kinds that are absent take ANY_ANSWER."""
ANY_ANSWER = ("approve", "abort", "revise")


def spec_of(settings: Settings, order: Order, key_id: str = "") -> RunSpec:
    """Checks the order of a task and fills in its options; returns what the store keeps of it. `key_id` is what
    `AgentEngine.lend_key` returned. Raises BadInput, and SettingsError when the environment names no usable model."""
    defaults = {"execution_timeout": settings.exec_timeout, "max_repairs": settings.max_fix_attempts}
    defaults["memory"] = settings.memory
    given = {**defaults, **{name: value for name, value in order.options.items() if value is not None}}
    config = config_from({**given, "min_level": given.get("min_level") or settings.sandbox_min_level})
    if config.install_packages and not settings.may_install:
        raise BadInput("no packages are installed on this deployment (INSTALL_PACKAGES)")
    if config.web_search and not settings.may_search(bool(key_id)):
        but = " but with a key of your own" if settings.may_search(own_key=True) else ""
        raise BadInput(f"the web is not searched on this deployment{but} (WEB_SEARCH)")
    config = replace(config, may_install=settings.may_install)
    check_task(order.task)
    provider = order.provider or None
    models.check_provider(settings, provider)
    return RunSpec(with_pasted(order.task), config, provider, order.model or None, key_id)


def visitor_keys(settings: Settings) -> VisitorKeys | None:
    """Returns where this process keeps the API keys that visitors bring; None when REDIS_URL is set without
    VISITOR_KEYS_SECRET, because a key may not lie in Redis unsealed. Raises SettingsError."""
    if settings.redis_url is None:
        return KeysHere()
    secret = settings.visitor_keys_secret
    return SealedKeys(settings.redis_url, secret) if secret else None


class AgentEngine:
    """Builds what a run needs: the graph once, one sandbox for all runs, and a router and a meter for each drive."""

    recursion_limit = 250

    def __init__(
        self,
        settings: Settings,
        sandbox: Sandbox | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        keys: VisitorKeys | None = None,
    ) -> None:
        """Takes `options` by provider, such as the pace of the scripted demo model, and the place of the `keys` that
        visitors bring; without it no visitor may bring a key."""
        self.settings = settings
        self._sandbox: Lazy[Sandbox] = Lazy(lambda: _opened(sandbox, settings))
        self._keys = keys
        self.redactor = Redactor(settings.secrets())
        self.options = options or {}

    @property
    def state_types(self) -> tuple[tuple[str, str], ...]:
        """Lists, as (module, name), every class that a checkpoint may hold: the dataclasses of the state and those
        inside them. The checkpointer restores no other class."""
        kinds = [
            *_dataclasses(state),
            *_dataclasses(findings),
            *_dataclasses(steps),
            *_dataclasses(recalled),
            *_dataclasses(example_types),
            *_dataclasses(sandbox_types),
            RepairOrder,
            AgentConfig,
        ]
        return tuple(dict.fromkeys((kind.__module__, kind.__qualname__) for kind in kinds))

    def compile(self, checkpointer: Any) -> Any:
        return build_graph().compile(checkpointer=checkpointer)

    def unreadable(self, values: Mapping[str, Any]) -> str:
        return codec.unreadable(values)

    def start(self, spec: Mapping[str, Any]) -> AgentState:
        """Returns the state that a new run begins with, the person's own tests among it. Raises BadInput for tests that
        cannot be used, Wanting when files or packages are missing and nobody is there to ask, and NoScenario when the
        scripted demo model has nothing for the task."""
        asked = RunSpec.from_json(spec)
        task, config = asked.task, asked.config
        first = AgentState(task=task, config=config)
        first = replace(first, suites=own_suites(first))
        if config.autonomy == "full_auto":
            if told := missing_sentence(task):
                raise Wanting(told, "files")
            if told := unmet(task, config):
                raise Wanting(told, "install_packages" if config.may_install else "")
        models.check_scenario(self.settings, asked.provider, task.text)
        return first

    @asynccontextmanager
    async def session(self, port: StorePort[AgentEvent], spec: Mapping[str, Any]) -> AsyncGenerator[Session]:
        """Yields the services of one drive. Raises BadInput when a file has changed since the run was submitted,
        NoProvider when no model can be asked or the lent key is no longer held, and LevelTooLow."""
        asked = RunSpec.from_json(spec)
        config = asked.config
        meter = _meter(port, config, CostLog(self.settings.state_dir / "costs.jsonl", port.run_id))
        lent = await self._lent(port.run_id) if asked.key_id else ""
        await asyncio.to_thread(check_unchanged, asked.task.files)
        chosen = await models.choose(
            self.settings, asked.provider, asked.model, task=asked.task, lent_key=lent, options=self.options
        )
        sandbox = await self._sandbox.get()
        await check_level(sandbox, config, scripted=chosen.scripted)
        yield Session(
            keep_dialogue=self.settings.keep_dialogue,
            may_install=self.settings.may_install,
            may_search=self.settings.may_search(bool(lent)),
            mask=self.redactor.text,
            run_id=port.run_id,
            router=chosen.router,
            meter=meter,
            sandbox=sandbox,
            port=port,
            provider=chosen.provider,
            model=chosen.model,
            scripted=chosen.scripted,
            forecast=models.forecast(chosen.router, asked.task, config.budget_usd),
            deadline=time.monotonic() + config.timeout - port.driven_before,
        )

    def resume_value(self, pending: Pending, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the answer as the paused node gets it. Raises BadInput for an answer that does not fit the
        question."""
        action, text = str(answer.get("action", "")), str(answer.get("text", ""))
        allowed = ANSWERS.get(pending.kind, ANY_ANSWER)
        if action not in allowed:
            raise BadInput(f"{action!r} is no answer to this question; it is one of: {', '.join(allowed)}")
        if action == "tick" and text not in pending.payload["options"]:
            raise BadInput(f"{text!r} is none of the options: {', '.join(pending.payload['options'])}")
        most = MAX_PASTED_CHARS if pending.kind == MISSING_FILE else 5000
        if action == "edit":
            check_edited(text)
        elif len(text) > most:
            raise BadInput(f"the answer has more than {most:,} characters")
        given = {"action": action, "text": text}
        return {**given, "files": _checked_files(pending, answer)} if answer.get("files") else given

    def encode(self, event: AgentEvent) -> tuple[str, Mapping[str, Any]]:
        return codec.encode_event(event)

    def decode(self, kind: str, data: Mapping[str, Any]) -> AgentEvent:
        return codec.decode_event(kind, data)

    def failed(self, error: Exception) -> RunFailed:
        if isinstance(error, PromptError):
            return RunFailed(f"a prompt file cannot be used: {error}", error.exit_code)
        if isinstance(error, REFUSALS):
            return RunFailed(str(error), error.exit_code)
        return RunFailed(f"{type(error).__name__}: {error}", ENGINE_FAILED)

    def stopped(self) -> RunStopped:
        return RunStopped()

    async def lend_key(self, key: Secret) -> str:
        """Keeps a person's own API key for a run. Returns the id that the run must get, which is also the `key_id` of
        its spec.

        Raises NoProvider, StoreError."""
        if self._keys is None:
            raise NoProvider("a key of your own cannot be taken here: VISITOR_KEYS_SECRET is not set")
        run_id = uuid.uuid4().hex
        self.redactor.learn(key)
        await self._keys.keep(run_id, key)
        return run_id

    async def _lent(self, run_id: str) -> str:
        """Returns the key that was lent to the run. Raises NoProvider when it is no longer held."""
        key = await self._keys.fetch(run_id) if self._keys else None
        if key is None:
            raise NoProvider(
                "the key that was brought for this run is no longer held here; start the run again with it"
            )
        self.redactor.learn(key)
        return key.reveal()

    async def forget_key(self, run_id: str) -> None:
        """Deletes the key that was lent to the run. Raises StoreError."""
        if self._keys:
            await self._keys.forget(run_id)

    async def sandbox(self) -> Sandbox:
        return await self._sandbox.get()

    async def aclose(self) -> None:
        sandbox = self._sandbox.opened()
        if sandbox is not None:
            await sandbox.aclose()
        if self._keys:
            await self._keys.aclose()


def _checked_files(pending: Pending, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the files of an answer as they came. Raises BadInput when the question asks for no files, or when they
    are out of bounds."""
    if pending.kind != MISSING_FILE:
        raise BadInput("this question does not ask for files")
    try:
        check_files(files_from(answer, tuple(pending.payload["files"])))
    except ValueError as error:
        raise BadInput(str(error)) from None
    return dict(answer["files"])


async def _opened(sandbox: Sandbox | None, settings: Settings) -> Sandbox:
    return FileSandbox(sandbox or open_sandbox(environments=settings.state_dir / "environments"))


async def check_level(sandbox: Sandbox, config: AgentConfig, *, scripted: bool) -> None:
    """Raises LevelTooLow when this machine isolates programs less than the deployment demands for free input. Scripted
    scenarios run at any level, labelled."""
    if scripted or config.min_level is None:
        return
    reached: Level = (await sandbox.describe()).level
    if LEVELS.index(reached) > [*LEVELS].index(config.min_level):  # type: ignore[arg-type]
        raise LevelTooLow(f"this machine isolates programs at level {reached!r}; {config.min_level!r} is demanded")


def _meter(port: StorePort[AgentEvent], config: AgentConfig, log: CostLog) -> Meter:
    """Builds the run's budget, with what the run had already spent before a restart."""
    rows: list[Mapping[str, Any]] = []
    while (row := port.recall(f"paid:{len(rows)}")) is not None:
        rows.append(row)

    def settle(call: PaidCall) -> None:
        port.remember(f"paid:{len(rows)}", call.row())
        rows.append(call.row())
        log.write(call)

    return Meter(config.budget_usd, config.budget_calls, config.budget_tokens, rows=list(rows), on_settle=settle)


def _dataclasses(module: ModuleType) -> list[type]:
    return [value for value in vars(module).values() if isinstance(value, type) and is_dataclass(value)]
