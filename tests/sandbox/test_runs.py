"""Scripts, calls, files in and out, coverage, statuses, and what cannot be run."""

from __future__ import annotations

import pytest

from sandbox import Limits, LocalSandbox, Mode, Program

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_script_gets_arguments_and_input_and_gives_output_and_its_exit_code(sandbox: LocalSandbox) -> None:
    source = "import sys\nprint(sys.argv[1:], input(), sys.stdin.read())\nprint('oh', file=sys.stderr)\nsys.exit(7)\n"
    done = await sandbox.run(Program(solution=source, argv=("-a", "b c"), stdin="one\ntwo\nünd"))
    assert (done.status, done.exit_code, done.stderr) == ("error", 7, "oh\n")
    assert done.stdout == "['-a', 'b c'] one two\nünd\n"


@pytest.mark.parametrize(
    ("source", "status", "code"),
    [
        ("print(1)", "ok", 0),
        ("raise SystemExit", "ok", 0),
        ("raise SystemExit('bad')", "error", 1),
        ("1 / 0", "error", 1),
        ("import os\nos._exit(0)", "ok", 0),
        ("import os\nos._exit(9)", "error", 9),
        ("def f(:\n", "error", 1),
        ("x = 'a' * (1 << 40)", "memory", 1),
        ("open('/etc/shadow')", "blocked", 1),
    ],
)
async def test_a_script_ends_with_the_right_status(source: str, status: str, code: int) -> None:
    sandbox = LocalSandbox(1, backends=("walled",))
    try:
        done = await sandbox.run(Program(solution=source))
    finally:
        await sandbox.aclose()
    assert (done.status, done.exit_code) == (status, code), done
    assert (done.error == "") == (status == "ok")


async def test_calls_give_canonical_outputs_and_each_has_its_own_time(sandbox: LocalSandbox) -> None:
    source = "import time\ndef f(x):\n    if x == 'slow':\n        time.sleep(9)\n    return {x: {3, 1, 2}}\n"
    calls = ("f('b')", "f('slow')", "f()", "f(2.5)", "object()", "[outcome_of(lambda: f()), outcome_of(lambda: 2)]")
    done = await sandbox.run(Program(solution=source, calls=calls, call_timeout=0.2))
    assert done.status == "ok", done
    assert [(out.kind, out.text) for out in done.outputs] == [
        ("value", "{'b': {1, 2, 3}}"),
        ("timeout", ""),
        ("exception", "TypeError"),
        ("value", "{2.5: {1, 2, 3}}"),
        ("opaque", done.outputs[4].text),
        ("value", "['raises TypeError', 2]"),
    ]


async def test_data_files_go_in_and_only_new_or_changed_files_come_out(sandbox: LocalSandbox) -> None:
    source = (
        "import os\nassert open('in/data.csv', 'rb').read() == b'a,b\\n1,\\xff\\n'\n"
        "open('changed.txt', 'a').write('more')\nos.makedirs('deep/er')\nopen('deep/er/out.json', 'w').write('[1]')\n"
    )
    files = {"in/data.csv": b"a,b\n1,\xff\n", "changed.txt": b"some", "same.txt": b"same"}
    done = await sandbox.run(Program(solution=source, files=files))
    assert done.status == "ok", done
    assert [(item.name, item.data) for item in done.artifacts] == [
        ("changed.txt", b"somemore"),
        ("deep/er/out.json", b"[1]"),
    ]


async def test_a_program_finds_nothing_of_what_its_worker_has_rehearsed(sandbox: LocalSandbox) -> None:
    source = (
        "import linecache, os, sys\nfinders = [type(one).__name__ for one in sys.meta_path]\n"
        "print([one for one in sys.modules if 'solution' in one], [*map(os.path.basename, linecache.cache)])\n"
        "print(finders.count('Sources'), sys.path.count(os.getcwd()))\n"
    )
    done = await sandbox.run(Program(solution=source))
    assert (done.status, done.stdout) == ("ok", "['@child.proxy.solution_side'] ['solution.py']\n1 1\n"), done


async def test_what_few_programs_use_is_not_mapped_by_every_fork(sandbox: LocalSandbox) -> None:
    source = "import sys\nprint({'tempfile', 'random', 'lzma', 'zlib', 'importlib.resources'} & set(sys.modules))\n"
    done = await sandbox.run(Program(solution=source))
    assert (done.status, done.stdout) == ("ok", "set()\n"), done


