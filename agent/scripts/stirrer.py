"""Runs before a script that draws random numbers, in the sandbox: every seed is another one than the script says. What
then comes out otherwise hangs on chance. Standard library and numpy alone; this file's text is what runs."""

# pyright: basic, reportArgumentType=false, reportOptionalCall=false

import operator
import random

_SEEDS = ("seed", "entropy", "key", "a", "x")
_TWIST = 0x5EED


def _other(seed):
    if isinstance(seed, str):
        return seed + "~"
    if isinstance(seed, (bytes, bytearray)):
        return seed + b"~"
    if isinstance(seed, float):
        return seed + _TWIST
    try:
        number = operator.index(seed)
    except TypeError:
        return [*map(_other, seed)] if isinstance(seed, (list, tuple)) else seed
    return number ^ _TWIST if number >= 0 else number


def _stirred(args, named):
    args = (_other(args[0]), *args[1:]) if args else args
    return args, {name: _other(value) if name in _SEEDS else value for name, value in named.items()}


_seed = random.Random.seed


def _seeded(self, *args, **named):
    args, named = _stirred(args, named)
    return _seed(self, *args, **named)


random.Random.seed = _seeded  # the class stays the same one: what was made of it before is pickled and known as ever
random.seed = random._inst.seed

try:
    from numpy import random as numpy_random
except ImportError:
    numpy_random = None


class _StandsIn(type):
    """Of a class that cannot be changed: what it makes is the real thing. What a script derives from it is a class as
    any other."""

    def __call__(cls, *args, **named):
        args, named = _stirred(args, named)
        return cls.__base__(*args, **named) if _is_stand_in(cls) else type.__call__(cls, *args, **named)

    def __instancecheck__(cls, value):
        return isinstance(value, cls.__base__) if _is_stand_in(cls) else type.__instancecheck__(cls, value)

    def __subclasscheck__(cls, other):
        return issubclass(other, cls.__base__) if _is_stand_in(cls) else type.__subclasscheck__(cls, other)


def _is_stand_in(cls):
    return type(cls.__base__) is not _StandsIn


if numpy_random is not None:
    _numpy_seed, _default_rng = numpy_random.seed, numpy_random.default_rng
    numpy_random.seed = lambda seed=None: _numpy_seed(_other(seed))
    numpy_random.default_rng = lambda seed=None: _default_rng(_other(seed))
    for _name in ("RandomState", "SeedSequence", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        _real = getattr(numpy_random, _name)
        setattr(numpy_random, _name, _StandsIn(_name, (_real,), {"__module__": "numpy.random"}))
