"""What a program writes stays in its run folder, and the folder is gone after the run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from glob import glob
from pathlib import Path

import pytest

from sandbox import Limits, LocalSandbox, Program
from sandbox.cleanup import remove_folders
from sandbox.worker.folders import is_empty
from sandbox.worker.libc import aside
from tests.sandbox.conftest import Walled, until

pytestmark = pytest.mark.asyncio(loop_scope="session")

TRY = "def attempt(act):\n    try:\n        act()\n    except OSError:\n        print('refused')\n"
CHANGES = {
    "write": "attempt(lambda: open(path, 'w').write('x'))",
    "append": "attempt(lambda: open(path, 'a').write('x'))",
    "truncate": "attempt(lambda: os.truncate(path, 0))",
    "chmod": "attempt(lambda: os.chmod(path, 0o600))",
    "utime": "attempt(lambda: os.utime(path, (0, 0)))",
    "chown": "attempt(lambda: os.chown(path, 1, 1))",
    "extended attribute": "attempt(lambda: os.setxattr(path, 'user.x', b'1'))",
    "rename": "attempt(lambda: os.rename(path, path + '2'))",
    "delete": "attempt(lambda: os.unlink(path))",
    "hard link": "attempt(lambda: os.link(path, 'link')); attempt(lambda: open('link', 'a').write('x'))",
    "symbolic link": "attempt(lambda: os.symlink(path, 'link')); attempt(lambda: open('link', 'a').write('x'))",
    "new neighbour": "attempt(lambda: open(os.path.dirname(path) + '/new', 'w'))",
    "by the C library": "libc = ctypes.CDLL(None); libc.chmod(path.encode(), 0o600); libc.unlink(path.encode())",
}


def content(path: Path) -> str:
    return path.read_text()


@pytest.mark.parametrize("way", CHANGES)
async def test_a_file_outside_stays_as_it_was(walled: Walled, canary: Path, way: str) -> None:
    before = os.stat(canary)
    done = await walled.script(f"import ctypes, os\npath = {str(canary)!r}\n{TRY}{CHANGES[way]}\n")
    after = os.stat(canary)
    assert done.status in ("ok", "error", "blocked")
    assert content(canary) == "canary-5a1f"
    assert (after.st_mode, after.st_mtime_ns, after.st_nlink, after.st_uid) == (
        before.st_mode, before.st_mtime_ns, before.st_nlink, before.st_uid,
    )  # fmt: skip
    assert os.listdir(canary.parent) == [canary.name]
    assert os.listxattr(canary) == []


WATCH = (
    "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    "for start in (libc.inotify_init, lambda: libc.inotify_init1(0x800), lambda: libc.fanotify_init(0x200, 0)):\n"
    "    watch = start()\n    print('OPEN' if watch >= 0 else 'refused')\n"
    "    libc.inotify_add_watch(watch, {folder!r}.encode(), 0xfff)\n"
)


async def test_the_names_of_new_files_outside_are_not_told(walled: Walled, canary: Path) -> None:
    done = await walled.script(WATCH.replace("{folder!r}", repr(str(canary.parent))))
    assert done.stdout.split() == ["refused"] * 3, done


async def test_an_attribute_outside_is_neither_read_nor_listed(walled: Walled, canary: Path) -> None:
    try:
        os.setxattr(canary, "user.note", b"private-note")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    done = await walled.script(
        f"import os\npath = {str(canary)!r}\n{TRY}"
        "attempt(lambda: print(os.listxattr(path)))\nattempt(lambda: print(os.getxattr(path, 'user.note')))\n"
        "open('a', 'w').close()\nimport shutil\nprint(shutil.copy2('a', 'b'))\n"
    )
    assert done.stdout.split() == ["refused", "refused", "b"], done


@pytest.mark.parametrize("way", ["symlink", "hard link", "named pipe", "device"])
async def test_artifacts_are_regular_files_of_the_run_itself(walled: Walled, canary: Path, way: str) -> None:
    ways = {
        "symlink": f"os.symlink({str(canary)!r}, 'out.txt')",
        "hard link": f"os.link({str(canary)!r}, 'out.txt')",
        "named pipe": "os.mkfifo('out.txt')",
        "device": "os.mknod('out.txt', 0o600 | 0o020000, 0x103)",
    }
    done = await walled.script(
        f"import os\nopen('good.txt', 'w').write('fine')\ntry:\n    {ways[way]}\nexcept OSError:\n    pass\n"
    )
    assert [artifact.name for artifact in done.artifacts] == ["good.txt"], done
    assert "canary-5a1f" not in repr(done)


@pytest.mark.parametrize(
    "leave",
    [
        "open('left', 'w').write('x')",
        "os.makedirs('a/b/c'); open('a/b/c/d', 'w')",
        "os.mkdir('locked', 0)",
        "os.mkdir('locked'); open('locked/x', 'w'); os.chmod('locked', 0)",
        "import tempfile; open(os.path.join(tempfile.gettempdir(), 'left'), 'w')",
        "open(b'\\xff\\xfe bad name', 'w')",
        "[open(f'f{i}', 'w').close() for i in range(3000)]",
        "[os.makedirs(n + '/' + m) for n in ('\\x7fmoved1', '-rf', 'a\\nb', ' ') for m in ('\\x7fmoved2', '*', '-i')]",
        "os.makedirs(b'\\xff\\xfe/\\xfd'); open(b'\\xff\\xfe/\\xfd/\\xfc', 'w')",
        "os.mkdir('hidden', 0o300); open('hidden/x', 'w'); os.mkdir('hidden/inner', 0o300)",
        "os.mkdir('sealed', 0o100); os.symlink('/', 'root'); os.makedirs('a'); os.symlink('/usr', 'a/usr')",
        "[os.makedirs(f'd{i}/e') for i in range(1200)]",
    ],
)
async def test_nothing_of_a_run_is_found_by_the_next(walled: Walled, leave: str) -> None:
    first = await walled.script(f"import os\n{leave}\n", seconds=30)
    assert first.status == "ok", first
    for _ in range(2):
        after = await walled.script("import os, tempfile\nprint(os.listdir('.'), os.listdir(tempfile.gettempdir()))\n")
        assert after.stdout == "[] []\n"


@pytest.mark.slow
async def test_nothing_of_a_program_that_a_test_ran_is_found_by_the_next(walled: Walled) -> None:
    """The first program is killed with its check, amid its run; what it left must be gone for the later ones."""
    leave = "import os\nos.makedirs('d/e')\nopen('secret.txt', 'w').write('x')\nwhile True:\n    pass\n"
    look = "import os, tempfile\nprint(os.listdir('.'), os.listdir(tempfile.gettempdir()))\n"
    tests = "def test_it():\n    assert run_program().stdout == '[] []\\n'\n"
    limits = Limits(timeout=0.5)
    for _ in range(3):
        first = await walled.sandbox.run(Program(solution=leave, tests=tests, mode="inprocess", limits=limits))
        assert first.status == "timeout", first
        after = await walled.sandbox.run(Program(solution=look, tests=tests, mode="inprocess"))
        assert after.status == "pass", after


@pytest.mark.parametrize("name", [".x", "..", "...", "..x", ".\n", "a", "-", "\udcff", "n" * 255])
async def test_a_folder_with_one_entry_is_not_empty(tmp_path: Path, name: str) -> None:
    assert is_empty(str(tmp_path))
    for make in (lambda path: os.close(os.open(path, os.O_CREAT)), os.mkdir, lambda path: os.symlink("/", path)):
        path = tmp_path / "folder"
        path.mkdir()
        if name != "..":
            make(path / name)
        assert is_empty(str(path)) == (name == "..")
        remove_folders(str(path))


async def test_what_is_asked_aside_answers_or_fails() -> None:
    assert (aside(lambda: True), aside(lambda: False)) == (True, False)
    with pytest.raises(OSError, match="failed"):
        aside(lambda: os._exit(7))


DEEP = "import os\nfor _ in range(3000):\n    os.mkdir('\\x7fmoved1')\n    os.chdir('\\x7fmoved1')\nprint('made')\n"


@pytest.mark.slow
async def test_a_tree_of_3000_levels_is_removed(walled: Walled) -> None:
    assert (await walled.script(DEEP, seconds=30)).stdout == "made\n"
    after = await walled.script("import os\nprint(os.listdir('.'))\n")
    assert after.stdout == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["bubblewrap", "walled"])
@pytest.mark.parametrize("leave", [DEEP, "import os\nos.mkdir('hidden', 0o300)\nopen('hidden/x', 'w')\n"])
async def test_closing_removes_what_a_killed_worker_could_not(backend: str, leave: str) -> None:
    sandbox = LocalSandbox(1, backends=(backend,))
    running = asyncio.ensure_future(
        sandbox.run(Program(solution=f"{leave}import time\ntime.sleep(60)\n", limits=Limits(timeout=90)))
    )
    await sandbox.describe()
    home = sandbox.home
    assert home is not None
    if backend == "walled":
        await until(lambda: any(os.listdir(path) for path in glob(f"{home}/w*/main/run")))
    for pid in sandbox.worker_pids():
        os.kill(pid, signal.SIGSTOP)
    await sandbox.aclose()
    with contextlib.suppress(asyncio.CancelledError):
        running.cancel()
        await running
    assert not os.path.exists(home)  # noqa: ASYNC240


async def test_what_programs_left_is_removed_without_a_word(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "left", tmp_path / "elsewhere"
    (folder / "hidden" / "inner").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("x")
    elsewhere.chmod(0o500)
    (folder / "link").symlink_to(elsewhere)
    (folder / "hidden").chmod(0o100)
    remove_folders(str(folder), str(tmp_path / "nothing"), str(elsewhere / "kept"))
    left = os.listdir(tmp_path)
    assert (left, content(elsewhere / "kept")) == (["elsewhere"], "x")
    assert os.stat(elsewhere).st_mode & 0o777 == 0o500


async def test_a_file_beyond_the_limit_is_refused(walled: Walled) -> None:
    done = await walled.script(
        "f = open('big', 'wb')\nfor _ in range(40):\n    f.write(b'x' * (1 << 20))\n    f.flush()\n"
    )
    assert done.status in ("error", "crash")
    assert done.artifacts == ()


@pytest.mark.slow
async def test_very_many_files_end_the_run(walled: Walled) -> None:
    done = await walled.script("for i in range(10 ** 6):\n    open(f'f{i}', 'w').close()\n")
    assert done.status in ("error", "timeout"), done
    await walled.still_right()


async def test_shared_memory_is_out_of_reach(walled: Walled) -> None:
    before = set(os.listdir("/dev/shm"))
    done = await walled.script(
        "from multiprocessing import shared_memory\nshared_memory.SharedMemory(create=True, size=1000)\n"
    )
    assert done.status in ("blocked", "error")
    assert set(os.listdir("/dev/shm")) == before
