"""Gives tools to models that have none of their own: they are described in words and called by one JSON object.

Calls are also read as such models write them into their text: as JSON of other shapes, ReAct lines, XML, and calls in
Python.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from llm.errors import InvalidReply
from llm.replies.coerce import check_schema
from llm.types import Message, Request, ToolCall, ToolSpec

from .blocks import without_thoughts
from .header import find_objects

Known = Mapping[str, ToolSpec]
NAME_KEYS = ("tool", "name", "action", "function", "tool_name", "function_name")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "tool_input", "tool_arguments")
NO_ARGUMENTS = ("type", "id", "thought", "reasoning")
OBSERVATION = re.compile(r"^[ \t]*\**(?:Observation|Result|Tool output)\**\s*:", re.MULTILINE | re.IGNORECASE)
"""The line that only a tool may write. From there on the model has made the outcome up."""
REACT = re.compile(
    r"^[ \t]*\**Action\**[ \t]*:\**[ \t]*`?(?P<name>\w+)`?[ \t]*(?P<rest>[^\n]*)"
    r"(?:\n[ \t\n]{0,80}\**Action[ _]Input\**[ \t]*:\**[ \t]*(?P<input>.*))?",
    re.MULTILINE | re.IGNORECASE | re.DOTALL,
)
XML_FUNCTION = re.compile(r"<function=(?P<name>\w+)>(?P<body>.*?)</function>", re.DOTALL)
XML_PARAMETER = re.compile(r"<parameter=(?P<name>\w+)>\n?(?P<value>.*?)\n?</parameter>", re.DOTALL)
NEXT_STEP = re.compile(r"^[ \t]*\**(?:Thought|Action|Final Answer)\**\s*:", re.MULTILINE | re.IGNORECASE)
FENCED = re.compile(r"^[ \t]*(`{3,})[\w-]*\n(?P<body>.*?)\n?[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)


def spoken_calls(text: str, known: Known) -> list[ToolCall]:
    """Returns the calls of known tools in a text, equal ones once. A call of an unknown tool does not count."""
    plain = without_thoughts(text)[0]
    if (made_up := OBSERVATION.search(plain)) is not None:
        plain = plain[: made_up.start()]
    for reading in (_xml, _react, _objects, _python):
        calls = {json.dumps([c.name, dict(c.arguments)], sort_keys=True, default=str): c for c in reading(plain, known)}
        if calls:
            return list(calls.values())
    return []


def _xml(text: str, known: Known) -> Iterator[ToolCall]:
    for found in XML_FUNCTION.finditer(text):
        if found["name"] not in known:
            continue
        given = {part["name"]: _value(part["value"]) for part in XML_PARAMETER.finditer(found["body"])}
        objects = [thing.value for thing in find_objects(found["body"]) if thing.value is not None]
        yield _call(found["name"], given or (objects[0] if objects else {}), known)


def _react(text: str, known: Known) -> Iterator[ToolCall]:
    for found in REACT.finditer(text):
        if found["name"] not in known:
            continue
        words = found["input"] if found["input"] is not None else found["rest"].strip()
        end = NEXT_STEP.search(words)
        arguments = _arguments(words[: end.start()] if end else words, found["name"], known)
        if arguments is not None:
            yield _call(found["name"], arguments, known)
        return


def _arguments(words: str, name: str, known: Known) -> dict[str, Any] | None:
    """Returns the arguments of a call: an object, the content of a call's parentheses, or the plain text of a tool's
    only argument. Returns None if the words are none of these."""
    words = words.strip()
    objects = [thing.value for thing in find_objects(words) if thing.value is not None]
    if words.lstrip("`json \n(").startswith("{") and objects:
        return objects[0]
    for call in _python(f"{name}{words}", known):
        return dict(call.arguments)
    parameters = list(known[name].parameters.get("properties", {}))
    if not words:
        return {}
    fenced = FENCED.search(words)
    return {parameters[0]: fenced["body"] if fenced else words.strip("`")} if len(parameters) == 1 else None


def _objects(text: str, known: Known) -> Iterator[ToolCall]:
    for thing in find_objects(text):
        if thing.value is not None and (call := _of_object(thing.value, known)) is not None:
            yield call
        elif thing.value is None:
            yield from _of_list(text[thing.start : thing.end], known)


def _of_list(text: str, known: Known) -> Iterator[ToolCall]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    for item in cast("list[Any]", value) if isinstance(value, list) else []:
        if isinstance(item, dict) and (call := _of_object(cast("dict[str, Any]", item), known)) is not None:
            yield call


def _of_object(value: Mapping[str, Any], known: Known) -> ToolCall | None:
    inner = value.get("function") or value.get("tool_call")
    if isinstance(inner, dict):
        value = cast("dict[str, Any]", inner)
    names = [value[key] for key in NAME_KEYS if isinstance(value.get(key), str)]
    if not names or names[0] not in known:
        return None
    given = next((value[key] for key in ARGUMENT_KEYS if key in value), None)
    if isinstance(given, str):
        given = _arguments(given, names[0], known)
    if given is None:
        given = {key: item for key, item in value.items() if key not in (*NAME_KEYS, *NO_ARGUMENTS)}
    return _call(names[0], cast("dict[str, Any]", given), known) if isinstance(given, dict) else None


def _python(text: str, known: Known) -> Iterator[ToolCall]:
    """Yields calls such as `run_snippet(code="...")` with literal arguments that are a whole line or a whole block."""
    pattern = re.compile(rf"^[ \t\[]*(?:print\()?(?:{'|'.join(map(re.escape, known))})(?:\.call)?\(", re.MULTILINE)
    for found in pattern.finditer(text):
        source = text[found.start() :].strip().lstrip("[").split("\n```")[0].strip().removesuffix("]")
        for candidate in (source, source.split("\n")[0].strip().removesuffix("]")):
            if (call := _literal_call(candidate, known)) is not None:
                yield call
                break


def _literal_call(source: str, known: Known) -> ToolCall | None:
    try:
        node = ast.parse(source.replace(".call(", "(", 1), mode="eval").body
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print" and node.args:
            node = node.args[0]
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in known:
            return None
        parameters = list(known[node.func.id].parameters.get("properties", {}))
        given = {name: ast.literal_eval(value) for name, value in zip(parameters, node.args, strict=False)}
        given |= {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _call(node.func.id, given, known)


def _value(text: str) -> Any:
    """Returns a parameter's text as JSON if it is a list or an object, else as it stands."""
    if text.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _call(name: str, arguments: Mapping[str, Any], known: Known) -> ToolCall:
    """Returns the call with its arguments fitted: a single argument under another name gets the name of the tool's only
    parameter, and a single text becomes a list if the parameter is a list."""
    fields = cast("Mapping[str, Any]", known[name].parameters.get("properties", {}))
    given = dict(arguments)
    if len(fields) == 1 and len(given) == 1 and not given.keys() & fields.keys():
        given = {next(iter(fields)): next(iter(given.values()))}
    for key, schema in fields.items():
        if schema.get("type") == "array" and isinstance(given.get(key), str):
            given[key] = [given[key]]
    return ToolCall(id=f"call_{name}", name=name, arguments=given)


