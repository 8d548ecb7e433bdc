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
    return [*_headers_alone(), *_with_code(), *_code_alone(), *_thoughts(), *_edits(), *_hostile()]


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


def _with_code() -> Iterator[Case]:
    good = {
        "as asked": f"{JSON}\n{FENCED}",
        "blank lines": f"{JSON}\n\n\n{FENCED}\n\n",
        "fenced header": f"```json\n{JSON}\n```\n\n{FENCED}",
        "header after the code": f"{FENCED}\n\n{JSON}",
        "fenced header after": f"{FENCED}\n```json\n{JSON}\n```",
        "prose everywhere": f"Sure.\n{JSON}\nNow the program:\n{FENCED}\nDone.",
        "no language": f"{JSON}\n```\n{CODE}```",
        "py": f"{JSON}\n```py\n{CODE}```",
        "Python3": f"{JSON}\n```Python3\n{CODE}```",
        "info with title": f"{JSON}\n```python title=x.py\n{CODE}```",
        "curly info": f"{JSON}\n```{{.python}}\n{CODE}```",
        "tildes": f"{JSON}\n~~~python\n{CODE}~~~",
        "long fence": f"{JSON}\n``````python\n{CODE}``````",
        "longer end": f"{JSON}\n```python\n{CODE}`````",
        "windows lines": f"{JSON}\n{FENCED}".replace("\n", "\r\n"),
        "indented block": f"{JSON}\n  ```python\n" + "".join(f"  {line}\n" for line in CODE.splitlines()) + "  ```",
        "the program twice": f"{JSON}\n{FENCED}\nAgain:\n{FENCED}",
        "an excerpt": f"{JSON}\n{FENCED}\nNote this line:\n```python\n    return x * 2\n```",
        "a shell block": f"{JSON}\n```bash\npip install x\n```\n{FENCED}",
        "an output block": f"{JSON}\n{FENCED}\nOutput:\n```text\n4\n```",
        "an untagged output block": f"{JSON}\n{FENCED}\nOutput:\n```\n4 and then some\n```",
        "single quotes": f"{PYTHON_HEADER}\n{FENCED}",
        "list around": f"[{JSON}]\n{FENCED}",
        "thought first": f"<think>\n```python\nwrong(\n```\n</think>\n{JSON}\n{FENCED}",
        "header in the block": f"```python\n{JSON}\n{CODE}```",
        "header in front of bare code": f"{JSON}\n\n{CODE}",
        "spaces after the fence": f"{JSON}\n```python   \n{CODE}```   ",
        "space before the language": f"{JSON}\n``` python\n{CODE}```",
    }
    for name, text in good.items():
        yield Case(f"code: {name}", text, HEADER, CODE)
    read = {
        "unclosed": f"{JSON}\n```python\n{CODE}",
        "program and usage": f"{JSON}\n{FENCED}\n```python\nprint(double(2))\nprint(double(3))\n```",
        "code inside the JSON": json.dumps({**HEADER, "code": CODE}),
        "fence in the line": f"{JSON} ```python\n{CODE}```",
        "fence closed in the line": f"{JSON}\n```python\n{CODE.rstrip()}```",
        "html": f"{JSON}\n<code>\n{CODE}</code>",
        "mixed fences": f"{JSON}\n```python\n{CODE}~~~",
        "shorter end": f"{JSON}\n````python\n{CODE}```",
    }
    for name, text in read.items():
        yield Case(f"code: {name}", text, HEADER, CODE)
    yield Case("code: notebook magic", f"{JSON}\n```python\n%pip install x\n{CODE}```", HEADER, f"\n{CODE}")
    nested = '"""Doc.\n\n```python\ndouble(2)\n```\n"""\n' + CODE
    yield Case("code: fences in a docstring, longer fence", f"{JSON}\n````python\n{nested}````", HEADER, nested)
    yield Case("code: fences in a docstring, same fence", f"{JSON}\n```python\n{nested}```", HEADER, nested)
    indented = 'def double(x):\n    """\n    ```\n    double(2)\n    ```\n    """\n    return x * 2\n'
    yield Case("code: indented fences in a docstring", f"{JSON}\n```python\n{indented}```", HEADER, indented)
    tagged = 'OPEN = "<think>"\nCLOSE = "</think>"\n' + CODE
    yield Case("code: think tags inside strings", f"{JSON}\n```python\n{tagged}```", HEADER, tagged)
    bad = {
        "unclosed, cut": f"{JSON}\n```python\n{CODE[:-1]} +",
        "no code": JSON,
        "no header": FENCED,
        "does not parse": f"{JSON}\n```python\ndef double(x:\n    return\n```",
        "cut inside but closed": f"{JSON}\n```python\n{CODE[:-4]} +\n```",
        "stop tag left": f"{JSON}\n```python\n{CODE}</code\n```",
        "two programs": f"{JSON}\n{FENCED}\n```python\n{OTHER}```",
        "two programs, one untagged": f"{JSON}\n{FENCED}\n```\n{OTHER}```",
        "good then broken": f"{JSON}\n{FENCED}\n```python\ndef double(x:\n```",
        "broken then good": f"{JSON}\n```python\ndef double(x:\n```\n{FENCED}",
        "empty block": f"{JSON}\n```python\n```",
        "only a comment": f"{JSON}\n```python\n# nothing to do\n```",
        "elided": f"{JSON}\n```python\nimport os\n# ... rest of the code unchanged ...\n{CODE}```",
        "elided, other words": f"{JSON}\n```python\n{CODE}# (existing code here...)\n```",
        "a diff": f"{JSON}\n```diff\n-    return x\n+    return x * 2\n```",
        "a shell session": f"{JSON}\n```python\n>>> double(2)\n4\n```",
        "javascript": f"{JSON}\n```javascript\nfunction f() {{}}\n```",
        "prose in the block": f"{JSON}\n```python\nHere is the program:\n{CODE}```",
        "code inside valid JSON": json.dumps({"verdict": "code", "note": CODE}),
        "single backticks": f"{JSON}\n`{CODE}`",
        "header broken": f"{JSON[:-3]}\n{FENCED}",
        "header misfits": f'{{"verdict": "nobody", "note": "x"}}\n{FENCED}',
        "header as a comment": f"```python\n# {JSON}\n{CODE}```",
        "header in a docstring": f'```python\n"""{JSON}"""\n{CODE}```',
        "replacement character": f"{JSON}\n```python\nname = 'caf\ufffd'\n```",
        "nul": f"{JSON}\n```python\nname = 'a\x00'\n```",
        "half surrogate": f"{JSON}\n```python\nname = '\ud800'\n```",
        "tabs and spaces": f"{JSON}\n```python\ndef f():\n\treturn 1\n        return 2\n```",
        "line numbers": f"{JSON}\n```python\n1 def double(x):\n2     return x * 2\n```",
        "quoted lines": "\n".join("> " + line for line in f"{JSON}\n{FENCED}".splitlines()),
        "nested fence, bare": f'{JSON}\n```python\n"""\n```\ndouble(2)\n```\n"""\n{CODE}```',
        "search and replace": f"{JSON}\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```",
        "only prose": "I cannot see a problem.",
        "three programs": f"{JSON}\n{FENCED}\n{FENCED.replace('* 2', '<< 1')}\n```python\n{OTHER}```",
        "python 2": f"{JSON}\n```python\nprint 'hello'\n```",
        "placeholder": f"{JSON}\n```python\n<your code here>\n```",
        "ellipsis of a person": f"{JSON}\n```python\ndef double(x):\n    …\n```",
    }
    for name, text in bad.items():
        yield Case(f"code: {name}", text)


