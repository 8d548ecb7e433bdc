"""`python -m tests.mutants ROOM...`: breaks drawn places of a room one at a time and says what no test noticed.

Which tests run which line is recorded first, once for a tree of sources (`--known FILE` keeps it). Each change is then
tried by the tests that run its line, quick ones first. A change that makes tests hang counts as noticed; if they hang
without it, too, the machine was too busy, and it is not counted.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from evaluation.console import say, show, whole
from evaluation.metrics import wilson
from framework.command_line import CommandParser
from tests.mutants.drawn import changes
from tests.mutants.loaded import load
from tests.mutants.recorder import INTO, ROOMS
from tests.mutants.trial import Known, tried

ROOT = Path(__file__).resolve().parent.parent.parent
MARKS = "not browser and not local and not corpus"


def main(argv: Sequence[str]) -> int:
    parser = CommandParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="+", metavar="ROOM", help="folders or files, such as agent/trust")
    parser.add_argument("--count", type=whole, default=100, metavar="N", help="how many changes are drawn")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which ones are drawn")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="tests to choose from; else those of the rooms")
    parser.add_argument("--marks", default=MARKS, help="which of these, as pytest's -m")
    parser.add_argument("--known", type=Path, metavar="FILE", help="where the recorded lines are kept")
    parser.add_argument("--budget", type=float, default=120.0, metavar="SECONDS", help="of tests for each change")
    arguments = parser.parse_args(argv)
    arguments.tests = arguments.tests or sorted({f"tests/{Path(room).parts[0]}" for room in arguments.rooms})
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = copied(Path(folder) / "tree")
        known = recorded(tree, arguments)
        pool = changes(tree, arguments.rooms)
        drawn = random.Random(arguments.seed).sample(pool, min(arguments.count, len(pool)))
        load(tree, arguments.tests)
        ends = Counter[str]()
        for change in drawn:
            ending, seconds = tried(tree, change, known, arguments.budget)
            ends[ending] += 1
            say(f"{ending:9} {seconds:5.1f} s  {change.file} {change.words}")
    killed, total = ends["killed"] + ends["time-out"], len(drawn) - ends["too busy"]
    low, high = wilson(killed, total)
    share = f"{killed / max(total, 1):.1%} [{low:.1%}, {high:.1%}]"
    show(f"{killed} of {total} killed, drawn of {len(pool)}: {share}; {dict(ends)}")
    return 0


def copied(tree: Path) -> Path:
    """Returns `tree`, which now holds the files that git knows or would know."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    return tree


def recorded(tree: Path, arguments: Namespace) -> Known:
    """Returns what was recorded before, or runs all tests of the copy once. Raises CalledProcessError where pytest
    could not run at all."""
    known = Known()
    if arguments.known is not None and arguments.known.is_file():
        known.add(json.loads(arguments.known.read_text("utf-8")))
        return known
    into = tree.parent / "lines"
    environment = {**os.environ, ROOMS: ":".join(arguments.rooms), INTO: str(into), "PYTHONPATH": str(tree)}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.mutants.recorder", "-m", arguments.marks, *arguments.tests],
        cwd=tree, env=environment, stdout=sys.stderr,
    )  # fmt: skip
    if ran.returncode not in (0, 1):
        ran.check_returncode()
    for file in tree.parent.glob("lines*"):
        known.add(json.loads(file.read_text("utf-8")))
    if arguments.known is not None:
        arguments.known.write_text(json.dumps(asdict(known)), "utf-8")
    return known


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
