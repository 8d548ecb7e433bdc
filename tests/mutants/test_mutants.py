"""Which changes are drawn, by which tests each is tried, and which lines ran behind the walls; no test of the
product is run here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import LocalSandbox, Program, launch, link
from tests.mutants import trial
from tests.mutants.behind import Behind
from tests.mutants.drawn import Change, changes
from tests.mutants.trial import Ending, Known, tried

CODE = """\
from typing import Literal

Side = Literal["more", "less"]
LEAST = 3


def asked(context, number):
    if number > LEAST:
        context.emit("more")
    return number
"""


@pytest.fixture
def drawn(tmp_path: Path) -> dict[str, Change]:
    (tmp_path / "room").mkdir()
    (tmp_path / "room/box.py").write_text(CODE)
    return {change.words: change for change in changes(tmp_path, ["room"])}


def test_a_slip_and_a_call_left_out_are_drawn(drawn: dict[str, Change]) -> None:
    assert "number >= LEAST" in drawn["line 8: `number > LEAST` became `number >= LEAST`"].code
    assert "emit" not in drawn["line 9: `context.emit('more')` left out"].code


def test_what_only_tools_read_is_not_drawn(drawn: dict[str, Change]) -> None:
    assert not [words for words in drawn if "line 3" in words]


def test_what_a_cache_keeps_is_drawn_as_such(tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text("@lru_cache(3)\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n")
    drawn = changes(tmp_path, ["box.py"])
    assert {change.function: change.kept for change in drawn if change.function} == {"one": True, "two": False}


def test_how_objects_are_stored_is_not_changed_but_whether_they_may_be_is(tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text("@dataclass(frozen=True, slots=True)\nclass Box:\n    number: int = 1\n")
    assert [(change.words, "frozen=False" in change.code) for change in changes(tmp_path, ["box.py"])] == [
        ("line 1: `True` became `False`", True),
        ("line 3: `1` became `2`", False),
        ("line 3: `1` became `0`", False),
    ]


def test_a_change_is_tried_by_the_tests_that_run_its_line_quick_ones_first(drawn: dict[str, Change]) -> None:
    lines = {"room/box.py": {"8": [0, 1, 2], "9": [2]}}
    known = Known(tests=["slow", "quick", "more"], seconds=[9.0, 1.0, 2.0], lines=lines)
    assert known.tests_of(drawn["line 9: `context.emit('more')` left out"], 60) == (["more"], 2.0)
    assert known.tests_of(drawn["line 8: `number > LEAST` became `number >= LEAST`"], 60)[0] == [
        "quick",
        "more",
        "slow",
    ]
    assert known.tests_of(drawn["line 8: `number > LEAST` became `number >= LEAST`"], 5)[0] == ["quick", "more"]
    known.tests[0] = "tests/room/test_box.py::test_it"
    first = known.tests_of(drawn["line 8: `number > LEAST` became `number >= LEAST`"], 5)[0]
    assert first == ["tests/room/test_box.py::test_it"], "tests of the room itself come first"


def test_what_runs_before_every_test_is_tried_by_the_room_and_by_all_that_run_the_file(
    drawn: dict[str, Change],
) -> None:
    tests = ["one", "two", "tests/room/test_box.py::test_it", "other"]
    known = Known(tests=tests, seconds=[1.0] * 4, lines={"room/box.py": {"8": [1], "9": [0]}})
    assert known.tests_of(drawn["line 4: `3` became `4`"], 60)[0] == [tests[2], "one", "two"]
    kept = drawn["line 10: `return number` became `return None`"]
    assert known.tests_of(kept, 60)[0] == [tests[2], "one", "two"], "what a cache has kept is run by no test"
    first = replace(drawn["line 9: `context.emit('more')` left out"], kept=True)
    assert known.tests_of(first, 60)[0] == [tests[2], "one", "two"], "or by the first that asks for it"


def test_what_runs_in_processes_of_its_own_is_tried_by_the_rooms_around_it_nearest_first() -> None:
    tests = [f"tests/{file}::test_it" for file in ("agent/test_a.py", "sandbox/test_b.py", "sandbox/child/x/test_c.py")]
    known = Known(tests=tests, seconds=[1.0] * 3, lines={"sandbox/box.py": {"2": [0]}})
    change = Change("sandbox/child/x/box.py", range(2, 3), "asked", "", "")
    assert known.tests_of(change, 60)[0] == [tests[2], tests[1]]
    assert known.tests_of(replace(change, file="sandbox/box.py"), 60)[0] == [tests[0]]
    more = Known([*tests, "tests/sandbox/test_c.py::test_it"], [1.0] * 4, {change.file: {"2": [3]}})
    assert more.tests_of(change, 60)[0] == [tests[2], more.tests[3], tests[1]], "and earlier if they run the line"


@pytest.mark.slow
async def test_lines_behind_the_walls_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((launch, "_modules"), (link, "first_words")):
        monkeypatch.setattr(module, name, getattr(module, name))  # as it is now, when the test is over
    behind, sandbox = Behind(), LocalSandbox(1)
    try:
        assert (await sandbox.run(Program(solution="print(1)"))).status == "ok"
    finally:
        await sandbox.aclose()
    files = {file for file, _ in behind.taken()}
    assert {"sandbox/child/script.py", "sandbox/worker/runner.py"} <= files
    assert "sandbox/child/calls.py" not in files
    assert behind.taken() == []


def test_recorders_of_several_processes_are_put_together() -> None:
    known = Known()
    known.add({"tests": ["one"], "seconds": [1.0], "lines": {"box.py": {"1": [0]}}})
    known.add({"tests": ["two"], "seconds": [2.0], "lines": {"box.py": {"1": [0]}}})
    assert (known.tests, known.lines) == (["one", "two"], {"box.py": {"1": [0, 1]}})


def test_a_change_that_no_test_runs_is_told_as_such(drawn: dict[str, Change], tmp_path: Path) -> None:
    assert tried(tmp_path, drawn["line 4: `3` became `4`"], Known(), 60) == ("no test", 0.0)


@pytest.mark.parametrize(("unchanged", "ending"), [("survived", "time-out"), ("time-out", "too busy")])
def test_a_change_by_which_tests_hang_is_noticed_unless_they_hang_without_it(
    drawn: dict[str, Change], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unchanged: Ending, ending: Ending
) -> None:
    codes: list[str] = []

    def forked(_tree: Path, change: Change, _tests: list[str], _limit: float) -> Ending:
        codes.append(change.code)
        return "time-out" if change.code != CODE else unchanged

    monkeypatch.setattr(trial, "_forked", forked)
    known = Known(tests=["test_room.py"], seconds=[0.1], lines={"room/box.py": {"8": [0]}})
    change = drawn["line 8: `number > LEAST` became `number >= LEAST`"]
    assert tried(tmp_path, change, known, 60)[0] == ending
    assert codes == [change.code, CODE]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "ending"),
    [
        ("line 10: `return number` became `return None`", "killed"),
        ("line 8: `number > LEAST` became `number >= LEAST`", "survived"),
    ],
)
def test_a_change_is_noticed_or_not_and_the_file_is_as_before(
    drawn: dict[str, Change], tmp_path: Path, words: str, ending: str
) -> None:
    (tmp_path / "test_room.py").write_text(
        "from room.box import asked\n\ndef test_it():\n    assert asked(None, 1) == 1\n"
    )
    known = Known(tests=["test_room.py"], seconds=[0.1], lines={"room/box.py": {"8": [0], "10": [0]}})
    assert tried(tmp_path, drawn[words], known, 60)[0] == ending
    assert (tmp_path / "room/box.py").read_text() == CODE
