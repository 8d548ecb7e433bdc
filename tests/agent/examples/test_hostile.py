"""Texts that nobody writes cost little: the steps grow with the length, and no expression runs away."""

# ruff: noqa: RUF001 E501

from __future__ import annotations

import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
UNITS = (
    "f(", "f(1) ", "[", '"', "'", "`", "f(2) should return 4 and ", "f(2) -> ", "1 <= n <= ", "n >= 1, ",
    "not ",
    "Input: 2 Output: 4 ", "| a | b |\n", ">>> f(2)\n4\n", "例如 f(2) 应该返回 4，", "を返す", "<b>", "aa", "1,", "O(n) ",
    "without using ", "return 4 for ", "the output should be ", " ", "\n", "# ", "**", ". ", "for x = 1 and y = 2 ",
    "raise ValueError ", "within 1 s ", "at most 5 items ", '"a" -> "b" ', "“a” ", "\r\n", "_", "modif", "def f(x):\n",
    "takes two parameters a and b ", "YYYY-", "should ", "of the of ", "- ", "a ", "1 ", "(", "=", "-",
)  # fmt: skip
CPU_SECONDS = 60
"""Of a process that reads all of them; reading any of them with an expression that runs away takes hours."""
CHARS = 2_000


def test_no_text_of_one_word_again_and_again_runs_away() -> None:
    program = f"""
import resource
resource.setrlimit(resource.RLIMIT_CPU, ({CPU_SECONDS}, {CPU_SECONDS}))
from agent.examples import read_brief
for unit in {UNITS!r}:
    read_brief(("Write f(x). " + unit * {CHARS})[:{CHARS}], None, ())
    print("read", flush=True)
"""
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.stdout.count("read") == len(UNITS), ran.stderr[-500:]


@pytest.mark.parametrize(
    "unit", ["f(2) should return 4. ", "1 <= n <= 5, ", "“a” gives “b”. ", "within 1 s. ", "返回 4。"]
)
def test_twice_the_text_takes_at_most_three_times_the_steps(unit: str) -> None:
    text = "Write f(x). " + unit * 100
    once, twice = _steps(text[:1000]), _steps(text[:2000])
    assert twice <= 3 * once


def _steps(text: str) -> int:
    """Calls that reading makes, of Python functions and of built-in ones."""
    from agent.examples import read_brief

    read_brief(text, None, ())
    steps = count()
    sys.setprofile(lambda *_: next(steps) and None)
    try:
        read_brief(text, None, ())
    finally:
        sys.setprofile(None)
    return next(steps)
