"""Opens the engine, tries programs and models, and tells what this deployment has.

It is imported only once the server is up, because it loads the engine.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Coroutine, Mapping
from dataclasses import asdict
from typing import Any

from agent import models
from agent.checks.execution import limits_of
from agent.cli.metrics import Metrics, open_metrics
from agent.engine import AgentEngine, check_level, spec_of, visitor_keys
from agent.outcome.report import report_of
from agent.runs import AgentRuns, open_runs
from agent.session.roles import ROLES
from agent.state import Task
from agent.task.order import Order
from agent.task.request import MAX_SOURCE_CHARS, BadInput
from framework.errors import StoreError
from framework.secret import Secret
from framework.settings import Settings
from framework.version import version
from llm.check import AbilityResult, CheckReport, check
from llm.choose import LocalSearch, build_router, choose, for_user, shared_providers
from llm.errors import LLMError
from sandbox.shown import execution_record
from sandbox.types import Execution, Program, SandboxBroken

from .benchmarks import Benchmarks

PACE = 0.02
"""The seconds between two pieces of the demo model's text, so that a person can watch it write."""
_CHECK_PATIENCE = 60.0
"""The seconds that testing a connection may take."""
_BROKER_PATIENCE = 2.0
"""The seconds that the broker's answer may take."""

_logger = logging.getLogger(__name__)


