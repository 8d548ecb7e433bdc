"""Replies whose beginning is bound to a schema, by a model that knows no JSON at all."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from llm.local.engine import in_memory
from llm.replies.structured import read_reply
from llm.types import Message, ToolSpec

from .conftest import Open, ask, make_model

pytest.importorskip("torch", reason="needs the extra `local` (torch)")
pytestmark = pytest.mark.local


def closed(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    names = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


FINDING = closed(
    {
        "fault": {"enum": ["code", "test", "task"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "why": {"type": "string", "minLength": 1, "maxLength": 30},
        "quote": {"type": "string", "maxLength": 20},
    },
    ["fault", "confidence", "why"],
)
PLAN = closed(
    {
        "steps": {
            "type": "array",
            "maxItems": 3,
            "items": closed({"name": {"type": "string", "maxLength": 12}, "cost": {"type": "integer", "maximum": 9}}),
        },
        "sure": {"type": "boolean"},
    }
)
UNBOUNDED = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "numbers": {"type": "array", "items": {"type": "number"}},
        "more": {"type": "object", "properties": {"deep": {"type": "array", "items": {"type": "string"}}}},
    },
    "required": ["text", "numbers", "more"],
}


@pytest.mark.parametrize("schema", [FINDING, PLAN], ids=["finding", "plan"])
async def test_fifty_of_fifty_replies_parse_and_are_valid(schema: dict[str, Any], llama: str, open_local: Open) -> None:
    provider = open_local()
    replies: set[str] = set()
    for seed in range(50):
        completion = await provider.complete(
            ask(schema=schema, temperature=1.0, seed=seed, max_tokens=400), model=llama
        )
        assert (completion.finish, completion.schema_mode) == ("stop", "grammar")
        assert not any("closed early" in note for note in completion.notes), "numbers and texts end by themselves"
        jsonschema.validate(json.loads(completion.text), schema)
        replies.add(completion.text)
    assert len(replies) > 40, "the model was free within the schema"


@pytest.mark.parametrize("max_tokens", [90, 150, 300])
async def test_a_header_that_would_not_fit_is_closed_and_said_to_be(
    max_tokens: int, llama: str, open_local: Open
) -> None:
    provider = open_local()
    noted = 0
    for seed in range(10):
        completion = await provider.complete(
            ask(schema=UNBOUNDED, temperature=1.0, seed=seed, max_tokens=max_tokens), model=llama
        )
        assert completion.finish == "stop"
        reply = json.loads(completion.text)
        jsonschema.validate(reply, UNBOUNDED)
        assert reply.keys() == {"text", "numbers", "more"}, "no invented keys, though the schema would let them in"
        noted += any("closed early" in note for note in completion.notes)
    assert noted


@pytest.mark.parametrize(("code", "openings"), [("required", ("python",)), ("edits", ("python", "edits"))])
async def test_after_the_header_a_block_is_opened_and_then_the_model_is_free(
    code: Any, openings: tuple[str, ...], llama: str, open_local: Open
) -> None:
    provider = open_local()
    for seed in range(4):
        completion = await provider.complete(
            ask(schema=FINDING, code=code, temperature=1.0, seed=seed, max_tokens=300), model=llama
        )
        header, end = json.JSONDecoder().raw_decode(completion.text)
        jsonschema.validate(header, FINDING)
        opening, _, free = completion.text[end:].lstrip("\n").partition("\n")
        assert opening.lstrip("`") in openings
        assert len(free) > 20


async def test_a_header_that_may_be_empty_may_be_left_out(llama: str, open_local: Open) -> None:
    schema = closed({"note": {"type": "string", "maxLength": 20}}, [])
    provider = open_local()
    starts = {
        (await provider.complete(ask(schema=schema, code="required", temperature=9.0, seed=seed), model=llama)).text[0]
        for seed in range(12)
    }
    assert starts == {"{", "`"}


async def test_text_after_an_optional_block_header_is_free(llama: str, open_local: Open) -> None:
    completion = await open_local().complete(
        ask(schema=PLAN, code="optional", temperature=1.0, seed=1, max_tokens=300), model=llama
    )
    plan, end = json.JSONDecoder().raw_decode(completion.text)
    jsonschema.validate(plan, PLAN)
    assert len(completion.text) > end + 20


async def test_a_tokenizer_of_an_unknown_kind_is_said_not_to_be_bound(llama: str, open_local: Open) -> None:
    class Foreign:
        """Does what the model's own tokenizer does, as another class."""

        def __init__(self, own: Any) -> None:
            self._own = own

        def __getattr__(self, name: str) -> Any:
            return getattr(self._own, name)

        def __call__(self, *args: Any, **options: Any) -> Any:
            return self._own(*args, **options)

    provider = open_local()
    await provider.complete(ask(max_tokens=1), model=llama)
    loaded = in_memory(llama)
    assert loaded is not None
    loaded.tokenizer = Foreign(loaded.tokenizer)
    completion = await provider.complete(ask(schema=FINDING), model=llama)
    assert completion.schema_mode == "prompt"
    assert any("tokenizer" in note for note in completion.notes)
    assert completion.finish == "length"


async def test_a_schema_that_no_grammar_can_hold_is_said_to_be_unbound(llama: str, open_local: Open) -> None:
    schema = closed({"names": {"type": "array", "maxItems": 3, "uniqueItems": True, "items": {"type": "string"}}})
    completion = await open_local().complete(ask(schema=schema), model=llama)
    assert completion.schema_mode == "prompt"
    assert any("not bound by grammar" in note for note in completion.notes)


TOOL = ToolSpec("run_snippet", "Runs code.", closed({"lines": {"type": "string", "maxLength": 12}}))


async def test_a_tool_call_is_read_and_bound(llama: str, open_local: Open) -> None:
    provider = open_local()
    assert provider.caps(llama).tools
    kinds: set[str] = set()
    for seed in range(12):
        request = ask(schema=FINDING, tools=(TOOL,), temperature=9.0, seed=seed, max_tokens=300)
        completion = await provider.complete(request, model=llama)
        reply = read_reply(completion, request)
        kinds.add("call" if reply.tool_calls else "finding")
        for call in reply.tool_calls:
            assert call.name == "run_snippet"
            jsonschema.validate(dict(call.arguments), TOOL.parameters)
        if not reply.tool_calls:
            jsonschema.validate(json.loads(completion.text), FINDING)
    assert kinds == {"call", "finding"}


async def test_a_call_that_is_only_described_in_words_is_let_through(llama: str, open_local: Open) -> None:
    provider = open_local()
    kinds: set[str] = set()
    for seed in range(12):
        request = ask(schema=FINDING, temperature=9.0, seed=seed, max_tokens=300, data={"spoken_tools": (TOOL,)})
        completion = await provider.complete(request, model=llama)
        assert (completion.finish, completion.schema_mode) == ("stop", "grammar")
        reply = json.loads(completion.text)
        kinds.add("call" if "tool" in reply else "finding")
        jsonschema.validate(
            reply["arguments"] if "tool" in reply else reply, TOOL.parameters if "tool" in reply else FINDING
        )
    assert kinds == {"call", "finding"}


async def test_a_model_whose_template_knows_no_tools_says_so(tmp_path: Any, open_local: Open) -> None:
    template = "{% for message in messages %}<|im_start|>{{ message.content }}<|im_end|>{% endfor %}<|im_start|>"
    folder = make_model(tmp_path, template=template)
    provider = open_local()
    completion = await provider.complete(ask(tools=(TOOL,), messages=(Message("user", "Hi"),)), model=folder)
    assert not provider.caps(folder).tools
    assert completion.ignored == ("tools",)
