"""Changes every random seed that a script sets. Output that then differs depends on chance. The text of this module
runs in the sandbox before the script, with the standard library and numpy only."""

# pyright: basic, reportArgumentType=false, reportOptionalCall=false

import operator
import random

_SEEDS = ("seed", "entropy", "key", "a", "x")
_TWIST = 0x5EED
"""Changes every seed. Any fixed number would do."""


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


# the class itself stays the same, so objects made earlier can still be pickled and recognized
random.Random.seed = _seeded
random.seed = random._inst.seed

try:
    from numpy import random as numpy_random
except ImportError:
    numpy_random = None


class _StandsIn(type):
    """Metaclass for the stand-in of a class that cannot be changed. Calling the stand-in makes the real object; a class
    that a script derives from it works as usual."""

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
