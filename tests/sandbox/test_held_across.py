"""Objects that both processes of a split run know are the same to both: what lives, what is seen, what changes."""

from __future__ import annotations

import pytest

from sandbox import LocalSandbox, Program

pytestmark = pytest.mark.asyncio(loop_scope="session")

OBSERVERS = """
import weakref
class Subject:
    def __init__(self):
        self._observers = weakref.WeakSet()
    def attach(self, observer):
        self._observers.add(observer)
    def notify(self, value):
        for observer in list(self._observers):
            observer.update(value)
    def count(self):
        return len(self._observers)
"""
OBSERVED = """
import gc
class Observer:
    def __init__(self):
        self.seen = []
    def update(self, value):
        self.seen.append(value)
def test_lives():
    subject, observer = Subject(), Observer()
    subject.attach(observer)
    subject.notify(3)
    subject.notify(4)
    assert observer.seen == [3, 4]
def test_is_gone():
    subject, observer = Subject(), Observer()
    subject.attach(observer)
    assert subject.count() == 1
    del observer
    gc.collect()
    assert subject.count() == 0
def test_comes_back():
    first, second, observer = Subject(), Subject(), Observer()
    first.attach(observer)
    second.attach(observer)
    first.notify(1)
    second.notify(2)
    assert (observer.seen, first.count(), second.count()) == ([1, 2], 1, 1)
"""
METHODS = """
import weakref
class Signal:
    def __init__(self):
        self.slots = []
    def connect(self, slot):
        self.slots.append(weakref.ref(slot))
        return slot
    def send(self, value):
        return [slot()(value) for slot in self.slots if slot() is not None]
"""
CONNECTED = """
def test_sent():
    signal = Signal()
    double = signal.connect(lambda value: 2 * value)
    signal.connect(lambda value: -value)
    assert signal.send(4) == [8]
    assert double(1) == 2
"""
WRAPPED = """
from functools import wraps
def traced(function):
    @wraps(function)
    def inner(*args):
        return function(*args)
    return inner
"""
DOCUMENTED = """
def test_told():
    @traced
    def greet(name):
        'Says hello.'
        return f'hello {name}'
    assert (greet('Bo'), greet.__doc__, greet.__name__) == ('hello Bo', 'Says hello.', 'greet')
"""
PROXIES = """
from types import MappingProxyType
_held = {'a': 1}
HELD = MappingProxyType(_held)
def hold(name, value):
    _held[name] = value
def frozen(mapping):
    return MappingProxyType(mapping)
"""
SHUT = """
import pytest
def test_program_changes_it():
    hold('b', 2)
    assert HELD['b'] == 2
    hold('c', 3)
    assert dict(HELD) == {'a': 1, 'b': 2, 'c': 3}
def test_tests_change_it():
    mapping = {'x': 1}
    proxy = frozen(mapping)
    mapping['y'] = 2
    assert proxy['y'] == 2
    with pytest.raises(TypeError):
        proxy['z'] = 3
"""
FETCH = """
import urllib.request
def fetch(address):
    with urllib.request.urlopen(address, timeout=3) as answer:
        return answer.read().decode()
"""
FETCHED = """
from unittest import mock
import solution
def test_fetched():
    with mock.patch('solution.urllib.request.urlopen') as opened:
        opened.return_value.__enter__.return_value.read.return_value = b'there'
        assert solution.fetch('http://somewhere') == 'there'
        opened.assert_called_once_with('http://somewhere', timeout=3)
"""
CACHE = "def stored(cache):\n    cache.set('app/k', [1, 2])\n    return cache.get('app/k', None)\n"
CACHED = """
def test_cached(cache):
    cache.set('own/k', stored(dict_like(cache)))
    assert cache.get('own/k', None) == [1, 2]
def test_folder(cache):
    (cache.mkdir('made') / 'f').write_text('x')
    assert cache.get('absent', 5) == 5
class dict_like:
    def __init__(self, cache):
        self.cache = cache
    def set(self, name, value):
        self.cache.set(name, value)
    def get(self, name, default):
        return self.cache.get(name, default)
"""
SAME = {
    "held weakly": (OBSERVERS, OBSERVED),
    "functions held weakly": (METHODS, CONNECTED),
    "documentation": (WRAPPED, DOCUMENTED),
    "mapping proxies": (PROXIES, SHUT),
    "parts of a module": (FETCH, FETCHED),
    "pytest's cache": (CACHE, CACHED),
}


@pytest.mark.parametrize("name", SAME)
async def test_what_both_sides_know_is_one_object(sandbox: LocalSandbox, name: str) -> None:
    solution, tests = SAME[name]
    done = await sandbox.run(Program(solution=solution, tests=tests, mode="split"))
    assert (done.status, done.confirmed) == ("pass", True), done


POISON = """
import os, tempfile
def stored():
    for folder, _, names in os.walk(tempfile.gettempdir()):
        for name in names:
            with open(os.path.join(folder, name), 'w') as file:
                file.write('0')
    return 0
"""
KEPT = "def test_kept(cache):\n    cache.set('app/k', 9)\n    assert stored() == cache.get('app/k', None)\n"
UNDER = "import gc\ndef look(proxy):\n    gc.get_referents(proxy)[0]['want'] = 0\n    return 0\n"
SHOWN = """
from types import MappingProxyType
def test_shown():
    wanted = MappingProxyType({'want': 9})
    assert look(wanted) == wanted['want']
"""


@pytest.mark.parametrize(("solution", "tests"), [(POISON, KEPT), (UNDER, SHOWN)])
async def test_what_the_tests_keep_to_themselves_is_theirs(sandbox: LocalSandbox, solution: str, tests: str) -> None:
    done = await sandbox.run(Program(solution=solution, tests=tests, mode="split"))
    assert [check.status for check in done.checks] == ["fail"], done