def _code_alone() -> Iterator[Case]:
    good = {
        "fenced": FENCED,
        "bare": CODE,
        "bare, blank lines": f"\n{CODE}\n",
        "prose around": f"Here:\n{FENCED}\nBye.",
        "header given": f'{{"note": "ok"}}\n{FENCED}',
        "bare with closing fence": f"{CODE}```",
        "bare with prose": f"The program:\n{CODE}",
        "bare with prose around": f"The program:\n{CODE}\nIt doubles a number.\n\nEnjoy!",
        "header misfits": f'{{"note": 1, "format": "whole"}}\n{FENCED}',
        "header with a stranger": f'{{"nope": 1}}\n{FENCED}',
        "header broken": f'{{"note": "x\n{FENCED}',
        "an object of something else": f"{FENCED}\nFor example\n{{'a': 1}}\nis unchanged.",
    }
    for name, text in good.items():
        header = {"header given": {"note": "ok"}, "header misfits": {"note": "1"}}.get(name, {})
        wanted = text.replace("\r\n", "\n") if name in ("bare", "bare, blank lines") else CODE
        yield Case(f"optional header: {name}", text, header, wanted, schema=OPTIONAL)
    closing = 'CLOSE = "</think>"\n' + CODE
    yield Case("optional header: a closing tag in a string", f"```python\n{closing}```", {}, closing, schema=OPTIONAL)
    bad = {
        "prose": "double the number",
        "a name": "double",
        "a call": "double(2)",
        "a string": '"def double(x): return x"',
        "bare, cut": CODE[:-8] + "(",
        "only a number": "42",
        "json": '{"note": "ok"}',
        "true": "True",
    }
    for name, text in bad.items():
        yield Case(f"optional header: {name}", text, schema=OPTIONAL)
    yield Case("optional code: none given", '{"note": "ok"}', {"note": "ok"}, None, "optional", OPTIONAL)
    yield Case("optional code: given", f'{{"note": "ok"}}\n{FENCED}', {"note": "ok"}, CODE, "optional", OPTIONAL)
    yield Case("optional code: broken", '{"note": "ok"}\n```python\ndef (\n```', None, None, "optional", OPTIONAL)
    yield Case("optional code: prose only", "Nothing.", None, None, "optional", OPTIONAL)


