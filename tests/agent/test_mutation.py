"""Mutants are small, different from the program and from each other, and leave alone what no check could see."""

from __future__ import annotations

import ast

from agent.mutants import affordable
from agent.mutation import mutants

PROGRAM = '''
def clamp(value: int, low: int = 0) -> int:
    """Never below 0 or 7."""
    if value < low:
        raise ValueError("below 3")
    for n in range(9):
        if n == value and value > 1:
            break
    return value


if __name__ == "__main__":
    print(clamp(5))
'''


def test_every_mutant_parses_and_differs_from_all_others() -> None:
    made = mutants(PROGRAM)
    shapes = {ast.dump(ast.parse(mutant.code)) for mutant in made}
    assert len(shapes) == len(made) > 8
    assert ast.dump(ast.parse(PROGRAM)) not in shapes


def test_boundaries_are_moved() -> None:
    assert any("value < low` became `value <= low" in mutant.change for mutant in mutants(PROGRAM))


def test_what_no_check_can_see_stays() -> None:
    for mutant in mutants(PROGRAM, limit=1000):
        for untouched in ("Never below 0 or 7.", "below 3", "value: int", "print(clamp(5))"):
            assert untouched in mutant.code


def test_the_choice_is_the_same_each_time() -> None:
    assert mutants(PROGRAM, limit=5) == mutants(PROGRAM, limit=5)
    assert len(mutants(PROGRAM, limit=5)) == 5


def test_a_busy_machine_does_not_change_how_many_are_tried() -> None:
    """CPU seconds of the same suite, as an idle and a busy machine count them."""
    assert affordable(0.02, 2.0) == affordable(0.03, 2.0) == affordable(0.07, 2.0) == 30
    assert affordable(0.3, 2.0) == affordable(0.45, 2.0) == 10
    assert affordable(60.0, 2.0) == 1
