"""Projects: what a folder or a ZIP holds, how its files reach the sandbox, and what is refused."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent.checks.splitting import persons_suites
from agent.given.difference import unified
from agent.programs import own_candidate
from agent.session.roles import CodeReply
from agent.source.files import merged_files, names_of, placed
from agent.state import AgentState, Candidate, Task
from agent.task.project import is_project, project_in, project_of, read_project
from agent.task.request import BadInput, check_task
from llm.replies.files import join_files, split_files
from sandbox.types import Program, Sandbox

FILES = {
    "my-shop/src/shop/__init__.py": b"from .cart import total\n",
    "my-shop/src/shop/cart.py": b"from . import tax\n\ndef total(n):\n    return n + tax.of(n)\n",
    "my-shop/src/shop/tax.py": b"def of(n):\n    return open('data/rate.txt').read() and n\n",
    "my-shop/tests/conftest.py": b"import pytest\n\n@pytest.fixture\ndef two():\n    return 2\n",
    "my-shop/tests/test_cart.py": b"from shop import total\n\ndef test_total(two):\n    assert total(two) == 4\n",
    "my-shop/tests/helpers.py": b"x = 1\n",
    "my-shop/data/rate.txt": b"19\n",
    "my-shop/README.md": b"# Shop\n",
    "my-shop/setup.py": b"import setuptools\n",
    "my-shop/.git/config": b"",
    "my-shop/src/shop/__pycache__/cart.pyc": b"",
}


def zipped(path: Path, files: Mapping[str, bytes]) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return str(path)


def test_modules_tests_and_data_are_told_apart() -> None:
    project = project_of(FILES, "shop")
    assert list(split_files(project.code) or {}) == ["src/shop/__init__.py", "src/shop/cart.py", "src/shop/tax.py"]
    assert list(split_files(project.tests or "") or {}) == ["tests/conftest.py", "tests/test_cart.py"]
    assert sorted(project.files) == ["data/rate.txt", "tests/helpers.py"]
    (suite,) = persons_suites(project.tests or "")
    assert (suite.id, [check.name for check in suite.checks]) == ("person:tests/test_cart.py", ["test_total"])
    assert "def two" in suite.header


def test_a_zip_and_a_folder_are_read_alike(tmp_path: Path) -> None:
    for name, data in FILES.items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    archive = zipped(tmp_path / "shop.txt", FILES)
    assert is_project(archive), "whatever it is called"
    assert read_project(archive) == read_project(str(tmp_path / "folder"))


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"../../x.py": b"x = 1"}, "no plain file inside of it"),
        ({"/etc/x.py": b"x = 1"}, "no plain file inside of it"),
        ({"a\\..\\b.py": b"x = 1"}, "no plain file inside of it"),
        ({"a\n# file: b.py": b"x = 1"}, "no plain file inside of it"),
        ({"a.py": b"x = 1", "big.bin": b"0" * (11 * 2**20)}, "more than 10 MB"),
        ({f"{n}.py": b"x = 1" for n in range(301)}, "more than 300 files"),
        ({"test_a.py": b"def test(): pass"}, "no Python module besides tests"),
        ({"a.py": b"\xff\xfe\x00"}, "is not text in UTF-8"),
    ],
)
def test_what_cannot_be_a_project_is_refused_in_one_line(tmp_path: Path, files: Mapping[str, bytes], line: str) -> None:
    with pytest.raises(BadInput, match=line) as refused:
        read_project(zipped(tmp_path / "odd.zip", files))
    assert "\n" not in str(refused.value)


def test_an_archive_that_holds_nothing_is_one(tmp_path: Path) -> None:
    empty = zipped(tmp_path / "a.zip", {})
    assert is_project(empty)
    with pytest.raises(BadInput, match="no Python module besides tests"):
        read_project(empty)


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    whole = Path(zipped(tmp_path / "a.zip", FILES)).read_bytes()
    (tmp_path / "a.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match="is no ZIP that can be read"):
        read_project(str(tmp_path / "a.zip"))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("at", ["content", "directory"])
def test_a_damaged_upload_is_refused(method: int, at: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("a.py", b"x = 1\n" * 50)
    damaged = bytearray(file.getvalue())
    if at == "content":
        damaged[34:44] = (byte ^ 0xFF for byte in damaged[34:44])
    else:
        damaged[-6:-2] = b"\xf0\xff\xff\x7f"  # where the archive says that its directory begins
    with pytest.raises(BadInput, match=r"a\.zip is no ZIP that can be read"):
        project_in(bytes(damaged), "a.zip")


def test_an_upload_without_modules_of_its_own_is_data() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("sales.csv", "__MACOSX/._sales.py", "venv/lib/site.py"):
            archive.writestr(name, "a")
    assert project_in(file.getvalue(), "sales.zip") is None


def test_a_zip_whose_names_cannot_be_read_is_no_project() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("\u00e9.py", b"x = 1\n")
    assert project_in(made.getvalue().replace("\u00e9".encode(), b"\xff\xfe"), "a.zip") is None


def test_names_that_begin_at_the_current_folder_are_read(tmp_path: Path) -> None:
    project = read_project(zipped(tmp_path / "a.zip", {"./a.py": b"x = 1\n", "./test_a.py": b"def test(): pass\n"}))
    assert list(split_files(project.tests or "") or {}) == ["test_a.py"]


@pytest.mark.parametrize(
    ("task", "line"),
    [
        (Task("Sum it up", files={"a.csv": b""}), "a.csv is empty: there is no data"),
        (Task("Fix it", code=" \n"), "the code is empty"),
    ],
)
def test_what_holds_nothing_is_refused_before_anybody_is_asked(task: Task, line: str) -> None:
    with pytest.raises(BadInput, match=line):
        check_task(task)


def test_a_reply_changes_the_files_that_it_names() -> None:
    whole = join_files({"src/shop/a.py": "x = 1\n", "src/shop/b.py": "y = 1\n"})
    assert split_files(merged_files(whole, "# file: shop/a.py\nx = 2\n") or "") == {
        "src/shop/a.py": "x = 2\n",
        "src/shop/b.py": "y = 1\n",
    }
    assert merged_files(whole, "x = 2\n") is None
    assert merged_files("x = 1\n", "# file: a.py\nx = 2\n") is None


def test_a_difference_names_its_file() -> None:
    before, after = join_files({"a.py": "x = 1\n", "b.py": "y\n"}), join_files({"a.py": "x = 2\n", "b.py": "y\n"})
    assert unified(before, after, "c1", "c2").splitlines()[:2] == ["--- c1/a.py", "+++ c2/a.py"]


def test_modules_are_imported_from_where_python_finds_them() -> None:
    assert names_of(["src/shop/cart.py", "src/shop/__init__.py", "main.py", "shop/__main__.py", "a.csv"]) == [
        "shop", "main", "shop.cart",
    ]  # fmt: skip
    alone = Program(solution="x = 1\n")
    assert placed(alone) is alone


@pytest.mark.asyncio(loop_scope="session")
async def test_the_sandbox_imports_each_by_its_name_and_all_by_solution(sandbox: Sandbox) -> None:
    project = project_of(FILES, "shop")
    check = "def test_it():\n    assert total(2) == 4 == 2 + shop.tax.of(2)\n"
    tests = f"import shop.tax\nfrom solution import total\n\n{check}"
    ran = await sandbox.run(placed(Program(solution=project.code, tests=tests, files=project.files)))
    assert (ran.status, ran.confirmed) == ("pass", True), ran.error
    called = placed(
        Program(solution=project.code, calls=("shop.total(1)", "of(3)"), files=project.files, mode="inprocess")
    )
    assert [output.text for output in (await sandbox.run(called)).outputs] == ["2", "3"]
    program = join_files(
        {
            "util.py": "def f():\n    return 3\n",
            "main.py": "from util import f\n\nif __name__ == '__main__':\n    print(f())\n",
        }
    )
    assert (await sandbox.run(placed(Program(solution=program)))).stdout == "3\n"


def test_a_pipe_is_not_looked_into_before_it_is_read() -> None:
    read, write = os.pipe()
    os.write(write, b"def f(x):\n    return x\n")
    assert not is_project(f"/dev/fd/{read}")
    assert os.read(read, 100).startswith(b"def f")
    os.close(read)
    os.close(write)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_check_may_call_by_the_path_and_a_function_named_like_its_package_stays_one(sandbox: Sandbox) -> None:
    code = join_files({"area/__init__.py": "", "area/circle.py": "def area(r):\n    return 3 * r * r\n"})
    tests = "def test_path():\n    assert box.size.of(2) == 4\n\ndef test_name():\n    assert area(1) == 3\n"
    more = join_files({"box/__init__.py": "from . import size\n", "box/size.py": "def of(n):\n    return n * n\n"})
    ran = await sandbox.run(placed(Program(solution=f"{code}\n{more}", tests=tests)))
    assert [check.status for check in ran.checks] == ["pass", "pass"]


def test_definitions_without_the_name_of_their_file_go_where_they_stand() -> None:
    whole = join_files({"a.py": "def f():\n    return 1\n", "b.py": "def g():\n    return 2\n"})
    told = split_files(merged_files(whole, "import math\n\ndef g():\n    return math.pi\n") or "")
    assert told == {"a.py": "def f():\n    return 1\n", "b.py": "import math\ndef g():\n    return math.pi\n"}


def test_an_extension_of_a_project_keeps_the_files_that_its_author_does_not_show() -> None:
    whole = join_files({"a.py": "from b import g\n\ndef f():\n    return g()\n", "b.py": "def g():\n    return 2\n"})
    given = Candidate("c1", whole, "given", None, "c1")
    before = AgentState(task=Task("Let f double it.", code=whole), candidates=[given])
    reply = CodeReply("# file: a.py\nfrom b import g\n\ndef f():\n    return 2 * g()\n")
    written = own_candidate(before, reply, given, strategy="extend")
    assert split_files(written.code) == {
        "a.py": "from b import g\n\ndef f():\n    return 2 * g()\n",
        "b.py": "def g():\n    return 2\n",
    }
