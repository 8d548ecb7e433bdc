"""Runs suites that need pytest, through pytest's own hooks. Its exit code is never looked at."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _pytest.compat import NOTSET

from ..reporter import NOTHING, SKIPPED_BY_PROGRAM, Reporter
from ..words import headline
from .plan import SuitePlan

_UNUSED = ("assertion", "faulthandler", "pastebin", "stepwise")
_COSTLY = ("threadexception", "unraisableexception")
_PLUGINS = ("pytest_asyncio.plugin", "_hypothesis_pytestplugin")
"""Plugins that a person's pytest loads if they are installed."""
_OPTIONS = {"asyncio_mode": "auto", "asyncio_default_fixture_loop_scope": "function"}
_ARGUMENTS = [
    *("-s", "--noconftest", "-c", "/dev/null", "--rootdir", "/"),
    *(word for name in _PLUGINS if find_spec(name.partition(".")[0]) for word in ("-p", name)),
    *(word for name in (*_UNUSED, *_COSTLY) for word in ("-p", f"no:{name}")),
    *(word for name, value in _OPTIONS.items() for word in ("-o", f"{name}={value}")),
]
_ready: list[pytest.Session] = []


class Ended(Exception):
    """Raised if a check tried to end the whole session (KeyboardInterrupt, pytest.exit)."""


def warm() -> None:
    """Sets pytest up once, before the fork; if this was not called, the first run does it."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # noqa: TID251 - the worker's own clean environment
    _ready.append(_session())


def _session() -> pytest.Session:
    from _pytest.config import _prepareconfig  # noqa: PLC0415 # pyright: ignore[reportPrivateUsage]

    config = _prepareconfig(list(_ARGUMENTS))
    config._do_configure()  # pyright: ignore[reportPrivateUsage]
    config.pluginmanager.unregister(name="terminalreporter")  # its options stay, because tests may ask for them
    session = pytest.Session.from_config(config)
    config.hook.pytest_sessionstart(session=session)
    return session


def run_full(module: ModuleType, suite: SuitePlan, known: frozenset[str], report: Reporter) -> None:
    """Runs everything that pytest collects from `module` under a name in `known`, the names that the suite mentions."""
    if not _ready:
        warm()
    session = _ready.pop()
    config: Any = session.config
    config._tmp_path_factory._given_basetemp = Path(tempfile.gettempdir(), "pytest")
    config.cache._cachedir = Path(report.private, "cache")  # in a split run only the tests' process may write there
    config.pluginmanager.register(_Plugin(module, suite, known, report))
    config.hook.pytest_collection(session=session)
    with contextlib.suppress(session.Interrupted, session.Failed):
        config.hook.pytest_runtestloop(session=session)


class _Module(pytest.Module):
    """A suite that lives in memory."""

    loaded: ModuleType
    program: str
    """The solution's module. What it defines is no test, whatever its name."""
    known: frozenset[str]
    """The names that the suite itself mentions."""

    def _getobj(self) -> ModuleType:
        return self.loaded

    def istestfunction(self, obj: object, name: str) -> bool:
        return super().istestfunction(obj, name) and not self._is_given(obj, name)

    def istestclass(self, obj: object, name: str) -> bool:
        return super().istestclass(obj, name) and not self._is_given(obj, name)

    def _is_given(self, obj: object, name: str) -> bool:
        made_in = str(getattr(obj, "__module__", "")).partition(".")[0]
        came_with_program = made_in in ("solution", self.program, "@child") and getattr(obj, "__name__", "") == name
        return came_with_program or name not in self.known


