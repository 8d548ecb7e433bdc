"""What is read from a reply is what the model wrote, or the reply is refused: nothing between."""

from __future__ import annotations

import ast
import signal
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from llm.errors import BadReply, InvalidReply, LengthStop, Refusal
from llm.replies.coerce import check_schema
from llm.replies.structured import read_reply
from llm.types import Completion, Finish, Reply, Request, ToolCall, ToolSpec, Usage
from llm.wording import fence_for, format_words, with_complaint, with_format
from tests.tables import in_one_test

from .conftest import ask
from .malformed import CODE, FENCED, HEADER, JSON, OPTIONAL, SCHEMA, Case, cases
from .malformed_code import code_cases

CASES = [*cases(), *code_cases()]
TOOL = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]})


def read(text: str, *, finish: Finish = "stop", calls: tuple[ToolCall, ...] = (), **request: Any) -> Reply:
    completion = Completion(text, finish, Usage(5, 5), "p", "m", tool_calls=calls)
    wanted: Request = ask(**{"schema": SCHEMA, "code": "required", **request})
    return read_reply(completion, wanted)


def test_the_corpus_is_large_enough() -> None:
    assert len(CASES) >= 240
    assert len({case.name for case in CASES}) == len(CASES)
    assert len([case for case in CASES if case.header is None]) >= 135


@in_one_test("case", CASES, ids=lambda case: case.name)
def test_a_reply_is_read_rightly_or_refused(case: Case) -> None:
    def reading() -> Reply:
        return read(case.text, schema=case.schema or SCHEMA, code=case.wants)

    if case.header is None:
        with pytest.raises(InvalidReply) as raised:
            reading()
        assert raised.value.usage == Usage(5, 5)
        assert 10 < len(str(raised.value)) < 2500
    else:
        reply = reading()
        assert (dict(reply.header), reply.code) == (case.header, case.code)


@in_one_test("case", CASES, ids=lambda case: case.name)
def test_a_cut_reply_is_never_read(case: Case) -> None:
    with pytest.raises(LengthStop):
        read(case.text, finish="length", schema=case.schema or SCHEMA, code=case.wants)


EDITS = [case for case in CASES if case.wants == "edits" and case.code and "SEARCH" in case.code]


@pytest.mark.parametrize("case", EDITS, ids=lambda case: case.name)
def test_edits_are_an_answer_where_the_whole_program_was_asked_for_and_stood_in_the_question(case: Case) -> None:
    reply = read(case.text, schema=case.schema, takes_edits=True, names=("f",))
    assert (dict(reply.header), reply.code) == (case.header, case.code)
    with pytest.raises(InvalidReply):
        read(case.text, schema=case.schema, names=("f",))


def test_a_diff_beside_the_whole_program_is_no_second_program() -> None:
    diff = "```diff\n-    return x\n+    return x * 2\n```"
    assert read(f"{JSON}\n{diff}\n{FENCED}", takes_edits=True).code == CODE


def test_a_liberty_is_always_told() -> None:
    plain = read(f"{JSON}\n{FENCED}")
    assert plain.salvaged == ()
    for text in (
        f"[{JSON}]\n{FENCED}",
        f"{HEADER!r}\n{FENCED}",
        f"<think>x</think>{JSON}\n{FENCED}",
        f"{JSON}\n{CODE}",
    ):
        assert read(text).salvaged
    assert read(FENCED, schema=OPTIONAL).salvaged == ()


def test_a_refusal_is_not_a_reply() -> None:
    with pytest.raises(Refusal):
        read("No.", finish="refusal")


def test_every_cut_of_a_good_reply_is_refused_or_is_what_the_model_wrote() -> None:
    """A service says where it cut a reply; one that ended by its own will lacks at most its closing fence."""
    whole = f"{JSON}\n{FENCED}\nThat was all."
    for size in range(len(whole)):
        try:
            reply = read(whole[:size], names=("double",))
        except InvalidReply:
            continue
        assert dict(reply.header) == HEADER
        assert reply.code is not None
        assert CODE.startswith(reply.code.rstrip())
        assert reply.code == CODE or "a block that was not closed" in reply.salvaged


PIECES = st.sampled_from(
    [
        "```",
        "```python\n",
        "~~~",
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ",",
        ":",
        "\n",
        "<think>",
        "</think>",
        "def f():",
        "\\",
        "#",
        "...",
    ]
)
EDIT = st.tuples(st.integers(0, 400), st.integers(0, 12), st.one_of(PIECES, st.text(max_size=6)))


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=st.lists(EDIT, min_size=1, max_size=5))
def test_a_damaged_reply_never_crashes_and_never_breaks_its_contract(edits: list[tuple[int, int, str]]) -> None:
    text = f"Hello.\n{JSON}\n```python\n# start\n{CODE}\nNAMES = ['a', \"b\"]\n```\n"
    for at, width, new in edits:
        text = text[:at] + new + text[at + width :]
    try:
        reply = read(text)
    except BadReply:
        return
    check_schema(dict(reply.header), SCHEMA)
    assert reply.code is not None
    assert ast.parse(reply.code).body


