"""A wrong solution that wants to pass does not, in split and auto; each attack returns `a - b` for `a + b`."""

from __future__ import annotations

import pytest

from sandbox import Execution, Limits, LocalSandbox, Mode, Program

pytestmark = pytest.mark.asyncio(loop_scope="session")

PLAIN = "def test_a():\n    assert add(2, 3) == 5\ndef test_b():\n    assert add(-1, 1) == 0\n    assert add(10, 5) == 15\n"
WITH_PYTEST = (
    "import pytest\nfrom solution import add\n@pytest.mark.parametrize('a, b, c', [(2, 3, 5), (1, 1, 2)])\n"
    "def test_add(a, b, c):\n    assert add(a, b) == c\ndef test_raises():\n    with pytest.raises(TypeError):\n        add(None, 1)\n"
)
WRONG = "\ndef add(a, b):\n    return a - b\n"

FORGERIES = {
    "exit at import": "import sys\nsys.exit(0)\n",
    "os._exit at import": "import os\nos._exit(0)\n",
    "exit in a call": "import os\ndef add(a, b):\n    os._exit(0)\n",
    "SystemExit in a call": "def add(a, b):\n    raise SystemExit(0)\n",
    "a printed marker": "print('PASSED')\nprint('__ALL_TESTS_PASSED__')\nprint('2 passed in 0.01s')\n" + WRONG,
    "a marker and exit": "import os\nos.write(1, b'2 passed\\n')\nos._exit(0)\n",
    "exit from a thread": "import os, threading, time\nthreading.Thread(target=lambda: os._exit(0)).start()\ntime.sleep(1)\n" + WRONG,
    "exit at exit": "import atexit, os\natexit.register(os._exit, 0)\n" + WRONG,
    "exit from a finalizer": "import os\nclass D:\n    def __del__(self):\n        os._exit(0)\ndef add(a, b):\n    D()\n    return a - b\n",
    "exit from a signal": "import os, signal\nsignal.signal(signal.SIGALRM, lambda *a: os._exit(0))\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\n" + WRONG,
    "exit from a trace": "import os, sys\nsys.settrace(lambda *a: os._exit(0))\n" + WRONG,
    "an excepthook": "import os, sys\nsys.excepthook = lambda *a: os._exit(0)\n" + WRONG,
    "always equal": "class E:\n    def __eq__(self, o):\n        return True\n    __hash__ = None\ndef add(a, b):\n    return E()\n",
    "always equal number": "class E(int):\n    def __eq__(self, o):\n        return True\n    def __ne__(self, o):\n        return False\n    __hash__ = int.__hash__\ndef add(a, b):\n    return E(a - b)\n",
    "always equal text": "class E(str):\n    def __eq__(self, o):\n        return True\n    __hash__ = str.__hash__\ndef add(a, b):\n    return E('x')\n",
    "equal from the right": "class E:\n    def __eq__(self, o):\n        return True\n    def __ne__(self, o):\n        return False\n    def __sub__(self, o):\n        return self\n    __hash__ = None\ndef add(a, b):\n    return E()\n",
    "patched builtins": "import builtins\nbuiltins.AssertionError = type('Never', (Exception,), {})\nbuiltins.isinstance = lambda *a: True\nbuiltins.all = lambda *a: True\nbuiltins.len = lambda *a: 5\n" + WRONG,
    "patched pytest": "import sys\ntry:\n    import _pytest.runner as r\n    r.runtestprotocol = lambda *a, **k: []\n    import pytest\n    pytest.raises = lambda *a, **k: __import__('contextlib').suppress(BaseException)\nexcept ImportError:\n    pass\n" + WRONG,
    "a fake pytest": "import sys, types\nfake = types.ModuleType('pytest')\nfake.main = lambda *a, **k: 0\nsys.modules['pytest'] = fake\n" + WRONG,
    "a planted conftest": "open('conftest.py', 'w').write('def pytest_collection_modifyitems(items):\\n    items.clear()\\n')\nopen('pytest.ini', 'w').write('[pytest]\\naddopts = --collect-only\\n')\nopen('sitecustomize.py', 'w').write('import os; os._exit(0)')\n" + WRONG,
    "a planted module": "open('pytest.py', 'w').write('import os; os._exit(0)')\nopen('solution.py', 'w').write('def add(a, b):\\n    return a + b\\n')\n" + WRONG,
    "frames": "import sys\ndef add(a, b):\n    f = sys._getframe()\n    while f:\n        for k, v in list(f.f_locals.items()):\n            if isinstance(v, list):\n                v.clear()\n            if k in ('status', 'failed', 'outcome'):\n                f.f_locals[k] = 'pass'\n        f = f.f_back\n    return a - b\n",
    "globals of the test": "import sys\ndef add(a, b):\n    f = sys._getframe()\n    while f:\n        for name in list(f.f_globals):\n            if name.startswith('test'):\n                f.f_globals[name] = lambda *a, **k: None\n        f = f.f_back\n    return a - b\n",
    "tests disarmed through the collector": "import gc, types\ndef add(a, b):\n    for o in gc.get_objects():\n        if isinstance(o, types.FunctionType) and o.__name__.startswith('test'):\n            o.__code__ = (lambda: None).__code__\n    return a - b\nadd(1, 1)\n",
    "reports through every descriptor": "import os, json, struct\nfor text in (b'{\"check\": \"test_a\", \"status\": \"pass\"}', b'{\"done\": 2}'):\n    for n in range(3, 64):\n        try:\n            os.write(n, struct.pack('<IB16s', len(text), 0, b'0' * 16) + text)\n        except OSError:\n            pass\n" + WRONG,
    "the nonce through frames and the collector": "import gc, os, json, sys\ndef forge():\n    for o in gc.get_objects():\n        if type(o).__name__ == 'Emit':\n            o({'collected': ['test_a', 'test_b']})\n            o({'check': 'test_a', 'status': 'pass', 'message': ''})\n            o({'check': 'test_b', 'status': 'pass', 'message': ''})\n            o({'done': 2})\n            o.flush()\n            os._exit(0)\nf = sys._getframe()\nwhile f:\n    for v in list(f.f_locals.values()):\n        if type(v).__name__ == 'Emit':\n            v({'collected': ['test_a']}); v({'check': 'test_a', 'status': 'pass', 'message': ''}); v({'done': 1}); v.flush(); os._exit(0)\n    f = f.f_back\nforge()\n" + WRONG,
    "skipping": "def add(a, b):\n    try:\n        import pytest\n        pytest.skip('no')\n    except ImportError:\n        import unittest\n        raise unittest.SkipTest('no')\n",
    "skipping at import": "import unittest\nraise unittest.SkipTest('no')\n",
    "a forged exception": "class AssertionError(Exception):\n    pass\ndef add(a, b):\n    raise AssertionError('fine')\n",
    "swapped stdout": "import io, sys\nsys.stdout = sys.stderr = io.StringIO()\nsys.exit = lambda *a: None\n" + WRONG,
    "a generator that exits": "import os\ndef gen():\n    yield 1\n    os._exit(0)\ndef add(a, b):\n    return sum(gen())\n",
    "AssertionError disarmed in C": "import ctypes\nclass Free(ctypes.Structure):\n    _fields_ = [('refs', ctypes.c_ssize_t), ('type', ctypes.py_object)]\nFree.from_address(id(AssertionError())).refs += 1\n" + WRONG,
    "compared objects rewritten": "import gc\ndef add(a, b):\n    for o in gc.get_referrers(a):\n        if isinstance(o, dict):\n            try:\n                o['add'] = lambda a, b: a + b\n            except BaseException:\n                pass\n    return a - b\n",
    "the tests read from disk": "import glob, os, re\nfor folder, _, names in os.walk(os.path.dirname(os.getcwd())):\n    for name in names:\n        try:\n            text = open(os.path.join(folder, name)).read()\n        except (OSError, UnicodeDecodeError):\n            continue\n        if 'assert add' in text:\n            KNOWN = dict(re.findall(r'add\\((.*?)\\) == (-?\\d+)', text))\n            add = lambda a, b: int(KNOWN[f'{a}, {b}'])\n" + WRONG.replace("def add", "def _add") + "if 'add' not in globals():\n    add = _add\n",
}  # fmt: skip


