"""Nothing of the app's environment, files or memory comes out of a run."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest
from tests.sandbox.conftest import Walled

from sandbox import LocalSandbox, Program

pytestmark = pytest.mark.asyncio(loop_scope="session")

TELL_ENVIRONMENT = {
    "os.environ": "import os; print(dict(os.environ))",
    "own /proc": "print(open('/proc/self/environ').read())",
    "the parent's /proc": "import os; print(open(f'/proc/{os.getppid()}/environ').read())",
    "every process's /proc": (
        "import glob\nfor path in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/*/task/*/environ'):\n"
        "    try:\n        print(open(path).read())\n    except OSError as e:\n        print(e)\n"
    ),
    "the C library's own table": (
        "import ctypes\nenv = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), 'environ')\n"
        "i = 0\nwhile env[i]:\n    print(env[i])\n    i += 1\n"
    ),
    "own memory": (
        "import re\nfor line in open('/proc/self/maps'):\n    print(line)\nprint(open('/proc/self/mem', 'rb').read(10))\n"
    ),
    "the garbage collector": "import gc\nfor o in gc.get_objects():\n    print(repr(o)[:2000])\n",
}


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
        "~/.ssh", "~/.gitconfig", "~/.cache/huggingface/token", "/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/1/cmdline",
        "/proc/self/mountinfo", "/var/log", "/tmp", "/root", "/home",
    ],
)  # fmt: skip
async def test_files_of_the_machine_do_not_open(walled: Walled, path: str) -> None:
    home = str(Path.home())
    done = await walled.script(
        f"import os\npath = {path!r}.replace('~', {home!r})\n"
        "for act in (os.listdir, open):\n"
        "    try:\n        print('GOT', list(act(path))[:3])\n    except OSError as e:\n        print('refused', type(e).__name__)\n"
    )
    assert "refused" in done.stdout
    assert "GOT" not in done.stdout.replace("GOT []", "")


async def test_the_projects_own_sources_are_neither_read_nor_imported(walled: Walled) -> None:
    root = Path(__file__).resolve().parents[2]
    done = await walled.script(
        "import importlib, os, sys\n"
        f"for path in ({str(root / 'sandbox' / 'types.py')!r}, {str(root / 'pyproject.toml')!r}, {str(root / '.git' / 'HEAD')!r}):\n"
        "    try:\n        print('GOT', open(path).read(20))\n    except OSError as e:\n        print('refused')\n"
        "for name in ('sandbox', 'framework', 'agent', 'llm'):\n"
        "    try:\n        importlib.import_module(name)\n        print('GOT', name)\n    except ImportError:\n        print('refused')\n"
    )
    assert done.stdout.split() == ["refused"] * 7, done


async def test_no_descriptor_of_the_app_is_open(walled: Walled) -> None:
    with open(os.devnull, "rb") as file:
        os.set_inheritable(file.fileno(), True)
        done = await walled.script(
            "import os\nfound = []\nfor n in range(3, 256):\n    try:\n        os.fstat(n)\n        found.append(n)\n    except OSError:\n        pass\n"
            "print(len(found))\n"
        )
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