async def test_a_process_knows_its_threads_though_nothing_was_told_of_the_fork(sandbox: LocalSandbox) -> None:
    source = (
        "import threading\nassert threading.current_thread() is threading.main_thread()\n"
        "found = []\none = threading.Thread(target=lambda: found.extend(threading.enumerate()))\n"
        "one.start()\none.join()\nprint(one in found, threading.enumerate() == [threading.main_thread()])\n"
    )
    done = await sandbox.run(Program(solution=source))
    assert (done.status, done.stdout) == ("ok", "True True\n"), done


@pytest.mark.parametrize(
    "own",
    [
        "json.encoder.encode_basestring_ascii = json.encoder.encode_basestring",
        "json.JSONEncoder.iterencode = lambda *_, **__: iter('?')",
    ],
)
async def test_a_program_that_changes_how_json_is_written_is_reported_all_the_same(
    sandbox: LocalSandbox, own: str
) -> None:
    source = f"import json\n{own}\ndef f():\n    return 'ö'\n"
    done = await sandbox.run(Program(solution=source, calls=("f()",)))
    assert [(out.kind, out.text) for out in done.outputs] == [("value", "'ö'")], done


@pytest.mark.slow
async def test_a_plot_comes_out_as_an_image(sandbox: LocalSandbox) -> None:
    source = (
        "import matplotlib.pyplot as plt\nimport pandas as pd\n"
        "pd.Series([1, 3, 2]).plot()\nplt.savefig('plot.png')\nplt.savefig('plot.svg')\n"
    )
    done = await sandbox.run(Program(solution=source, limits=Limits(timeout=30)))
    assert [(item.name, item.mime) for item in done.artifacts] == [
        ("plot.png", "image/png"),
        ("plot.svg", "image/svg+xml"),
    ], done


async def test_coverage_counts_lines_and_branches_of_the_solution(sandbox: LocalSandbox) -> None:
    solution = "def f(x):\n    if x > 0:\n        return 1\n    return -1\n"
    done = await sandbox.run(Program(solution=solution, tests="def test_f():\n    assert f(2) == 1\n", coverage=True))
    assert done.coverage is not None, done
    assert (done.coverage.branches, done.coverage.branches_taken, done.coverage.missing) == (2, 1, (4,))


