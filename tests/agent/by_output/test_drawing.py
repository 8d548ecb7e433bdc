"""What a script draws is recorded in the sandbox, rescued, looked at, and compared by its data."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from agent.by_output.drawn import Axes, Curve, Drawing, drawings_in, same_curve, shape_of, with_recorder
from agent.by_output.fate import fate_of, lacking
from agent.by_output.pictures import look_at_pictures
from agent.by_output.running import show
from agent.config import AgentConfig
from agent.examples.types import Demand
from agent.state import Task
from sandbox.types import Artifact, Execution, Isolation, Limits, Program, Sandbox

ISOLATION = Isolation("limits", *["open"] * 6)
PICTURE = Artifact("a.png", "image/png", b"\x89PNG")
HISTOGRAM = '''"""A script."""
from __future__ import annotations
import random
import matplotlib.pyplot as plt

if __name__ == "__main__":
    plt.hist([random.gauss(0, 1) for _ in range(100)])
    plt.xlabel("value"); plt.ylabel("count")
    plt.show()
    raise SystemExit(0)
'''


def test_the_recorder_stands_before_the_first_statement_and_moves_no_line() -> None:
    told = with_recorder(HISTOGRAM)
    ast.parse(told)
    assert told.splitlines()[2:] == HISTOGRAM.splitlines()[2:]
    assert with_recorder("print(1)\n") == "print(1)\n"
    assert with_recorder("import matplotlib\nthis is no Python") == "import matplotlib\nthis is no Python"
    assert ast.parse(with_recorder("import matplotlib\n")).body


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_a_picture_that_is_only_shown_is_rescued_and_known(sandbox: Sandbox) -> None:
    ran = await sandbox.run(Program(solution=with_recorder(HISTOGRAM), limits=Limits(20.0), mode="inprocess"))
    (drawing,) = drawings_in(ran.artifacts)
    (axes,) = drawing.axes
    assert (drawing.picture, axes.x, axes.y, sum(axes.bars)) == ("figure_1.png", "value", "count", 100)
    (picture,) = await look_at_pictures(sandbox, ran.artifacts)
    assert (picture.name, picture.blank) == ("figure_1.png", False)
    assert lacking(ran, (drawing,), Demand(picture=True, labelled=True)) == ""


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_a_blank_picture_is_seen_without_decoding_it_here(sandbox: Sandbox) -> None:
    source = "from PIL import Image\nImage.new('RGB', (9, 7), 'white').save('a.png')\nopen('b.png', 'w').write('no')"
    ran = await sandbox.run(Program(solution=source, limits=Limits(20.0), mode="inprocess"))
    (picture,) = await look_at_pictures(sandbox, ran.artifacts)
    assert (picture.name, picture.width, picture.height, picture.blank) == ("a.png", 9, 7, True)


AVERAGED = """import matplotlib.pyplot as plt
import numpy as np

