"""Data that a script makes for itself: known by other seeds, and computed from anew by another program."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agent.by_output.choices import choices_of
from agent.by_output.drawn import Axes, Drawing, table_of
from agent.by_output.figures import figures_in
from agent.by_output.inserted import with_before
from agent.by_output.output import output_of, same_again
from agent.examples.outputs import demand_of
from agent.examples.types import Demand
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from sandbox.types import Execution, Isolation, Limits, Program, Sandbox
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

ISOLATION = Isolation("limits", *["open"] * 6)
TOTALS = """
import {library}matplotlib.pyplot as plt
{draw}
print("Points:", len(xs))
print(f"Sum: {{sum(xs):.4f}}")
plt.plot(xs, xs, "o")
plt.savefig("points.png")
"""
INVENTED = TOTALS.format(library="random, ", draw="random.seed(1)\nxs = [random.random() for _ in range(9)]")
WRITTEN_DOWN = TOTALS.format(library="", draw="xs = [1.25, 2.5, 8.75, 3.5, 0.5]")
ANEW = """
import csv
xs = [float(row["x"]) for row in csv.DictReader(open("drawn_points.csv"))]
print("Points:", len(xs))
print(f"Sum: {sum(xs):.4f}")
"""


async def live(runs: AgentRuns, task: str) -> Played:
    order = Order(Task(task))
    return await follow(runs, await runs.begin(order))


SEEDS = (
    "import random; random.seed(3); print(random.random())",
    "import random; print(random.Random(3).random())",
    "from numpy.random import default_rng; print(default_rng(3).random())",
    "import numpy as np; np.random.seed(3); print(np.random.rand())",
    "import numpy as np; print(np.random.RandomState(3).rand())",
    "import random; print(random.Random('a').random(), random.Random(2.5).random())",
    "from random import random, seed; seed(b'x'); print(random())",
    "from numpy.random import Generator, PCG64; print(Generator(PCG64(seed=42)).random())",
    "import numpy as np; print(np.random.Generator(np.random.Philox(key=42)).random())",
    "import numpy as np; print(np.random.default_rng(np.random.SeedSequence(42).spawn(2)[1]).random())",
    "import numpy as np; print(np.random.default_rng([1, np.int64(2)]).random())",
)
KEEPS_ITS_KIND = """
import copy, pickle, random
import numpy as np
one = random.Random(3)
assert pickle.loads(pickle.dumps(one)).random() == copy.deepcopy(one).random() == one.random()
assert type(one) is random.Random and isinstance(random._inst, random.Random)
assert isinstance(random.SystemRandom(), random.Random)
old, new = np.random.RandomState(3), np.random.Generator(np.random.PCG64(3))
assert pickle.loads(pickle.dumps(old)).rand() == old.rand()
assert pickle.loads(pickle.dumps(new)).random() == new.random()
assert isinstance(old, np.random.RandomState) and isinstance(np.random.mtrand._rand, np.random.RandomState)
assert isinstance(new.bit_generator, np.random.PCG64) and not isinstance(old, np.random.PCG64)
class Mine(np.random.RandomState): pass
assert isinstance(Mine(3), Mine) and issubclass(Mine, np.random.RandomState) and not isinstance(old, Mine)
"""


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_every_seed_becomes_another_one(sandbox: Sandbox) -> None:
    for code in SEEDS:
        told = [
            await sandbox.run(Program(solution=each, limits=Limits(20.0), mode="inprocess"))
            for each in (code, with_before(code, "stirrer", re.compile("random")))
        ]
        assert [one.status for one in told] == ["ok", "ok"], code
        assert told[0].stdout != told[1].stdout, code


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_what_draws_stays_what_it_is_for_pickle_and_isinstance(sandbox: Sandbox) -> None:
    code = with_before(KEEPS_ITS_KIND, "stirrer", re.compile("random"))
    ran = await sandbox.run(Program(solution=code, limits=Limits(20.0), mode="inprocess"))
    assert ran.status == "ok", ran.error


CHOSEN = """
K, share = 3, 0.5
total: float = 42.5
rows = 7
limit = 9
def fit(points, k=2, *, steps=100):
    return [points[i] for i in range(k * steps) if i < limit]
