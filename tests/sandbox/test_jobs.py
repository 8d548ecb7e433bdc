"""What a worker is asked for a program: by which kind of worker, with which files, limits and halves of the program."""

from __future__ import annotations

import marshal
from dataclasses import replace
from typing import Any

import pytest

from sandbox import Limits, Program
from sandbox.child.suite.plan import unpack
from sandbox.jobs import Way, check, flavour_of, job_for, module_name, stated_checks, with_room
from sandbox.launch import Flavour
from sandbox.times import times_of
from sandbox.types import Linked

PLAIN = "from solution import f\n\ndef test_f():\n    assert f() == 1\n"
FLAVOURS: list[tuple[Flavour, str, str | None]] = [
    ("bare", "def f(): return 1", PLAIN),
    ("bare", "import math, json as j, os.path\nfrom re import sub", PLAIN),
    ("bare", "x = 'import numpy'", None),
    ("bare", "from shop.cart import total", PLAIN),
    ("data", "import math, numpy as np", PLAIN),
    ("data", "    from pandas.api import types", None),
    ("data", "x = 1", "import sklearn.svm\n" + PLAIN),
    ("pytest", "import requests", PLAIN),
    ("pytest", "import asyncio", None),
    ("pytest", "x = 1", "import unittest\n" + PLAIN),
    ("pytest", "x = 1", "def test_f(run_program): ..."),
    ("pytest", "x = 1", "def test_f():\n    assert 'AssertionError'"),
    ("pytest", "x = 1", "def test_f(tmp_path): ..."),
    ("pytest", "x = 1", "class TestF: ..."),
    ("pytest", "x = 1", "async def test_f(): ..."),
    ("pytest", "x = 1", "def setup_function(): ..."),
    ("pytest", "x = 1", "@given\ndef test_f(): ..."),
]


@pytest.mark.parametrize(("flavour", "source", "tests"), FLAVOURS)
def test_the_kind_of_worker_is_chosen_by_what_is_imported_and_how_tests_are_written(
    flavour: Flavour, source: str, tests: str | None
) -> None:
    assert flavour_of(Program(package={"shop/__init__.py": source}, tests=tests)) == flavour
    assert flavour_of(Program(package={"shop/__init__.py": source}, tests=PLAIN, coverage=True)) in ("pytest", "data")


@pytest.mark.parametrize(
    "files",
    [["a/b.txt", "a/c.txt", "ab"], ["..a", "a..b/.c"], ["n" * 200], ["é" * 100], ["a/./b", "a/c"], ["a/../b", "a"]],
)
def test_files_may_have_any_name_inside_the_run_folder(files: list[str]) -> None:
    check(Program("x", files=dict.fromkeys(files, b"")))


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (Program("x", files={"n" * 201: b""}), "not a path inside"),
        (Program("x", files={"a\\b": b""}), "not a path inside"),
        (Program("x", files={"a\x00": b""}), "not a path inside"),
        (Program("x", files={"~/a": b""}), "not a path inside"),
        (Program("x", files={".": b""}), "not a path inside"),
        (Program("x", files={"a\ud800": b""}), "not a path inside"),
        (Program(package={"p/a.py": "", "../b.py": ""}), "not a path inside"),
        (Program(package={"a-b/__init__.py": ""}), "no package can have this name: 'a-b'"),
        (Program("  \n"), "solution or a package"),
        *((Program("x", limits=replace(Limits(), **{name: 0})), "positive")
          for name in ("timeout", "memory_mb", "output_kb", "file_mb")),
    ],
)  # fmt: skip
def test_what_is_no_program_is_refused(program: Program, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check(program)


def test_a_package_is_imported_by_its_first_folder_and_a_module_by_its_name() -> None:
    assert module_name(Program("x")) == "solution"
    assert module_name(Program(package={"shop/cart.py": "", "a/b.py": ""})) == "shop"
    assert module_name(Program(package={"shop.py": ""})) == "shop"


FILES = {"in/./a.csv": b"1,2", "helper.py": "# coding: latin-1\nx = 'é'\n".encode("latin-1"), "bad.py": b"\xff"}
SUITE = Program("def f(): return 1", tests=PLAIN, files={**FILES, "big": Linked("/data/big", 9, "")}, argv=("-v",))


def halves(program: Program, way: Way) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], bytes]:
    """The head of the request, the job of the side of the tests, that of the program, and the files."""
    job = job_for(program, "bare", way)
    first, second = job.head["sizes"]
    at = len(job.body) - first - second
    other = job.body[at + first :]
    return job.head, marshal.loads(job.body[at:]), marshal.loads(other) if other else {}, job.body[:at]


