"""Time, memory and output are bounded, the sandbox survives, and the next run is right."""

from __future__ import annotations

import time

import pytest
from tests.sandbox.conftest import Walled

from sandbox import Limits, Program

pytestmark = pytest.mark.asyncio(loop_scope="session")

ENDLESS = {
    "computing": "while True:\n    pass\n",
    "sleeping": "import time\ntime.sleep(1000)\n",
    "signals ignored": "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True:\n    pass\n",
    "everything caught": "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n",
    "in C": "sum(iter(int, 1))\n",
    "a regular expression": "import re\nre.match('(a+)+$', 'a' * 64 + 'b')\n",
    "a big power": "x = 9 ** (9 ** 9)\n",
    "a thread that stays": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()\n",
    "a lock": "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()\n",
    "waiting for input": "import os\nr, w = os.pipe()\nos.read(r, 1)\n",
    "an exit function": "import atexit\n@atexit.register\ndef stay():\n    while True:\n        pass\n",
}


@pytest.mark.parametrize("way", ENDLESS)
async def test_a_run_ends_half_a_second_after_its_limit_at_the_latest(walled: Walled, way: str) -> None:
    await walled.still_right()
    started = time.perf_counter()
    done = await walled.script(ENDLESS[way], timeout=0.3)
    assert time.perf_counter() - started < 0.3 + 0.5
    assert done.status in ("timeout", "memory"), done


async def test_an_endless_test_suite_ends_in_every_mode(walled: Walled) -> None:
    for mode in ("inprocess", "split", "auto"):
        started = time.perf_counter()
        program = Program(
            solution="def f():\n    while True:\n        pass\n",
            tests="def test_f():\n    assert f() == 1\n",
            mode=mode,
            limits=Limits(timeout=0.3),
        )
        done = await walled.sandbox.run(program)
        assert done.status == "timeout", (mode, done)
        assert time.perf_counter() - started < 0.3 + 0.5


HUNGRY = {
    "a list": "x = []\nwhile True:\n    x.append(bytearray(1 << 20))\n",
    "one object": "x = bytearray(8 << 30)\n",
    "a mapping": "import mmap\nm = mmap.mmap(-1, 4 << 30)\nm[0] = 1\n",
    "text": "x = 'a'\nwhile True:\n    x += x\n",
}


@pytest.mark.parametrize("way", HUNGRY)
async def test_memory_is_bounded(walled: Walled, way: str) -> None:
    done = await walled.script(HUNGRY[way])
    assert done.status in ("memory", "error"), done
    assert done.peak_mb < 400
    await walled.still_right()


FLOODS = {
    "stdout": "while True:\n    print('x' * 1000)\n",
    "stderr": "import sys\nwhile True:\n    sys.stderr.write('x' * 1000)\n",
    "one line of 50 MB": "print('x' * (50 << 20))\n",
    "past Python's streams": "import os\nwhile True:\n    os.write(1, b'x' * 65536)\n",
}


@pytest.mark.parametrize("way", FLOODS)
async def test_output_is_cut_while_it_is_read(walled: Walled, way: str) -> None:
    done = await walled.script(FLOODS[way], timeout=0.5)
    assert done.truncated
    assert len(done.stdout) + len(done.stderr) <= 2 * (64 << 10) + 4000
    await walled.still_right()


ODD = {
    "not UTF-8": ("import os\nos.write(1, b'\\xff\\xfe\\x00end')\n", "end"),
    "lone surrogates": ("print('\\ud800 end')\n", "end"),
    "a NUL": ("print('\\0 end')\n", "end"),
}


@pytest.mark.parametrize("way", ODD)
async def test_odd_output_arrives(walled: Walled, way: str) -> None:
    source, expected = ODD[way]
    done = await walled.script(source)
    assert done.status == "ok"
    assert expected in done.stdout
    done.stdout.encode("utf-8")


BREAKS = {
    "a segmentation fault": "import ctypes\nctypes.string_at(0)\n",
    "abort": "import os\nos.abort()\n",
    "the C stack": "import sys\nsys.setrecursionlimit(10 ** 9)\nclass A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())\n",
    "closed streams": "import os\nfor n in range(256):\n    try:\n        os.close(n)\n    except OSError:\n        pass\n",
    "no descriptors left": "import os\nheld = []\nwhile True:\n    held.append(os.open('/dev/null', os.O_RDONLY))\n",
    "very many threads": "import threading, time\nwhile True:\n    threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n",
    "deep recursion": "def f():\n    return f()\nf()\n",
    "a huge number as text": "print(len(str(7 ** 200000)))\n",
    "exit in a thread": "import os, threading\nthreading.Thread(target=os._exit, args=(3,)).start()\nimport time\ntime.sleep(5)\n",
    "a broken own directory": "import os\nd = os.getcwd()\nos.rmdir(d)\n",
}


@pytest.mark.parametrize("way", BREAKS)
async def test_the_run_after_a_broken_one_is_right(walled: Walled, way: str) -> None:
    done = await walled.script(BREAKS[way])
    assert done.status not in ("broken", "pass"), done
    await walled.still_right()


async def test_many_threads_of_an_honest_program_fit(walled: Walled) -> None:
    done = await walled.script(
        "import threading\ngate = threading.Barrier(81)\nts = [threading.Thread(target=gate.wait) for _ in range(80)]\n"
        "[t.start() for t in ts]\ngate.wait()\n[t.join() for t in ts]\nprint('all')\n"
    )
    assert done.stdout == "all\n", done


async def test_random_numbers_differ_between_runs(walled: Walled) -> None:
    texts = {(await walled.script("import random\nprint(random.random(), random.randbytes(4))\n")).stdout for _ in range(3)}
    assert len(texts) == 3


@pytest.mark.slow
async def test_nothing_grows_over_many_runs(walled: Walled) -> None:
    def mapped() -> int:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])

    program = Program(solution="print('x' * 1000)\nopen('f', 'w').write('y')\n")
    for _ in range(50):
        await walled.sandbox.run(program)
    before = mapped()
    for _ in range(600):
        assert (await walled.sandbox.run(program)).status == "ok"
    assert mapped() - before < 512, "pages of this process"
