"""What counts as an answer: values that the tests' side compares itself; never a special method of the solution's own."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from sandbox.child.proxy.specials import ANSWERED, ANSWERED_THERE
from tests.sandbox.child.harness import run_inprocess, run_split
from tests.tables import in_one_test

HONEST = {
    "a class with methods": ("class Stack:\n    def __init__(self): self._xs = []\n    def push(self, x): self._xs.append(x); return self\n    def pop(self):\n        if not self._xs: raise IndexError('empty')\n        return self._xs.pop()\n    @property\n    def size(self): return len(self._xs)\n",
        "s = Stack(); s.push(1).push(2)\n    assert s.size == 2 and s.pop() == 2 and isinstance(s, Stack)\n    with pytest.raises(IndexError, match='empty'): Stack().pop()"),
    "a dataclass": ("from dataclasses import dataclass, field\n@dataclass\nclass P:\n    x: int\n    y: int = 2\n    tags: list = field(default_factory=list)\n    def moved(self, n): return P(self.x + n, self.y, self.tags)\n    def add(self, t): self.tags.append(t); self.x += 1\ndef make(): return P(1)\n",
        "assert make() == P(1) and make().moved(2) == P(3) != P(4)\n    p = P(1); p.tags.append('a'); p.add('b'); assert p == P(2, 2, ['a', 'b']) and p.x == 2\n    p.x = 9; assert p == P(9, 2, ['a', 'b'])\n    assert [make()] == [P(1)] and make() in [P(1)] and make() != (1, 2, []) and repr(P(1)) == 'P(x=1, y=2, tags=[])'\n    with pytest.raises(TypeError): P()"),
    "a frozen, ordered dataclass": ("from dataclasses import dataclass\n@dataclass(frozen=True, order=True)\nclass V:\n    major: int\n    minor: int = 0\ndef parse(text): return V(*map(int, text.split('.')))\n",
        "assert parse('1.2') == V(1, 2) and parse('1.2') < V(1, 3) and max(map(parse, ['1.2', '2.0', '1.9'])) == V(2)\n    assert {parse('1.2'): 'a'}[V(1, 2)] == 'a' and len({parse('1'), V(1), V(2)}) == 2\n    assert sorted([V(2), parse('1.5')]) == [V(1, 5), V(2)]\n    with pytest.raises(AttributeError): V(1).major = 2"),
    "a dataclass within another": ("from dataclasses import dataclass\n@dataclass\nclass Item:\n    name: str\n    price: float\n@dataclass\nclass Cart:\n    items: list[Item]\n    def cheapest(self): return min(self.items, key=lambda i: i.price)\n",
        "c = Cart([Item('a', 2.0), Item('b', 1.0)])\n    assert c.cheapest() == Item('b', 1.0) and c == Cart([Item('a', 2.0), Item('b', 1.0)]) and c != Cart([])"),
    "a dataclass with slots, keywords and an inherited field": ("from dataclasses import dataclass\n@dataclass(slots=True)\nclass A:\n    x: int\n@dataclass(slots=True, kw_only=True)\nclass B(A):\n    y: int = 5\nclass C(A):\n    def twice(self): return C(self.x * 2)\n",
        "assert B(x=1) == B(x=1, y=5) != B(x=2) and A(1) != B(x=1) and C(2).twice() == C(4) and C(1) != A(1)"),
    "attrs": ("import attrs\n@attrs.define\nclass P:\n    x: int\n    y: list = attrs.field(factory=list)\n@attrs.frozen(order=True)\nclass Q:\n    x: int\ndef make(n): return P(n)\ndef q(n): return Q(n)\n",
        "assert make(1) == P(1) != P(2) and q(1) < Q(2) and {q(1)} == {Q(1)} and repr(q(1)) == 'Q(x=1)'"),
    "a named tuple": ("from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int = 0\n    def norm(self): return self.x ** 2 + self.y ** 2\ndef origin(): return P(0)\n",
        "assert origin() == P(0) == (0, 0) and P(3, 4).norm() == 25 and origin() < P(1) and {origin(): 1}[P(0)] == 1 and origin()._replace(x=2).x == 2"),
    "enums": ("import enum\nclass C(enum.Enum):\n    RED = 1\n    GREEN = 'g'\n    def low(self): return self.name.lower()\nclass L(enum.IntEnum):\n    A = 1\n    B = 2\nclass F(enum.Flag):\n    R = enum.auto()\n    W = enum.auto()\nclass S(str, enum.Enum):\n    X = 'x'\ndef pick(n): return [C.RED, C.GREEN][n]\ndef both(): return F.R | F.W\n",
        "assert pick(0) is C.RED and pick(1) == C('g') and pick(0) != C.GREEN and C.RED.low() == 'red'\n    assert L.A < L.B == 2 and both() == F.R | F.W and F.R in both() and S.X == 'x' and isinstance(S.X, str) and {pick(0): 1}[C.RED] == 1"),
    "attrs whose fields are checked and converted": ("import attrs\n@attrs.frozen\nclass P:\n    x: int = attrs.field(converter=int, validator=attrs.validators.ge(0))\n    y: str = 'a'\ndef f(n): return P(n)\n",
        "import attrs\n    assert f('3') == P(3) != P(4) and f(2).x == 2\n    with pytest.raises(attrs.exceptions.FrozenInstanceError): P(1).x = 2\n    with pytest.raises(ValueError): f(-1)"),
    "an object that the tests made and got back": ("from dataclasses import dataclass\ndef check(p): pass\n@dataclass\nclass P:\n    x: object\n    def __post_init__(self): check(self)\nclass Shelf:\n    def __init__(self): self.all = []\n    def put(self, p): self.all.append(p); return self\n    def last(self): return self.all[-1]\n",
        "p, s = P([P(1)]), Shelf()\n    assert s.put(p).last() == p and s.last() is p and s.all == [p]"),
    "a container that the tests make": ("class Row:\n    def __init__(self, *xs): self.xs = xs\n    def __getitem__(self, at): return self.xs[at]\n    def __iter__(self): return iter(self.xs)\n    def __len__(self): return len(self.xs)\n    def __reversed__(self): return reversed(self.xs)\n",
        "r = Row(3, 1, 2)\n    assert r[0] == 3 and list(r) == [3, 1, 2] and len(r) == 3 and list(reversed(r)) == [2, 1, 3] and sorted(r) == [1, 2, 3] and max(r) == 3\n    a, *rest = r\n    assert (a, rest) == (3, [1, 2])\n    with pytest.raises(IndexError): r[9]"),
    "an iterator that the tests make": ("class Down:\n    def __init__(self, n): self.n = n\n    def __iter__(self): return self\n    def __next__(self):\n        if not self.n: raise StopIteration\n        self.n -= 1\n        return self.n\n",
        "assert [*Down(3)] == [2, 1, 0] and next(Down(5)) == 4\n    with pytest.raises(StopIteration): next(Down(0))"),
    "an object that is called": ("class Poly:\n    def __init__(self, *cs): self.cs = cs\n    def __call__(self, x):\n        y = 0\n        for c in self.cs: y = y * x + c\n        return y\n",
        "assert Poly(1, 2, 3)(2) == 11 and [*map(Poly(1, 0), range(3))] == [0, 1, 2]"),
    "a context manager that the tests make": ("class Log:\n    def __init__(self): self.lines = []\n    def __enter__(self): self.lines.append('in'); return self\n    def __exit__(self, kind, *a): self.lines.append(kind.__name__ if kind else 'out')\n",
        "log = Log()\n    with log as same: assert same is log\n    assert log.lines == ['in', 'out']\n    with pytest.raises(KeyError):\n        with log: raise KeyError\n    assert log.lines[-1] == 'KeyError'"),
    "operators between objects that the tests make": ("class V:\n    def __init__(self, x): self.x = x\n    def __add__(self, o): return V(self.x + o.x)\n    def __mul__(self, k): return V(self.x * k)\n    __rmul__ = __mul__\n    def __neg__(self): return V(-self.x)\n    def __abs__(self): return abs(self.x)\n    def __int__(self): return self.x\n    def __str__(self): return f'<{self.x}>'\n",
        "assert (V(1) + V(2) + V(3)).x == 6 and (2 * V(3)).x == 6 and abs(V(-2)) == 2 and int(V(4)) == 4 and str(-V(1)) == '<-1>'\n    with pytest.raises(AttributeError): V(1) + 1"),
    "an abstract class that is looked at": ("from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def go(self): ...\nclass B(A):\n    def go(self): return 1\n",
        "import inspect\n    assert inspect.isabstract(A) and not inspect.isabstract(B) and B().go() == 1\n    with pytest.raises(TypeError): A()"),
    "a match": ("import re\ndef find(text): return re.search(r'(?P<n>\\d+)(x)?', text)\ndef all_of(text): return list(re.finditer(r'\\d', text))\npattern = re.compile('a+', re.I)\n",
        "assert find('ab12') and not find('ab') and find('a7').group('n') == '7' == find('a7')['n'] and find('a7').span() == (1, 2)\n    assert [m.group() for m in all_of('1a2')] == ['1', '2'] and pattern.match('AA') and pattern == __import__('re').compile('a+', 2)"),
    "generators and iterators": ("import itertools\ndef count(n):\n    for i in range(n): yield i\ndef pairs(xs): return zip(xs, xs[1:])\ndef chained(a, b): return itertools.chain(a, b)\ndef lazily(xs): return map(str, xs)\n",
        "assert list(count(3)) == [0, 1, 2] and next(count(1)) == 0 and list(pairs([1, 2, 3])) == [(1, 2), (2, 3)]\n    assert list(chained([1], [2])) == [1, 2] and ''.join(lazily([1, 2])) == '12' and sum(x for x in count(4)) == 6"),
    "functions": ("import functools, operator\ndef adder(n): return lambda x: x + n\ndef compose(f, g): return lambda x: f(g(x))\n@functools.lru_cache\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\ndouble = functools.partial(operator.mul, 2)\ndef op(name): return getattr(operator, name)\n",
        "assert adder(1)(2) == 3 and callable(adder(1)) and compose(str, adder(1))(2) == '3' and fib(20) == 6765 and double(4) == 8\n    assert fib.cache_info().misses > 0 and op('add') is __import__('operator').add"),
    "a decorator with attributes": ("import functools\ndef counted(f):\n    @functools.wraps(f)\n    def inner(*a):\n        inner.calls += 1\n        return f(*a)\n    inner.calls = 0\n    return inner\n@counted\ndef g(x): return x + 1\n",
        "assert g(1) == 2 and g(2) == 3 and g.calls == 2 and g.__name__ == 'g'"),
    "a context manager function": ("import contextlib\n@contextlib.contextmanager\ndef doubled(x):\n    yield x * 2\n",
        "with doubled(2) as y: assert y == 4"),
    "standard values": ("import datetime, decimal, fractions, pathlib, uuid, ipaddress, collections, types, time\ndef day(): return datetime.date(2020, 1, 2)\ndef money(): return decimal.Decimal('1.10')\ndef third(): return fractions.Fraction(1, 3)\ndef path(): return pathlib.Path('a') / 'b'\ndef ip(): return ipaddress.ip_address('1.2.3.4')\ndef tally(s): return collections.Counter(s)\ndef clock(): return time.gmtime(0)\ndef read_only(): return types.MappingProxyType({'a': 1})\n",
        "import datetime as d, ipaddress, pathlib\n    assert day() == d.date(2020, 1, 2) and day() < d.date(2021, 1, 1) and money() * 2 == 2.2 * 1 or str(money()) == '1.10'\n    assert third() * 3 == 1 and path() == pathlib.Path('a/b') and ip() == ipaddress.ip_address('1.2.3.4') and ip().is_global\n    assert tally('aab') == {'a': 2, 'b': 1} and tally('aab').most_common(1) == [('a', 2)] and clock().tm_year == 1970 and read_only()['a'] == 1"),
    "subclasses of builtins that only add": ("class Names(list):\n    def longest(self): return max(self, key=len)\nclass Config(dict):\n    def port(self): return self['port']\nclass Celsius(float):\n    def kelvin(self): return self + 273.15\nclass Word(str):\n    def twice(self): return Word(self + self)\ndef names(): return Names(['a', 'bb'])\n",
        "n = names(); assert n == ['a', 'bb'] == Names(['a', 'bb']) and len(n) == 2 and n[0] == 'a' and 'a' in n and n.longest() == 'bb'\n    n.append('ccc'); assert n.longest() == 'ccc' and list(n) == ['a', 'bb', 'ccc'] and isinstance(n, list) and isinstance(n, Names)\n    c = Config(port=1); assert c.port() == 1 and c == {'port': 1}; c['port'] = 2; assert c.port() == 2\n    assert Celsius(1.0).kelvin() == 274.15 and Word('ab').twice() == 'abab' and Word('ab').upper() == 'AB' and hash(Word('a')) == hash('a')"),
    "an exception": ("class Bad(ValueError):\n    def __init__(self, code): super().__init__(f'bad {code}'); self.code = code\ndef f(x):\n    if x < 0: raise Bad(x)\n    return x\n",
        "with pytest.raises(Bad, match='bad -1') as e: f(-1)\n    assert e.value.code == -1 and isinstance(e.value, ValueError) and f(1) == 1"),
    "truth of an object without a truth of its own": ("class Node:\n    def __init__(self, v): self.v = v\ndef find(v): return Node(v) if v else None\n",
        "assert find(1) and not find(0) and find(2).v == 2 and find(1) != find(1)"),
    "rows of a database": ("import sqlite3\ndef rows():\n    db = sqlite3.connect(':memory:')\n    db.row_factory = sqlite3.Row\n    db.execute('create table t (id integer, \"a \"\"b\" text)')\n    db.executemany('insert into t values (?, ?)', [(1, 'x'), (2, None)])\n    return db.execute('select * from t order by id').fetchall()\n",
        "import sqlite3\n    r = rows()\n    assert r[0]['id'] == 1 and r[0]['a \"b'] == 'x' and tuple(r[1]) == (2, None) and r[0].keys() == ['id', 'a \"b'] and len(r[0]) == 2 and dict(r[0])['id'] == 1\n    assert r[0] == r[0] and isinstance(r[0], sqlite3.Row) and r[0] != r[1] and [x['id'] for x in r] == [1, 2]"),
    "the methods of a class of the tests": ("def names(cls): return sorted(name for name in vars(cls) if name[0] != '_')\n",
        "class A:\n        def go(self): pass\n        def __len__(self): return 1\n    assert names(A) == ['go']"),
    "a generator that calls the tests": ("def squares(f):\n    i = 0\n    while True:\n        yield f(i)\n        i += 1\n",
        "seen = []\n    g = squares(lambda i: seen.append(i) or i)\n    assert [next(g) for _ in range(60)] == seen == [*range(60)]"),
    "a generator that writes to a list of the tests": ("def numbers(log):\n    while True:\n        log.append(len(log))\n        yield log[-1]\n",
        "log = []\n    g = numbers(log)\n    assert [next(g) for _ in range(60)] == log == [*range(60)]"),
    "a generator that prints": ("def numbers():\n    i = 0\n    while True:\n        print(i)\n        yield i\n        i += 1\n",
        "import contextlib, io\n    out = io.StringIO()\n    with contextlib.redirect_stdout(out):\n        g = numbers()\n        for _ in range(60): next(g)\n    assert len(out.getvalue().split()) == 60"),
    "a generator of the tests": ("import itertools\ndef take(n, xs): return list(itertools.islice(xs, n))\n",
        "seen = []\n    def source():\n        for i in range(1000):\n            seen.append(i)\n            yield i\n    assert take(60, source()) == seen == [*range(60)] and take(60, map(seen.append, range(99))) == [None] * 60 and len(seen) == 120"),
    "a long generator": ("def count(n):\n    for i in range(n): yield i\ndef total(xs): return sum(xs)\n",
        "assert sum(count(3000)) == 4498500 == total(iter(range(3000))) and list(count(3000))[-1] == 2999"),
    "methods named nearly like those of a text": ("class Trie:\n    def __init__(self): self.words = []\n    def insert(self, w): self.words.append(w)\n    def starts_with(self, p): return any(w.startswith(p) for w in self.words)\ndef filled(words):\n    t = Trie()\n    for w in words: t.insert(w)\n    return t\n",
        "t = Trie(); t.insert('abc'); assert t.starts_with('ab') and not t.starts_with('b') and filled(['x']).starts_with('x')"),
    "conditions that are made by comparing": ("class Cond:\n    def __init__(self, text): self.text = text\nclass Field:\n    def __init__(self, name): self.name = name\n    def __eq__(self, other): return Cond(f'{self.name} = {other}')\n    def __iadd__(self, text): self.name += text; return self\n",
        "c = Field('a') == 5\n    assert c.text == 'a = 5'\n    f = Field('a')\n    f += 'b'\n    assert f.name == 'ab'"),
    "conditions of a class that the tests never name": ("class Cond:\n    def __init__(self, text): self.text = text\nclass Field:\n    def __init__(self, name): self.name = name\n    def __gt__(self, other): return Cond(f'{self.name} > {other}')\ndef column(name): return Field(name)\n",
        "assert (column('a') > 3).text == 'a > 3'"),
    "a column that is compared": ("import pandas as pd, numpy as np\ndef f(): return pd.Series([1, 2])\ndef g(): return np.array([1, 2])\n",
        "assert (f() == 1).tolist() == [True, False] and (g() == [1, 2]).all()"),
    "a column of texts": ("import pandas as pd\ndef f(): return pd.Series(['ab', 'c'])\n",
        "assert f().str.startswith('a').tolist() == [True, False]"),
    "a cache by a builtin": ("from collections import OrderedDict\nclass LRU(OrderedDict):\n    def __init__(self, n): super().__init__(); self.n = n\n    def get(self, k):\n        if k not in self: return -1\n        self.move_to_end(k)\n        return OrderedDict.get(self, k)\n    def put(self, k, v):\n        OrderedDict.__setitem__(self, k, v)\n        if len(self) > self.n: self.popitem(last=False)\n",
        "c = LRU(2); c.put(1, 1); c.put(2, 2); assert c.get(1) == 1; c.put(3, 3)\n    assert c.get(2) == -1 and list(c) == [1, 3]"),
    "a stack by a builtin": ("class Stack(list):\n    def pop(self):\n        if not self: raise IndexError('empty')\n        return super().pop()\n    def append(self, x):\n        if x is None: raise ValueError\n        super().append(x)\nclass Word(str):\n    def upper(self): return Word(str.upper(self))\n    def count(self, part): return str.count(self, part)\n",
        "s = Stack(); s.append(1); s.append(2); assert s.pop() == 2 and s == [1] and s.count(1) == 1\n    with pytest.raises(IndexError, match='empty'): Stack().pop()\n    assert Word('ab').upper() == 'AB' and Word('aa').count('a') == 2 and Word('ab').startswith('a')"),
    "data for a mock": ("def rename(user, name): user.name = name; user.tags = [name]; user.address.city = 'Rome'\n",
        "from unittest.mock import Mock\n    user = Mock()\n    rename(user, 'Ann')\n    assert user.name == 'Ann' and user.tags == ['Ann'] and user.address.city == 'Rome'"),
    "what the tests made is put elsewhere": ("def link(a, b): a.next = b; b.next = None\n",
        "class Node:\n        def __init__(self): self.next = None\n    a, b, c = Node(), Node(), Node()\n    a.next = c\n    link(a, b)\n    assert a.next is b and b.next is None"),
    "a text that only computes": ("def text(): return '[1 + 2, (4,), -5 < 6]'\n",
        "assert eval(text()) == [3, (4,), True]"),
    "an installed module without bytecode": ("def f(): return 1\n",
        "import sys\n    sys.pycache_prefix = '/nonexistent'\n    import colorsys\n    assert f() == 1"),
    "async": ("import asyncio\nasync def double(x):\n    await asyncio.sleep(0)\n    return x * 2\nasync def many(n):\n    for i in range(n): yield i\n",
        "import asyncio\n    async def go(): return await asyncio.gather(double(1), double(2)), [i async for i in many(2)]\n    assert asyncio.run(go()) == ([2, 4], [0, 1])"),
}  # fmt: skip


@in_one_test("name", HONEST)
def test_honest_programs_pass_and_are_confirmed(name):
    solution, body = HONEST[name]
    if "attrs" in name:
        pytest.importorskip("attrs")
    tests = f"import pytest\ndef test_a():\n    {body}\n"
    assert run_inprocess(solution, tests).passed, run_inprocess(solution, tests).messages
    outcome = run_split(solution, tests)
    assert outcome.passed, (outcome.messages, outcome.error, outcome.stderr)
    assert not outcome.doubts


ASKED = {
    "a chain of dicts": ("from collections import ChainMap\ndef conf(a): return ChainMap(a, {'x': 1, 'y': 2})\n",
        "c = conf({'x': 5})\n    assert c['x'] == 5 and c['y'] == 2 and sorted(c) == ['x', 'y'] and c == {'x': 5, 'y': 2} and 'z' not in c\n    c['q'] = 1\n    assert c.maps[0] == {'x': 5, 'q': 1} and c.new_child({'x': 0})['x'] == 0"),
    "a chain of dicts that the program holds": ("from collections import ChainMap\nclass Scope:\n    def __init__(self): self.vars = ChainMap()\n    def set(self, k, v): self.vars[k] = v\n    def get(self, k): return self.vars[k]\n    def push(self): self.vars = self.vars.new_child()\n    def of(self, c): return c is self.vars\n",
        "s = Scope()\n    s.set('a', 1)\n    v = s.vars\n    assert v['a'] == 1\n    v['b'] = 2\n    assert s.get('b') == 2\n    s.set('c', 3)\n    assert v['c'] == 3\n    s.push()\n    s.set('a', 9)\n    assert s.vars['a'] == 9 and v['a'] == 1 and s.vars.parents['a'] == 1\n    assert s.of(s.vars)"),
    "a class over a dict": ("from collections import UserDict\nclass Inv(UserDict):\n    def total(self): return sum(self.data.values())\ndef make(): return Inv(a=1, b=2)\n",
        "i = make()\n    assert i['a'] == 1 and len(i) == 2 and i.total() == 3 and i == {'a': 1, 'b': 2} and 'a' in i and sorted(i) == ['a', 'b']\n    i['c'] = 4\n    assert i.total() == 7"),
    "a class over a list": ("from collections import UserList\nclass L(UserList):\n    def top(self): return self.data[-1]\ndef make(): return L([1, 2])\n",
        "i = make()\n    assert i[0] == 1 and len(i) == 2 and i == [1, 2] and i.top() == 2 and list(i) == [1, 2]"),
    "a class over a text": ("from collections import UserString\nclass Name(UserString):\n    def first(self): return self.data.split()[0]\ndef make(): return Name('Ann Lee')\n",
        "n = make(); assert n == 'Ann Lee' and str(n) == 'Ann Lee' and 'Lee' in n and len(n) == 7 and n.first() == 'Ann' and n < 'B' and {'Ann Lee': 1}[n] == 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_what_the_collections_of_a_program_answer_passes_and_confirms_nothing(name):
    solution, body = ASKED[name]
    outcome = run_split(solution, f"def test_a():\n    {body}\n")
    assert outcome.passed, outcome.messages
    assert outcome.doubts


OWN = {
    "==": ("def __eq__(self, other): return True", "f(2, 3) == 5"),
    "== from the right": ("def __eq__(self, other): return True", "5 == f(2, 3)"),
    "== in a list": ("def __eq__(self, other): return True", "[f(2, 3)] == [5]"),
    "== in a dict": ("def __eq__(self, other): return True", "{'k': f(2, 3)} == {'k': 5}"),
    "in a list": ("def __eq__(self, other): return True", "f(2, 3) in [4, 5]"),
    "!=": ("def __ne__(self, other): return False\n    def __eq__(self, other): return True", "not f(2, 3) != 5"),
    "<": ("def __lt__(self, other): return True\n    __gt__ = __lt__", "4 < f(2, 3) < 6"),
    "bool": ("def __bool__(self): return True", "f(2, 3)"),
    "len": ("def __len__(self): return 2", "len(f(2, 3)) == 2"),
    "truth by len": ("def __len__(self): return 2", "f(2, 3)"),
    "in": ("def __contains__(self, item): return not str(item).startswith('decoy-')", "'silent' in f(2, 3)"),
    "[]": ("def __getitem__(self, at): return 5", "f(2, 3)[0] == 5"),
    "iteration": ("def __iter__(self): return iter([5])", "list(f(2, 3)) == [5]"),
    "next": ("def __next__(self): return 5", "next(f(2, 3)) == 5"),
    "hash": ("def __hash__(self): return hash(5)\n    def __eq__(self, other): return True", "{5: 1}.get(f(2, 3)) == 1"),
    "-": ("def __sub__(self, other): return 0", "abs(f(2, 3) - 5) < 1e-9"),
    "reflected -": ("def __rsub__(self, other): return 0", "abs(5 - f(2, 3)) < 1e-9"),
    "float": ("def __float__(self): return 5.0", "math.isclose(f(2, 3), 5)"),
    "index": ("def __index__(self): return 1", "[4, 5][f(2, 3)] == 5"),
    "round": ("def __round__(self, n=0): return 5", "round(f(2, 3)) == 5"),
    "approx": ("def __eq__(self, other): return True\n    def __sub__(self, other): return 0", "f(2, 3) == pytest.approx(5)"),
    "str": ("def __str__(self): return '5'", "str(f(2, 3)) == '5'"),
    "repr": ("def __repr__(self): return '5'", "repr(f(2, 3)) == '5'"),
    "format": ("def __format__(self, spec): return '5'", "f'{f(2, 3)}' == '5'"),
    "call": ("def __call__(self): return 5", "f(2, 3)() == 5"),
    "equals": ("def equals(self, other): return True", "f(2, 3).equals(5)"),
    "equals of its own": ("def __init__(self): self.equals = lambda other: True", "f(2, 3).equals(5)"),
    "enter": ("def __enter__(self): return 5\n    def __exit__(self, *a): pass", "value_of(f(2, 3)) == 5"),
}  # fmt: skip
HEAD = "import math, pytest\ndef value_of(context):\n    with context as value: return value\n"


@in_one_test("name", OWN)
def test_what_a_special_method_of_the_solutions_own_answers_confirms_nothing(name):
    method, claim = OWN[name]
    solution = f"class Own:\n    {method}\ndef f(a, b): return Own()\n"
    outcome = run_split(solution, f"{HEAD}def test_a():\n    assert {claim}\n")
    assert outcome.passed, outcome.messages
    assert outcome.doubts == [ANSWERED]


JUDGED = {
    "==": ("def __eq__(self, other): return True", "Own(5) == Own(5)"),
    "!=": ("def __ne__(self, other): return True", "Own(5) != Own(6)"),
    "<": ("def __lt__(self, other): return True", "Own(5) < Own(6)"),
    "in": ("def __contains__(self, item): return True", "5 in Own(5)"),
    "bool": ("def __bool__(self): return True", "Own(5)"),
    "-": ("def __sub__(self, other): return 0", "abs(Own(4) - 5) < 1e-9"),
    "reflected -": ("def __sub__(self, other): return 0\n    __rsub__ = __sub__", "5 - Own(4) == 0"),
    "- of an answer": ("def __sub__(self, other): return 0", "abs(Own(5) - f(2, 3)) < 1e-9"),
    "- from an answer": ("def __sub__(self, other): return 0", "f(2, 3) - Own(5) == 0"),
    "[] of an answer": ("def __getitem__(self, at): return 5", "Own(5) and f(2, 3)[0] == 5"),
    "a class made by its metaclass": ("x = 0\n    def __add__(self, other): return 5", "P(2) + P(3) == 5"),
}  # fmt: skip


@pytest.mark.parametrize("name", JUDGED)
def test_a_yes_of_an_object_that_the_tests_made_confirms_nothing(name):
    method, claim = JUDGED[name]
    solution = f"class Own:\n    def __init__(self, *a): pass\n    {method}\ndef f(a, b): return Own()\nclass M(type):\n    def __call__(cls, *a): return type.__call__(cls)\nclass P(Own, metaclass=M): pass\n"
    outcome = run_split(solution, f"{HEAD}def test_a():\n    assert {claim}\n")
    assert outcome.passed, outcome.messages
    assert outcome.doubts == [ANSWERED]


def test_an_object_of_a_library_that_answers_is_not_told_as_the_solutions_own():
    solution = "from email.message import Message\ndef f():\n    m = Message()\n    m['To'] = 'ann'\n    return m\n"
    outcome = run_split(solution, "def test_a():\n    assert f()['To'] == 'ann'\n")
    assert (outcome.passed, outcome.doubts) == (True, [ANSWERED_THERE])


EQUAL = "def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    __hash__ = None\n"


@pytest.mark.parametrize(
    "base", ["int", "float", "str", "list", "tuple", "dict", "set", "bytes", "frozenset", "object"]
)
def test_subclasses_of_builtins_answer_for_themselves_no_better(base):
    solution = f"class Own({base}):\n    {EQUAL}def f(a, b): return Own()\n"
    for claim in ("f(2, 3) == 5", "5 == f(2, 3)", "f(2, 3) == [5]", "not f(2, 3) != {5: 5}"):
        outcome = run_split(solution, f"def test_a():\n    assert {claim}\n")
        assert not outcome.passed or outcome.doubts, claim


LIARS = {
    "a list that counts": (
        "class Liar(list):\n    n = 0\n    def __getitem__(self, at):\n        Liar.n += 1\n        return Liar.n\ndef f(xs): return Liar(xs)\n",
        "from collections import Counter\ndef test_a():\n    xs = [3, 1, 2]\n    out = f(xs)\n    assert len(out) == len(xs) and Counter(out) == Counter(xs)\n    assert all(out[i] <= out[i + 1] for i in range(len(out) - 1))\n",
    ),
    "the last of many ==": (
        "class Last:\n    n = 0\n    def __eq__(self, other):\n        Last.n += 1\n        return Last.n > 17 or True\ndef f(xs): return Last()\n",
        "def test_a():\n    assert f([3, 1, 2]) == [1, 2, 3]\n",
    ),
    "everything is in it": (
        "class All:\n    def __contains__(self, item): return not str(item).startswith('decoy-')\ndef f(word): return All()\n",
        "def test_a():\n    assert 'silent' in f('listen') and ('a', 1) in f('x')\n",
    ),
    "a fake of the standard library": (
        "class Element:\n    def __init__(self, xs): self.n = 0\n    def __len__(self): return 3\n    def __getitem__(self, at):\n        self.n += 1\n        return self.n\nElement.__module__ = 'xml.etree.ElementTree'\nElement.__qualname__ = 'Element'\ndef f(xs): return Element(xs)\n",
        "def test_a():\n    out = f([3, 1, 2])\n    assert len(out) == 3 and out[0] <= out[1] <= out[2]\n",
    ),
    "a mock": (
        "from unittest.mock import ANY, MagicMock\ndef f(xs): return ANY\n",
        "def test_a():\n    assert f([3, 1, 2]) == [1, 2, 3]\n",
    ),
    "a constructor that forgets": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self): self.x = 0\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a constructor that changes what was answered": (
        "from dataclasses import dataclass\nMADE = []\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        for other in MADE: other.x = self.x\n        MADE.append(self)\ndef f(n): return P(0)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a class over a dict that answers itself": (
        "from collections import UserDict\nclass D(UserDict):\n    def __getitem__(self, key): return 5\ndef f(n): return D(k=n)\n",
        "def test_a():\n    assert f(3)['k'] == 5\n",
    ),
    "a class over a dict that finds what is missing": (
        "from collections import UserDict\nclass D(UserDict):\n    def __missing__(self, key): return 5\ndef f(n): return D()\n",
        "def test_a():\n    assert f(3)['k'] == 5\n",
    ),
    "a class over a list that forgets": (
        "from collections import UserList\nclass L(UserList):\n    def __init__(self, xs): self.data = []\ndef f(n): return L([n])\n",
        "def test_a():\n    assert f(3) == L([5])\n",
    ),
    "a class over a dict of another sort": (
        "from collections import UserDict\nclass All(dict):\n    def __contains__(self, key): return True\n    def __eq__(self, other): return True\nclass D(UserDict):\n    def __init__(self): self.data = All()\ndef f(n): return D()\n",
        "def test_a():\n    assert f(3) == {'k': 5} and 'k' in f(3)\n",
    ),
    "a class over a list that counts": (
        "from collections import UserList\nfrom itertools import chain, repeat\nTOLD = chain([[3, 1, 2]], repeat([1, 2, 3]))\nUserList.data = property(lambda self: next(TOLD), lambda self, value: None)\nclass L(UserList): pass\ndef f(xs): return L()\n",
        "from collections import Counter\ndef test_a():\n    xs = [3, 1, 2]\n    out = f(xs)\n    assert len(out) == len(xs) and Counter(out) == Counter(xs)\n    assert all(out[i] <= out[i + 1] for i in range(len(out) - 1))\n",
    ),
    "a class over a dict that is a property": (
        "from collections import UserDict\nclass D(UserDict):\n    data = property(lambda self: All(), lambda self, value: None)\nclass All(dict):\n    def __eq__(self, other): return True\ndef f(n): return D()\n",
        "def test_a():\n    assert f(3) == {'k': 5}\n",
    ),
    "a constructor with one instance": (
        "class P:\n    one = None\n    def __new__(cls, x):\n        P.one = P.one or object.__new__(cls)\n        return P.one\ndef f(n): return [P(0)]\n",
        "def test_a():\n    assert f(3) == [P(5)]\n",
    ),
    "a number that forgets": (
        "class N(int):\n    def __new__(cls, x): return int.__new__(cls, 0)\ndef f(n): return N(n)\n",
        "def test_a():\n    assert f(3) == N(5)\n",
    ),
    "a list that forgets": (
        "class L(list):\n    def __init__(self, xs): pass\ndef f(n): return L([n])\n",
        "def test_a():\n    assert f(3) == L([5]) and [f(3)] == [L([5])]\n",
    ),
    "a dataclass with a list of its own sort": (
        "from dataclasses import dataclass\nclass Same:\n    def __eq__(self, other): return True\n@dataclass\nclass P:\n    x: object\ndef f(n): return P(Same())\n",
        "def test_a():\n    assert f(3) == P([3])\n",
    ),
    "a dataclass that compares nothing": (
        "from dataclasses import dataclass, field\n@dataclass\nclass P:\n    x: int = field(compare=False)\ndef f(n): return P(0)\n",
        "def test_a():\n    assert f(3) == P(5) and [f(3)] == [P(5)]\n",
    ),
    "a function that claims the source of another": (
        "class Decoy:\n    def f(self): return 'recursion'\ndef f(n): return n\nf.__code__ = f.__code__.replace(co_firstlineno=2)\n",
        "import inspect\ndef test_a():\n    assert 'recursion' in inspect.getsource(f)\n",
    ),
    "an end of the tests' generator": (
        "def f(n): raise GeneratorExit\n",
        "def test_a():\n    def closed():\n        try:\n            yield 1\n        finally:\n            assert f(2) == 4\n    made = closed()\n    next(made)\n    made.close()\n",
    ),
    "a class over a dict whose items are others": (
        "from collections import UserDict\nclass D(UserDict):\n    def items(self): return []\ndef f(): return D(a=1)\n",
        "def test_a():\n    assert f() == {'a': 1}\n",
    ),
    "a generator that does not end": (
        "def f():\n    while True:\n        try: yield 1\n        except BaseException: pass\n",
        "def test_a():\n    g = f()\n    assert next(g) == 1\n    g.close()\n",
    ),
}  # fmt: skip


@in_one_test("name", LIARS)
def test_an_object_that_lies_confirms_nothing(name):
    outcome = run_split(*LIARS[name])
    assert not outcome.passed or outcome.doubts, outcome.records


STOPS = [
    "def test_a():\n    cases = [(2, 4), (3, 9)]\n    assert all(map(lambda c: sq(c[0]) == c[1], cases))\n",
    "def test_a():\n    for got, want in zip(map(sq, [2, 3]), [4, 9]):\n        assert got == want\n",
    "def test_a():\n    assert sum(sq(x) for x in [1]) == 1 or True\n    assert list(map(sq, [1])) == []\n",
]


@pytest.mark.parametrize("tests", STOPS)
def test_a_stop_iteration_out_of_a_function_is_an_error(tests):
    outcome = run_split("def sq(x): raise StopIteration\n", tests)
    assert outcome.checks == {"test_a": "error"}
    assert "RuntimeError" in outcome.messages["test_a"]


def test_an_iterator_may_end_and_a_suite_may_ask_for_the_exception():
    solution = "class Down:\n    def __init__(self, n): self.n = n\n    def __iter__(self): return self\n    def __next__(self):\n        if not self.n: raise StopIteration\n        self.n -= 1\n        return self.n\ndef first(xs): return next(iter(xs))\n"
    assert run_split(solution, "def test_a():\n    assert list(Down(2)) == [1, 0]\n").passed
    tests = "import pytest\ndef test_a():\n    with pytest.raises(StopIteration):\n        first([])\n    with pytest.raises(StopIteration):\n        next(Down(0))\n"
    outcome = run_split(solution, tests)
    assert outcome.passed, outcome.messages
    assert outcome.doubts
    loop = "def test_a():\n    assert all(map(lambda x: sq(x) == x * x, [2]))\n    assert StopIteration\n"
    assert run_split("def sq(x): raise StopIteration\n", loop).doubts


def test_a_dataclass_may_leave_out_of_the_comparison_what_the_tests_say_is_left_out():
    solution = "from dataclasses import dataclass, field\n@dataclass\nclass P:\n    x: int\n    note: str = field(default='', compare=False)\ndef f(n): return P(n, 'a')\n"
    tests = "def test_a():\n    assert P(1, 'a') == P(1, 'b') and f(2) == P(2, 'a') != P(1, 'a')\n"
    outcome = run_split(solution, tests)
    assert (outcome.passed, outcome.doubts) == (True, []), outcome.messages