def _thoughts() -> Iterator[Case]:
    good = {
        "think": f"<think>\nhm\n</think>\n{JSON}\n{FENCED}",
        "thinking": f"<thinking>hm</thinking>\n{JSON}\n{FENCED}",
        "upper case": f"<THINK>hm</THINK>\n{JSON}\n{FENCED}",
        "two thoughts": f"<think>a</think>\n<think>b</think>\n{JSON}\n{FENCED}",
        "between": f"{JSON}\n<think>now code</think>\n{FENCED}",
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


def _edits() -> Iterator[Case]:
    edit = "<<<<<<< SEARCH\n    return x\n=======\n    return x * 2\n>>>>>>> REPLACE\n"
    note = '{"note": "ok", "format": "edits"}'
    header = {"note": "ok", "format": "edits"}
    good = {
        "one": (f"{note}\n```edits\n{edit}```", edit),
        "two": (f"{note}\n```edits\n{edit}\n{edit}```", f"{edit}\n{edit}"),
        "as python": (f"{note}\n```python\n{edit}```", edit),
        "no language": (f"{note}\n```\n{edit}```", edit),
        "the whole program": (f"{note}\n{FENCED}", CODE),
        "unclosed fence": (f"{note}\n```edits\n{edit}", edit),
        "two blocks": (f"{note}\n```edits\n{edit}```\n```edits\n{edit}```", f"{edit}\n{edit}"),
        "bare": (f"{note}\n{edit}", edit),
    }
    for name, (text, code) in good.items():
        yield Case(f"edits: {name}", text, header if code else None, code, "edits", OPTIONAL)
    empty = "<<<<<<< SEARCH\na = 1\n=======\n>>>>>>> REPLACE\n"
    yield Case("edits: to nothing", f"{note}\n```edits\n{empty}```", header, empty, "edits", OPTIONAL)
    bad = {
        "no replace": f"{note}\n```edits\n{edit[:-16]}```",
        "no divider": f"{note}\n```edits\n{edit.replace('=======', '')}```",
        "order": f"{note}\n```edits\n>>>>>>> REPLACE\n=======\n<<<<<<< SEARCH\n```",
        "nested": f"{note}\n```edits\n<<<<<<< SEARCH\n{edit}```",
        "text between": f"{note}\n```edits\n{edit}and then\n{edit}```",
        "edits and program": f"{note}\n```edits\n{edit}```\n{FENCED}",
        "empty": f"{note}\n```edits\n```",
        "a diff": f"{note}\n```diff\n- a\n+ b\n```",
        "elided": f"{note}\n```edits\n{edit.replace('    return x * 2', '    # ... existing code ...')}```",
    }
    for name, text in bad.items():
        yield Case(f"edits: {name}", text, None, None, "edits", OPTIONAL)


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
