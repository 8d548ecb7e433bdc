"""Replies with a program or edits as small models break them; the rest is in `malformed`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from .malformed import CODE, FENCED, HEADER, JSON, OPTIONAL, OTHER, PYTHON_HEADER, Case


def code_cases() -> list[Case]:
    return [*_with_code(), *_code_alone(), *_edits()]


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
