"""`python -m llm check`: whether the configured models can be reached and do what the agent needs."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict, replace

from framework.errors import SettingsError
from framework.settings import Settings

from .chains import Chains
from .check import CheckReport, check
from .choose import LLMSettings, Surroundings, choose, only, shared_providers
from .environment import read_settings
from .errors import NoProvider

OK, USAGE, NO_PROVIDER = 0, 2, 3
MARKS = {True: "ok  ", False: "FAIL", None: "?   "}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 when a model is usable, 3 when none is, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m llm", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("check", help="try each model that is configured")
    command.add_argument("--provider", help="only this provider, whatever is configured")
    command.add_argument("--model", help="this model of it")
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")
    options = parser.parse_args(arguments)
    try:
        settings = _chosen(_read(Settings.from_env()), options.provider, options.model)
    except SettingsError as error:
        print(f"llm: {error}", file=sys.stderr)  # noqa: T201  a command's output
        return USAGE
    return asyncio.run(_check_all(settings, as_json=options.json))


async def _check_all(settings: LLMSettings, *, as_json: bool) -> int:
    try:
        chains = choose(settings, Surroundings())
        reports = [report async for report in _reports(settings, chains)]
    except NoProvider as error:
        return _tell([], "", str(error), as_json=as_json)
    return _tell(reports, chains.said, "", as_json=as_json)


async def _reports(settings: LLMSettings, chains: Chains) -> AsyncGenerator[CheckReport]:
    providers = shared_providers(settings, chains)
    for target in chains.targets():
        yield await check(providers[target.provider].provider, target.model)


def _tell(reports: Sequence[CheckReport], said: str, error: str, *, as_json: bool) -> int:
    usable = any(report.usable for report in reports)
    if as_json:
        body = {"usable": usable, "said": said, "models": [asdict(r) for r in reports], "error": error or None}
        print(json.dumps(body))  # noqa: T201
    else:
        for line in (*([said] if said else []), *(line for report in reports for line in _lines(report))):
            print(line)  # noqa: T201
    if error:
        print(f"llm: {error}", file=sys.stderr)  # noqa: T201
    return OK if usable else NO_PROVIDER


def _lines(report: CheckReport) -> list[str]:
    speed = f", {report.tokens_per_s:.1f} tokens/s" if report.tokens_per_s else ""
    head = f"{report.provider}:{report.model}: {'usable' if report.usable else 'not usable'}{speed}"
    return [head, *(f"  {MARKS[found.ok]} {found.name}  {found.detail}".rstrip() for found in report.findings)]


def _read(settings: Settings) -> LLMSettings:
    return read_settings(settings.variables, options={"huggingface": {"zero_gpu": settings.zero_gpu}})


def _chosen(settings: LLMSettings, provider: str | None, model: str | None) -> LLMSettings:
    if provider and provider != settings.provider:
        return only(settings, provider, model or "")
    return replace(settings, model=model or settings.model)


if __name__ == "__main__":
    sys.exit(main())
