"""Shared by all tests: nothing leaves this machine, and nothing is read from the person's own environment."""

from __future__ import annotations

import gc
import itertools
import os
import re
import socket
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "VIRTUAL_ENV",
    "CI",
    "USER",
    "CHROMIUM",
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
)
PLACES = itertools.count()
TOGETHER = (
    ("demo/test_gate", "demo/test_many", "demo/test_metrics", "demo/test_owners", "demo/test_rest", "demo/test_tools"),
    (
        *("llm/test_check", "llm/test_contract", "llm/test_downgrade", "llm/test_faults", "llm/test_odd_deliveries"),
        *("llm/test_sent", "llm/test_thoughts", "llm/test_web_search"),
    ),
)
"""Files that run in one process, because what they share is dear: the page's server, Claude's SDK."""
APART = {"sandbox/differential/test_outcomes": 8}
"""Files of hundreds of programs that share nothing, and in how many parts they are handed out."""


class Sharing(LoadScopeScheduling):
    """Hands each process a file at a time, files that belong together, or a part of a large file."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition(".py::")[0].removeprefix("tests/")
        if path in APART:
            return f"{path} {zlib.crc32(nodeid.encode()) % APART[path]}"
        return next((group[0] for group in TOGETHER if path in group), path)


def pytest_xdist_auto_num_workers() -> int | None:
    """Returns three processes for two cores, because tests of the sandbox and of servers also wait, and each process
    takes seconds to load all tests. Returns None if the person's environment names a number, which xdist reads."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else max(2, 3 * (os.cpu_count() or 1) // 2)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Sharing:
    return Sharing(config, log)


if "PYTEST_XDIST_WORKER" in os.environ:
    # Processes that share the processors already: threads of each would wait for one another in busy loops.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # PYTHONDONTWRITEBYTECODE would make each of the processes compile every test anew, which is a third of its start.
    sys.dont_write_bytecode = False
gc.disable()
"""Until all tests are collected: hundreds of modules and thousands of tests are kept, and to look through them for
something to free takes more than a second of each process."""


def pytest_collection_finish() -> None:
    """What was collected stays to the end, so it is not looked through again."""
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What is deselected as a whole is not loaded, for every process of a session would load it: a file that gives all
    its tests a mark which this session leaves out, and chromium's driver."""
    left_out = set(re.findall(r"not (\w+)", config.option.markexpr))
    if collection_path.suffix != ".py":
        return True if collection_path.name == "browser" and "browser" in left_out else None
    of_all = re.search(r"^pytestmark = (.*)", collection_path.read_text("utf-8"), re.MULTILINE)
    return True if of_all and left_out & set(re.findall(r"mark\.(\w+)", of_all[1])) else None


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No key, setting or stored run of the person who runs the tests may change what they find. The folder of state is
    only named: most tests keep none, and to make and remove a folder takes longer than they do."""
    for name in set(os.environ) - set(KEPT):
        monkeypatch.delenv(name)
    monkeypatch.setenv("STATE_DIR", str(tmp_path_factory.getbasetemp() / f"state-{next(PLACES)}"))
    monkeypatch.setenv("ENV_FILE", os.devnull)
    monkeypatch.setenv("GRADIO_ANALYTICS_ENABLED", "False")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """A connection to anything but this machine is an error of the test."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and address and str(address[0]) not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {address[0]}")
        connect(self, address)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield
