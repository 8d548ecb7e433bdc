"""What a run takes of the disk is bounded, whatever way it is taken, and the run after it is right."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandbox import Limits, LocalSandbox, Program
from sandbox.backends import load
from sandbox.cleanup import remove_folders
from sandbox.worker import usage
from tests.sandbox.conftest import Walled

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAMELESS = "f = open('f', 'w+b')\n    os.unlink('f')\n    [f.write(block) for _ in range(15)]\n    f.flush()\n    "
TAKE = {
    "files": "with open(f'f{i}', 'wb') as f:\n        [f.write(block) for _ in range(15)]",
    "deep files": "os.mkdir('d')\n    os.chdir('d')\n    open('f', 'wb').write(block * 15)",
    "room without bytes": "with open(f'f{i}', 'wb') as f:\n        os.posix_fallocate(f.fileno(), 0, 15 << 20)",
    "files that are open only": NAMELESS + "kept.append(f)",
    "files that are mapped only": NAMELESS + "libc.mmap(None, 4096, 1, 1, f.fileno(), 0)\n    f.close()",
    "files in a socket": NAMELESS + "socket.send_fds(pair[0], [b'x'], [f.fileno()])\n    f.close()",
    "written through a map": (
        "with open(f'f{i}', 'w+b') as f:\n        f.truncate(15 << 20)\n"
        "        m = mmap.mmap(f.fileno(), 0)\n        m[:] = block * 15\n        m.close()"
    ),
}
ROUNDS = {"files that are mapped only": 90, "files in a socket": 90}


@pytest.mark.slow
@pytest.mark.parametrize("way", TAKE)
async def test_a_run_that_takes_too_much_room_is_ended(walled: Walled, way: str) -> None:
    done = await walled.script(
        "import ctypes, mmap, os, socket, time\nlibc = ctypes.CDLL(None)\nlibc.mmap.restype = ctypes.c_void_p\n"
        "block, kept, pair = b'x' * (1 << 20), [], socket.socketpair()\n"
        f"for i in range({ROUNDS.get(way, 30)}):\n    {TAKE[way]}\nprint('made')\ntime.sleep(20)\n",
        seconds=30,
    )
    assert (done.status in ("error", "crash"), done.stdout) == (True, ""), done
    await walled.still_right()


@pytest.mark.slow
@pytest.mark.parametrize("where", ["flat", "deep", "unreadable"])
async def test_a_run_that_makes_too_many_files_is_ended(walled: Walled, where: str) -> None:
    goto = {
        "flat": "",
        "deep": "os.makedirs('a/b/c/d/e/f/g/h')\nos.chdir('a/b/c/d/e/f/g/h')\n",
        "unreadable": "os.mkdir('hidden', 0o300)\nos.chdir('hidden')\n",
    }
    done = await walled.script(
        f"import os, time\n{goto[where]}for i in range(25_000):\n    open(f'f{{i}}', 'w').close()\n"
        "print('made')\ntime.sleep(20)\n",
        seconds=30,
    )
    assert done.status == "error", done
    assert "more files" in done.error
    await walled.still_right()


@pytest.mark.slow
async def test_files_in_memory_count_as_memory() -> None:
    if load("bubblewrap").missing():
        pytest.skip("files are in memory inside namespaces only")
    sandbox = LocalSandbox(1, backends=("bubblewrap",))
    files = "for i in range(9):\n    open(f'f{i}', 'wb').write(b'x' * (14 << 20))\n"
    memory = "kept = bytes(range(256)) * (130 << 12)\n"
    limits = Limits(timeout=20, memory_mb=160)
    try:
        for source in (files, memory):
            alone = await sandbox.run(Program(solution=f"import time\n{source}time.sleep(1)\n", limits=limits))
            assert alone.status == "ok", alone
        both = await sandbox.run(Program(solution=f"import time\n{files}{memory}time.sleep(15)\n", limits=limits))
        assert both.status == "error", both
    finally:
        await sandbox.aclose()


async def test_honest_programs_keep_files_without_a_name(walled: Walled) -> None:
    done = await walled.script(
        "import tempfile, time\nkept = [tempfile.TemporaryFile() for _ in range(20)]\n"
        "[f.write(b'x' * 100_000) for f in kept]\ntime.sleep(0.5)\nprint(sum(f.tell() for f in kept))\n"
    )
    assert (done.status, done.stdout) == ("ok", "2000000\n"), done


async def test_a_tree_is_counted_however_deep(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.joinpath(*"abcdefghijk").mkdir(parents=True)
    assert not usage.overfull_tree([str(folder)], [])
    with open(folder.joinpath(*"abcdefghijk", "big"), "wb") as file:  # noqa: ASYNC230
        os.posix_fallocate(file.fileno(), 0, usage.MAX_BYTES + 1)
        assert usage.overfull_tree([str(folder)], [])
        os.unlink(file.name)
        assert not usage.overfull_tree([str(folder)], [])
        assert usage.overfull_tree([str(folder)], [os.getpid()]), "an open file without a name"


@pytest.mark.slow
async def test_a_tree_that_no_path_reaches_is_counted_too(tmp_path: Path) -> None:
    """3,000 levels: far longer than the system takes a path."""
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("xxxxx", dir_fd=here)
        here, outer = os.open("xxxxx", os.O_RDONLY, dir_fd=here), here
        os.close(outer)
    try:
        assert not usage.overfull_tree([str(tmp_path)], [])
        big = os.open("big", os.O_CREAT | os.O_WRONLY, dir_fd=here)
        os.posix_fallocate(big, 0, usage.MAX_BYTES + 1)
        os.close(big)
        assert usage.overfull_tree([str(tmp_path)], [])
    finally:
        os.close(here)
        remove_folders(str(tmp_path))


async def test_a_folder_that_cannot_be_looked_into_is_too_much(tmp_path: Path) -> None:
    with pytest.raises(usage.OutOfSight):
        list(usage.listed(f"{tmp_path}{'/x' * 20_000}"))


async def test_a_file_is_no_folder_and_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "usr").symlink_to("/usr")
    (tmp_path / "run" / "file").write_text("x")
    assert sorted(name for name, _ in usage.listed(str(tmp_path / "run"))) == [
        f"{tmp_path}/run/file",
        f"{tmp_path}/run/usr",
    ]
    assert list(usage.listed(str(tmp_path / "run" / "usr"))) == []
    assert not usage.overfull_tree([str(tmp_path / "run")], [])


@pytest.mark.parametrize(
    ("files", "blocks", "grown", "over"),
    [
        (20_000, 0, [0], False), (20_001, 0, [0], True), (1, 26, [0], False), (1, 27, [0], True),
        (1, 17, [9], False), (1, 17, [10], True), (1, 17, [10, 3], True), (1, 17, [5, 5], False),
        (1, 10, [99], False), (1, 17, [-50], False), (1, 26, [], False), (1, 27, [], True),
    ],
)  # fmt: skip
async def test_files_in_memory_are_counted_with_the_largest_process(
    files: int, blocks: int, grown: list[int], over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """16 bytes may be taken, in files and memory, besides 10 that were given; this worker itself has 1000."""
    status = SimpleNamespace(f_blocks=100, f_bfree=100 - blocks, f_frsize=1, f_files=50_000, f_ffree=50_000 - files)
    monkeypatch.setattr(usage.os, "statvfs", {"/mount": status}.__getitem__)
    taken = {os.getpid(): 1000, **{at: 1000 + more for at, more in enumerate(grown)}}
    monkeypatch.setattr(usage, "_private_bytes", taken.__getitem__)
    assert usage.overfull_mount("/mount", 10, 16, range(len(grown))) is over


@pytest.mark.parametrize(("files", "written", "over"), [(3, 0, False), (4, 0, True), (0, 7, False), (0, 8, True)])
async def test_many_files_and_much_that_was_written_are_too_much(
    files: int, written: int, over: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(files):
        (tmp_path / f"{at}").touch()
    monkeypatch.setattr(usage, "MAX_ENTRIES", 3)
    monkeypatch.setattr(usage, "MAX_WRITTEN_BYTES", 7)
    monkeypatch.setattr(usage, "_written_bytes", {1: written - 1, 2: 1}.__getitem__)
    assert usage.overfull_tree([str(tmp_path)], [1, 2]) is over
