"""Constructors of the program that lie about what they were given: an object that they make confirms nothing."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

from tests.sandbox.child.harness import run_split
from tests.tables import in_one_test

LIARS = {
    "a default that is what was answered": ("from dataclasses import dataclass, field\nL = [0]\n@dataclass\nclass P:\n    x: int\n    y: int = field(default_factory=lambda: L[0])\ndef f(n):\n    L[0] = 99\n    return P(n, 99)\n",
        "def test_a():\n    assert f(1) == P(1)\n"),
    "a field that is filled in as was answered": ("from dataclasses import dataclass\nL = [0]\n@dataclass\nclass P:\n    x: int\n    y: int = None\n    def __post_init__(self): self.y = L[0] if self.y is None else self.y\ndef f(n):\n    L[0] = 99\n    return P(n, 99)\n",
        "def test_a():\n    assert f(1) == P(1)\n"),
    "a check that forgets": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if self.x: self.x = 0\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a frozen constructor that forgets": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass(frozen=True)\nclass P:\n    x: int\n    def __post_init__(self): object.__setattr__(self, 'x', 0)\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a constructor that forgets by the dict": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self): self.__dict__['x'] = 0\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a constructor that remembers": (
        "from dataclasses import dataclass, field, InitVar\nL = [0]\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self): L.append(self.x)\ndef f(n): return P(L[-1])\n",
        "def test_a():\n    want = P(5)\n    assert f(3) == want\n",
    ),
    "a constructor that was replaced": (
        "from dataclasses import dataclass, field, InitVar\nL = [0]\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if self.x < 0: raise ValueError\nreal = P.__init__\ndef evil(self, x):\n    real(self, x); L.append(x)\nP.__init__ = evil\ndef f(n): return P(L[-1])\n",
        "def test_a():\n    want = P(5)\n    assert f(3) == want\n",
    ),
    "a check that was replaced to remember": (
        "from dataclasses import dataclass, field, InitVar\nL = [0]\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if self.x < 0: raise ValueError\ndef evil(self): L.append(self.x)\nevil.__code__ = evil.__code__.replace(co_firstlineno=P.__post_init__.__code__.co_firstlineno)\nP.__post_init__ = evil\ndef f(n): return P(L[-1])\n",
        "def test_a():\n    want = P(5)\n    assert f(3) == want\n",
    ),
    "a check that was replaced to forget": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if self.x < 0: raise ValueError\ndef evil(self): self.x = 0\nevil.__code__ = evil.__code__.replace(co_firstlineno=P.__post_init__.__code__.co_firstlineno)\nP.__post_init__ = evil\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a field that is a property": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if self.x is None: raise ValueError\nclass Any:\n    def __eq__(s, o): return True\nP.x = property(lambda s: Any(), lambda s, v: None)\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a field that every object shares": (
        "from dataclasses import dataclass, field, InitVar\nLAST = [0]\ndef put(s, v): LAST[0] = v\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if self.x is None: raise ValueError\nP.x = property(lambda s: LAST[0], put)\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a field of a number of its own sort": (
        "from dataclasses import dataclass, field, InitVar\nclass Any(int):\n    def __eq__(s, o): return True\n    def __lt__(s, o): return False\n    __hash__ = int.__hash__\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if self.x < 0: raise ValueError\ndef f(n): return P(Any(n))\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a check of what is not compared": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int = field(compare=False)\n    def __post_init__(self):\n        if self.x is None: raise ValueError\ndef f(n): return P(0)\n",
        "def test_a():\n    assert f(3) == P(5) and [f(3)] == [P(5)]\n",
    ),
    "a constructor that is given no field": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    raw: InitVar[int]\n    x: int = field(init=False)\n    def __post_init__(self, raw): self.x = 0\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a class that is made of something else": (
        "from dataclasses import dataclass, field, InitVar\nclass M(type):\n    def __call__(cls, *a):\n        return super().__call__(0)\n@dataclass\nclass P(metaclass=M):\n    x: int\n    def __post_init__(self):\n        if self.x < 0: raise ValueError\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a class that makes objects of another": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass Q:\n    x: int\nclass P:\n    def __new__(cls, x): return Q(0)\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a constructor that changes the order": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass(order=True)\nclass P:\n    x: int\n    def __post_init__(self): self.x = 0 if self.x == 5 else self.x\ndef f(n): return P(3)\n",
        "def test_a():\n    assert f(3) > P(5)\n",
    ),
    "a function with the name of a builtin": (
        "from dataclasses import dataclass, field, InitVar\nL = [0]\ndef len(x): L.append(x); return 1\n@dataclass\nclass P:\n    x: str\n    def __post_init__(self):\n        if len(self.x) > 3: raise ValueError\ndef f(n): return P(L[-1])\n",
        "def test_a():\n    want = P('ab')\n    assert f('zz') == want\n",
    ),
    "a check that looks around": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if (0).__class__.__base__.__subclasses__(): self.x = 0\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a constructor that fails where its source does not": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self):\n        if self.x < 0: raise ValueError\ndef evil(self):\n    if self.x == 5: raise ValueError\nevil.__code__ = evil.__code__.replace(co_firstlineno=P.__post_init__.__code__.co_firstlineno)\nP.__post_init__ = evil\ndef f(n): return P(3)\n",
        "def test_a():\n    assert f(3) != P(5)\n",
    ),
    "a constructor that forgets in a function": (
        "from dataclasses import dataclass\ndef zero(p): p.x = 0\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self): zero(self)\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a constructor that empties what it is given": (
        "from dataclasses import dataclass\ndef clear(p): p.x.clear()\n@dataclass\nclass P:\n    x: list\n    def __post_init__(self): clear(self)\ndef f(n): return P([])\n",
        "def test_a():\n    assert f(3) == P([5])\n",
    ),
    "a constructor that changes earlier objects": (
        "from dataclasses import dataclass\nL = []\ndef join(p):\n    for q in L: q.x = p.x\n    L.append(p)\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self): join(self)\ndef f(n): return P(0)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a constructor that makes earlier objects smaller": (
        "from dataclasses import dataclass\nL = []\ndef part(p):\n    for q in L: q.x = p.x - 1\n    L.append(p)\n@dataclass(order=True)\nclass P:\n    x: int\n    def __post_init__(self): part(self)\ndef f(n): return P(9)\n",
        "def test_a():\n    assert f(3) < P(5)\n",
    ),
    "a constructor that remembers what is larger": (
        "from dataclasses import dataclass\nL = [0]\ndef note(p): L.append(p.x)\n@dataclass(order=True)\nclass P:\n    x: int\n    def __post_init__(self): note(self)\ndef f(n): return P(L[-1] - 1)\n",
        "def test_a():\n    want = P(5)\n    assert f(3) < want\n",
    ),
    "a constructor that makes earlier objects differ": (
        "from dataclasses import dataclass\nL = []\ndef part(p):\n    for q in L: q.x = p.x + 1\n    L.append(p)\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self): part(self)\ndef f(n): return P(5)\n",
        "def test_a():\n    assert f(3) != P(5)\n",
    ),
    "objects that hold every number": (
        "from dataclasses import make_dataclass, field\ndef zero(p): p.x = 0\nP = make_dataclass('P', [('x', int), *((f'n{i}', int, field(default=i, init=False)) for i in range(9))], namespace={'__post_init__': zero})\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "a constructor that gives a field to another": (
        "from dataclasses import dataclass, field, InitVar\ndef put(p, raw): p.x, p.y = 0, 5\n@dataclass\nclass P:\n    raw: InitVar[int]\n    x: int = field(init=False)\n    y: int = field(init=False)\n    def __post_init__(self, raw): put(self, raw)\ndef f(n): return P(n)\n",
        "def test_a():\n    assert f(3) == P(5)\n",
    ),
    "an expected object that was known before": (
        "from dataclasses import dataclass\nL = [0]\ndef note(p): L.append(p.x)\n@dataclass\nclass P:\n    x: int\n    def __post_init__(self): note(self)\ndef f(n): return P(L[-1])\n",
        "def test_a():\n    want = P(5)\n    assert f(3) == want\n    assert P(7) == f(3)\n",
    ),
    "a constructor without room": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass(slots=True)\nclass P:\n    x: int\n    def __post_init__(self): self._y = 1\ndef f(n): return n\n",
        "def test_a():\n    assert P(5).x == 5 and f(3) == 3\n",
    ),
    "a constructor that sets what is frozen": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass(frozen=True)\nclass P:\n    x: int\n    def __post_init__(self): self.x = self.x\ndef f(n): return n\n",
        "def test_a():\n    assert P(5).x == 5 and f(3) == 3\n",
    ),
    "a constructor written by the program itself": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    y: int\nspace = {}\nexec('def __init__(self, x, y):\\n self.x = y\\n self.y = x', space)\nP.__init__ = space['__init__']\n",
        "def test_a():\n    assert P(1, 2).x == 1\n",
    ),
    "a constructor with another default": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int = 5\nP.__init__.__defaults__ = (0,)\n",
        "def test_a():\n    assert P().x == 5\n",
    ),
    "a field with another default": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int = 0\nP.__dataclass_fields__['x'].default = 5\n",
        "def test_a():\n    assert P().x == 5\n",
    ),
    "a field with another factory": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: list = field(default_factory=dict)\nP.__dataclass_fields__['x'].default_factory = list\n",
        "def test_a():\n    assert P().x == []\n",
    ),
    "a field that is compared since": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int = field(compare=False)\nP.__dataclass_fields__['x'].compare = True\n",
        "def test_a():\n    assert P(1) != P(2)\n",
    ),
    "fields in another order since": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass(order=True)\nclass P:\n    y: int\n    x: int\nf = P.__dataclass_fields__\nfirst = f.pop('y')\nf['y'] = first\n",
        "def test_a():\n    assert P(y=1, x=9) > P(y=2, x=1)\n",
    ),
    "an == written by the program itself": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\nspace = {}\nexec('def __eq__(self, other): return True', space)\nP.__eq__ = space['__eq__']\n",
        "def test_a():\n    assert P(1) != P(2)\n",
    ),
    "an order written by the program itself": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\nspace = {}\nexec('def __lt__(self, other): return self.x > other.x', space)\nP.__lt__ = space['__lt__']\n",
        "def test_a():\n    assert P(1) < P(2)\n    assert sorted([P(3), P(1)])[0].x == 1\n",
    ),
    "a hash written by the program itself": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass(eq=True)\nclass P:\n    x: int\nspace = {}\nexec('def __hash__(self): return id(self)', space)\nP.__hash__ = space['__hash__']\n",
        "def test_a():\n    assert len({P(1), P(1)}) == 1\n",
    ),
    "a setter written by the program itself": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\nspace = {}\nexec('def __setattr__(self, n, v): object.__setattr__(self, n, 0)', space)\nP.__setattr__ = space['__setattr__']\n",
        "def test_a():\n    assert P(5).x == 5\n",
    ),
    "a slot that holds another field": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass(slots=True)\nclass P:\n    x: int\n    y: int\nP.x = vars(P)['y']\n",
        "def test_a():\n    assert P(1, 2).x == 1\n",
    ),
    "a constructor of another class": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass Q:\n    y: int\n    x: int\n@dataclass\nclass P:\n    x: int\n    y: int\nP.__init__ = Q.__init__\n",
        "def test_a():\n    assert P(1, 2).x == 1\n",
    ),
    "an == of another class": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    y: int\n@dataclass\nclass Q:\n    x: int\n    y: int = field(compare=False)\nP.__eq__ = Q.__eq__\n",
        "def test_a():\n    assert P(1, 2) != P(1, 3)\n",
    ),
    "an == in place of that of attrs": (
        "import attrs\n@attrs.define(slots=False)\nclass P:\n    x: int\nspace = {}\nexec('def __eq__(self, other): return True', space)\nP.__eq__ = space['__eq__']\n",
        "def test_a():\n    assert not (P(1) == P(2))\n",
    ),
    "a constructor in place of that of attrs": (
        "import attrs\n@attrs.define(slots=False)\nclass P:\n    x: int\nspace = {}\nexec('def __init__(self, x):\\n self.x = 0', space)\nP.__init__ = space['__init__']\n",
        "def test_a():\n    assert P(5).x == 5\n",
    ),
    "a source that says another type": (
        "from dataclasses import dataclass, field, InitVar\nimport linecache, sys\n@dataclass\nclass P:\n    x: float\n    def __post_init__(self):\n        self.x\n        float\nname = P.__post_init__.__code__.co_filename\nlines = linecache.getlines(name)\ntext = ''.join(lines).replace('        self.x\\n        float', '        self.x = float(self.x)')\nlinecache.cache[name] = (len(text), None, text.splitlines(True), name)\n",
        "def test_a():\n    assert isinstance(P(3).x, float)\n    assert repr(P(3)) == 'P(x=3.0)'\n",
    ),
    "a flag without a name in place of another": (
        "from dataclasses import dataclass, field, replace\nL=[]\ndef note(p):\n    for q in L: q.x = p.x\n    L.append(p)\nfrom enum import IntFlag\nclass K(IntFlag):\n    A=1\n    B=2\n@dataclass\nclass P:\n    x: object\n    def __post_init__(self): note(self)\ndef f(n): return P(K(64))\n",
        "def test_a():\n    assert f(3) == P(K(0))\n",
    ),
    "a flag without a name that stands for another": (
        "from dataclasses import dataclass, field, replace\nL=[]\ndef note(p):\n    for q in L: q.x = p.x\n    L.append(p)\nfrom enum import Flag, KEEP\nclass K(Flag, boundary=KEEP):\n    A=1\n    B=2\n@dataclass\nclass P:\n    x: object\n    def __post_init__(self): note(self)\ndef f(n): return P(K(64))\n",
        "def test_a():\n    assert f(3) == P(K(8))\n",
    ),
    "a time zone with the text of another": (
        "from dataclasses import dataclass, field, replace\nL=[]\ndef note(p):\n    for q in L: q.x = p.x\n    L.append(p)\nfrom datetime import *\nclass Z(tzinfo):\n    def __init__(self,h): self.h=h\n    def utcoffset(self,d): return timedelta(hours=self.h)\n    def dst(self,d): return timedelta(0)\n    def __repr__(self): return 'Z'\n@dataclass\nclass P:\n    x: object\n    def __post_init__(self): note(self)\ndef f(n): return P(datetime(2020,1,1,tzinfo=Z(0)))\n",
        "from datetime import datetime\ndef test_a():\n    assert f(3) == P(datetime(2020,1,1,tzinfo=Z(5)))\n",
    ),
    "an equal number in a dict, told as another dict": (
        "from dataclasses import dataclass, field, replace\nimport sys\nL=[]\nSW=[None]\nclass B:\n    def __getattribute__(self,n):\n        if n=='x' and L[1:] and self is L[0]:\n            f=sys._getframe(1); names=[]\n            while f: names.append(f.f_code.co_name); f=f.f_back\n            if not any('_texts' in m for m in names): return LIE(L[-1])\n        return object.__getattribute__(self,n)\ndef note(p): L.append(p)\ndef LIE(w): return {'other':9}\n@dataclass\nclass P(B):\n    x: object\n    def __post_init__(self): note(self)\ndef f(n): return P({'n': 1.0})\n",
        "def test_a():\n    assert f(3) != P({'n': 1})\n",
    ),
    "an equal number in a set, told as another set": (
        "from dataclasses import dataclass, field, replace\nimport sys\nL=[]\nSW=[None]\nclass B:\n    def __getattribute__(self,n):\n        if n=='x' and L[1:] and self is L[0]:\n            f=sys._getframe(1); names=[]\n            while f: names.append(f.f_code.co_name); f=f.f_back\n            if not any('_texts' in m for m in names): return LIE(L[-1])\n        return object.__getattribute__(self,n)\ndef note(p): L.append(p)\ndef LIE(w): return {9}\n@dataclass\nclass P(B):\n    x: object\n    def __post_init__(self): note(self)\ndef f(n): return P({True})\n",
        "def test_a():\n    assert f(3) != P({1})\n",
    ),
    "a complex number, told as another number": (
        "from dataclasses import dataclass, field, replace\nimport sys\nL=[]\nSW=[None]\nclass B:\n    def __getattribute__(self,n):\n        if n=='x' and L[1:] and self is L[0]:\n            f=sys._getframe(1); names=[]\n            while f: names.append(f.f_code.co_name); f=f.f_back\n            if not any('_texts' in m for m in names): return LIE(L[-1])\n        return object.__getattribute__(self,n)\ndef note(p): L.append(p)\ndef LIE(w): return 9\n@dataclass\nclass P(B):\n    x: object\n    def __post_init__(self): note(self)\ndef f(n): return P(1+0j)\n",
        "def test_a():\n    assert f(3) != P(1)\n",
    ),
    "the same time elsewhere, told as another time": (
        "from dataclasses import dataclass, field, replace\nimport sys\nL=[]\nSW=[None]\nclass B:\n    def __getattribute__(self,n):\n        if n=='x' and L[1:] and self is L[0]:\n            f=sys._getframe(1); names=[]\n            while f: names.append(f.f_code.co_name); f=f.f_back\n            if not any('_texts' in m for m in names): return LIE(L[-1])\n        return object.__getattribute__(self,n)\ndef note(p): L.append(p)\ndef LIE(w): return 9\n@dataclass\nclass P(B):\n    x: object\n    def __post_init__(self): note(self)\nfrom datetime import *\ndef f(n): return P(datetime(2020,1,1,2,tzinfo=timezone(timedelta(hours=2))))\n",
        "from datetime import *\ndef test_a():\n    assert f(3) != P(datetime(2020,1,1,tzinfo=timezone.utc))\n",
    ),
    "a number, told as another than that of an enum": (
        "from dataclasses import dataclass, field, replace\nimport sys\nL=[]\nSW=[None]\nclass B:\n    def __getattribute__(self,n):\n        if n=='x' and L[1:] and self is L[0]:\n            f=sys._getframe(1); names=[]\n            while f: names.append(f.f_code.co_name); f=f.f_back\n            if not any('_texts' in m for m in names): return LIE(L[-1])\n        return object.__getattribute__(self,n)\ndef note(p): L.append(p)\ndef LIE(w): return 9\nfrom enum import IntEnum\nclass K(IntEnum):\n    A=1\n@dataclass\nclass P(B):\n    x: object\n    def __post_init__(self): note(self)\ndef f(n): return P(1)\n",
        "def test_a():\n    assert f(3) != P(K.A)\n",
    ),
    "a class that makes an object of another where they should be equal": (
        "from dataclasses import dataclass, field, replace\n@dataclass\nclass Q:\n    x: int\n@dataclass\nclass P:\n    x: int\n    def __new__(cls, x):\n        return object.__new__(cls) if LEFT.pop() else Q(x)\nLEFT=[0,1]\ndef f(n): return P(5)\n",
        "def test_a():\n    assert f(3) != P(5)\n",
    ),
    "a check that was replaced, for later objects": (
        "from dataclasses import dataclass, field, InitVar\n@dataclass\nclass P:\n    x: int\n    y: int = 0\n    def __post_init__(self):\n        self.y = self.x\ndef evil(self):\n    self.y = self.x if self.x < 600 else 0\nevil.__code__ = evil.__code__.replace(co_firstlineno=P.__post_init__.__code__.co_firstlineno)\nP.__post_init__ = evil\n",
        "def test_a():\n    assert all(P(i).y == i for i in range(700))\n",
    ),
}  # fmt: skip


@in_one_test("name", LIARS)
def test_a_constructor_that_lies_confirms_nothing(name):
    outcome = run_split(*LIARS[name])
    assert not outcome.passed or outcome.doubts, outcome.records
