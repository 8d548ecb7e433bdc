"""`python -m evaluation judge DIR`: lets a model rate from 0 to 3 what stored trials returned.

A rating is an opinion. It is kept beside the trials and never counts as truth, and its agreement with answers that were
rated by hand is reported with it.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import yaml

from agent import models
from agent.events.codec import stored_events
from agent.outcome.report import report_of
from agent.session import FORMAT_TOKENS
from agent.session.roles import MODEL_JUDGE
from agent.task.spec import RunSpec
from framework.command_line import CommandParser
from framework.settings import Settings
from framework.storage.store import Store
from llm.errors import BadReply
from llm.meter import Meter
from llm.router import Router
from llm.tokens import estimate_tokens
from llm.types import Message, Request
from prompts import PromptTooLong, load_prompt

from ..console import Progress, show, whole
from ..suites import BadSuite
from ..together import together
from ..trials import Rating, Rubric, TrialStore
from .report import markdown

LABELLED = Path(__file__).with_name("labelled.yaml")
"""The answers that were rated by hand."""
PROMPT_TOKENS = 16_000
"""The most tokens of one question. A longer program is shown without its middle."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something to be rated, with its task and where it comes from."""

    key: str
    """The key of the trial, or the id of a labelled answer."""
    kind: Rubric
    task: str
    text: str
    code: str = ""
    """The program that an answer in words is about."""
    problem: str = ""
    label: int | None = None
    """The score by hand, which the model never sees; None for what a trial returned."""


def main(argv: Sequence[str]) -> int:
    """Rates the trials of a folder and prints the report. Returns the exit code: 0, or 1 if an answer got no rating.
    Raises one of REFUSALS."""
    parser = CommandParser(
        prog="python -m evaluation judge", description="Have a model rate what stored trials returned."
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of trials")
    parser.add_argument("--provider", metavar="P", help="who is asked; by default as configured")
    parser.add_argument("--model", metavar="M", help="which of the provider's models rates")
    parser.add_argument("--workers", type=whole, default=2, metavar="N", help="questions at the same time")
    arguments = parser.parse_args(argv)
    with closing(TrialStore(arguments.folder)) as store:
        return asyncio.run(_judge(store, Settings.from_env(), arguments))


async def _judge(store: TrialStore, settings: Settings, asked: argparse.Namespace) -> int:
    store.header()  # this says what is wrong with the folder before it is locked
    store.hold()
    models.check_provider(settings, asked.provider)
    pieces = [*labelled(), *returned(store, settings)]
    router = (await models.choose(settings, asked.provider, asked.model)).router
    found = await rate(router, pieces, store, asked.workers)
    show(markdown(store.header(), store.read(), store.ratings()))
    return 1 if any(rating.error for rating in found) else 0


def labelled() -> list[Piece]:
    rows = yaml.safe_load(LABELLED.read_text(encoding="utf-8"))
    return [Piece(r["id"], r["kind"], r["task"], r["text"], r.get("code", ""), label=r["score"]) for r in rows]


def returned(store: TrialStore, settings: Settings) -> Iterator[Piece]:
    """Yields what each trial handed over, read from its run's journal. Raises BadSuite if none of the runs is stored
    with the trials."""
    kept = 0
    with closing(Store.open(store.folder / "state", url=settings.database_url)) as state:
        for trial in store.read():
            if trial.error or (row := state.runs.get(trial.run_id)) is None:
                continue
            kept += 1
            task, events = RunSpec.from_json(row.spec).task, stored_events(state, trial.run_id)
            outcome = report_of(trial.run_id, events).outcome()
            if words := outcome.explanation:
                yield Piece(trial.key, "words", task.text, words, task.code or "", problem=trial.problem)
            else:
                yield Piece(trial.key, "code", task.text, outcome.code, problem=trial.problem)
    if not kept:
        raise BadSuite(f"{store.folder}/state holds no run of these trials; those of workers lie where the workers are")


async def rate(router: Router, pieces: Sequence[Piece], store: TrialStore, workers: int) -> list[Rating]:
    """Lets the model rate the pieces that it has not rated yet, and keeps each rating as soon as it comes. An unusable
    reply becomes a rating that says so. Raises LLMError if no further question makes sense."""
    judge = f"{router.chains.chain(MODEL_JUDGE.name)[0]}, prompt v{load_prompt(MODEL_JUDGE.name).version}"
    known = {rating.key for rating in store.ratings() if rating.judge == judge and not rating.error}
    missing = [piece for piece in pieces if piece.key not in known]
    meter, found = Meter(), list[Rating]()
    with Progress(len(missing)) as progress:
        async for rating in together(lambda piece: _rated(router, meter, piece, judge), missing, workers):
            store.add(rating)
            found.append(rating)
            progress.tell(f"{rating.key}: {rating.error or rating.score}")
    return found


async def _rated(router: Router, meter: Meter, piece: Piece, judge: str) -> Rating:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    empty = Rating(piece.key, piece.kind, piece.problem, piece.label, judge, date=now)
    try:
        answer = await router.ask(_question(piece, router.context(MODEL_JUDGE.name)), meter)
    except (BadReply, PromptTooLong) as error:
        return replace(empty, error=str(error))
    told, usage = MODEL_JUDGE.read(answer.reply), answer.usage
    tokens = (usage.input or 0) + (usage.output or 0)
    return replace(empty, score=int(told.score), why=told.why, tokens=tokens, cost_usd=answer.cost_usd)


def _question(piece: Piece, context: int | None) -> Request:
    """Returns the question to the judge: the task and the answer, but neither verdict, tests nor truth."""
    prompt = load_prompt(MODEL_JUDGE.name)
    shown = {"code": piece.text} if piece.kind == "code" else {"answer": piece.text, "code": piece.code}
    limit = min(PROMPT_TOKENS, (context or 2 * PROMPT_TOKENS) - prompt.max_tokens - FORMAT_TOKENS)
    fitted = prompt.fit(piece.kind, {"task": piece.task, **shown}, limit=limit, count=estimate_tokens)
    messages = Message("system", prompt.system), Message("user", fitted.text)
    return Request(
        prompt.role, piece.task, f"judge:{piece.key}", messages, schema=prompt.schema, max_tokens=prompt.max_tokens
    )