def test_the_programs_half_of_a_split_run_holds_nothing_of_the_tests() -> None:
    head, ours, theirs, files = halves(SUITE, Way(split=True, wanted=(1,)))
    assert (head["op"], head["entry"], head["second"], head["asks"]) == ("run", "examine", True, False)
    assert theirs == {
        "solution": SUITE.solution, "package": {}, "module": "solution", "argv": ["-v"], "stdin": "",
        "flavour": "bare", "mode": "split",
    }  # fmt: skip
    assert (ours["tests"], ours["wanted"], ours["coverage"], "explain" in ours) == (PLAIN, (1,), False, False)
    assert ours["given"] == {"helper.py": "# coding: latin-1\nx = 'é'\n"}
    assert unpack(ours["plan"])[1].checks == ["test_f"]
    assert files == b"".join(FILES.values())
    assert head["files"] == [["in/a.csv", 3], ["helper.py", len(FILES["helper.py"])], ["bad.py", 1]]
    assert head["links"] == [["big", "/data/big"]]
    assert {name: head["limits"][name] for name in ("memory_mb", "output_kb", "file_mb")} == {
        "memory_mb": 512, "output_kb": 64, "file_mb": 16,
    }  # fmt: skip


def test_one_process_gets_both_and_no_module_of_the_tests_own() -> None:
    head, both, theirs, _ = halves(replace(SUITE, coverage=True, fail_fast=True), Way(split=False))
    assert (head["entry"], head["second"], theirs) == ("inprocess", False, {})
    assert (both["given"], both["coverage"], both["fail_fast"], both["mode"]) == ({}, True, True, "inprocess")
    assert halves(replace(SUITE, coverage=True), Way(split=True))[1]["coverage"] is False


@pytest.mark.parametrize(
    ("program", "entry", "asks"),
    [
        (Program("x = 1"), "script", False),
        (Program("x = 1", calls=("f()",)), "evaluate", False),
        (Program("x = 1", tests="def test_a(run_program): ..."), "inprocess", True),
    ],
)
def test_scripts_and_calls_have_entries_of_their_own(program: Program, entry: str, asks: bool) -> None:
    head, job, _, _ = halves(program, Way(split=False))
    assert (head["entry"], head["asks"]) == (entry, asks)
    assert ("plan" in job) is (program.tests is not None)


@pytest.mark.parametrize(
    ("tests", "explain", "explained"),
    [(PLAIN, False, False), (PLAIN, True, True), (f"{PLAIN}# AssertionError", False, True)],
)
def test_a_suite_that_explains_is_read_where_it_runs(tests: str, explain: bool, explained: bool) -> None:
    job = halves(replace(SUITE, tests=tests), Way(split=True, explain=explain))[1]
    assert (job.get("explain", False), "plan" in job) == (explained, not explained)


@pytest.mark.parametrize(
    ("program", "files"),
    [
        (Program("import sys"), []),
        (Program("print(__file__)"), ["solution.py"]),
        (Program("x = '\ud800'  # __file__"), ["solution.py"]),
        (Program("x = 1", tests="open('solution.py')"), ["solution.py"]),
        (Program(package={"p/a.py": "x = 1", "p/b.py": "open('a.py')"}), ["p/a.py", "p/b.py"]),
        (Program("print(__file__)", files={"solution.py": b"mine"}), ["solution.py"]),
    ],
)
def test_sources_lie_in_the_folder_where_somebody_names_them(program: Program, files: list[str]) -> None:
    head, _, _, body = halves(program, Way(split=False))
    assert [name for name, _ in head["files"]] == files
    assert not program.files or body == b"mine"


def test_checks_are_stated_by_the_source_if_it_can_be_read() -> None:
    assert stated_checks(PLAIN) == ["test_f"]
    assert stated_checks("def test_f(:") == stated_checks(f"{PLAIN}x = {'(' * 40}{')' * 40}") == []


def test_limits_of_time_follow_from_one_figure() -> None:
    suite, script = (Program("x", tests=tests, limits=Limits(timeout=5)) for tests in ("", None))
    calls = replace(script, calls=("f()",), call_timeout=0.1)
    for program, used, expected in (
        (suite, 0.0, (5, 5, 15, 50, 60, 150)),
        (suite, 58.0, (5, 5, 15, 50, 2, 150)),
        (suite, 61.0, (5, 5, 15, 50, 0.01, 150)),
        (script, 0.0, (5, 5, 15, 50, 5, 50)),
        (calls, 0.0, (5, 0.6, 1.8, 20, 5, 50)),
        (replace(script, limits=Limits(timeout=0.1)), 0.0, (0.1, 0.1, 1, 20, 0.1, 20)),
    ):
        told = times_of(program, used)
        assert (told.load_cpu, told.step_cpu, told.step_idle, told.step_wall, told.run_cpu, told.run_wall) == (
            pytest.approx(expected)
        )


def test_a_linked_file_makes_room_for_itself_by_the_megabyte() -> None:
    given = Program("x", files={"a": Linked("/a", (2 << 20) - 1, ""), "b": Linked("/b", 1, ""), "c": bytes(5 << 20)})
    wider = with_room(given).limits
    assert (wider.memory_mb, wider.timeout) == (512 + 2 * 6, pytest.approx(5 + 2 * 0.15))
    assert (wider.output_kb, wider.file_mb) == (64, 16)
