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

ROOT = Path(__file__).resolve().parents[2]
SHAPE = {
    "status", "confirmed", "checks", "exit_code", "stdout", "stderr", "truncated", "duration_ms", "peak_mb", "signal",
    "artifacts", "level", "isolation",
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
        ["batch", "{tmp}/none.jsonl"],
        ["batch", "{tmp}/s.py", "--workers", "0"],
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "s.py", "print(1)\n")
    write(tmp_path / "empty.py", "")
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SystemExit) as ended:
        main([argument.replace("{tmp}", str(tmp_path)) for argument in arguments])
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert said.out == ""
    assert said.err


def test_bad_input_of_the_command_itself_exits_2() -> None:
    done = sandbox("run", "/none.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_a_level_out_of_reach_exits_3_with_one_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "container")
    done = sandbox("run", write(tmp_path / "s.py", "print(1)\n"), "--json")
    assert done.returncode == 3
    assert one_object(done)["status"] == "broken"
    assert "container" in done.stderr


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
    ]  # fmt: skip
    text = "\n".join(map(json.dumps, lines)) + "\nnot json\n"
    done = sandbox("batch", write(tmp_path / "lines.jsonl", text), "--workers", "2")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["id"] for record in records] == ["slow", 2, None, "files", "limit", "bad", "odd", None]
    assert [record["status"] for record in records] == [
        "ok", "pass", "fail", "ok", "timeout", "broken", "broken", "broken",
    ]  # fmt: skip
    assert records[1]["confirmed"]
    assert records[3]["stdout"] == "hi 8\n"
    assert done.returncode == 1


def test_a_batch_comes_from_stdin(tmp_path: Path) -> None:
    done = sandbox("batch", "-", given=json.dumps({"id": 1, "solution": "print(1)"}) + "\n")
    assert (done.returncode, one_object(done)["stdout"]) == (0, "1\n")


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