values = [3.0, 6.0, 9.0, 3.0]
averages = [sum(values[i - 2 : i + 1]) / 3 for i in (2, 3)]
plt.plot({})
plt.savefig("a.png")
"""


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_a_moving_average_is_the_same_whether_its_beginning_is_left_out_or_is_no_number(sandbox: Sandbox) -> None:
    shapes: list[Any] = []
    for drawn in ("range(4), [np.nan, np.nan, *averages]", "range(2, 4), averages", "[2, 3, np.nan], [*averages, 7]"):
        program = Program(solution=with_recorder(AVERAGED.format(drawn)), limits=Limits(20.0), mode="inprocess")
        (drawing,) = drawings_in((await sandbox.run(program)).artifacts)
        shapes.append(shape_of(drawing, by_chance=False))
    assert shapes == [[[["lines", [6.0, 6.0]]]]] * 3


def ended(stdout: str = "", *made: Artifact, status: Any = "ok") -> Execution:
    return Execution(status, ISOLATION, stdout=stdout, artifacts=made)


@pytest.mark.parametrize(
    ("execution", "axes", "demand", "words"),
    [
        (ended(), None, Demand(), "nothing was printed"),
        (ended("done"), None, Demand(picture=True), "none was drawn"),
        (ended("done", PICTURE), None, Demand(picture=True, makes=("b.png",)), "b.png was not written"),
        (ended("", PICTURE), Axes(), Demand(picture=True), "nothing is drawn"),
        (ended("", PICTURE), Axes(bars=[1.0], x="x"), Demand(picture=True, labelled=True), "not labelled"),
        (ended("", PICTURE), Axes(bars=[1.0]), Demand(picture=True), ""),
        (ended("", PICTURE), Axes(wedges=[1.0]), Demand(picture=True, labelled=True), ""),
        (ended("5"), None, Demand(), ""),
    ],
)
def test_what_a_script_lacks_is_told_in_a_sentence(
    execution: Execution, axes: Axes | None, demand: Demand, words: str
) -> None:
    said = lacking(execution, (Drawing("a.png", (axes,)),) if axes else (), demand)
    assert (words in said) if words else said == ""
    assert fate_of(execution, said) == ("missing output" if words else "ok")


def test_a_crash_a_timeout_and_a_missing_output_are_different() -> None:
    assert lacking(ended(status="error"), (), Demand(picture=True)) == ""
    assert [fate_of(ended(status=word), "") for word in ("error", "memory", "timeout")] == ["crash", "crash", "timeout"]
    assert lacking(ended("", PICTURE), (), Demand(picture=True), blank=["a.png"]).endswith("a.png is blank")


def test_pictures_of_chance_are_compared_by_how_much_they_show() -> None:
    one, other = (Drawing("a.png", (Axes(bars=bars),)) for bars in ([40.0, 60.0], [10.0, 30.0, 60.0]))
    assert shape_of(one, by_chance=True) == shape_of(other, by_chance=True)
    assert shape_of(one, by_chance=False) != shape_of(other, by_chance=False)
    assert drawings_in([Artifact("drawn.record.json", "application/json", b"[{}]")]) == ()


def curve(function: Callable[[float], float], low: float, high: float, points: int = 200) -> Curve:
    xs = [low + (high - low) * i / (points - 1) for i in range(points)]
    return xs, [function(x) for x in xs]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (curve(math.sin, 0, 6.28), curve(math.sin, -3.14, 6.28, 90), True),
        (curve(math.sin, 0, 6.28), curve(math.cos, 0, 6.2), False),
        (curve(math.sin, 0, 6.28), curve(lambda x: 1.1 * math.sin(x), -6, 6), False),
        (curve(math.sin, 0, 6.28), curve(math.sin, 6, 12), False),
        (curve(math.sin, 0, 6.28), curve(math.sin, 0, 6, 8), False),
        (curve(math.sin, 0, 6.28), curve(lambda x: 1.01 * math.sin(x), 0, 6.28), False),
        (curve(math.sin, 0, 6.28), curve(lambda x: math.sin(x) + 0.03, 0, 6, 90), False),
        (curve(lambda x: x**3, -10, 10), curve(lambda x: x**3 - 3 * x, -9, 9), False),
        (curve(abs, -10, 10), curve(abs, -9, 9, 90), True),
    ],
)
def test_a_function_is_the_same_where_two_authors_both_drew_it(one: Curve, other: Curve, same: bool) -> None:
    assert same_curve(one, other) is same_curve(other, one) is same


async def test_only_a_script_has_to_put_something_out() -> None:
    async def run_fresh(program: Program) -> Execution:
        return ended()

    quiet: Any = SimpleNamespace(task=Task("explain this"), session=SimpleNamespace(sandbox=None), run_fresh=run_fresh)
    shown = [await show(quiet, AgentConfig(), "def f(): ...", Demand(), speaks=speaks) for speaks in (True, False)]
    assert [one.fate for one in shown] == ["missing output", "ok"]