class Workshop:
    """What one process runs and tries things with, on the server's loop."""

    def __init__(self, settings: Settings, engine: AgentEngine, runs: AgentRuns, metrics: Metrics | None) -> None:
        self.runs = runs
        self._engine = engine
        self._settings = settings
        self._metrics = metrics
        self.benchmarks = Benchmarks(settings)
        self._warming = asyncio.create_task(models.warm(settings), name="load client libraries")

    @classmethod
    async def open(cls, settings: Settings) -> Workshop:
        """Opens the engine and the runs. Raises StoreError."""
        engine = AgentEngine(settings, options={"mock": {"pace": PACE}}, keys=visitor_keys(settings))
        metrics = open_metrics()
        return cls(settings, engine, await open_runs(settings, engine, to_workers=True, observer=metrics), metrics)

    async def recheck(self, run_id: str, code: str) -> Execution:
        """Runs the stored checks of a run against another program. Raises UnknownRun, BadInput, LevelTooLow."""
        asked = await self.runs.spec(run_id)
        if len(code) > MAX_SOURCE_CHARS:
            raise BadInput(f"the program has {len(code):,} characters; the limit is {MAX_SOURCE_CHARS:,}")
        sandbox = await self._engine.sandbox()
        await check_level(sandbox, asked.config, scripted=False)
        report = report_of(run_id, await self.runs.events(run_id))
        if report.conclusion is None:
            raise BadInput("the run has not ended yet; its checks are not settled")
        tests = report.conclusion.tests or None
        return await sandbox.run(
            Program(solution=code, tests=tests, files=asked.task.files, limits=limits_of(asked.config))
        )

    async def run_code(self, code: str, tests: str) -> Mapping[str, Any]:
        """Runs a program under the walls and limits of any run. Returns the record of `sandbox run --json`. Raises
        BadInput, LevelTooLow."""
        task = Task("Run this program.", code=code, tests=tests or None)
        config = spec_of(self._settings, Order(task)).config
        sandbox = await self._engine.sandbox()
        await check_level(sandbox, config, scripted=False)
        return execution_record(
            await sandbox.run(Program(solution=code, tests=tests or None, limits=limits_of(config)))
        )

    async def ladder(self) -> Mapping[str, str]:
        """Returns who is asked, in order, by role. If nobody can be asked, one row says why."""
        settings = models.llm_settings(self._settings)
        try:
            chains = await asyncio.to_thread(choose, settings, LocalSearch())
        except LLMError as error:
            return {"Nobody": str(error)}
        rows = {role.name.replace("_", " ").capitalize(): chains.chain(role.name) for role in ROLES}
        return {role: ", then ".join(map(str, chain)) for role, chain in rows.items()}

    async def metrics(self) -> tuple[str, bytes] | None:
        """Returns (content type, text) for Prometheus; None if its package is missing."""
        return self._metrics.exposition(await self.runs.store.do(self.runs.store.runs.live)) if self._metrics else None

    async def health(self) -> Mapping[str, object]:
        """Returns what of database, sandbox, models and broker can be used now, in the words of `wire.Health`."""
        found = {
            "database": await _tried(self._database()),
            "sandbox": await _tried(self._level()),
            "models": await _tried(self._models()),
            "broker": await _tried(self._broker(self._settings.redis_url)) if self._settings.redis_url else None,
        }
        usable = all(part["ok"] for part in found.values() if part)
        down = not (found["database"] or {}).get("ok")
        return {"status": "down" if down else "ok" if usable else "degraded", "version": version(), **found}

    async def _database(self) -> str:
        await self.runs.row("")
        return "PostgreSQL" if self._settings.database_url else "SQLite"

    async def _level(self) -> str:
        sandbox = await self._engine.sandbox()
        return (await sandbox.describe()).level

    async def _models(self) -> str:
        chains = await asyncio.to_thread(choose, models.llm_settings(self._settings), LocalSearch())
        return ", then ".join(map(str, chains.chain(models.WRITER)))

    async def _broker(self, address: Secret) -> str:
        redis = importlib.import_module("redis.asyncio")
        async with redis.from_url(address.reveal(), socket_timeout=_BROKER_PATIENCE) as client:
            await client.ping()
        return "Redis"

    async def isolation(self) -> Mapping[str, object]:
        """Returns how programs are isolated on this machine, axis by axis."""
        sandbox = await self._engine.sandbox()
        return asdict(await sandbox.describe())

    async def estimate(self, provider: str, model: str, text: str) -> str:
        """Returns what a run without trouble would take, in one line; "" if that is not known."""
        settings = models.llm_settings(self._settings)
        if provider:
            settings = for_user(settings, provider=provider, model=model, key="")
        try:
            router = await asyncio.to_thread(build_router, settings)
        except LLMError:
            return ""
        return models.forecast(router, Task(text)) or f"{models.calls_expected(Task(text))}, at no cost"

    async def check(self, provider: str, model: str, key: Secret | None) -> str:
        """Asks the model that would write the programs a few small things. Returns one line for each."""
        settings = models.llm_settings(self._settings)
        if provider:
            settings = for_user(settings, provider=provider, model=model, key=key.reveal() if key else "")
        chains = await asyncio.to_thread(choose, settings, LocalSearch())
        target = chains.chain(models.WRITER)[0]
        asked = shared_providers(settings, chains)[target.provider].provider
        found: list[AbilityResult] = []
        try:
            async with asyncio.timeout(_CHECK_PATIENCE):
                report = await check(asked, target.model, on_finding=found.append)
        except TimeoutError:
            found.append(AbilityResult("given up", False, f"after {_CHECK_PATIENCE:g} s: it is slow, or down"))
            report = CheckReport(target.provider, target.model, False, tuple(found))
        return "\n".join((report.words, *(one.words for one in report.findings)))

    async def aclose(self) -> None:
        self._warming.cancel()
        await self.benchmarks.stop()
        await self.runs.aclose()


async def _tried(part: Coroutine[Any, Any, str]) -> Mapping[str, object]:
    """Returns whether a part can be used, and details in one line. What a library says may hold passwords, so that it
    is only logged."""
    try:
        return {"ok": True, "detail": await part}
    except (LLMError, SandboxBroken, StoreError) as error:
        return {"ok": False, "detail": " ".join(str(error).split())}
    except Exception as error:
        _logger.exception("a part of the app cannot be used")
        return {"ok": False, "detail": type(error).__name__}
