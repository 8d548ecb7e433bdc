"""Replies as small models break them: each with the one right reading, or None where it must be refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

CODE = 'def double(x):\n    """Twice x."""\n    return x * 2\n'
OTHER = "def double(x):\n    return x + x\n"
HEADER = {"verdict": "code", "note": "it's {fine}, isn't it?"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {"enum": ["code", "test", "task"]},
        "note": {"type": "string", "maxLength": 200},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "lines": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
    },
    "required": ["verdict", "note"],
    "additionalProperties": False,
}
OPTIONAL: dict[str, Any] = {
    "type": "object",
    "properties": {"note": {"type": "string"}, "format": {"enum": ["full", "edits"]}},
    "additionalProperties": False,
}
JSON = json.dumps(HEADER)
FENCED = f"```python\n{CODE}```"
PYTHON_HEADER = repr(HEADER)


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    header: Any = None
    """The right header; None: must be refused."""
    code: str | None = None
    wants: str = "required"
    schema: Any = None


def cases() -> list[Case]:
    return [*_headers_alone(), *_thoughts(), *_hostile()]


def _headers_alone() -> Iterator[Case]:
    good = {
        "plain": JSON,
        "indented": json.dumps(HEADER, indent=2),
        "blank around": f"\n\n  {JSON}\n\n",
        "byte order mark": "\ufeff" + JSON,
        "fenced": f"```json\n{JSON}\n```",
        "fenced without language": f"```\n{JSON}\n```",
        "fenced with tildes": f"~~~json\n{JSON}\n~~~",
        "fenced with four": f"````json\n{JSON}\n````",
        "fenced, windows lines": f"```json\r\n{JSON}\r\n```",
        "JSON5 language": f"```json5\n{JSON}\n```",
        "prose before": f"Here is my finding:\n{JSON}",
        "prose after": f"{JSON}\nI hope this helps!",
        "prose around": f"Sure!\n\n{JSON}\n\nLet me know.",
        "inline after prose": f"Here you are: {JSON}",
        "twice the same": f"{JSON}\n\n{JSON}",
        "list around": f"[{JSON}]",
        "list around, lines": f"[\n  {JSON}\n]",
        "list in fence": f"```json\n[{JSON}]\n```",
        "python literals": PYTHON_HEADER,
        "python literals in fence": f"```json\n{PYTHON_HEADER}\n```",
        "single quotes": "{'verdict': 'code', 'note': 'it\\'s {fine}, isn\\'t it?'}",
        "trailing comma": JSON[:-1] + ",}",
        "trailing comma and line": JSON[:-1] + ",\n}",
        "line comment": "{\n// who\n" + JSON[1:],
        "hash comment": "{\n# who\n" + JSON[1:],
        "block comment": "{/* who */" + JSON[1:],
        "comment with a brace": "{\n// } not the end\n" + JSON[1:],
        "thought before": f"<think>Is it code? {{}}</think>{JSON}",
        "raw newline escape kept": JSON,
        "null for an optional field": JSON[:-1] + ', "score": null}',
        "schema echoed first": f"{json.dumps(SCHEMA)}\n{JSON}",
        "fence line in a string": json.dumps(HEADER),
        "indented fence": f"  ```json\n  {JSON}\n  ```",
        "heading": f"# Answer\n\n{JSON}",
        "bold label": f"**Answer:**\n{JSON}",
        "unclosed fence": f"```json\n{JSON}\n",
    }
    for name, text in good.items():
        yield Case(f"header: {name}", text, HEADER, wants="none")
    note = {"verdict": "code", "note": "x"}
    fitted = {
        "another case": ('{"verdict": "Code", "note": "x"}', note),
        "a word and its reason": ('{"verdict": "code: it doubles", "note": "x"}', note),
        "an article": ('{"verdict": "The code", "note": "x"}', note),
        "extra field": (JSON[:-1] + ', "extra": 1}', HEADER),
        "a number where words are wanted": ('{"verdict": "code", "note": 5}', {**note, "note": "5"}),
        "too long": (json.dumps({**note, "note": "x" * 201}), {**note, "note": "x" * 199 + "…"}),
        "optional number out of range": (JSON[:-1] + ', "score": 1.5}', HEADER),
        "number as text": (JSON[:-1] + ', "score": "0.5"}', {**HEADER, "score": 0.5}),
        "percent": (JSON[:-1] + ', "score": 95}', {**HEADER, "score": 0.95}),
        "percent as text": (JSON[:-1] + ', "score": "95%"}', {**HEADER, "score": 0.95}),
        "a word for an optional number": (JSON[:-1] + ', "score": "high"}', HEADER),
        "bool for int": (JSON[:-1] + ', "lines": [true]}', HEADER),
        "one item that fits": (JSON[:-1] + ', "lines": [true, 2]}', {**HEADER, "lines": [2]}),
        "too many items": (JSON[:-1] + ', "lines": [1,2,3,4]}', {**HEADER, "lines": [1, 2, 3]}),
        "nested in another": (f'{{"reply": {JSON}}}', HEADER),
        "names in another case": (JSON.replace('"verdict"', '"Verdict"').replace('"note"', '"Note"'), HEADER),
    }
    for name, (text, header) in fitted.items():
        yield Case(f"header: {name}", text, header, wants="none")
    half = JSON[:-12]
    bad = {
        "nothing": "",
        "spaces": "      \n\n ",
        "prose": "The program is at fault because it doubles.",
        "cut": half,
        "cut after colon": '{"verdict":',
        "cut in fence": f"```json\n{half}",
        "cut then closed": f"```json\n{half}\n```",
        "missing brace": JSON[:-1],
        "missing comma": JSON.replace('", "', '" "'),
        "missing value": '{"verdict":, "note": "x"}',
        "missing quote": JSON.replace('"note"', 'note"'),
        "bare words": "{verdict: code, note: x}",
        "elided": '{"verdict": "code", "note": "x", ...}',
        "elided list": '{"verdict": "code", "note": "x", "lines": [1, ..., 3]}',
        "template": '{"verdict": <verdict>, "note": "<note>"}',
        "template in quotes": '{"verdict": "<verdict>", "note": "<note>"}',
        "half a word": '{"verdict": "code", "note": "x", "score": nul}',
        "two different": f'{JSON}\n{{"verdict": "test", "note": "x"}}',
        "two in fences": f'```json\n{JSON}\n```\n```json\n{{"verdict": "test", "note": "x"}}\n```',
        "two in a list": f'[{JSON}, {{"verdict": "test", "note": "x"}}]',
        "good then broken": f'{JSON}\n{{"verdict": "test", "note":',
        "broken then good": f'{{"verdict": <one of>}}\n{JSON}',
        "twice a key": '{"verdict": "code", "verdict": "test", "note": "x"}',
        "twice a key, single quotes": "{'verdict': 'code', 'verdict': 'test', 'note': 'x'}",
        "missing field": '{"verdict": "code"}',
        "nan": JSON[:-1] + ', "score": NaN}',
        "infinity": JSON[:-1] + ', "score": 1e999}',
        "null for a required field": '{"verdict": null, "note": "x"}',
        "schema echoed": json.dumps(SCHEMA),
        "an empty object": "{}",
        "an empty list": "[]",
        "a list of words": '["code", "x"]',
        "a string": '"code"',
        "a number": "7",
        "null": "null",
        "yaml": "verdict: code\nnote: x",
        "xml": "<verdict>code</verdict><note>x</note>",
        "markdown table": "| verdict | note |\n|---|---|\n| code | x |",
        "key and value swapped": '{"code": "verdict", "x": "note"}',
        "as a string in json": json.dumps(JSON),
        "equals instead of colon": '{"verdict" = "code", "note" = "x"}',
        "semicolons": '{"verdict": "code"; "note": "x"}',
        "smart quotes": "{\u201cverdict\u201d: \u201ccode\u201d, \u201cnote\u201d: \u201cx\u201d}",
        "triple quotes": '{"verdict": "code", "note": """x"""}',
        "adjacent strings": '{"verdict": "code", "note": "x" "y"}',
        "unescaped quotes": '{"verdict": "code", "note": "he said "x" loudly"}',
        "bad escape": '{"verdict": "code", "note": "\\q"}',
        "half surrogate": '{"verdict": "code", "note": "\\ud800"}',
        "replacement character": '{"verdict": "code", "note": "caf\ufffd"}',
        "python set": "{'verdict', 'code'}",
        "python call": "dict(verdict='code', note='x')",
        "python bytes": "{'verdict': b'code', 'note': 'x'}",
        "open thought": f"<think>hm {JSON}",
        "only a thought": f"<think>{JSON}</think>",
        "a tool call": '{"tool": "look", "arguments": {}}',
        "doubled braces": "{" + JSON + "}",
        "comma at the start": "{," + JSON[1:],
        "two commas": JSON.replace(", ", ",, ", 1),
        "json lines": '{"verdict": "code"}\n{"note": "x"}',
        "fence with prose": f"```json\nHere: {JSON}\n```",
        "deeply nested": '{"verdict": ' + "[" * 5000 + "]" * 5000 + "}",
        "deeply open": "{" * 5000,
        "huge number": JSON[:-1] + ', "score": ' + "9" * 5000 + "}",
    }
    for name, text in bad.items():
        yield Case(f"header: {name}", text, wants="none")


def _thoughts() -> Iterator[Case]:
    good = {
        "think": f"<think>\nhm\n</think>\n{JSON}\n{FENCED}",
        "thinking": f"<thinking>hm</thinking>\n{JSON}\n{FENCED}",
        "upper case": f"<THINK>hm</THINK>\n{JSON}\n{FENCED}",
        "two thoughts": f"<think>a</think>\n<think>b</think>\n{JSON}\n{FENCED}",
        "between": f"{JSON}\n<think>now code</think>\n{FENCED}",
        "one within another": f'<think>a<think>b</think>{{"verdict": "test", "note": "no"}}</think>{JSON}\n{FENCED}',
        "opened twice, closed once": f"<think>I write <think> here.</think>\n{JSON}\n{FENCED}",
        "with a program": f"<think>\n{FENCED.replace('* 2', '* 3')}\n</think>\n{JSON}\n{FENCED}",
        "with an object": f'<think>{{"verdict": "test", "note": "no"}}</think>\n{JSON}\n{FENCED}',
        "opening tag missing": f"hm, let me see\n</think>\n{JSON}\n{FENCED}",
        "empty": f"<think></think>{JSON}\n{FENCED}",
    }
    for name, text in good.items():
        yield Case(f"thought: {name}", text, HEADER, CODE)
    bad = {
        "never ends": f"<think>\n{JSON}\n{FENCED}",
        "everything within": f"<think>{JSON}\n{FENCED}</think>",
        "wrong end": f"<think>hm</thinking>\n{JSON}\n{FENCED}",
        "ends twice": f"a\n</think>\nb\n</think>\n{JSON[:-3]}",
    }
    for name, text in bad.items():
        yield Case(f"thought: {name}", text)


def _hostile() -> Iterator[Case]:
    bad = {
        "fences only": "```\n" * 301,
        "tildes and backticks": "```\n~~~\n" * 200,
        "many braces": "{" * 3000 + "}" * 3000,
        "brackets": "[{" * 2000,
        "many objects": '{"a": 1}\n' * 500,
        "quotes": "'\"" * 3000,
        "backslashes": "{" + "\\" * 5000 + "}",
        "comments": "{" + "/*" * 3000,
        "parentheses": f"{JSON}\n```python\nx = " + "(" * 3000 + ")" * 3000 + "\n```",
        "minuses": f"{JSON}\n```python\nx = " + "-" * 20000 + "1\n```",
        "nested thoughts": "<think>" * 500,
        "control characters": "".join(map(chr, range(1, 32))) * 20,
        "emoji": "🙂" * 3000,
        "right to left": "\u202e" + JSON[:-1],
    }
    for name, text in bad.items():
        yield Case(f"hostile: {name}", text)
