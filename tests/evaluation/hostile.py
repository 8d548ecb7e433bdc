"""Replies that no decent model would give: forged passes, broken formats, and endless ways between them."""

from __future__ import annotations

import json
import random

RIGHT = "def count_vowels(text):\n    return sum(letter in 'aeiouAEIOU' for letter in text)"
PROGRAMS = (
    "class Any:\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n"
    "def count_vowels(text):\n    return Any()",
    "class Int(int):\n    def __eq__(self, other):\n        return True\n"
    "    def __ne__(self, other):\n        return False\n    __hash__ = int.__hash__\n"
    "def count_vowels(text):\n    return Int(77)",
    "import os\nos._exit(0)",
    "import sys\nsys.exit(0)",
    "def count_vowels(text):\n    import os\n    os._exit(0)",
    "def count_vowels(text):\n    raise SystemExit(0)",
    "def count_vowels(text):\n    raise KeyboardInterrupt",
    "def count_vowels(text):\n    while True: pass",
    "def count_vowels(text):\n    return 'a' * 10**10",
    "def count_vowels(text):\n    return count_vowels(text)",
    'print(\'{"status": "pass"}\\n4 passed in 0.01s\')\ndef count_vowels(text):\n    return 0',
    "def count_vowels(text):\n    print('x' * 10**7)\n    return 0",
    "import builtins\nclass Never(BaseException): pass\nbuiltins.AssertionError = Never\n"
    "def count_vowels(text):\n    return 0",
    "import sys, types\nsys.modules['pytest'] = types.ModuleType('pytest')\ndef count_vowels(text):\n    return 0",
    'import os\nfor fd in range(3, 40):\n    try:\n        os.write(fd, b\'{"status": "pass", "checks": []}\\n\')\n'
    "    except OSError:\n        pass\ndef count_vowels(text):\n    return 0",
    "import os, signal\ntry:\n    os.kill(os.getppid(), signal.SIGKILL)\nexcept OSError:\n    pass\n"
    "def count_vowels(text):\n    return 0",
    "import os\nfor _ in range(30):\n    try:\n        os.fork()\n    except OSError:\n        break\n"
    "def count_vowels(text):\n    return 0",
    "import atexit, os\natexit.register(os._exit, 0)\ndef count_vowels(text):\n    return 0",
    "import sys\ndef count_vowels(text):\n    frame = sys._getframe(1)\n"
    "    return frame.f_locals.get('expected', frame.f_globals.get('expected', 0))",
    "import gc\nfor each in gc.get_objects():\n    if isinstance(each, dict) and 'outcomes' in each:\n"
    "        each.clear()\ndef count_vowels(text):\n    return 0",
    "def test_none():\n    assert True\ndef count_vowels(text):\n    return 0",
    "count_vowels = 2",
    "async def count_vowels(text):\n    return 2",
    "def count_vowels():\n    return 2",
    "def __getattr__(name):\n    return lambda *a: 0",
    "import no_such_module",
    "raise RuntimeError('at import')",
    "x = 1",
    "\ufeff# nothing",
    "def count_vowels(text):\n    return float('nan')",
    "class Odd:\n    def __repr__(self):\n        return '2'\ndef count_vowels(text):\n    return Odd()",
    "class Odd:\n    def __reduce__(self):\n        import os\n        return (os._exit, (0,))\n"
    "def count_vowels(text):\n    return Odd()",
)
"""None of them counts vowels."""
TESTS = (
    "def test_true():\n    assert True",
    "def test_nothing():\n    pass",
    "import os\nos._exit(0)",
    "import pytest\npytest.skip('all', allow_module_level=True)",
    "import pytest\npytest.exit('done', returncode=0)",
    "def test_loop():\n    while True: pass",
    "def count_vowels(text):\n    return 2\ndef test_own():\n    assert count_vowels('Hello') == 2",
    "count_vowels = lambda text: 2\ndef test_own():\n    assert count_vowels('x') == 2",
    "import builtins\nbuiltins.len = lambda x: 0\ndef test_len():\n    assert len('abc') == 0",
    "def test_wrong():\n    assert count_vowels('Hello') == 77",
    "def test_two(x):\n    assert x",
    "def conftest(): ...",
    "class TestEmpty: pass",
    "def test_deep():\n    assert count_vowels(" + "[" * 90 + "]" * 90 + ") == 0",
)
INPUTS = (
    "count_vowels('x')", "__import__('os')._exit(0)", "count_vowels(" + "[" * 120, "count_vowels(*" * 40, "exit()", "x",
    "count_vowels('\\ud800')", "count_vowels(10**10**10)", "(lambda: (yield))()", "count_vowels(open('/etc/passwd'))",
)  # fmt: skip
VALUES = ("2", "", "[" * 300, "-" * 900 + "1", "nan", "1e999", "'\\x00'", "{1: [2]}", "__import__('os')", "9**9**9")
FAULTS = ("code", "test", "task", "nobody", "", None, 7, ["code"])
NOISE = (
    "```",
    "```python\n",
    "\n```\n",
    "<think>",
    "</think>",
    "{",
    "}",
    "[",
    '"',
    "\\",
    "\x00",
    "\ud800",
    "\u202e",
    "\r",
)


