"""Packages for one run: from wheels only, read-only, behind the walls."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sandbox import LocalSandbox, Program
from sandbox.environments import Environments

pytestmark = pytest.mark.asyncio(loop_scope="session")


def make_wheel(folder: Path, name: str, source: str) -> None:
    """A wheel with one module."""
    info = f"{name}-1.0.dist-info"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", source)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


async def test_a_missing_package_is_named_by_its_distribution(sandbox: LocalSandbox) -> None:
    for module, distribution in (("cv2", "opencv-python-headless"), ("no_such_thing_x", "no-such-thing-x")):
        done = await sandbox.run(Program(solution=f"import {module}\n", tests="def test_a():\n    assert solution\n"))
        assert (done.status, done.missing_packages) == ("error", (distribution,)), done


async def test_a_missing_module_of_the_program_or_the_library_is_no_package(sandbox: LocalSandbox) -> None:
    for source in ("import json.nothing\n", "import solution.other\n"):
        done = await sandbox.run(Program(solution=source))
        assert (done.status, done.missing_packages) == ("error", ())


async def test_packages_lists_what_can_be_imported(sandbox: LocalSandbox) -> None:
    found = {name.lower() for name in await sandbox.packages()}
    assert {"numpy", "pandas", "matplotlib", "pytest"} <= found


@pytest.mark.slow
async def test_a_package_is_installed_from_its_wheel_and_read_only(tmp_path: Path) -> None:
    make_wheel(
        tmp_path / "wheels",
        "greeting",
        "import os\nWHERE = __file__\nPID = os.getpid()\ndef hello():\n    return 'hi'\n",
    )
    sandbox = LocalSandbox(1, environments=Environments(tmp_path / "environments", wheels=tmp_path / "wheels"))
    source = (
        "import greeting\nprint(greeting.hello())\n"
        "try:\n    open(greeting.WHERE, 'a')\n    print('OPEN')\nexcept OSError:\n    print('refused')\n"
    )
    try:
        without = await sandbox.run(Program(solution=source))
        assert without.missing_packages == ("greeting",)
        for _ in range(2):
            done = await sandbox.run(Program(solution=source, packages=("greeting",)))
            assert done.stdout == "hi\nrefused\n", done
        unknown = await sandbox.run(Program(solution=source, packages=("not-there",)))
        assert unknown.status == "broken"
        assert "not-there" in unknown.error
    finally:
        await sandbox.aclose()


async def test_a_package_cannot_take_the_place_of_an_installed_one(tmp_path: Path) -> None:
    make_wheel(tmp_path / "wheels", "json", "raise SystemExit('foreign code')\n")
    sandbox = LocalSandbox(1, environments=Environments(tmp_path / "environments", wheels=tmp_path / "wheels"))
    try:
        done = await sandbox.run(Program(solution="import json\nprint(json.dumps(1))\n", packages=("json",)))
        assert done.stdout == "1\n", done
    finally:
        await sandbox.aclose()


@pytest.mark.parametrize("name", ["--index-url=http://x", "../x", "x @ http://y", "git+https://z", "", "a b"])
async def test_only_names_of_distributions_are_installed(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="distribution"):
        await Environments(tmp_path).folder_for([name])


async def test_without_a_folder_no_program_may_ask(sandbox: LocalSandbox) -> None:
    with pytest.raises(ValueError, match="without a folder"):
        await sandbox.run(Program(solution="print(1)", packages=("six",)))
