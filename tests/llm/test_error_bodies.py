"""What services really answered, as people reported it in public: each body is read as what it means.

`seen.jsonl` was at hand while the reader was written; `held_out.jsonl` was gathered afterwards. Each line names its
source; `"envelope": "rebuilt"` marks those where the source quotes the words without the JSON around them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from llm.http.dialect import Dialect
from llm.http.faults import StatusFault, Whom, from_exception, from_status, from_stream
from tests.tables import in_one_test

BODIES = Path(__file__).parent / "error_bodies"
WHOM = Whom("service", "model", "https://service.example/v1", key_name="SERVICE_API_KEY")
PROMPT = 50


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (BODIES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


ALL = [*rows("seen"), *rows("held_out")]


def fault_of(row: dict[str, Any]) -> StatusFault:
    body = row["body"]
    return StatusFault(row["status"], row.get("headers", {}), body if isinstance(body, str) else json.dumps(body))


def label(row: dict[str, Any]) -> str:
    return f"{row['service']}-{row['status']}-{row['source'].removeprefix('https://github.com/')}"


@in_one_test("row", ALL, ids=label)
def test_a_real_body_is_read_as_what_it_means(row: dict[str, Any]) -> None:
    fault = fault_of(row)
    error = from_stream(row["body"]["error"], WHOM) if row.get("stream") else from_status(fault, WHOM)
    assert type(error).__name__ == row["expect"], str(error)
    if "wait" in row:
        assert getattr(error, "retry_after", None) == pytest.approx(row["wait"])


@pytest.mark.parametrize(
    ("status", "error", "expect"),
    [
        (404, {"message": "Unknown request URL: POST /models/chat/completions"}, "AlienReply"),
        (500, {"message": "time budget of 30 s exceeded"}, "Overloaded"),
        (400, {"code": "invalid_temperature_for_model", "message": "too high"}, "BadRequest"),
        (500, {"message": "worker ran out of memory, please retry"}, "Overloaded"),
        (500, {"message": "error loading the weights: CUDA out of memory"}, "NotLoaded"),
    ],
)
def test_words_in_passing_are_no_missing_model_and_no_empty_account(
    status: int, error: dict[str, str], expect: str
) -> None:
    told = from_status(StatusFault(status, {}, json.dumps({"error": error})), WHOM)
    assert type(told).__name__ == expect, str(told)


@pytest.mark.parametrize(
    ("status", "words", "expect"),
    [
        (503, "Model is temporarily unavailable. Try again in a few seconds.", "Overloaded"),
        (503, "The model is not available yet: still loading", "Overloaded"),
        (503, "model server not running, restarting", "Overloaded"),
        (503, "No endpoints available right now, retry later", "Overloaded"),
        (503, "Server too busy: queue of maximum length 100 reached", "Overloaded"),
        (504, "Model gateway timed out while waiting: not found in cache", "Unreachable"),
        (500, "malformed response from upstream", "Overloaded"),
        (502, "Unsupported upgrade from proxy", "Overloaded"),
        (500, "CUDA error: operation not supported", "Overloaded"),
        (500, "The chat template could temporarily not be read", "Overloaded"),
        (500, "Error 413 from storage", "Overloaded"),
        (500, "Internal server error (404)", "Overloaded"),
        (429, "You have hit the key limit of 20 requests per minute", "RateLimited"),
        (429, "Rate limit reached. You will regain access in 20 seconds.", "RateLimited"),
        (409, "<html>", "Overloaded"),
        (425, "<html>", "Overloaded"),
        (499, "<html>", "Overloaded"),
    ],
)
def test_what_passes_is_told_from_what_stays(status: int, words: str, expect: str) -> None:
    told = from_status(StatusFault(status, {}, words), WHOM)
    assert type(told).__name__ == expect, str(told)


@pytest.mark.parametrize(
    ("status", "words", "expect"),
    [
        (503, "Model not found: check its name and try again", "ModelMissing"),
        (500, "This model is not supported by your version of Ollama: get 0.5 or later", "ModelMissing"),
        (500, "image input is not supported", "BadRequest"),
        (500, "API error 400: {}", "BadRequest"),
        (500, "HTTP status 429 from the provider", "RateLimited"),
        (429, "Key limit exceeded (total limit)", "PaymentRequired"),
        (400, "Invalid max_tokens (429)", "BadRequest"),
        (400, "temperature must be < (402)", "BadRequest"),
        (401, "The model requires you to log in: token not found", "AuthFailed"),
        (402, "<html>", "PaymentRequired"),
        (401, '{"code": "invalid_api_key", "message": "Wrong key. If you have no credits, top up"}', "AuthFailed"),
        (403, '{"code": "permission_error", "message": "Your account is not active yet"}', "AuthFailed"),
        (400, '{"code": "x", "message": "You will regain access on 2026-12-01"}', "PaymentRequired"),
    ],
)
def test_what_stays_is_called_what_it_is(status: int, words: str, expect: str) -> None:
    told = from_status(StatusFault(status, {}, words), WHOM)
    assert type(told).__name__ == expect, str(told)


@in_one_test("row", [row for row in ALL if "sent" in row], ids=label)
def test_what_can_be_learnt_from_a_refusal_is_learnt(row: dict[str, Any]) -> None:
    sent = {"model": "m", "messages": [], "stream": True, **row["sent"]}
    limit = next((name for name in sent if name.startswith("max_")), "max_tokens")
    dialect = Dialect("native", limit)
    learnt = dialect.learn(fault_of(row), sent, PROMPT)
    assert learnt == bool(row["learns"])
    assert said(dialect, limit) == row["learns"]


def said(dialect: Dialect, limit: str) -> str:
    """The one thing that the dialect has learnt."""
    found = {
        "limit": dialect.limit != limit,
        f"most={dialect.most}": dialect.most is not None,
        f"context={dialect.context}": dialect.context is not None,
        "schema": dialect.schema != "native",
        "tools": not dialect.tools,
        **{part: True for part in dialect.without if part != limit},
    }
    return ",".join(name for name, learnt in found.items() if learnt)


def test_there_are_enough_of_them() -> None:
    assert len(ALL) >= 80
    assert len({row["service"] for row in ALL}) >= 10
    assert len(rows("held_out")) * 4 >= len(rows("seen"))
    assert all(row["source"].startswith("https://") for row in ALL)


def test_the_sentence_says_who_what_and_how_to_go_on() -> None:
    bad = StatusFault(
        401, {}, json.dumps({"error": {"message": "No such key: abcdefgh-secret", "code": "invalid_api_key"}})
    )
    whom = Whom("groq", "m", "https://me:pass@groq.example/v1?x=1", secret="abcdefgh-secret", key_name="GROQ_API_KEY")
    assert str(from_status(bad, whom)) == (
        "groq:m at https://groq.example/v1: the key was not accepted "
        "(HTTP 401, invalid_api_key: 'No such key: [secret]'); check the key, or "
        "set GROQ_API_KEY to a key of this service."
    )


def test_a_services_words_are_cut_cleaned_and_without_the_prompt() -> None:
    prompt = "Write a function that adds two numbers, please."
    words = f"\x1b[31mRefused: {prompt[:40]} {'x ' * 400}"
    error = from_status(StatusFault(400, {}, json.dumps({"error": {"message": words}})), Whom("a", private=(prompt,)))
    assert "adds two" not in str(error)
    assert "[prompt]" in str(error)
    assert "\x1b" not in str(error)
    assert len(str(error)) < 330


@pytest.mark.parametrize(
    ("error", "expect"),
    [
        (httpx.ReadError("[SSL: DECRYPTION_FAILED_OR_BAD_RECORD_MAC] decryption failed"), "Unreachable"),
        (
            httpx.ConnectError("[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol"),
            "Unreachable",
        ),
        (httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"), "AlienReply"),
        (httpx.ConnectError("[SSL: WRONG_VERSION_NUMBER] wrong version number"), "AlienReply"),
        (httpx.ConnectError("[SSL: SSLV3_ALERT_HANDSHAKE_FAILURE] handshake failure"), "AlienReply"),
    ],
)
def test_a_secure_connection_that_is_cut_is_tried_again_and_one_that_cannot_be_made_is_not(
    error: Exception, expect: str
) -> None:
    assert type(from_exception(error, WHOM)).__name__ == expect
