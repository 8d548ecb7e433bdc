"""`python -m agent doctor`: checks whether settings, store, sandbox and models of this machine can make a run."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from dataclasses import asdict, dataclass

from agent import models
from framework.errors import SettingsError, StoreError
from framework.settings import Settings
from framework.storage.store import Store
from framework.version import version
from llm.check import check
from llm.choose import LocalSearch, choose, shared_providers
from llm.errors import LLMError
from sandbox import open_sandbox
from sandbox.types import LEVELS, Program, SandboxBroken

_NO_MODEL = 3
_MOST_COUNTED = 1000
"""How many stored runs are counted at most, so that a large store answers quickly."""


@dataclass(frozen=True, slots=True)
class DoctorLine:
    name: str
    ok: bool
    detail: str


async def run(settings: Settings, *, as_json: bool) -> int:
    """Prints one line for each check as soon as it is made. Returns 0 when a run can be made, else 3."""
    found: list[DoctorLine] = []
    async for finding in _examined(settings):
        found.append(finding)
        if not as_json:
            print(f"{'ok  ' if finding.ok else 'FAIL'} {finding.name}: {finding.detail}", flush=True)
    usable = all(finding.ok for finding in found if not finding.name.startswith("model "))
    usable = usable and any(finding.ok for finding in found if finding.name.startswith("model "))
    if as_json:
        print(json.dumps({"usable": usable, "version": version(), "findings": [asdict(one) for one in found]}))
    return 0 if usable else _NO_MODEL


async def _examined(settings: Settings) -> AsyncIterator[DoctorLine]:
    yield DoctorLine("settings", True, f"version {version()}, state in {settings.state_dir}")
    yield _store(settings)
    yield await _sandbox(settings)
    async for finding in _models(settings):
        yield finding


def _store(settings: Settings) -> DoctorLine:
    try:
        with closing(Store.open(settings.state_dir, url=settings.database_url)) as store:
            count = len(store.runs.list(_MOST_COUNTED))
    except StoreError as error:
        return DoctorLine("store", False, str(error))
    return DoctorLine("store", True, f"{count}{' or more' if count == _MOST_COUNTED else ''} runs are kept there")


async def _sandbox(settings: Settings) -> DoctorLine:
    """Runs one program, which shows that the sandbox works; `python -m sandbox doctor` tries each wall."""
    wanted = settings.sandbox_min_level or LEVELS[-1]
    try:
        async with aclosing(open_sandbox()) as sandbox:
            reached = (await sandbox.describe()).level
            ran = await sandbox.run(Program(solution="print(6 * 7)", mode="inprocess"))
    except SandboxBroken as error:
        return DoctorLine("sandbox", False, str(error))
    if ran.stdout.strip() != "42":
        return DoctorLine("sandbox", False, f"a program that prints 42 ended with {ran.status}: {ran.error}")
    enough = LEVELS.index(reached) <= [*LEVELS].index(wanted)
    told = f"programs are walled off at level {reached}"
    return DoctorLine("sandbox", enough, told if enough else f"{told}, and SANDBOX_MIN_LEVEL demands {wanted}")


async def _models(settings: Settings) -> AsyncIterator[DoctorLine]:
    """Asks each configured model a few small things."""
    try:
        chosen = models.llm_settings(settings)
        chains = choose(chosen, LocalSearch())
        providers = shared_providers(chosen, chains)
    except (LLMError, SettingsError) as error:
        yield DoctorLine("models", False, str(error))
        return
    for target in chains.targets():
        if target.provider == models.MOCK:
            yield DoctorLine(f"model {target}", True, "the scripted demo model plays written scenarios only")
            continue
        report = await check(providers[target.provider].provider, target.model)
        failed = [f"{one.name}: {one.detail}" for one in report.findings if one.ok is False]
        yield DoctorLine(f"model {target}", report.usable, "; ".join(failed) or "it answers")
