"""Objects of dataclasses that tests make by a constructor of the program's own: what they hold is looked at."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from tests.sandbox.child.harness import run_inprocess, run_split

COMPLETING = {
    "a dataclass that checks its fields": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    price: float\n    name: str = 'x'\n    def __post_init__(self):\n        if self.price < 0: raise ValueError('neg')\ndef make(n): return P(n)\n",
        "assert make(3) == P(3) != P(4)\n    assert sorted([make(3).price, 1]) == [1, 3]\n    with pytest.raises(ValueError, match='neg'): P(-1)\n    with pytest.raises(ValueError): make(-1)"),
    "an ordered dataclass that checks types": ("from dataclasses import dataclass, field, InitVar\n@dataclass(order=True)\nclass V:\n    major: int\n    minor: int = 0\n    def __post_init__(self):\n        if not isinstance(self.major, int) or self.major < 0:\n            raise ValueError(f'bad {self.major}')\ndef parse(t): return V(*map(int, t.split('.')))\ndef newest(vs): return max(vs)\n",
        "assert parse('1.2') < V(1, 3) and newest([V(1), V(2), V(0, 9)]) == V(2)\n    assert sorted([parse('2'), parse('1.9'), V(0)]) == [V(0), V(1, 9), V(2)]"),
    "a dataclass that converts its fields": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: float\n    def __post_init__(self): self.x = float(self.x)\ndef f(n): return P(n)\n",
        "assert f(3) == P(3) and isinstance(f(3).x, float)"),
    "a dataclass that tidies up its fields": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass U:\n    name: str\n    def __post_init__(self): self.name = self.name.strip().lower()\ndef f(n): return U(n)\n",
        "assert f(' Bob ') == U('bob')"),
    "a dataclass that has its base check, too": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass A:\n    x: int\n    def __post_init__(self):\n        if self.x < 0: raise ValueError\n@dataclass\nclass B(A):\n    y: int = 0\n    def __post_init__(self):\n        super().__post_init__()\n        if self.y > 10: raise ValueError\ndef f(): return B(1, 2)\n",
        "assert f() == B(1, 2) and A(1) != f()\n    with pytest.raises(ValueError): B(-1)"),
    "dataclasses that check, within one another": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass Item:\n    name: str\n    price: float\n    qty: int = 1\n    def __post_init__(self):\n        if self.price < 0 or self.qty < 1:\n            raise ValueError('bad')\n@dataclass\nclass Cart:\n    items: list = field(default_factory=list)\n    def __post_init__(self):\n        if not isinstance(self.items, list): raise TypeError\n    def add(self, item): self.items.append(item); return self\n    def total(self): return sum(i.price * i.qty for i in self.items)\n",
        "c = Cart().add(Item('a', 2.0)).add(Item('b', 1.0, 2))\n    assert c.items == [Item('a', 2.0), Item('b', 1.0, 2)] and c.total() == 4"),
    "a dataclass that checks in a loop": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass M:\n    rows: list\n    def __post_init__(self):\n        if not self.rows: raise ValueError('empty')\n        n = len(self.rows[0])\n        for row in self.rows:\n            if len(row) != n: raise ValueError('ragged')\n        if any(len(r) != n for r in self.rows): raise ValueError\n    def t(self): return M([list(r) for r in zip(*self.rows)])\n",
        "assert M([[1, 2], [3, 4]]).t() == M([[1, 3], [2, 4]])\n    with pytest.raises(ValueError): M([])\n    with pytest.raises(ValueError, match='ragged'): M([[1], [1, 2]])"),
    "a dataclass that checks by a library": ("import math\nfrom dataclasses import dataclass, field, InitVar\n@dataclass(frozen=True)\nclass P:\n    x: float\n    y: float\n    def __post_init__(self):\n        if math.isnan(self.x) or not math.isfinite(self.y): raise ValueError\n    def __add__(self, o): return P(self.x + o.x, self.y + o.y)\ndef add(a, b): return a + b\n",
        "assert add(P(1, 2), P(3, 4)) == P(4, 6)"),
    "a dataclass that checks dates": ("from datetime import date\nfrom dataclasses import dataclass, field, InitVar\n@dataclass(order=True)\nclass Span:\n    start: date\n    end: date\n    def __post_init__(self):\n        if self.end < self.start: raise ValueError('order')\ndef merge(a, b): return Span(min(a.start, b.start), max(a.end, b.end))\n",
        "from datetime import date\n    a, b = Span(date(2020, 1, 1), date(2020, 1, 5)), Span(date(2020, 1, 3), date(2020, 2, 1))\n    assert merge(a, b) == Span(date(2020, 1, 1), date(2020, 2, 1))\n    with pytest.raises(ValueError): Span(date(2020, 2, 1), date(2020, 1, 1))"),
    "a dataclass with an attribute that is no field": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass C:\n    n: int = 0\n    def __post_init__(self): self._seen = {}\n    def inc(self): self.n += 1; self._seen[self.n] = 1; return self\ndef f(): return C(1)\n",
        "assert f() == C(1) and C().inc() == C(1) and C()._seen == {}"),
    "dataclasses that only the program makes": ("class X: pass\nfrom dataclasses import dataclass, field, InitVar\n@dataclass(init=False)\nclass P:\n    x: int\n    def __init__(self, text): self.x = int(text)\ndef f(t): return P(t)\ndef g(t): return P(t)\n",
        "assert f('3') == g('3') != f('4')"),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPLETING)
def test_what_only_checks_and_completes_fields_is_confirmed(name):
    solution, body = COMPLETING[name]
    tests = f"import pytest\ndef test_a():\n    {body}\n"
    assert run_inprocess(solution, tests).passed, run_inprocess(solution, tests).messages
    outcome = run_split(solution, tests)
    assert outcome.passed, (outcome.messages, outcome.error, outcome.stderr)
    assert not outcome.doubts


CHOOSING = {
    "a frozen dataclass that computes a field": ("from dataclasses import dataclass, field, InitVar\n@dataclass(frozen=True)\nclass R:\n    w: float\n    h: float\n    area: float = field(init=False)\n    def __post_init__(self):\n        object.__setattr__(self, 'area', self.w * self.h)\ndef scale(r, k): return R(r.w * k, r.h)\n",
        "assert scale(R(1, 2), 3) == R(3, 2)\n    assert R(2, 3).area == 6 and {R(1, 2): 1}[R(1, 2)] == 1"),
    "a frozen dataclass with slots that computes a field": ("from dataclasses import dataclass, field\n@dataclass(frozen=True, slots=True)\nclass R:\n    w: int\n    twice: int = field(init=False, default=0)\n    def __post_init__(self): object.__setattr__(self, 'twice', self.w * 2)\ndef f(n): return R(n)\n",
        "assert f(2) == R(2) != R(3) and R(2).twice == 4 and {f(2)} == {R(2)}"),
    "a dataclass that fills in a default": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass T:\n    name: str\n    tags: list = None\n    def __post_init__(self):\n        if self.tags is None:\n            self.tags = []\n    def add(self, t): self.tags.append(t); return self\ndef mk(n): return T(n)\n",
        "assert mk('a') == T('a') == T('a', [])\n    assert T('a').add('x') == T('a', ['x']) and T('a').tags == []\n    t = T('b')\n    t.tags.append('q')\n    assert t.tags == ['q']"),
    "a dataclass that uses a name again in a comprehension": ("from dataclasses import dataclass, field\n@dataclass\nclass P:\n    x: int\n    y: int = field(init=False)\n    def __post_init__(self):\n        n = self.x\n        if any(n > 5 for n in [0]): raise ValueError\n        self.y = n\ndef f(n): return P(n)\n",
        "assert P(3).y == 3 and f(3) == P(3)"),
}  # fmt: skip
"""The constructor gives values to fields that the tests compare. What it chooses may be what was answered before."""


@pytest.mark.parametrize("name", CHOOSING)
def test_fields_that_a_constructor_fills_in_pass_and_confirm_nothing(name):
    solution, body = CHOOSING[name]
    outcome = run_split(solution, f"import pytest\ndef test_a():\n    {body}\n")
    assert outcome.passed, outcome.messages
    assert outcome.doubts


CHANGING = {
    "a dataclass that knows allowed values": ("from dataclasses import dataclass, field, InitVar\nSUITS = ('H', 'S')\nRANKS = {'A': 14}\n@dataclass(frozen=True, order=True)\nclass Card:\n    rank: str\n    suit: str\n    def __post_init__(self):\n        if self.suit not in SUITS: raise ValueError('suit')\n        if self.rank not in RANKS and not self.rank.isdigit(): raise ValueError('rank')\n    @property\n    def value(self): return RANKS.get(self.rank) or int(self.rank)\ndef best(cs): return max(cs, key=lambda c: c.value)\n",
        "assert best([Card('9', 'H'), Card('A', 'S')]) == Card('A', 'S')\n    with pytest.raises(ValueError): Card('9', 'X')"),
    "a dataclass that checks an enum": ("from enum import Enum\nclass K(Enum):\n    A = 1\n    B = 2\nfrom dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    kind: K = K.A\n    def __post_init__(self):\n        if self.x < 0: raise ValueError\n        if not isinstance(self.kind, K): raise TypeError\ndef f(n): return P(n, K.B)\n",
        "assert f(3) == P(3, K.B) != P(3)"),
    "a dataclass that checks in a method": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self): self._validate()\n    def _validate(self):\n        if self.x < 0: raise ValueError\ndef f(n): return P(n)\n",
        "assert f(3) == P(3)"),
    "a dataclass that checks by a function": ("from dataclasses import dataclass, field, InitVar\ndef check(x):\n    if x < 0: raise ValueError\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self): check(self.x)\ndef f(n): return P(n)\n",
        "assert f(3) == P(3)"),
    "a limit that the program changes": ("from dataclasses import dataclass\nLIMIT = 10\ndef set_limit(n):\n    global LIMIT\n    LIMIT = n\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if self.x > LIMIT: raise ValueError\ndef f(n): return P(n)\n",
        "set_limit(5)\n    with pytest.raises(ValueError): P(7)\n    assert f(3) == P(3)"),
    "a default beside one that the program makes": ("import itertools\nfrom dataclasses import dataclass, field\n@dataclass\nclass P:\n    x: int\n    y: int = 2\n    z: object = field(default_factory=itertools.count, compare=False)\ndef f(n): return P(n)\n",
        "assert f(1).y == 2 and next(P(1).z) == 0"),
    "a limit that the tests patch": ("from dataclasses import dataclass\nLIMIT = 10\n@dataclass\nclass P:\n    x: int\n    y: int = 0\n    def __post_init__(self): self.y = LIMIT\ndef f(n): return P(n)\n",
        "import solution\n    with pytest.MonkeyPatch.context() as patch:\n        patch.setattr(solution, 'LIMIT', 5)\n        assert P(1).y == 5 and f(1) == P(1, 5)"),
    "a dataclass with a value that is no field": ("from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: float\n    y: float\n    scale: InitVar[float] = 1.0\n    area: float = field(init=False, compare=False)\n    def __post_init__(self, scale):\n        self.x *= scale\n        self.y *= scale\n        self.area = self.x * self.y\ndef f(n): return P(n, n, 2)\n",
        "assert f(3) == P(6, 6) != P(6, 5) and f(3).area == 36 and P(1, y=2, scale=3) == P(3, y=6)"),
    "a dataclass that wants what another has": ("from dataclasses import dataclass\nfrom enum import Enum\nclass K(Enum):\n    A = 1\n@dataclass\nclass P:\n    x: tuple\n    kind: object = None\n    def __post_init__(self): self.kind = K(self.kind) if self.kind else K.A\ndef f(n): return [P(n, K.A)]\n",
        "assert f((1, 2)) == [P((1, 2), K.A)] and P(()).kind is K.A and f((1,)) == [P((1,), K.A)]"),
    "a dataclass that holds equal numbers of other types": ("from dataclasses import dataclass\nL = []\ndef note(p): L.append(p.x)\n@dataclass\nclass P:\n    x: object\n    def __post_init__(self): note(self)\ndef f(n): return P({'a': n * 1.0, 'b': {(n, frozenset([1.0]))}})\n",
        "assert f(3) == P({'a': 3, 'b': {(3, frozenset([1]))}}) != P({})"),
    "a dataclass that holds times and flags": ("from dataclasses import dataclass\nfrom datetime import datetime, timezone\nfrom enum import Flag, IntEnum\nfrom zoneinfo import ZoneInfo\nclass K(Flag):\n    R = 1\n    W = 2\nclass N(IntEnum):\n    ONE = 1\nL = []\ndef note(p): L.append(p.x)\n@dataclass\nclass P:\n    x: object\n    k: K = K.R\n    n: int = 1\n    def __post_init__(self): note(self)\ndef f(n): return P(datetime(2020, 1, n, tzinfo=timezone.utc), K.R | K.W, N.ONE)\n",
        "from datetime import datetime\n    from zoneinfo import ZoneInfo\n    assert f(3) == P(datetime(2020, 1, 3, tzinfo=ZoneInfo('UTC')), K.R | K.W, 1) != P(1, K(0), N.ONE)"),
    "a dataclass that holds a list within itself": ("from dataclasses import dataclass\nL = []\ndef note(p): L.append(p)\n@dataclass\nclass P:\n    x: list\n    def __post_init__(self): note(self)\ndef f(p): p.x.append(1); return p\n",
        "rows = []\n    rows.append(rows)\n    assert f(P(rows)).x[1] == 1"),
}  # fmt: skip
"""What the constructor of a dataclass uses beside its fields may be another thing at another time. So it runs where it
is, and what the objects hold is looked at."""


@pytest.mark.parametrize("name", CHANGING)
def test_dataclasses_whose_constructor_uses_more_than_fields_are_confirmed(name):
    solution, body = CHANGING[name]
    outcome = run_split(solution, f"import pytest\ndef test_a():\n    {body}\n")
    assert outcome.passed, (outcome.messages, outcome.error, outcome.stderr)
    assert not outcome.doubts


ODD = {
    "a function of its own like a builtin": "def len(x): return 0\n{head}        self.y = len([1] * self.x)\n",
    "a variable like a builtin": "{head}        abs = self.x\n        self.y = abs(self.x)\n",
    "a module of its own like math": "class math:\n    floor = staticmethod(lambda x: 0)\n{head}        self.y = math.floor(self.x)\n",
    "a global like an attribute": "STEP = 0\n{head}        self.y = self.x + self.STEP\n    STEP = 5\n",
    "an attribute set while frozen": "{frozen}        self.y = self.x\n",
    "a setter of its own": "{head}        self.y = self.x\n        self.z = 1\n    @property\n    def z(self): return 1\n    @z.setter\n    def z(self, to): self.y = 0\n",
    "a method of the class without an object": "{head}        self.y = A.same(self.x)\n    def same(self, x):\n        return x\n",
    "the default of the class": "{head}        self.y = A.x\n",
}
"""Classes whose constructor does not set `y` to the given `x`, though a careless reading says so."""


@pytest.mark.parametrize("name", ODD)
def test_names_of_a_constructor_mean_what_they_mean_where_it_runs(name):
    head = "class A:\n    x: int = 0\n    y: int = field(init=False, default=0)\n    def __post_init__(self):\n"
    program = ODD[name].format(head=f"@dataclass\n{head}", frozen=f"@dataclass(frozen=True)\n{head}")
    outcome = run_split(
        f"from dataclasses import dataclass, field\n{program}",
        "from solution import A\ndef test_a():\n    assert A(2).y == 2\n",
    )
    assert not outcome.passed
