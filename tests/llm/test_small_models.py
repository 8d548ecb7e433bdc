"""Every usable reply of a small model is used, a refusal is heard as one, and nothing is guessed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from llm.errors import InvalidReply, OnlyWords
from llm.replies.structured import read_reply
from llm.types import Completion, Message, Reply, Request, ToolSpec, Usage
from tests.tables import in_one_test

from .conftest import ask
from .small_models import CODE, FENCED, SNIPPET, WORSE, calls, headers, programs

NOTE: dict[str, Any] = {
    "type": "object",
    "properties": {"note": {"type": "string", "maxLength": 400}, "format": {"enum": ["full", "edits"]}},
    "additionalProperties": False,
}
FINDING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "fault": {"enum": ["code", "test", "task"]},
        "category": {"enum": ["syntax", "runtime", "assertion", "other"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "explanation": {"type": "string", "minLength": 1, "maxLength": 1500},
        "repair_hint": {"type": "string", "maxLength": 1000},
    },
    "required": ["fault", "explanation"],
    "additionalProperties": False,
}
TEXT = {"type": "string"}
TOOLS = (
    ToolSpec("run_snippet", "Runs.", {"type": "object", "properties": {"code": TEXT}, "required": ["code"]}),
    ToolSpec("list_dir", "Lists.", {"type": "object", "properties": {}, "required": []}),
)


def read(text: str, **request: Any) -> Reply:
    wanted: Request = ask(**{"schema": NOTE, "code": "required", "names": ("double",), **request})
    return read_reply(Completion(text, "stop", Usage(5, 5), "p", "m"), wanted)


def test_the_corpus_has_more_than_a_hundred_replies() -> None:
    names = [entry[0] for corpus in (programs(), calls(), headers()) for entry in corpus]
    assert len(names) >= 110


@in_one_test("name, text", list(programs()), ids=lambda row: row[0])
def test_the_program_of_a_reply_is_read(name: str, text: str) -> None:
    code = read(text).code
    assert code is not None
    kept = "\n".join(line for line in code.splitlines() if line.strip() and not line.startswith("#"))
    assert kept == CODE.rstrip(), name


@in_one_test("name, text", list(calls()), ids=lambda row: row[0])
def test_a_tool_call_is_read(name: str, text: str) -> None:
    found = read(text, schema=FINDING, code="none", tools=TOOLS).tool_calls
    assert [(call.name, dict(call.arguments)) for call in found] == [("run_snippet", {"code": SNIPPET})], name


@pytest.mark.parametrize(
    ("name", "text", "header"), list(headers()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_finding_is_read(name: str, text: str, header: dict[str, Any]) -> None:
    reply = read(text, schema=FINDING, code="none", tools=TOOLS)
    assert dict(reply.header) == header, name
    assert reply.tool_calls == ()


@in_one_test("name, text", list(programs()), ids=lambda row: row[0])
def test_a_program_without_a_name_that_was_asked_for_is_read_where_it_is_the_only_one(name: str, text: str) -> None:
    """A script defines nothing that a task names: what is shown beside it must be told from it all the same."""
    try:
        code = read(text, names=()).code
    except InvalidReply:
        unclear = ("a broken sketch first", "other functions beside", "a helper shown before")
        assert name in unclear or name.startswith("fence wrongly says"), name
        return
    assert code is not None
    assert "def double" in code


@pytest.mark.parametrize(
    "text",
    [
        f"{FENCED}\nOr:\n```python\n{WORSE}```",
        f"```python\n{WORSE}```\n{FENCED}",
        f"```python\n{CODE[:-1]} +\n",
        f"```python\n{CODE.replace('    return x * 2', '    # ... rest of the code ...')}```",
        f"```python\n{CODE}# (existing code here...)\n```",
        "def double(x):\n    return x *\nThat is it.",
        "def triple(x):\n    return 3 * x\nThat's what you need.",
    ],
)
def test_two_programs_and_half_programs_are_refused(text: str) -> None:
    with pytest.raises(InvalidReply):
        read(text)


def test_what_the_question_itself_shows_is_no_answer() -> None:
    asked = ask(schema=NOTE, code="required", names=("double",))
    asked = replace(asked, messages=(*asked.messages, Message("user", f"The module so far:\n{WORSE}")))
    text = f"Your code:\n```python\n{WORSE}```\nRepaired:\n{FENCED}"
    assert read_reply(Completion(text, "stop", Usage(5, 5), "p", "m"), asked).code == CODE


@pytest.mark.parametrize(
    "words",
    [
        "I'm sorry, but I can't help with writing software that steals passwords.",
        "Dabei kann ich nicht helfen; das Programm würde Schaden anrichten.",
        "抱歉, 我无法帮助编写窃取密码的程序。",
    ],
)
@pytest.mark.parametrize("code", ["required", "optional"])
def test_sentences_without_a_program_are_kept_in_the_words_of_the_model(words: str, code: str) -> None:
    with pytest.raises(OnlyWords) as raised:
        read(words, code=code)
    assert raised.value.words == words


@pytest.mark.parametrize("text", ["banana " * 20, "", "```json\n{}\n```", '{"note": "ok"}', "42"])
def test_rubbish_is_no_refusal(text: str) -> None:
    with pytest.raises(InvalidReply) as raised:
        read(text)
    assert not isinstance(raised.value, OnlyWords)
