"""Nothing of the app's environment, files or memory comes out of a run."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest

from sandbox import LocalSandbox, Program
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


@pytest.mark.parametrize(
    "path",
    [
        "~/.ssh", "~/.gitconfig", "~/.cache/huggingface/token", "/etc/passwd", "/etc/shadow", "/etc/hostname",
        "/proc/1/cmdline", "/proc/self/mountinfo", "/var/log", "/tmp", "/root", "/home",
    ],
)  # fmt: skip
async def test_files_of_the_machine_do_not_open(walled: Walled, path: str) -> None:
    home = str(Path.home())
    done = await walled.script(
        f"import os\npath = {path!r}.replace('~', {home!r})\n"
        "for act in (os.listdir, open):\n"
        "    try:\n        print('GOT', list(act(path))[:3])\n    except OSError:\n        print('refused')\n"
    )
    assert "refused" in done.stdout
    assert "GOT" not in done.stdout.replace("GOT []", "")


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