async def test_fail_fast_stops_at_the_first_failure(sandbox: LocalSandbox) -> None:
    tests = "".join(f"def test_{n}():\n    assert one() == {n}\n" for n in (1, 2, 3))
    program = Program(solution="def one():\n    return 1\n", tests=tests, mode="inprocess", fail_fast=True)
    done = await sandbox.run(program)
    assert (done.status, [check.status for check in done.checks]) == ("fail", ["pass", "fail", "not_run"])


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (Program(), "solution or a package"),
        (Program(solution="x", package={"p/a.py": ""}), "solution or a package"),
        (Program(solution="x", tests="", calls=("f()",)), "not with both"),
        (Program(solution="x", files={"../x": b""}), "not a path inside"),
        (Program(solution="x", files={"/x": b""}), "not a path inside"),
        (Program(solution="x", files={"a/../../x": b""}), "not a path inside"),
        (Program(solution="x", files={"": b""}), "not a path inside"),
        (Program(solution="x", files={"a": b"", "a/b": b""}), "same name"),
        (Program(solution="x", files={"a": b"", "./a": b""}), "same name"),
        (Program(solution="x", files={"n" * 300: b""}), "not a path inside"),
        (Program(solution="x", files={"a\udcff": b""}), "not a path inside"),
        (Program(solution="x", files={"a": bytes(193 << 20)}), "takes 192 MB"),
        (Program(solution="x", limits=Limits(timeout=0)), "positive"),
    ],
)
async def test_what_cannot_be_run_is_refused_in_one_line(sandbox: LocalSandbox, program: Program, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        await sandbox.run(program)


async def test_hostile_test_sources_do_not_harm_the_supervisor(sandbox: LocalSandbox) -> None:
    for tests in (
        "(" * 5000,
        "-" * 50_000 + "1",
        "x = " + "[" * 150 + "]" * 150,
        "\0",
        "\ud800",
        "a" * 300_000,
        "if 1:\n" * 200,
    ):
        done = await sandbox.run(Program(solution="x = 1\n", tests=tests, limits=Limits(timeout=5)))
        assert done.status in ("error", "memory", "crash", "timeout"), done
    assert (await sandbox.run(Program(solution="print(1)"))).stdout == "1\n"


TOOL = "import os, sys\nif sys.argv[1] == 'a':\n    print(1)\nelif sys.argv[1] == 'b':\n    print(2)\n"
TOOL += "else:\n    os._exit(3)\n"


@pytest.mark.parametrize(
    ("tests", "missing"),
    [
        ("def test_a():\n    assert run_program(['a']).stdout == '1\\n'\n", (4, 5, 7)),
        ("def test_ab():\n    for word in 'ab':\n        assert run_program([word]).exit_code == 0\n", (7,)),
        ("def test_c():\n    assert run_program(['c']).exit_code == 3\n", None),
    ],
)
async def test_coverage_of_a_program_is_measured_where_it_runs(
    sandbox: LocalSandbox, tests: str, missing: tuple[int, ...] | None
) -> None:
    """United over its runs; unknown, and never 0, where one of them ended without a word."""
    done = await sandbox.run(Program(TOOL, tests=tests, coverage=True))
    assert done.status == "pass", done
    assert (done.coverage and done.coverage.missing) == missing
    if done.coverage is not None:
        assert (done.coverage.lines, done.coverage.lines_run) == (7 - 1, 6 - len(done.coverage.missing))
        assert done.coverage.branches == 4


TAKEN = """
import pytest

def test_a(run_program):
    assert run_program(["a"]).stdout == "1\\n"

@pytest.mark.parametrize("word", ["b"])
def test_b(word, run_program):
    assert run_program([word]).stdout == "2\\n"

class TestC:
    def test_c(self, run_program):
        assert run_program(["c"]).exit_code == 4
"""


@pytest.mark.parametrize("mode", ["split", "auto", "inprocess"])
async def test_a_test_may_take_the_runs_of_the_program_as_an_argument(sandbox: LocalSandbox, mode: Mode) -> None:
    done = await sandbox.run(Program(TOOL, tests=TAKEN, mode=mode))
    assert [check.status for check in done.checks] == ["pass", "pass", "fail"], done
    own = "import pytest\n@pytest.fixture\ndef run_program():\n    return 5\n"
    done = await sandbox.run(Program(TOOL, tests=f"{own}def test_a(run_program):\n    assert run_program == 5\n"))
    assert done.status == "pass", done


HELPED = "import helper\ndef area(n):\n    return helper.square(n)\n"
HELPER = b"class Shape:\n    pass\ndef square(n):\n    return n * n\n"


@pytest.mark.parametrize("mode", ["split", "auto"])
async def test_the_tests_import_a_given_module_as_it_was_given(sandbox: LocalSandbox, mode: Mode) -> None:
    tests = "import helper\nfrom lib.more import two\ndef test_area():\n    assert area(two()) == helper.square(2)\n"
    files = {"helper.py": HELPER, "lib/more.py": b"def two():\n    return 2\n"}
    done = await sandbox.run(Program(HELPED, tests=tests, files=files, mode=mode))
    assert (done.status, done.confirmed) == ("pass", True), done
    shapes = "import helper\ndef area(n):\n    return helper.Shape()\n"
    shaped = "from helper import Shape\ndef test_area():\n    assert isinstance(area(2), Shape)\n"
    done = await sandbox.run(Program(shapes, tests=shaped, files=files, mode=mode))
    assert (done.status, done.confirmed) == ("pass", False), done
    changing = "open('helper.py', 'w').write('def square(n): return 0')\ndef area(n):\n    return 0\n"
    done = await sandbox.run(Program(changing, tests=tests, files=files, mode=mode))
    assert not done.passed, done


async def test_what_is_not_installed_is_told_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.packages._folders", list)
    fresh = LocalSandbox(1)
    try:
        tests = "import pytest\ndef test_a():\n    pytest.fail('no')\n"
        done = await fresh.run(Program("x = 1", tests=tests))
        assert (done.status, done.error.partition(": ")[2]) == ("broken", "pytest, pytest-asyncio, coverage"), done
        assert (await fresh.run(Program("x = 1", tests="assert x == 1\n", mode="inprocess"))).passed
    finally:
        await fresh.aclose()
