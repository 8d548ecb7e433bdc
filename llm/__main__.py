"""`python -m llm check`: whether the configured models can be reached and do what the agent needs."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace

from framework.command_line import CommandParser
from framework.errors import SettingsError
from framework.settings import Settings

from .check import LIMIT_S, CheckReport, check
from .choose import LLMSettings, LocalSearch, choose, only, shared_providers
from .environment import read_settings
from .errors import NoProvider

OK, USAGE, NO_PROVIDER = 0, 2, 3
"""The exit codes: a model is usable, the input is bad, no model is usable."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code: 0 if a model is usable, 3 if none is, 2 for bad input."""
    parser = CommandParser(prog="python -m llm", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("check", help="try each model that is configured")
    command.add_argument("--provider", help="only this provider, whatever is configured")
    command.add_argument("--model", help="this model of it")
    command.add_argument("--timeout", type=float, default=LIMIT_S, metavar="S", help="seconds of each trial")
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")
    options = parser.parse_args(arguments)
    try:
        settings = _chosen(_read(Settings.from_env()), options.provider, options.model)
    except SettingsError as error:
        print(f"llm: {error}", file=sys.stderr)
        return USAGE
    return asyncio.run(_check_all(settings, options.timeout, as_json=options.json))


async def _check_all(settings: LLMSettings, limit_s: float, *, as_json: bool) -> int:
    """Prints each finding as it is made, or one JSON object at the end. Returns the exit code."""

    def say(line: str) -> None:
        if not as_json:
            print(line, flush=True)

    reports: list[CheckReport] = []
    said = error = ""
    try:
        chains = choose(settings, LocalSearch())
        said = chains.said
        say(said)
        for target, shared in ((each, shared_providers(settings, chains)[each.provider]) for each in chains.targets()):
            say(f"{target}:")
            finding = await check(
                shared.provider, target.model, limit_s=limit_s, on_finding=lambda found: say(f"  {found.words}")
            )
            reports.append(finding)
            say(finding.words)
    except NoProvider as failed:
        error = str(failed)
        print(f"llm: {error}", file=sys.stderr)
    usable = any(report.usable for report in reports)
    if as_json:
        models = [asdict(report) for report in reports]
        print(json.dumps({"usable": usable, "said": said, "models": models, "error": error or None}))
    return OK if usable else NO_PROVIDER


def _read(settings: Settings) -> LLMSettings:
    return read_settings(settings.variables, options={"huggingface": {"zero_gpu": settings.zero_gpu}})


def _chosen(settings: LLMSettings, provider: str | None, model: str | None) -> LLMSettings:
    if provider and provider != settings.provider:
        return only(settings, provider, model or "")
    return replace(settings, model=model or settings.model)


if __name__ == "__main__":
    sys.exit(main())
