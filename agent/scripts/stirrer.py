"""Runs before a script that draws random numbers, in the sandbox: every seed is another one than the script says. What
then comes out otherwise hangs on chance. Standard library and numpy alone; this file's text is what runs."""

# pyright: basic

import random

_seed = random.seed


def _other(seed):
    return seed ^ 0x5EED if isinstance(seed, int) and seed >= 0 else seed


def _seeded(a=None, version=2):
    _seed(_other(a), version)


class _Random(random.Random):
    def seed(self, a=None, version=2):
        super().seed(_other(a), version)


random.seed = _seeded
random.Random = _Random

try:
    from numpy import random as numpy_random
except ImportError:
    numpy_random = None

if numpy_random is not None:
    _numpy_seed, _default_rng = numpy_random.seed, numpy_random.default_rng

    class _RandomState(numpy_random.RandomState):
        def __init__(self, seed=None):
            super().__init__(_other(seed))

    numpy_random.seed = lambda seed=None: _numpy_seed(_other(seed))
    numpy_random.default_rng = lambda seed=None: _default_rng(_other(seed))
    numpy_random.RandomState = _RandomState