model = KMeans(4, n_init=10, copy=True)
fit(model, 5)
print("total", total, f"{rows}")
plt.scatter(1, 2, s=50)
"""


def test_what_a_script_computes_with_is_a_choice_and_what_it_only_shows_may_be_an_answer() -> None:
    told = {"limit = 9", "k = 2", "steps = 100", "n_init = 10", "KMeans(4, n_init=10, copy=True)", "fit(model, 5)"}
    assert set(choices_of(CHOSEN, "total 42.5\n7")) == told
    assert choices_of("a = 2.5\nb = 2\nprint(f(a, b), a * b)", "2.5") == ["b = 2"]
    assert choices_of("a = 1540\nif a > 0: print(a)", "Sum: 1540") == []
    assert choices_of("a = 0.87654\nif a > 0.5: print(f'{a:.2f}')", "0.88") == []
    assert choices_of("not python (", "") == []


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("Create a CSV, read it, calculate statistics", True),
        ("Implement K-means with k=3 and plot the clusters", True),
        ("Erstelle eine CSV-Datei, lies sie ein und berechne Statistiken", True),
        ("创建一个CSV文件,读取它并计算统计数据", True),
        ("Run k-means with k=3 on points.csv and plot it", False),
        ("Fit a linear regression to (1, 2), (2, 4), (3, 6) and plot it", False),
        ("Train a logistic regression on the iris data set and print its accuracy", False),
        ("Draw a line chart with y = x**2", False),
        ("Make a bar chart of the areas of the continents", False),
        ("Create a CSV and write the first 10 squares to it", False),
        ("Print the sum of the squares of the first ten even numbers and draw them as a bar chart.", False),
        ("Print the mean of the first 20 primes and draw a histogram with 5 bins", False),
        ("Linear regression through the points (1.5, 2.5), (2.5, 4.5), (3.5, 5.5). Print slope.", False),
        ("Draw the letter frequencies of 'hello world' as a bar chart", False),
        ("How many clusters of ones are there in the string 1101100111? Draw them.", False),
    ],
)
def test_a_task_that_needs_data_and_has_none_leaves_them_to_the_author(text: str, *, free: bool) -> None:
    assert demand_of(text, ()).by_chance is free


def test_what_comes_in_another_order_is_the_same_again() -> None:
    def run(printed: str, *series: Any) -> Any:
        drawing = Drawing("a.png", (Axes(points=2, data=series),))
        return output_of(Execution("ok", ISOLATION, stdout=printed), (drawing,), Demand())

    one, other = [[1.5, 2.5], [3.5, 1.5]], [[8.5, 9.5], [7.5, 0.5]]
    assert same_again(run("2 points, 3 points", one, other), run("3 points, 2 points", other, one))
    assert not same_again(run("2 points", one), run("2 points", other))
    assert not same_again(run("sum 2"), run("sum 3"))


def test_what_was_drawn_is_handed_on_without_what_was_printed() -> None:
    data, centres = [[1.25, 2.5], [3.75, 4.125]], [[2.5, 3.3125], [7.125, 8.5]]
    drawing = Drawing("a.png", (Axes(data=[data, centres, [[5.0], [6.0]]]),))
    table = table_of((drawing,), figures_in("centres (2.500, 3.312) and (7.12, 8.50)"))
    assert table == "series,x,y\n0,1.25,2.5\n0,3.75,4.125\n1,5,\n1,6,\n"
    assert table_of((), ()) == ""


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("invented", "second", "word"),
    [
        (INVENTED, ANEW, "partly_verified"),
        (INVENTED, ANEW.replace("sum(xs)", "max(xs)"), "unverified"),
        (WRITTEN_DOWN, ANEW, "partly_verified"),
    ],
    ids=["the same", "another figure", "written into the program"],
)
async def test_figures_of_data_that_a_script_invented_are_computed_anew_from_what_it_drew(
    model_server: ModelServer, live_runs: AgentRuns, invented: str, second: str, word: str
) -> None:
    model_server.answer = lambda role, times: fenced((invented, second)[min(times, 1)])
    played = await live(live_runs, "K-means with a scatter plot and the total of its points")
    (run, _) = played.of("candidate_written")
    assert played.outcome["verdict"] == word
    assert played.outcome["evidence"]["script"]["own_data"]
    assert run.candidate == played.outcome["candidate"]
    assert ("how it made them nobody checked" in played.outcome["answer"]) is (word == "partly_verified")


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_chance_that_changes_no_figure_leaves_programs_to_be_compared(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    draw = "xs = [1, 5, 9]\nrandom.shuffle(xs)\nxs.sort()"
    programs = (TOTALS.format(library="random, ", draw=draw), TOTALS.format(library="", draw="xs = [1, 5, 9]"))
    model_server.answer = lambda role, times: fenced(programs[min(times, 1)])
    played = await live(
        live_runs, "Plot the points (1, 1), (5, 5) and (9, 9) and print their number and the total of x"
    )
    assert played.outcome["verdict"] == "partly_verified"
    assert not played.outcome["evidence"]["script"]["own_data"]


JITTERED = """
import csv, random
import matplotlib.pyplot as plt
random.seed(1)
xs = [float(row["x"]) for row in list(csv.DictReader(open("points.csv")))[:9]]
print(f"Total of x: {sum(xs):.4f}")
plt.plot(xs, [x + random.random() for x in xs], "o")
plt.savefig("points.png")
"""
SUMMED = """
import csv, os
name = "drawn_points.csv" if os.path.exists("drawn_points.csv") else "points.csv"
print(f"Total of x: {sum(float(row['x']) for row in csv.DictReader(open(name))):.4f}")
"""


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_noise_that_is_added_to_given_data_makes_them_none_of_the_scripts_own(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    model_server.answer = lambda _, times: fenced((JITTERED, SUMMED)[min(times, 1)])
    rows = "x\n" + "".join(f"{number}\n" for number in range(1, 41))
    task = "Read points.csv, plot the points with a little jitter into points.png, and print the total of x."
    order = Order(Task(task, files={"points.csv": rows.encode()}))
    played = await follow(live_runs, await live_runs.begin(order))
    assert played.outcome["verdict"] == "unverified", played.outcome["answer"]
