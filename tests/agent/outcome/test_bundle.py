"""The bundle: whoever has it can tell whether a single byte was changed, and what the program does today."""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from agent.events import AgentEvent, Noted
from agent.events.conclusion import Evidence
from agent.outcome.bundle import MANIFEST, build
from agent.outcome.report import Report
from agent.state import Task
from framework.engine import Envelope

OUTCOME = replace(
    Report("r").outcome(),
    verdict="verified",
    verdict_reason="1 of 1",
    answer="It sums the column.",
    code="from pathlib import Path\n\ndef total():\n    return sum(map(int, Path('n.csv').read_text().split()))\n\n"
    "if __name__ == '__main__':\n    print(total())\n",
    tests="from solution import total\n\ndef test_total():\n    assert total() == 6\n",
    evidence=Evidence(checks=(), quarantined=(), clauses=(), isolation={}, confirmed=True, script_output="6\n"),
)


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    envelopes: list[Envelope[AgentEvent]] = [Envelope("r", 0, 1.0, "noted", Noted("grüße"))]
    left = {"plot.png": ("image/png", b"\x89P\n")}
    packed = build(
        OUTCOME, envelopes, left, task=Task("", files={"n.csv": b"1\n2\n3\n"}), extra={"replay.html": b"<p>"}
    )
    zipfile.ZipFile(io.BytesIO(packed)).extractall(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("tests", "files", "name"),
    [
        (
            "# mine\nfrom solution import *\n\n\n\ndef test_a():  # why\n    assert f('x') == \"y\"\n",
            None,
            "given_tests.py",
        ),
        (
            "# file: tests/test_a.py\n# mine\n\ndef test_a():\n    assert 1\n",
            {"a.py": "x = 1\n"},
            "project/tests/test_a.py",
        ),
    ],
)
def test_the_persons_own_tests_lie_there_as_they_were_given(
    tests: str, files: dict[str, str] | None, name: str
) -> None:
    packed = zipfile.ZipFile(io.BytesIO(build(replace(OUTCOME, files=files), [], {}, task=Task("", tests=tests))))
    assert packed.read(name).decode() == tests.removeprefix("# file: tests/test_a.py\n")


def verifier(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify", folder / "verify.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = kept
    return module


def test_a_bundle_says_what_it_is_and_holds_every_event_on_a_line(unpacked: Path):
    readme = (unpacked / "README.txt").read_text().splitlines()
    assert readme[:4] == ["verified: 1 of 1", "", "It sums the column.", ""]
    assert "python verify.py" in readme[4]
    scripted = replace(OUTCOME, verdict=None, scripted="scripted demo model")
    packed = zipfile.ZipFile(io.BytesIO(build(scripted, [], {}, task=Task(""))))
    assert (
        packed.read("README.txt").decode().startswith("queued: 1 of 1\nwritten by the scripted demo model\n\nIt sums")
    )
    (event,) = map(json.loads, (unpacked / "journal.jsonl").read_text().splitlines())
    assert (event["seq"], event["kind"], event["text"]) == (0, "noted", "grüße")
    assert (unpacked / "requirements.txt").read_text() == "pytest\npytest-asyncio\n"


def test_an_untouched_bundle_holds(unpacked: Path):
    assert verifier(unpacked).differing_bytes() == []


def test_one_changed_byte_anywhere_is_found(unpacked: Path):
    verify = verifier(unpacked)
    files = [path for path in unpacked.rglob("*") if path.is_file()]
    assert {"replay.html", "plot.png", "n.csv", MANIFEST, "verify.py", "solution.py"} <= {path.name for path in files}
    for path in files:
        whole = path.read_bytes()
        for place in {0, len(whole) // 2, len(whole) - 1}:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            assert verify.differing_bytes(), f"{path.name} at {place}"
        path.write_bytes(whole)


def test_a_file_too_many_and_one_too_few_are_found(unpacked: Path):
    (unpacked / "conftest.py").write_text("")
    assert verifier(unpacked).differing_bytes() == ["conftest.py: not in the manifest"]
    (unpacked / "conftest.py").unlink()
    (unpacked / "data/n.csv").unlink()
    assert verifier(unpacked).differing_bytes() == ["data/n.csv: missing"]


@pytest.mark.slow
def test_program_and_tests_are_run_again_beside_their_data(unpacked: Path):
    ended = subprocess.run([sys.executable, "verify.py"], cwd=unpacked, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "do what they did" in ended.stdout


@pytest.mark.slow
def test_a_program_that_prints_something_else_is_found(unpacked: Path, tmp_path_factory: pytest.TempPathFactory):
    (unpacked / "data/n.csv").write_text("1\n2\n4\n")
    told = verifier(unpacked).differing_runs(tmp_path_factory.mktemp("again"))
    assert told == ["solution.py: prints something else than it did", "test_solution.py: does not pass"]
