"""What a program writes stays in its run folder, and the folder is gone after the run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sandbox.conftest import Walled

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
    ],
)
async def test_nothing_of_a_run_is_found_by_the_next(walled: Walled, leave: str) -> None:
    first = await walled.script(f"import os\n{leave}\n")
    assert first.status == "ok", first
    for _ in range(2):
        after = await walled.script("import os, tempfile\nprint(os.listdir('.'), os.listdir(tempfile.gettempdir()))\n")
        assert after.stdout == "[] []\n"


@pytest.mark.slow
async def test_a_tree_of_3000_levels_is_removed(walled: Walled) -> None:
    deep = "import os\nfor _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\nprint('made')\n"
    assert (await walled.script(deep)).stdout == "made\n"
    await walled.still_right()


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