@settings(max_examples=200, deadline=None)
@given(
    text=st.text(alphabet="`~{}[]\"':,\\\n #<>/thinkpyo01", max_size=300),
    finish=st.sampled_from(["stop", "tool", "length"]),
)
def test_noise_never_crashes(text: str, finish: Finish) -> None:
    for code in ("none", "optional", "required", "edits"):
        try:
            read(text, finish=finish, code=code, tools=(TOOL,))
        except BadReply:
            continue


def test_hostile_replies_do_not_run_away() -> None:
    for text in ("{" * 100_000, "[{" * 50_000, "```\n" * 50_000, "'" * 100_000, '{"a": ' * 20_000, "<think>" * 20_000):
        hostile(text)


def test_hostile_patterns_do_not_run_away() -> None:
    dots = f"{JSON}\n```python\nx = 1\n#{'.' * 100_000}\n{chr(10) * 50_000}```"
    assert read(dots).code is not None
    for text in ("{" + '\\"' * 50_000, "{'" + "\\'" * 50_000, "{" + "/*" * 50_000, "~" * 100_000, "` `" * 50_000):
        hostile(text)
    for text in ("<think></think>" + "\n" * 150_000, "<think></think>\n" * 10_000, "x\n" * 50_000 + "</think>"):
        hostile(text)


CPU_SECONDS = 60
"""For a text that takes a fraction of one; an expression that runs away takes hours."""


def hostile(text: str) -> None:
    before = signal.signal(signal.SIGVTALRM, runs_away)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        with pytest.raises(InvalidReply):
            read(text)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def runs_away(_number: int, _frame: object) -> NoReturn:
    raise AssertionError(f"a reply was read for {CPU_SECONDS} s of CPU time")


def test_a_tool_call_in_words_is_the_same_as_a_native_one() -> None:
    native = read("", finish="tool", calls=(ToolCall("x", "look", {"at": "1"}),), tools=(TOOL,))
    told = read('I look.\n```json\n{"tool": "look", "arguments": {"at": "1"}}\n```', tools=(TOOL,))
    assert [(c.name, dict(c.arguments)) for c in told.tool_calls] == [
        (c.name, dict(c.arguments)) for c in native.tool_calls
    ]
    trained = read('<tool_call>\n{"name": "look", "arguments": {"at": "1"}}\n</tool_call>', tools=(TOOL,))
    assert trained.tool_calls == told.tool_calls
    assert told.code is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (ToolCall("1", "jump", {}), "no tool 'jump'"),
        (ToolCall("1", "look", {}), "'at' is a required property"),
        (ToolCall("1", "look", {"at": 5}), "at: 5 is not of type"),
    ],
)
def test_a_wrong_tool_call_is_refused_with_the_reason(call: ToolCall, words: str) -> None:
    with pytest.raises(InvalidReply, match=words):
        read("", finish="tool", calls=(call,), tools=(TOOL,))


def test_several_tool_calls_in_words_are_run_one_after_the_other() -> None:
    two = '{"tool": "look", "arguments": {"at": "1"}}\n{"tool": "look", "arguments": {"at": "2"}}'
    calls = read(two, tools=(TOOL,)).tool_calls
    assert [call.arguments["at"] for call in calls] == ["1", "2"]
    assert len({call.id for call in calls}) == 2


def test_without_tools_a_tool_call_is_no_call() -> None:
    with pytest.raises(InvalidReply):
        read('{"tool": "look", "arguments": {"at": "1"}}', code="none")


def test_plain_text_is_a_reply_where_nothing_else_is_asked_for() -> None:
    assert read("Good day.", schema=None, code="none") == Reply({}, None)
    with pytest.raises(InvalidReply):
        read("  \n", schema=None, code="none")


def test_the_fence_asked_for_is_longer_than_those_in_the_material() -> None:
    assert fence_for("x = 1") == "```"
    assert fence_for("Write one ```python block.") == "```"
    assert fence_for('"""\n    ````text\n"""') == "`````"


def test_the_form_of_the_reply_is_told_once() -> None:
    told = with_format(ask(schema=SCHEMA, code="required"))
    assert told.messages[0].role == "system"
    assert told.messages[0].content.count("# Form of the reply") == 1
    assert '{"verdict": "code" | "test" | "task", "note": text, "score"?: number' in told.messages[0].content
    assert format_words(ask()) == ""


def test_a_complaint_shows_the_reply_and_the_reason() -> None:
    again = with_complaint(ask(), "my reply", "The reply is empty.")
    assert [message.role for message in again.messages[-2:]] == ["assistant", "user"]
    assert "The reply is empty." in again.messages[-1].content


ONE_TEXT = {"type": "object", "properties": {"explanation": {"type": "string"}}, "required": ["explanation"]}


@pytest.mark.parametrize(
    "said", ["It sorts the list.\n\nThen it takes the middle.", "It calls\n```python\nf(1)\n```\ntwice."]
)
def test_words_are_the_one_text_that_is_asked_for(said: str) -> None:
    assert dict(read(said, schema=ONE_TEXT, code="none").header) == {"explanation": said}
    with pytest.raises(InvalidReply):
        read(said, schema={**ONE_TEXT, "properties": {**ONE_TEXT["properties"], "more": {}}}, code="none")
    with pytest.raises(InvalidReply):
        read('{"explanation": "It sor', schema=ONE_TEXT, code="none")