async def judged(sandbox: LocalSandbox, solution: str, tests: str, mode: Mode) -> Execution:
    return await sandbox.run(Program(solution=solution, tests=tests, mode=mode, limits=Limits(timeout=3)))


@pytest.mark.parametrize("mode", ["split", "auto"])
@pytest.mark.parametrize("tests", [PLAIN, WITH_PYTEST], ids=["plain", "pytest"])
@pytest.mark.parametrize("name", FORGERIES)
async def test_a_forged_pass_is_no_pass(sandbox: LocalSandbox, name: str, tests: str, mode: Mode) -> None:
    done = await judged(sandbox, FORGERIES[name], tests, mode)
    assert done.status not in ("pass", "broken", "ok"), done
    assert not done.confirmed


EMPTY = {
    "nothing": "",
    "only a comment": "# test_add\n",
    "no test function": "def check():\n    assert add(1, 1) == 2\n",
    "a skipped test": "import pytest\n@pytest.mark.skip\ndef test_add():\n    assert add(1, 1) == 2\n",
    "one of two skipped": "import pytest\n@pytest.mark.skip\ndef test_a():\n    assert False\ndef test_b():\n    assert add(1, 1) == 2\n",
    "an expected failure": "import pytest\n@pytest.mark.xfail\ndef test_add():\n    assert add(1, 1) == 3\n",
    "no assertion": "def test_add():\n    add(1, 1)\n",
    "skipped at import": "import pytest\npytest.skip('no', allow_module_level=True)\n",
    "an empty parametrization": "import pytest\n@pytest.mark.parametrize('x', [])\ndef test_add(x):\n    assert add(x, 1) == 2\n",
    "deselected": "def test_add():\n    assert add(1, 1) == 2\ndel test_add\n",
    "a syntax error": "def test_add(:\n    assert True\n",
}


@pytest.mark.parametrize("mode", ["inprocess", "split", "auto"])
@pytest.mark.parametrize("name", EMPTY)
async def test_what_was_not_checked_does_not_pass(sandbox: LocalSandbox, name: str, mode: Mode) -> None:
    done = await judged(sandbox, "def add(a, b):\n    return a + b\n", EMPTY[name], mode)
    assert done.status in ("error", "fail"), done
    assert done.error


@pytest.mark.parametrize(
    "name", ["exit at import", "os._exit at import", "exit in a call", "a printed marker", "an excepthook", "exit at exit", "skipping"]
)
async def test_accidents_do_not_pass_even_in_one_process(sandbox: LocalSandbox, name: str) -> None:
    done = await judged(sandbox, FORGERIES[name], PLAIN, "inprocess")
    assert done.status not in ("pass", "broken", "ok"), done


async def test_the_control_passes_with_the_same_tests(sandbox: LocalSandbox) -> None:
    for tests in (PLAIN, WITH_PYTEST):
        done = await judged(sandbox, "def add(a, b):\n    return a + b\n", tests, "auto")
        assert (done.status, done.confirmed) == ("pass", True), done