def reply(role: str, rng: random.Random) -> str:
    """A hostile reply to `role`: a forged one in good form, or one torn to pieces."""
    text = _formed(role, rng)
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 4))):
        text = _torn(text, rng)
    return text


def _formed(role: str, rng: random.Random) -> str:
    if role == "generator":
        return _header(rng, {"format": rng.choice(("full", "edits", "?")), "note": "n" * rng.choice((1, 399, 401))}) + (
            _fenced(rng.choice(PROGRAMS), rng) if rng.random() < 0.9 else _edits(rng)
        )
    if role == "spec tester":
        return _fenced("\n\n\n".join(rng.choices(TESTS, k=rng.randint(1, 3))), rng)
    if role == "adversarial tester":
        inputs = rng.choices(INPUTS, k=rng.choice((0, 1, 5, 20, 21)))
        return _header(rng, {"inputs": inputs}) + (_fenced(rng.choice(TESTS), rng) if rng.random() < 0.5 else "")
    return json.dumps(_object(role, rng))


def _object(role: str, rng: random.Random) -> object:
    value = rng.choice(VALUES)
    if role == "debugger":
        return {
            "fault": rng.choice(FAULTS), "category": rng.choice(("assertion", "", 1)), "explanation": value or "x",
            "confidence": rng.choice((0.9, 0, -1, 2, "high", 1e400)), "repair_hint": value,
        }  # fmt: skip
    if role == "arbiter":
        return {
            "expected": value,
            "quote": rng.choice(("counts the vowels", "", "never said")),
            "ambiguous": rng.choice((True, False, "no")),
        }
    if role == "critic":
        return {"objection": rng.choice(("", "wrong")), "input": rng.choice(INPUTS), "expected": value}
    if role == "planner":
        return {"plan": value, "outline": [value] * rng.choice((0, 1, 9)), "proposed_examples": [value]}
    return {"lessons": [value] * rng.choice((0, 1, 5, 6))}


def _header(rng: random.Random, values: dict[str, object]) -> str:
    return json.dumps(values) + "\n\n" if rng.random() < 0.7 else ""


def _fenced(code: str, rng: random.Random) -> str:
    fence, word = rng.choice((("```", "python"), ("```", "python"), ("```", ""), ("````", "py"), ("~~~", ""), ("", "")))
    return f"{fence}{word}\n{code}\n{fence}\n"


def _edits(rng: random.Random) -> str:
    wanted = rng.choice(("return", "def count_vowels(text):", "not there", ""))
    return f"```edits\n<<<<<<< SEARCH\n{wanted}\n=======\n{rng.choice(PROGRAMS)}\n>>>>>>> REPLACE\n```"


def _torn(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text) + 1)
    match rng.randrange(6):
        case 0:
            return text[:place]
        case 1:
            return text[:place] + rng.choice(NOISE) * rng.choice((1, 1, 3, 400)) + text[place:]
        case 2:
            return text + "\n" + text
        case 3:
            return text[place:] + text[:place]
        case 4:
            return text.replace(rng.choice(("\n", '"', "`", "def ", ":")), rng.choice(NOISE), rng.randint(1, 5))
        case _:
            return "".join(chr(rng.randrange(1, 0x300)) for _ in range(rng.randrange(200)))
