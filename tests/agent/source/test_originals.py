"""What a person hands in comes back as the bytes it was, where nobody changed it."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from agent.events.codec import decode_task, encode_task
from agent.outcome.bundle import build, program_files
from agent.outcome.report import Report
from agent.runs import AgentRuns
from agent.source.originals import CODE, TESTS, decoded, given_as_text, handed_over, kept
from agent.state import Task
from agent.task.followups import continued, forked
from agent.task.order import Order
from agent.task.project import read_project
from demo.submission import task_from
from llm.replies.files import split_files
from tests.agent.conftest import follow
from tests.agent.model_server import ModelServer
from tests.agent.task.test_project import zipped
from tests.agent.test_flags import writes
from tests.agent.test_unhelpful_models import RIGHT, TASK

CRLF = b"def f(x):\r\n    return x\r\n"
BARE = b"def f(x):\n    return x"
MARKED = b"\xef\xbb\xbfdef f(x):\n    return x\n"
LATIN = "# -*- coding: latin-1 -*-\ndef f(x):\n    return 'gr\xfc\xdfe'\n".encode("latin-1")
BLANKS = b"\n\ndef f(x):\n    return x\n\n\n"
MIXED = b"def f(x):\r\n    return x\n"
NESTED = b"def f(x):\n    return x\n# file: other.py\n"
EVERY = [CRLF, BARE, MARKED, LATIN, BLANKS, MIXED, NESTED, CRLF.rstrip()]
OUTCOME = replace(Report("r").outcome(), verdict="verified")


def packed(task: Task, code: str) -> zipfile.ZipFile:
    outcome = replace(OUTCOME, code=code, files=split_files(code))
    return zipfile.ZipFile(io.BytesIO(build(outcome, [], {}, task=task)))


@pytest.mark.parametrize("data", EVERY)
@pytest.mark.parametrize("folder", [True, False])
def test_files_of_a_project_that_nobody_changed_come_back_byte_for_byte(
    data: bytes, folder: bool, tmp_path: Path
) -> None:
    tests = data + b"\ndef test_f():\r\n    assert f(1) == 1"
    files = {"m.py": data, "tests/test_m.py": tests, "tests/conftest.py": data}
    for name, content in files.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_bytes(content)
    project = read_project(str(tmp_path / "p") if folder else zipped(tmp_path / "p.zip", files))
    task = decode_task(encode_task(Task("t", project.code, project.tests, project.files, project.originals)))
    bundle = packed(task, project.code)
    assert {name: bundle.read(f"project/{name}") for name in files} == files
    outcome = replace(OUTCOME, files=split_files(project.code))
    assert program_files(outcome, task.originals) == {"m.py": data}
    uploaded = task_from("t", files={"p.zip": Path(zipped(tmp_path / "q.zip", files)).read_bytes()})
    assert uploaded.originals == project.originals


@pytest.mark.parametrize("data", EVERY)
def test_code_and_tests_of_one_file_come_back_byte_for_byte(data: bytes) -> None:
    text = decoded(data)
    originals = {**kept({CODE: (text, data)}), **kept({TESTS: (text, data)})}
    bundle = packed(Task("t", text, text, originals=originals), text)
    assert (bundle.read(CODE), bundle.read(TESTS)) == (data, data)


@pytest.mark.parametrize(
    ("data", "old", "new", "wanted"),
    [
        (CRLF, "return x", "return 1", CRLF.replace(b"return x", b"return 1")),
        (BARE, "return x", "return 1", b"def f(x):\n    return 1"),
        (MARKED, "return x", "return 1", MARKED.replace(b"return x", b"return 1")),
        (LATIN, "f(x)", "f(y)", LATIN.replace(b"f(x)", b"f(y)")),
        (LATIN, "gr", "\u2192", "# -*- coding: utf-8 -*-\ndef f(x):\n    return '\u2192\xfc\xdfe'\n".encode()),
        (LATIN, "# -*- coding: latin-1 -*-\n", "", "def f(x):\n    return 'gr\xfc\xdfe'\n".encode()),
    ],
)
def test_an_edited_file_keeps_its_line_ends_and_its_encoding(data: bytes, old: str, new: str, wanted: bytes) -> None:
    edited = decoded(data).replace(old, new)
    assert handed_over(edited, data) == wanted
    compile(wanted, "m.py", "exec")


def test_a_declared_encoding_is_never_untrue() -> None:
    text = "# coding: latin-1\nx = '\xfc \u2192'\n"
    assert decoded(handed_over(text, None)) == text.replace("latin-1", "utf-8")


@pytest.mark.parametrize("text", ["x = 1\r\n", "\ufeffx = 1\n", "# coding: ascii\r\nx = '\xfc'\r\n"])
def test_text_from_a_form_is_read_alike(text: str) -> None:
    read, originals = given_as_text(text, CODE)
    assert read == text.removeprefix("\ufeff").replace("\r\n", "\n")
    assert handed_over(read, originals.get(CODE)).decode() == (text if originals else read.replace("ascii", "utf-8"))


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_follow_ups_and_forks_know_the_bytes_of_what_they_take_along(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    writes(model_server, RIGHT)
    originals = {CODE: RIGHT.replace("\n", "\r\n").encode(), TESTS: b"def test_a():\r\n    assert True or f\r\n"}
    task = Task(TASK, RIGHT, decoded(originals[TESTS]), originals=originals)
    order = Order(task, {"adversary": False, "independent_attempts": 0, "critic": False})
    ended = await follow(live_runs, await live_runs.begin(order))

    def after(task: Task) -> set[str]:
        return set(continued(live_runs.store, ended.run_id, task).originals)

    assert after(Task("explain it")) == {CODE, TESTS}
    assert after(Task("explain it", code="x = 1\n")) == {TESTS}
    assert after(Task("explain it", tests="def test(): pass\n")) == {CODE}
    fork = forked(live_runs.store, ended.run_id, "", Task("", tests="assert 1", originals={TESTS: b"assert 1\r\n"}))
    assert fork.task.originals == {CODE: originals[CODE], TESTS: b"assert 1\r\n"}