RULES = """
# Tools
You can have a tool run for you. To call one, reply with nothing but this JSON object, in one piece:
{"tool": "<name>", "arguments": {...}}
You are then shown its outcome. When you need no tool any more, reply in the way described elsewhere, without "tool".
The tools:
"""


def emulate(request: Request) -> Request:
    """Returns the request for a model without native tools: tools move into the system text, calls and outcomes into
    messages."""
    if not request.tools and not any(m.role == "tool" or m.tool_calls for m in request.messages):
        return request
    told = _tools_in_words(request.tools) if request.tools else ""
    messages = [_message_in_words(message) for message in request.messages]
    if messages and messages[0].role == "system":
        messages[0] = replace(messages[0], content=messages[0].content.rstrip() + "\n" + told)
    else:
        messages.insert(0, Message("system", told.strip()))
    # A grammar that binds the reply must let a call through; it finds the tools in the request's data.
    return replace(request, messages=tuple(messages), tools=(), data={**request.data, "spoken_tools": request.tools})


def find_calls(text: str, tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...]:
    """Returns the tool calls of a reply, in their order and each once; none for an ordinary reply. What follows an
    outcome that the model made up does not count."""
    known = {tool.name: tool for tool in tools}
    return tuple(replace(call, id=f"call_{place}_{call.name}") for place, call in enumerate(spoken_calls(text, known)))


def check_calls(calls: Sequence[ToolCall], tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...]:
    """Checks the names and arguments of the calls and returns them. Raises InvalidReply."""
    known = {tool.name: tool for tool in tools}
    for call in calls:
        if call.name not in known:
            raise InvalidReply(f"There is no tool {call.name[:60]!r}; there are: {', '.join(sorted(known)) or 'none'}.")
        check_schema(dict(call.arguments), known[call.name].parameters, what=f"The arguments of {call.name}")
    return tuple(calls)


def parse_arguments(text: str) -> Mapping[str, Any]:
    """Returns the arguments that a service sends as JSON text. Raises InvalidReply if the text is cut or is not an
    object."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidReply("The arguments of the tool call are not complete JSON.") from None
    if not isinstance(value, dict):
        raise InvalidReply("The arguments of a tool call must be one JSON object.")
    return cast(dict[str, Any], value)


def _tools_in_words(tools: Sequence[ToolSpec]) -> str:
    lines = (f"- {tool.name}: {tool.description} Arguments: {json.dumps(tool.parameters)}" for tool in tools)
    return RULES + "\n".join(lines)


def _message_in_words(message: Message) -> Message:
    if message.tool_calls:
        calls = (json.dumps({"tool": call.name, "arguments": dict(call.arguments)}) for call in message.tool_calls)
        return Message("assistant", "\n".join(filter(None, (message.content, *calls))))
    if message.role == "tool":
        return Message("user", f"Outcome of the tool:\n{message.content}")
    return message
