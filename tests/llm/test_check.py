"""The connection test, the estimate, the cost log and the guards around a call."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from llm import errors
from llm.__main__ import main
from llm.calling import RunawayGuard, loops
from llm.chains import Chains, Target
from llm.check import CheckReport, check
from llm.costs import CostLog, Expected, estimate, unpriced
from llm.meter import Meter, PaidCall
from llm.redact import scrub
from llm.types import Caps, Provider, ToolCall, Usage

from .protocols import SPEAKERS, Speaker
from .scripted import Scripted, a_dollar_per_thousand, says
from .servers import Seen, Sent, Server, json_reply

ROOT = Path(__file__).parents[2]
CALL = ToolCall("1", "add", {"a": 19, "b": 23})
ABLE = (says("1 2 3"), says('{"color": "blue"}'), says("", finish="tool", tool_calls=(CALL,)), says("PELICAN"))


def found(report: CheckReport) -> dict[str, bool | None]:
    return {finding.name: finding.ok for finding in report.findings}


class Ticking:
    now = 0.0

    def __call__(self) -> float:
        self.now += 0.5
        return self.now


async def test_an_able_model_is_usable() -> None:
    report = await check(Scripted("a", *ABLE, caps=Caps(tools=True, context=50_000)), "m", clock=Ticking())
    assert report.usable
    assert set(found(report).values()) == {True}
    assert (report.first_token_s, report.tokens_per_s, report.context) == (0.5, 100.0, 50_000)


async def test_a_model_without_tools_and_memory_is_told_apart() -> None:
    poor = (says("1 2 3"), says('{"color": "blue"}'), says("42"), says("I do not know."))
    report = await check(Scripted("a", *poor), "m")
    assert report.usable
    assert found(report) == {
        **dict.fromkeys(("reach", "key", "model", "structured reply"), True),
        "tool call": False,
        "context": False,
    }


async def test_a_model_that_keeps_no_form_is_not_usable() -> None:
    report = await check(Scripted("a", says("blue, I think")), "m")
    assert not report.usable
    assert found(report)["structured reply"] is False


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (errors.Unreachable("x"), {"reach": False}),
        (errors.AlienReply("x"), {"reach": False}),
        (errors.AuthFailed("x"), {"reach": True, "key": False}),
        (errors.NoProvider("x"), {"reach": True, "key": False}),
        (errors.ModelMissing("pull it"), {"reach": True, "key": True, "model": False}),
        (errors.Overloaded("x"), {"reach": True, "key": True, "model": True, "reply": False}),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_it_is_said_how_far_a_model_was_reached(fault: errors.LLMError, expected: dict[str, bool]) -> None:
    report = await check(Scripted("a", fault), "m")
    assert not report.usable
    assert found(report) == expected


async def test_the_demo_model_is_usable_as_it_is() -> None:
    report = await check(Scripted("mock", errors.NoScenario("x")), "m")
    assert report.usable


async def test_real_protocols_pass_the_check(speaker: Speaker, connect: Callable[..., Provider]) -> None:
    def answer(seen: Seen) -> Sent:
        asked = str(seen.body)
        if "/api/show" in seen.path:
            return speaker.says("")(seen)
        if "tools" in seen.body:
            return speaker.says("", stop="tool", calls=[("add", '{"a": 19, "b": 23}')])(seen)
        text = '{"color": "blue"}' if "sky" in asked else "PELICAN" if "password" in asked else "1 2 3"
        return speaker.says(text)(seen)

    with Server(answer, check=speaker.check) as server:
        report = await check(connect(speaker, server), speaker.model)
    assert report.usable
    assert set(found(report).values()) == {True}


async def test_a_server_that_says_nothing_is_given_up_soon_and_what_was_found_is_told_at_once() -> None:
    told: list[str] = []
    silent = await check(Scripted("a", "hang"), "m", limit_s=0.05, on_finding=lambda one: told.append(one.name))
    assert (silent.usable, found(silent), told) == (False, {"reach": False}, ["reach"])
    assert "0.05 s" in silent.findings[0].detail
    later: list[str] = []
    half = await check(
        Scripted("a", ABLE[0], ABLE[1], "hang"), "m", limit_s=0.05, on_finding=lambda one: later.append(one.name)
    )
    assert half.usable
    assert later == [finding.name for finding in half.findings]
    assert found(half)["tool call"] is False


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "llm", *arguments],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "ENV_FILE": "/dev/null", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_command_says_what_is_missing_and_exits_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--provider", "anthropic", "--json"]) == 3
    body = json.loads(capsys.readouterr().out)
    assert (body["usable"], body["models"]) == (False, [])
    assert "ANTHROPIC_API_KEY" in body["error"]


def test_the_command_refuses_wrong_usage_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "--nonsense"])
    assert ended.value.code == 2
    monkeypatch.setenv("LLM_PROVIDER", "nobody")
    assert main(["check"]) == 2


def test_the_command_checks_a_service_without_showing_its_key() -> None:
    speaker = next(speaker for speaker in SPEAKERS if speaker.provider == "groq")
    with Server(json_reply(speaker.error_body("invalid_api_key", "no such key: canary-key-7"), 401)) as server:
        environment = {"GROQ_API_KEY": "canary-key-7", "GROQ_BASE_URL": server.url, "LLM_MODEL": "m"}
        done = command("check", "--provider", "groq", **environment)
    assert done.returncode == 3
    assert "not usable" in done.stdout
    assert "key was not accepted" in done.stdout
    assert "canary-key-7" not in done.stdout + done.stderr


CHAINS = Chains((Target("a", "m"),), {"critic": (Target("free", "m"),), "arbiter": (Target("odd", "m"),)})


def test_an_estimate_adds_up_by_model() -> None:
    calls = [Expected("generator", 500, 500), Expected("planner", 1000, 0), Expected("critic", 9, 9)]
    assert estimate(calls, CHAINS, a_dollar_per_thousand) == 2.0


def test_models_of_unknown_price_are_named() -> None:
    assert unpriced(CHAINS, a_dollar_per_thousand) == (Target("odd", "m"),)


def test_an_estimate_with_an_unknown_price_is_unknown() -> None:
    calls = [Expected("generator", 500, 500), Expected("arbiter", 1, 1), Expected("arbiter", 1, 1)]
    assert estimate(calls, CHAINS, a_dollar_per_thousand) is None


async def test_each_settled_call_is_a_line_of_the_log(tmp_path: Path) -> None:
    path = tmp_path / "costs" / "log.jsonl"
    log = CostLog(path, "run-1", now=lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    meter = Meter(on_settle=log.write)
    for cost in (0.5, None):
        async with meter.hold(None) as settle:
            settle(PaidCall("planner", "first", "a:m", Usage(1, 2), cost))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["cost_usd"] for line in lines] == [0.5, None]
    assert lines[0]["time"] == "2026-01-02T03:04:05+00:00"
    assert (lines[0]["run_id"], lines[0]["usage"]["output"]) == ("run-1", 2)


@pytest.mark.parametrize(
    "loop",
    ["the same words ", "a", " \n", "def f():\n    return 1\n\n", "0123456789" * 30],
    ids=["words", "letter", "blank", "function", "long"],
)
def test_a_loop_is_noticed(loop: str) -> None:
    guard = RunawayGuard(100_000)

    def feed() -> None:
        for _ in range(20_000):
            guard.feed(loop)

    with pytest.raises(errors.InvalidReply):
        feed()


def test_ordinary_code_is_no_loop() -> None:
    for path in sorted((ROOT / "llm").glob("*.py")):
        text = path.read_text()
        guard = RunawayGuard(100_000)
        for start in range(0, len(text), 40):
            guard.feed(text[start : start + 40])
    table = "\n".join(f"    ({number}, {number % 3}, 'x')," for number in range(300))
    assert not any(loops(table[:size]) for size in range(0, len(table), 97))


def test_a_reply_far_past_its_limit_is_stopped() -> None:
    guard = RunawayGuard(10)

    def feed() -> None:
        for number in range(1000):
            guard.feed(f"word {number} and more ")

    with pytest.raises(errors.LengthStop):
        feed()


@pytest.mark.parametrize(
    "secret",
    [
        "sk-" + "ant-api03-" + "a1B2c3D4",
        "gsk_abcdefghijklmnop",
        "hf_abcdefghijklmnop",
        "AIza" + "B" * 30,
        "Bearer abcdefgh12345",
    ],
)
def test_what_looks_like_a_key_is_removed(secret: str) -> None:
    assert "[secret]" in scrub(f"bad key {secret}!")
    assert secret not in scrub(f"bad key {secret}!")


def test_a_known_secret_of_any_shape_is_removed() -> None:
    assert scrub("the word is hunter22.", "hunter22") == "the word is [secret]."