class _Plugin:
    def __init__(self, module: ModuleType, suite: SuitePlan, known: frozenset[str], report: Reporter) -> None:
        self._module = module
        self._known = known
        self._suite = suite
        self._report = report
        self._failed = False
        """Whether something could not be collected."""
        self._open: dict[str, tuple[str, str, str]] = {}
        """Name -> status, message and exception class so far, while the phases of a check run."""

    @pytest.fixture
    def run_program(self) -> Any:
        """Gives `run_program` to tests that take it as an argument; the suite also has it as a global."""
        return self._module.__dict__["run_program"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        node = _Module.from_parent(session, path=Path(os.getcwd(), str(self._module.__file__)))
        node.loaded, node.program, node.known = self._module, self._report.program, self._known
        session.items = list(session.genitems(node))
        config = session.config
        config.hook.pytest_collection_modifyitems(session=session, config=config, items=session.items)
        config.hook.pytest_collection_finish(session=session)
        session.testscollected = len(session.items)
        names = [_name(item.nodeid) for item in session.items]
        for item in session.items:
            self._report.will_run(getattr(item, "obj", None))
        module_check = self._suite.module_check
        self._report.loaded(names, module_check)
        if not names and not module_check and not self._failed:
            self._report.emit({"error": NOTHING})
        session.items = [item for at, item in enumerate(session.items, module_check) if self._report.wants(at)]
        return True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._failed = True
            self._report.emit({"error": {"type": "CollectError", "text": str(report.longrepr)[-2000:], "place": ""}})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, Any]:
        """Keeps a check from ending the whole session: raises Ended instead."""
        try:
            return (yield)
        except (KeyboardInterrupt, pytest.exit.Exception) as problem:
            raise Ended(headline(problem)) from problem

    pytest_runtest_call = pytest_runtest_teardown = pytest_runtest_setup

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        raised = call.excinfo  # before pytest makes a skip of its own of one of unittest
        report: pytest.TestReport = yield
        name = _name(item.nodeid)
        ended_by = raised or call.excinfo
        status, message, kind = self._judge(call.when, ended_by and ended_by.value, report)
        if status == "skipped" and _has_no_parameters(item):
            kind = "Skipped"  # by a mark of pytest's own, and what gave no parameters may be the program
        if kind == "XFailed" and _expects_failure(item):
            kind = ""
        before = self._open.get(name)
        if before is None or before[0] == "pass" or (status not in ("pass", "skipped") and before[0] == "skipped"):
            self._open[name] = status, message, kind
        if call.when == "teardown":
            self._close(item, name)
        return report

    def _judge(self, when: str, problem: BaseException | None, report: pytest.TestReport) -> tuple[str, str, str]:
        if hasattr(report, "wasxfail"):
            reason = str(report.wasxfail)  # pyright: ignore
            told = f"{'passed although' if report.passed else 'failed as'} expected to fail: {reason}"
            itself = isinstance(problem, pytest.xfail.Exception)
            return "skipped", told, self._report.kind(problem) if itself else ""
        if problem is None:
            return ("pass", "", "") if report.passed else ("fail", str(report.longrepr)[-2000:], "")
        status, message = self._report.verdict(problem)
        status = "error" if status == "fail" and when != "call" else status
        kind = self._report.kind(problem)
        marked = getattr(problem, "_use_item_location", False) and problem.__context__ is None
        return status, message, "" if status == "skipped" and marked and kind != SKIPPED_BY_PROGRAM else kind

    def _close(self, item: pytest.Item, name: str) -> None:
        status, message, kind = self._open.pop(name)
        function: Any = getattr(item, "function", None)
        written = str(getattr(function, "__qualname__", "")).replace(".", "::")
        if status == "pass":
            self._report.passed(name, written in self._suite.toothless)
        else:
            self._report.check(name, status, message, kind)
        if self._report.stopped:
            item.session.shouldstop = "a check did not pass, or the solution is gone"


def _has_no_parameters(item: pytest.Item) -> bool:
    given = getattr(getattr(item, "callspec", None), "params", {})
    return any(value is NOTSET for value in given.values())


def _expects_failure(item: pytest.Item) -> bool:
    """Returns whether unittest's decorator marks this check or its class."""
    return any(
        getattr(getattr(item, part, None), "__unittest_expecting_failure__", False) for part in ("function", "cls")
    )


def _name(nodeid: str) -> str:
    return nodeid.partition("::")[2]
