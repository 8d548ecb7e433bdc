"""The documented exceptions: what plain pytest lets a program do and the walls do not, told with what to do instead."""

# ruff: noqa: E501 - short programs in a line
from __future__ import annotations

import pytest

from sandbox import LocalSandbox, Mode, Program
from sandbox.child.words import FILES, NETWORK, PROCESSES

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
TESTS = "def test_f():\n    assert f() == 0\n\ndef test_other():\n    assert other() == 1\n"
OTHER = "\ndef other():\n    return 1\n"
REFUSED = {
    "subprocess": ("import subprocess\ndef f():\n    return subprocess.run(['true']).returncode\n", PROCESSES),
    "shell": ("import subprocess\ndef f():\n    return len(subprocess.getoutput('true'))\n", PROCESSES),
    "os.system": ("import os\ndef f():\n    return os.system('true')\n", PROCESSES),
    "os.popen": ("import os\ndef f():\n    return len(os.popen('true').read())\n", PROCESSES),
    "fork": ("import os\ndef f():\n    return os.fork() and 0\n", PROCESSES),
    "process": (
        "import multiprocessing as m\ndef f():\n    p = m.Process(target=print)\n    p.start()\n    p.join()\n    return 0\n",
        PROCESSES,
    ),
    "pool": (
        "import multiprocessing as m\ndef f():\n    with m.Pool(2) as pool:\n        return sum(pool.map(abs, [0, 0]))\n",
        PROCESSES,
    ),
    "process pool": (
        "from concurrent.futures import ProcessPoolExecutor as P\n"
        "def f():\n    with P(2) as pool:\n        return sum(pool.map(abs, [0, 0]))\n",
        PROCESSES,
    ),
    "asyncio subprocess": (
        "import asyncio\nasync def g():\n    p = await asyncio.create_subprocess_exec('true')\n    return await p.wait()\n"
        "def f():\n    return asyncio.run(g())\n",
        PROCESSES,
    ),
    "translated": (
        "import subprocess\ndef f():\n    try:\n        return subprocess.run(['true']).returncode\n"
        "    except OSError as problem:\n        raise RuntimeError('no') from problem\n",
        PROCESSES,
    ),
    "socket": ("import socket\ndef f():\n    return socket.create_server(('127.0.0.1', 0)).close() or 0\n", NETWORK),
    "server": (
        "from http.server import HTTPServer, BaseHTTPRequestHandler\n"
        "def f():\n    with HTTPServer(('127.0.0.1', 0), BaseHTTPRequestHandler):\n        return 0\n",
        NETWORK,
    ),
    "download": (
        "from urllib.request import urlopen\ndef f():\n    return urlopen('http://example.com').status - 200\n",
        NETWORK,
    ),
    "name": ("import socket\ndef f():\n    return len(socket.gethostbyname('localhost.invalid')) * 0\n", NETWORK),
    "fixed path": ("def f():\n    with open('/tmp/report.txt', 'w') as file:\n        return file.write('')\n", FILES),
}


@pytest.mark.parametrize("mode", ["auto", "split"])
@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_refused_is_told_with_what_to_do_instead(sandbox: LocalSandbox, name: str, mode: Mode) -> None:
    source, instead = REFUSED[name]
    done = await sandbox.run(Program(solution=source + OTHER, tests=TESTS, mode=mode))
    assert (done.status, [check.status for check in done.checks]) == ("blocked", ["error", "pass"]), done
    assert instead in done.error
    assert instead in done.checks[0].message


@pytest.mark.parametrize("name", ["subprocess", "server", "fixed path"])
async def test_a_script_is_told_too(sandbox: LocalSandbox, name: str) -> None:
    source, instead = REFUSED[name]
    done = await sandbox.run(Program(solution=f"{source}f()\n"))
    assert done.status == "blocked"
    assert instead in done.error


async def test_a_suite_that_starts_a_process_is_told_of_run_program(sandbox: LocalSandbox) -> None:
    tests = "import subprocess, sys\ndef test_f():\n    assert subprocess.run([sys.executable, 'solution.py'])\n"
    done = await sandbox.run(Program(solution=OTHER, tests=tests))
    assert (done.status, "run_program" in done.error) == ("blocked", True)


@pytest.mark.parametrize("mode", ["auto", "split"])
async def test_a_program_that_copes_with_the_refusal_is_right(sandbox: LocalSandbox, mode: Mode) -> None:
    source = "import os, subprocess\ndef f():\n    try:\n        return subprocess.run(['true']).returncode\n"
    source += "    except OSError:\n        return os.system('clear')\n"
    done = await sandbox.run(Program(solution=source + OTHER, tests=TESTS, mode=mode))
    assert done.passed


async def test_a_permission_error_of_the_programs_own_gets_no_advice(sandbox: LocalSandbox) -> None:
    source = "def f():\n    raise PermissionError('members only')\n"
    done = await sandbox.run(Program(solution=source + OTHER, tests=TESTS))
    assert done.checks[0].message.splitlines()[0] == "PermissionError: members only"
