"""Time, memory and output are bounded, the sandbox survives, and the next run is right."""

from __future__ import annotations

import pytest

from sandbox import Limits, Mode, Program
from tests.sandbox.conftest import Walled
from tests.sandbox.corpus import corpus

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

ENDLESS = corpus("endless")


WAITING = ("sleeping", "a thread that stays", "a lock", "waiting for input")
"""Those that use no CPU time: only for them does the clock on the wall decide."""


@pytest.mark.parametrize("way", ENDLESS)
async def test_a_program_without_end_is_ended_and_costs_no_more_than_its_limit(best: Walled, way: str) -> None:
    done = await best.script(ENDLESS[way], seconds=0.2)
    assert done.status in ("timeout", "memory"), done
    assert ("waited" in done.error) == (way in WAITING), done.error
    assert done.cpu_ms < 200 + 250, "the limit, and a look now and then"
    await best.still_right()


@pytest.mark.parametrize("mode", ["inprocess", "split", "auto"])
async def test_an_endless_test_suite_ends_in_every_mode(best: Walled, mode: Mode) -> None:
    program = Program(
        solution="def f():\n    while True:\n        pass\n",
        tests="def test_f():\n    assert f() == 1\n",
        mode=mode,
        limits=Limits(timeout=0.2),
    )
    done = await best.sandbox.run(program)
    assert (done.status, [check.status for check in done.checks]) == ("timeout", ["timeout"]), done


HUNGRY = corpus("hungry")


@pytest.mark.parametrize("way", HUNGRY)
async def test_memory_is_bounded(best: Walled, way: str) -> None:
    done = await best.script(HUNGRY[way])
    assert done.status in ("memory", "error"), done
    assert done.peak_mb < 400
    await best.still_right()


FLOODS = corpus("floods")


@pytest.mark.parametrize("way", FLOODS)
async def test_output_is_cut_while_it_is_read(best: Walled, way: str) -> None:
    done = await best.script(FLOODS[way], seconds=0.2 if "while True" in FLOODS[way] else 5)
    assert done.truncated
    assert len(done.stdout) + len(done.stderr) <= 2 * (64 << 10) + 4000
    await best.still_right()


ODD = {
    "not UTF-8": ("import os\nos.write(1, b'\\xff\\xfe\\x00end')\n", "end"),
    "lone surrogates": ("print('\\ud800 end')\n", "end"),
    "a NUL": ("print('\\0 end')\n", "end"),
}


@pytest.mark.parametrize("way", ODD)
async def test_odd_output_arrives(best: Walled, way: str) -> None:
    source, expected = ODD[way]
    done = await best.script(source)
    assert done.status == "ok"
    assert expected in done.stdout
    done.stdout.encode("utf-8")


BREAKS = corpus("breaks")


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
    texts = {
        (await walled.script("import random\nprint(random.random(), random.randbytes(4))\n")).stdout for _ in range(3)
    }
    assert len(texts) == 3


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
