"""Nothing of an earlier run is left in the memory that a later one is forked from."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sandbox import Limits, LocalSandbox, Program
from sandbox.backends import load

pytestmark = pytest.mark.asyncio(loop_scope="session")

# The needle is looked for in two halves, so that the scanner never holds it in one piece itself. Pages are read through
# a pipe: where nothing is mapped, the kernel says EFAULT instead of ending the process.
SCAN = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
r, w = os.pipe()
os.set_blocking(w, False)
left, right = b"NEEDLE-", b"9c1e77"
found = pages = 0
for top in sorted({id(o) >> 26 << 26 for o in (left, "x" * 100000, os, libc, [0] * 5000, bytes(300))}):
    for address in range(top - (1 << 26), top + (1 << 27), 4096):
        size = libc.write(w, ctypes.c_void_p(address), 4096)
        if size > 0:
            pages += 1
            page = os.read(r, size)
            at = page.find(left)
            while at >= 0:
                found += page[at + 7 : at + 13] == right
                at = page.find(left, at + 1)
assert pages > 1000, pages
print(found)
"""
NEEDLE = "NEEDLE-" + "9c1e77"
NAMED = f"open('{NEEDLE}.csv', 'w').write('x' * 100)\nimport os\nos.makedirs('{NEEDLE}-folder')\n"
TESTS = "def test_a():\n    assert text() == %r\n" % (NEEDLE * 3)
RUNS_ONE = f"""
def test_a():
    run = run_program(["{NEEDLE}"], "{NEEDLE}", {{"in.txt": "{NEEDLE}"}})
    assert run.stdout.split() == ["{NEEDLE}"] * 3
    assert run.files["out.txt"] == b"{NEEDLE}"
"""
ECHO = "import sys\ntext = open('in.txt').read()\nprint(sys.argv[1], input(), text)\nopen('out.txt', 'w').write(text)\n"
EARLIER = {
    "a file it left": Program(f"open('out.csv', 'w').write('{NEEDLE},1\\n' * 3000)\n"),
    "the name of a file it left": Program(NAMED),
    "a name that was seen while it ran": Program(f"{NAMED}import time\ntime.sleep(0.7)\n"),
    "what it printed": Program(f"print('{NEEDLE}' * 500)\n"),
    "a file it was given": Program("print(len(open('in.csv').read()))", files={"in.csv": NEEDLE.encode() * 500}),
    "its source": Program(f"text = '{NEEDLE}' * 50\n"),
    "its tests": Program(f"def text():\n    return '{NEEDLE}' * 3\n", tests=TESTS, mode="split"),
    "a program that a test ran": Program(ECHO, tests=RUNS_ONE, mode="split"),
}


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=["bubblewrap", "walled"])
async def one_worker(request: pytest.FixtureRequest) -> AsyncIterator[LocalSandbox]:
    """A sandbox in which every run of a kind is forked by the same process."""
    if load(request.param).missing():
        pytest.skip(f"no {request.param} here")
    sandbox = LocalSandbox(1, backends=(request.param,))
    yield sandbox
    await sandbox.aclose()


@pytest.mark.slow
@pytest.mark.parametrize("what", EARLIER)
async def test_a_later_run_does_not_find(one_worker: LocalSandbox, what: str) -> None:
    earlier = await one_worker.run(EARLIER[what])
    assert earlier.status in ("ok", "pass"), earlier
    for _ in range(2):
        later = await one_worker.run(Program(SCAN, limits=Limits(timeout=30)))
        assert later.stdout == "0\n", later
