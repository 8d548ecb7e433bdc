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

from .chains import Chains, Target
from .check import CheckReport, check
from .choose import LLMSettings, Surroundings, choose, open_providers
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
        settings = _chosen(_settings(Settings.from_env()), options.provider, options.model)
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
    providers = open_providers(settings, chains)
    try:
        for target in _targets(chains):
            yield await check(providers[target.provider], target.model)
    finally:
        for provider in providers.values():
            await provider.aclose()


def _targets(chains: Chains) -> list[Target]:
    """Each model that can be asked, once, in the order of the chains."""
    chained = [chains.default, *chains.roles.values(), chains.ladder, *chains.ladders.values()]
    return list(dict.fromkeys(target for chain in chained for target in chain))


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


def _settings(settings: Settings) -> LLMSettings:
    models = settings.models
    return LLMSettings(
        provider=models.provider,
        model=models.model or "",
        roles=models.roles,
        keys={name: key.reveal() for name, key in models.keys.items()},
        base_urls=models.base_urls,
        models=models.models,
        options={"huggingface": {"use_4bit": models.use_4bit, "zero_gpu": settings.zero_gpu}},
    )


def _chosen(settings: LLMSettings, provider: str | None, model: str | None) -> LLMSettings:
    if provider and provider != settings.provider:
        return replace(settings, provider=provider, model=model or "", roles={})
    return replace(settings, model=model or settings.model)


if __name__ == "__main__":
    sys.exit(main())
