"""`python -m tests.benches.tokens`: what models read in a run, by role.

The replies are fixed, from a server on loopback, which counts as a service does: four characters of the messages as
JSON are a token. It also keeps what it has read, as services with a cache do, and tells how much of a question it knew.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from agent.runs import open_runs
from agent.state import Task
from agent.task.order import Order
from evaluation.console import show
from framework.command_line import CommandParser
from framework.settings import Settings
from tests.agent.model_server import stream

RUN_BAR, REPAIR_BAR, CALLS_BAR = 1700, 1300, 3
CACHE_FROM, CACHE_STEP = 1024, 128
"""Tokens from which a prefix is kept, and the steps in which it is known again: those of the widest-used service."""
TASK = '''from typing import List


def has_close_elements(numbers: List[float], threshold: float) -> bool:
    """ Check if in given list of numbers, are any two numbers closer to each other than
    given threshold.
    >>> has_close_elements([1.0, 2.0, 3.0], 0.5)
    False
    >>> has_close_elements([1.0, 2.8, 3.0, 4.0, 5.0, 2.0], 0.3)
    True
    """
'''
HEAD = "def has_close_elements(numbers, threshold):\n"
RIGHT = HEAD + (
    "    ordered = sorted(numbers)\n    return any(b - a < threshold for a, b in zip(ordered, ordered[1:]))\n"
)
WRONG = HEAD + "    return len(numbers) > 1 and numbers[1] - numbers[0] < threshold\n"
TESTS = (
    "def test_empty():\n    assert has_close_elements([], 1.0) == False\n\n\n"
    "def test_one():\n    assert has_close_elements([1.0], 1.0) == False\n\n\n"
    "def test_equal():\n    assert has_close_elements([1.0, 1.0], 0.1) == True\n\n\n"
    "def test_at_the_threshold():\n    assert has_close_elements([1.0, 2.0], 1.0) == False\n\n\n"
    "def test_property_order():\n    for xs in [[1.0, 3.0, 2.0], [5.0, 1.0]]:\n"
    "        assert has_close_elements(xs, 1.5) == has_close_elements(xs[::-1], 1.5)\n"
)
ATTACK = '{"inputs": ["has_close_elements([0.0, -1.0], 0.5)"]}\n'
DIAGNOSIS = json.dumps(
    {
        "fault": "code",
        "category": "assertion",
        "confidence": 0.9,
        "explanation": "only the first two numbers are compared",
        "repair_hint": "compare all neighbours of the sorted list",
    }
)


def fenced(code: str) -> str:
    return f"```python\n{code}```\n"


def replies(first: str) -> Callable[[str], str]:
    """The reply to a question by its words; `first`: the first program."""

    def reply(words: str) -> str:
        if "You are the spec tester" in words:
            return fenced(TESTS)
        if "You are the adversarial tester" in words:
            return ATTACK
        if "You are the debugger" in words:
            return DIAGNOSIS
        if "You are the planner" in words:
            return '{"plan": "sort, then compare neighbours"}'
        return fenced(RIGHT if "The module so far" in words else first)

    return reply


class Service:
    """Speaks chat completions on loopback; counts tokens, and those that it had read before."""

    def __init__(self, reply: Callable[[str], str]) -> None:
        self.reply, self.read, self.known = reply, list[str](), list[int]()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None: ...

            def do_POST(self) -> None:
                service.answer(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        words = json.dumps(body["messages"])
        self.known.append(self._known(words))
        usage: dict[str, Any] = {"prompt_tokens": len(words) // 4, "completion_tokens": 0}
        usage |= {"prompt_tokens_details": {"cached_tokens": self.known[-1]}}
        self.read.append(words)
        text = self.reply(words)
        stream(handler, text, {**usage, "completion_tokens": len(text) // 4})

    def _known(self, words: str) -> int:
        """Tokens of the longest beginning that an earlier question shares, as far as a cache keeps it."""
        longest = max((_common(words, earlier) for earlier in self.read), default=0) // 4
        return longest - longest % CACHE_STEP if longest >= CACHE_FROM else 0


def _common(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


async def usage_of(text: str, first: str) -> dict[str, Any]:
    """`usage` of a whole run over the task, and `cached`: tokens that the service had read before."""
    with tempfile.TemporaryDirectory() as folder, Service(replies(first)) as service:
        names = {"LLM_PROVIDER": "openai", "LLM_MODEL": "fixed", "OPENAI_API_KEY": "sk-0123456789abcdef"}
        settings = Settings.from_env({"STATE_DIR": folder, "OPENAI_BASE_URL": service.url, **names})
        runs = await open_runs(settings)
        try:
            run_id = await runs.begin(Order(Task(text), {"critic": False}))
            report = await runs.ended(run_id)
        finally:
            await runs.aclose()
        return {**asdict(report.usage()), "cached": sum(service.known)}


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0; 1 when a bar is passed."""
    CommandParser(prog="python -m tests.benches.tokens", description="Tokens by role, from fixed replies.").parse_args(
        argv
    )
    well, healed, long = asyncio.run(_measured())
    for name, usage in (("all well", well), ("one repair", healed), ("one repair, long task", long)):
        show(f"{name}: {usage['calls']} calls, {usage['input_tokens']} tokens in, {usage['cached']} of them cached")
        for role, part in usage["by_role"].items():
            show(f"  {role:<20} {part['calls']} call(s) {part['input_tokens']:>6} in {part['output_tokens']:>5} out")
    repair = healed["input_tokens"] - well["input_tokens"]
    show(f"all well: {well['input_tokens']} in, at most {RUN_BAR}, in {CALLS_BAR} calls")
    show(f"a repair adds {repair}, at most {REPAIR_BAR}")
    kept = well["input_tokens"] <= RUN_BAR and well["calls"] == CALLS_BAR and repair <= REPAIR_BAR
    return 0 if kept and long["cached"] > 0 else 1


async def _measured() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    background = "".join(
        f"# Rule {n} of the house: measurements of day {n} are kept as they came.\n" for n in range(80)
    )
    return (
        await usage_of(TASK, RIGHT),
        await usage_of(TASK, WRONG),
        await usage_of(background + TASK, WRONG),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
