"""Nothing of the app's environment, files or memory comes out of a run."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest

from sandbox import LocalSandbox, Program
from sandbox.worker.landlock import limits_told
from tests.sandbox.conftest import Walled
from tests.sandbox.corpus import corpus

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.asyncio(loop_scope="session")

TELL_ENVIRONMENT = corpus("environment")


@pytest.mark.parametrize("way", TELL_ENVIRONMENT)
async def test_no_secret_of_the_environment_comes_out(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = secrets.token_hex(16)
    monkeypatch.setenv("SERVICE_API_KEY", secret)
    sandbox = LocalSandbox(1)
    try:
        done = await sandbox.run(Program(solution=TELL_ENVIRONMENT[way]))
    finally:
        await sandbox.aclose()
    assert done.status != "broken"
    assert secret not in repr(done)


async def test_the_control_sees_the_environment_that_it_should(walled: Walled) -> None:
    done = await walled.script("import os; print(os.environ['MPLBACKEND'])")
    assert done.stdout == "Agg\n"


OF_THE_MACHINE = (
    "~/.ssh", "~/.gitconfig", "~/.cache/huggingface/token", "/etc/passwd", "/etc/shadow", "/etc/hostname",
    "/var/log", "/tmp", "/root", "/home", "/proc", "/proc/1/cmdline", "/proc/1/status", "/proc/PARENT/status",
    "/proc/self/environ", "/proc/self/fd", "/proc/self/mountinfo", "/proc/self/net/tcp", "/proc/net/dev", "/proc/stat",
    "/proc/mounts", "/proc/interrupts", "/sys/class/net", "/sys/fs/cgroup", "/sys/kernel",
)  # fmt: skip
OF_THE_RUN = (
    "/proc/cpuinfo", "/proc/meminfo", "/proc/self/maps", "/proc/self/statm", "/proc/self/cgroup",
    "/sys/devices/system/cpu/online",
)  # fmt: skip
"""What libraries (threadpoolctl, duckdb, psutil) size themselves by."""


async def test_files_of_the_machine_do_not_open(walled: Walled) -> None:
    home = str(Path.home())
    for library in ("", "import pytest\n"):
        done = await walled.script(
            f"{library}import os\nfor path in {OF_THE_MACHINE!r}:\n"
            f"    path = path.replace('~', {home!r}).replace('PARENT', str(os.getppid()))\n"
            "    for act in (os.listdir, open):\n"
            "        try:\n            print('GOT', path, list(act(path))[:3])\n"
            "        except OSError:\n            pass\n"
        )
        assert done.stdout.replace("GOT /tmp []", "").split() == [], done.stdout


async def test_libraries_may_read_how_large_the_machine_is(walled: Walled) -> None:
    done = await walled.script(
        f"import os, pytest\nfor path in {OF_THE_RUN!r}:\n    assert open(path).read(), path\n"
        f"for path in {list(limits_told())!r}:\n    os.path.exists(path) and open(path).read()\n"
    )
    assert (done.status, done.error) == ("ok", ""), done.stderr


@pytest.mark.slow
async def test_they_may_also_where_the_kernel_has_forgotten_files_that_nobody_has_open(walled: Walled) -> None:
    """As it does when memory is short, while a process waits for its program."""
    await walled.script("import pytest")  # leaves processes of that worker behind that wait
    try:
        with open("/proc/sys/vm/drop_caches", "w") as asked:  # noqa: ASYNC230 - it has to be done when the run begins
            asked.write("2")
    except OSError:
        pytest.skip("only root may ask the kernel for it")
    done = await walled.script("import pytest\nfor name in ('maps', 'statm'):\n    open(f'/proc/self/{name}').read()")
    assert (done.status, done.error) == ("ok", ""), done.stderr


async def test_the_projects_own_sources_are_neither_read_nor_imported(walled: Walled) -> None:
    own = [str(ROOT / name) for name in ("sandbox/types.py", "pyproject.toml", ".git/HEAD")]
    done = await walled.script(
        "import importlib, os, sys\n"
        f"for path in {own!r}:\n"
        "    try:\n        print('GOT', open(path).read(20))\n    except OSError:\n        print('refused')\n"
        "for name in ('sandbox', 'framework', 'agent', 'llm'):\n"
        "    try:\n        importlib.import_module(name)\n        print('GOT')\n"
        "    except ImportError:\n        print('refused')\n"
    )
    assert done.stdout.split() == ["refused"] * 7, done


async def test_no_descriptor_of_the_app_is_open(walled: Walled) -> None:
    held = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(held, True)
    done = await walled.script(
        "import os\ncount = 0\nfor n in range(3, 256):\n    try:\n        os.fstat(n)\n"
        "        count += 1\n    except OSError:\n        pass\nprint(count)\n"
    )
    os.close(held)
    assert int(done.stdout) <= 1, "only the descriptor that reports is open"


async def test_memory_of_the_parent_cannot_be_read(walled: Walled) -> None:
    done = await walled.script(
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nbuffer = ctypes.create_string_buffer(64)\n"
        "class V(ctypes.Structure):\n    _fields_ = [('base', ctypes.c_void_p), ('len', ctypes.c_size_t)]\n"
        "local = V(ctypes.addressof(buffer), 64); remote = V(id(os), 64)\n"
        "print(libc.process_vm_readv(os.getppid(), ctypes.byref(local), 1, ctypes.byref(remote), 1, 0))\n"
        "print(libc.ptrace(16, os.getppid(), 0, 0))\n"
    )
    assert done.stdout.split() == ["-1", "-1"], done
