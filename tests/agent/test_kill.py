"""kill -9 at the worst moments: what was paid is not paid again, and nothing is told or executed twice."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.agent.command_line import agent, start
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import DIAGNOSIS, RIGHT, TASK, usual

BROKEN = "def count_vowels(text):\n    return 0"


def environment(server: ModelServer) -> dict[str, str]:
    return {
        "LLM_PROVIDER": "openai", "LLM_MODEL": "loopback", "OPENAI_API_KEY": "sk-0123456789abcdef",
        "OPENAI_BASE_URL": server.url,
    }  # fmt: skip


class Hold:
    """Holds the model's answer to the n-th request of a role until the client was killed."""

    def __init__(self, role: str, times: int, server: ModelServer) -> None:
        self.reached, self.released = threading.Event(), threading.Event()
        self.role, self.times, self.seen, self.server = role, times, 0, server
        server.on_request = self

    def __call__(self, role: str) -> None:
        if role == self.role:
            self.seen += 1
            if self.seen == self.times:
                self.reached.set()
                self.released.wait(30)


def tool_then_conclusion(role: str, times: int) -> str:
    if role == "generator":
        return fenced(BROKEN if times == 0 else RIGHT)
    if role == "debugger" and times == 0:
        return json.dumps({"tool": "run_snippet", "arguments": {"code": "print(count_vowels('aAe'))"}})
    return DIAGNOSIS if role == "debugger" else usual(role)


@pytest.mark.slow
@pytest.mark.parametrize(("role", "times"), [("generator", 1), ("debugger", 2), ("adversarial tester", 1)])
async def test_killed_inside_a_model_call_then_resumed(
    role: str, times: int, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.answer = tool_then_conclusion
    hold = Hold(role, times, model_server)
    process = await start(TASK, "--json", state=tmp_path, env=environment(model_server))
    assert await asyncio.to_thread(hold.reached.wait, 60)
    process.send_signal(signal.SIGKILL)
    await process.communicate()
    hold.released.set()
    model_server.on_request = lambda _: None
    before = events(tmp_path)
    run_id = before[0][0]

    resumed = await agent("resume", run_id, "--json", state=tmp_path, env=environment(model_server))
    told = resumed.json()
    assert resumed.code == 0, resumed.err
    after = events(tmp_path)
    assert after[: len(before)] == before, "the journal only grows"
    assert_nothing_doubled(after)
    paid = told["usage"]["by_role"]
    words = {name: name.replace(" ", "_").replace("summariser", "summarizer") for name in model_server.asked}
    repeated = {name: count - paid[words[name]]["calls"] for name, count in model_server.asked.items()}
    in_flight = 2 if (role, times) == ("generator", 1) else 1  # tests and code are asked for at the same time
    assert sum(repeated.values()) <= in_flight, "only what was in flight is asked for again"


def events(state: Path) -> list[tuple[str, int, str, str, str]]:
    with sqlite3.connect(state / "journal.sqlite") as database:
        return database.execute("SELECT run_id, seq, identity, kind, data FROM events ORDER BY seq").fetchall()


def assert_nothing_doubled(rows: list[tuple[str, int, str, str, str]]) -> None:
    assert [seq for _, seq, *_ in rows] == list(range(len(rows)))
    assert max(Counter(identity for _, _, identity, _, _ in rows).values()) == 1
    steps = Counter(json.loads(data)["question"] for *_, kind, data in rows if kind == "call_made")
    assert max(steps.values()) == 1
    written = Counter(json.loads(data)["candidate"] for *_, kind, data in rows if kind == "candidate_written")
    assert max(written.values()) == 1
