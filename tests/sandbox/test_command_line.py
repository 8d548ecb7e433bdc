"""`python -m sandbox run|batch|doctor`: exit codes, one JSON object on stdout, records in order."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.__main__ import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SHAPE = {
    "status", "confirmed", "checks", "exit_code", "stdout", "stderr", "truncated", "duration_ms", "cpu_ms", "peak_mb",
    "signal", "artifacts", "level", "isolation",
}  # fmt: skip
ADD = "def add(a, b):\n    return a + b\n"
TESTS = "from solution import add as same\ndef test_add():\n    assert add(1, 2) == same(2, 1) == 3\n"


def sandbox(*arguments: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sandbox", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, input=given, capture_output=True, text=True, timeout=60, check=False)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def one_object(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    lines = done.stdout.splitlines()
    assert len(lines) == 1, done
    return json.loads(lines[0])


def test_a_passing_suite_exits_0_and_tells_everything(tmp_path: Path) -> None:
    solution, tests = write(tmp_path / "s.py", ADD), write(tmp_path / "t.py", TESTS)
    done = sandbox("run", solution, "--tests", tests, "--json")
    record = one_object(done)
    assert done.returncode == 0
    assert record.keys() >= SHAPE
    assert (record["status"], record["confirmed"]) == ("pass", True)
    assert record["checks"] == [{"name": "test_add", "status": "pass", "message": ""}]
    assert set(record["isolation"]) == {"network", "files", "memory", "disk", "processes", "environment"}


def test_a_failing_suite_exits_1(tmp_path: Path) -> None:
    solution = write(tmp_path / "s.py", ADD.replace("+", "-"))
    done = sandbox("run", solution, "--tests", write(tmp_path / "t.py", TESTS), "--json")
    assert (done.returncode, one_object(done)["status"]) == (1, "fail")
    plain = sandbox("run", solution, "--tests", tmp_path / "t.py")
    assert plain.returncode == 1
    assert "fail  test_add" in plain.stdout
    assert "isolation:" in plain.stdout


def test_a_script_with_data_arguments_input_and_artifacts(tmp_path: Path) -> None:
    script = "import sys\nprint(sys.argv[1:], input())\nopen('out.txt', 'w').write(open('d.csv').read().upper())\n"
    out = tmp_path / "out"
    done = sandbox(
        "run", write(tmp_path / "s.py", script), "--file", write(tmp_path / "data" / "d.csv", "a,b"), "--argv", "x",
        "--argv=-y", "--stdin", write(tmp_path / "in.txt", "typed\n"), "--out", out, "--json",
    )  # fmt: skip
    record = one_object(done)
    assert (done.returncode, record["status"], record["stdout"]) == (0, "ok", "['x', '-y'] typed\n")
    assert record["artifacts"] == [{"name": "out.txt", "bytes": 3, "mime": "text/plain"}]
    assert (out / "out.txt").read_text() == "A,B"


def test_a_package_directory_is_a_solution(tmp_path: Path) -> None:
    write(tmp_path / "shop" / "__init__.py", "from .cart import total\n")
    write(tmp_path / "shop" / "cart.py", "def total(p):\n    return sum(p)\n")
    tests = write(tmp_path / "t.py", "from shop import total\ndef test_total():\n    assert total([1, 2]) == 3\n")
    done = sandbox("run", tmp_path / "shop", "--tests", tests, "--json")
    assert (done.returncode, one_object(done)["status"]) == (0, "pass")


def test_the_data_of_a_package_lies_beside_its_modules(tmp_path: Path) -> None:
    write(tmp_path / "shop" / "__init__.py", "from .deep.prices import read\n")
    write(
        tmp_path / "shop" / "deep" / "prices.py",
        "from pathlib import Path\n\ndef read():\n    return (Path(__file__).parents[1] / 'data/p.csv').read_text()\n",
    )
    write(tmp_path / "shop" / "data" / "p.csv", "1,2")
    (tmp_path / "shop" / "data" / "image.png").write_bytes(b"\x89PNG\xff")
    write(tmp_path / "shop" / ".git" / "config", "hidden")
    write(tmp_path / "shop" / "__pycache__" / "x.pyc", "stale")
    seen = "sorted(str(p) for p in Path().rglob('*') if p.is_file() and p.suffix != '.py')"
    tests = write(
        tmp_path / "t.py",
        f"import shop\nfrom pathlib import Path\n\ndef test_data():\n    assert shop.read() == '1,2'\n"
        f"    assert {seen} == ['shop/data/image.png', 'shop/data/p.csv']\n",
    )
    record = one_object(sandbox("run", tmp_path / "shop", "--tests", tests, "--mode", "inprocess", "--json"))
    assert (record["status"], record["artifacts"]) == ("pass", []), record["checks"]


def test_limits_are_kept(tmp_path: Path) -> None:
    endless = write(tmp_path / "s.py", "while True:\n    print('x' * 1000)\n")
    done = sandbox("run", endless, "--timeout", "0.3", "--output-kb", "2", "--json")
    record = one_object(done)
    assert (done.returncode, record["status"], record["truncated"]) == (1, "timeout", True)
    assert len(record["stdout"]) == 2048


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["run"],
        ["run", "{tmp}/none.py"],
        ["run", "{tmp}"],
        ["run", "{tmp}/empty.py"],
        ["run", "{tmp}/s.py", "--timeout", "-1"],
        ["run", "{tmp}/s.py", "--mode", "other"],
        ["run", "{tmp}/s.py", "--min-level", "other"],
        ["run", "{tmp}/s.py", "--file", "{tmp}/none"],
        ["run", "{tmp}/binary.py"],
        ["run", ""],
        ["run", "{tmp}/s.py", "--timeout", "nan"],
        ["run", "{tmp}/s.py", "--timeout", "soon"],
        ["run", "{tmp}/s.py", "--memory-mb", "1e9"],
        ["run", "{tmp}/s.py", "--file", ""],
        ["run", "{tmp}/s.py", "--file", "{tmp}"],
        ["run", "{tmp}/s.py", "--file", "{tmp}/d.csv", "--file", "{tmp}/d.csv"],
        ["run", "{tmp}/s.py", "--file", "{tmp}/d.csv", "--file", "{tmp}/other/d.csv"],
        ["run", "{tmp}/s.py", "--file", "{tmp}/\udcff.csv"],
        ["run", "{tmp}/s.py", "--file", "{tmp}/huge"],
        ["run", "{tmp}/s.py", "--file", "{tmp}/half1", "--file", "{tmp}/half2"],
        ["run", "{tmp}/huge"],
        ["run", "{tmp}/s.py", "--tests", "{tmp}/huge"],
        ["run", "{tmp}/s.py", "--stdin", "{tmp}/huge"],
        ["run", "{tmp}/s.py", "--stdin", "{tmp}/binary.py"],
        ["run", "{tmp}/s.py", "--out", "{tmp}/d.csv"],
        ["run", "-", "--stdin", "-"],
        ["run", "{tmp}/no-name"],
        ["run", "{tmp}/other"],
        ["run", "{tmp}/shop"],
        ["batch", "{tmp}/none.jsonl"],
        ["batch", "{tmp}"],
        ["batch", "{tmp}/s.py", "--workers", "0"],
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "s.py", "print(1)\n")
    write(tmp_path / "empty.py", "")
    write(tmp_path / "d.csv", "a,b")
    write(tmp_path / "other" / "d.csv", "a,b")
    write(tmp_path / "no-name" / "m.py", "x = 1\n")
    write(tmp_path / "shop" / "__init__.py", "x = 1\n")
    write(tmp_path / "\udcff.csv", "a,b")
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe\x00")
    for name, size in (("huge", 10**8), ("half1", 4 * 10**7), ("half2", 4 * 10**7), ("shop/data", 10**8)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    assert main([argument.replace("{tmp}", str(tmp_path)) for argument in arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err


def test_bad_input_of_the_command_itself_exits_2() -> None:
    done = sandbox("run", "/none.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_an_artifact_that_cannot_be_saved_costs_the_exit_code_and_not_the_answer(tmp_path: Path) -> None:
    (tmp_path / "out" / "a.txt").mkdir(parents=True)
    script = write(tmp_path / "s.py", "open('a.txt', 'w').write('A')\n")
    done = sandbox("run", script, "--out", tmp_path / "out", "--json")
    assert (done.returncode, one_object(done)["status"]) == (2, "ok")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("source", [b"\xef\xbb\xbfprint('\xc3\xa9')\r\n", b"# coding: latin-1\nprint('\xe9')\n"])
def test_a_source_is_decoded_as_python_would(tmp_path: Path, source: bytes) -> None:
    (tmp_path / "s.py").write_bytes(source)
    assert one_object(sandbox("run", tmp_path / "s.py", "--json"))["stdout"] == "é\n"


def test_a_solution_and_its_input_come_from_stdin(tmp_path: Path) -> None:
    assert one_object(sandbox("run", "-", "--json", given="print(1)\n"))["stdout"] == "1\n"
    script = write(tmp_path / "s.py", "print(input().upper())\n")
    assert one_object(sandbox("run", script, "--stdin", "-", "--json", given="typed\n"))["stdout"] == "TYPED\n"
    closed = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "sandbox", "run", str(script), "--stdin", "-"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (closed.returncode, closed.stderr) == (2, "sandbox: standard input is closed\n")


def test_a_level_out_of_reach_exits_3_with_one_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "container")
    done = sandbox("run", write(tmp_path / "s.py", "print(1)\n"), "--json")
    assert done.returncode == 3
    assert one_object(done)["status"] == "broken"
    assert "container" in done.stderr


WINDOWS = """
import os, runpy, signal, sys
for name in ("resource", "fcntl"): sys.modules[name] = None
del os.fork, os.O_DIRECTORY, os.O_NOFOLLOW, signal.pthread_sigmask, signal.SIGHUP, signal.SIGKILL
runpy.run_module("sandbox", run_name="__main__")
"""


def test_a_system_that_cannot_fork_is_told_so_in_one_line() -> None:
    words = [sys.executable, "-c", WINDOWS, "run", "-", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1), done
    assert "use WSL" in done.stderr
    assert json.loads(done.stdout)["status"] == "broken"


def test_a_batch_answers_every_line_in_order(tmp_path: Path) -> None:
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    read = "print(open('a.txt').read(), len(open('b.png', 'rb').read()))"
    lines: list[dict[str, Any]] = [
        {"id": "slow", "solution": "import time\ntime.sleep(0.4)\nprint('late')"},
        {"id": 2, "solution": ADD, "tests": TESTS, "mode": "split"},
        {"id": None, "solution": ADD, "tests": TESTS.replace("== 3", "== 4"), "mode": "inprocess"},
        {"id": "files", "solution": read, "files": {"a.txt": "hi", "b.png": png}},
        {"id": "limit", "solution": "while True: pass", "timeout": 0.2},
        {"id": "bad", "solution": ""},
        {"id": "odd", "nonsense": 1},
        {"id": "calls", "calls": 5},
        {"id": "names", "solution": "print(1)", "files": [1]},
        {"id": "surrogate", "solution": "print(1)", "files": {"\ud800": "a"}},
    ]  # fmt: skip
    text = "\n".join(map(json.dumps, lines)).encode() + b"\nnot json\n\xff\xfe\n\n" + b"[" * 100_000 + b"\n"
    (tmp_path / "lines.jsonl").write_bytes(text + b'{"id": "last", "solution": "print(1)"}')
    done = sandbox("batch", tmp_path / "lines.jsonl", "--workers", "2")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["id"] for record in records] == [
        "slow", 2, None, "files", "limit", "bad", "odd", "calls", "names", "surrogate", None, None, None, "last",
    ]  # fmt: skip
    assert [record["status"] for record in records] == [
        "ok", "pass", "fail", "ok", "timeout", *["broken"] * 8, "ok",
    ]  # fmt: skip
    assert records[1]["confirmed"]
    assert records[3]["stdout"] == "hi 8\n"
    assert done.returncode == 1


def test_a_batch_comes_from_stdin(tmp_path: Path) -> None:
    done = sandbox("batch", "-", given=json.dumps({"id": 1, "solution": "print(1)"}) + "\n")
    assert (done.returncode, one_object(done)["stdout"]) == (0, "1\n")


def test_every_line_is_told_that_there_is_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    lines = "\n".join(json.dumps({"id": number, "solution": "print(1)"}) for number in (1, 2))
    done = sandbox("batch", "-", "--min-level", "container", given=lines)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(record["id"], record["status"]) for record in records] == [(1, "broken"), (2, "broken")]
    assert (done.returncode, "container" in done.stderr) == (3, True)


def test_the_doctor_tells_what_was_tried() -> None:
    record = one_object(sandbox("doctor", "--json"))
    assert record["level"] in ("container", "namespaces", "walled", "filtered", "limits")
    assert {act.partition(":")[0] for act in record["probes"]} == {
        "network", "files", "memory", "disk", "processes", "environment",
    }  # fmt: skip
    text = sandbox("doctor").stdout
    assert "processes: fork" in text
    assert "backend docker" in text
    assert "" in record["backends"].values()


def test_only_a_batch_waits_for_what_checks_its_lines() -> None:
    code = "import sys, sandbox.__main__; print({'pydantic', 'jsonschema'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
