"""Excel and Parquet to the end: described, computed, recomputed by another program, answered."""

from __future__ import annotations

import io
from typing import Any

import pytest

from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from sandbox.types import FileData
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

OVER = "Print for each department of company.xlsx its total salary and its budget, which is in the other sheet"
WITH_PANDAS = """
import pandas as pd
staff = pd.read_excel("company.xlsx", sheet_name="Staff")
budgets = pd.read_excel("company.xlsx", sheet_name="Budgets 2024").set_index("dept")["budget"]
for dept, total in staff.groupby("dept")["salary"].sum().items():
    print(f"{dept}: salary {total:.0f}, budget {budgets[dept]}")
"""
BY_HAND = """
import openpyxl
book = openpyxl.load_workbook("company.xlsx")
total = {}
for name, dept, salary in book["Staff"].iter_rows(min_row=2, values_only=True):
    total[dept] = total.get(dept, 0) + (salary or 0)
for dept, budget in book["Budgets 2024"].iter_rows(min_row=2, values_only=True):
    print(dept, "total salary", total[dept], "of a budget of", budget)
"""
WARM = "Mittlere Temperatur je Stadt aus weather.parquet, auch als Balkendiagramm mit beschrifteten Achsen in temp.png"
DRAWN = """
import matplotlib.pyplot as plt, pandas as pd
means = pd.read_parquet("weather.parquet").groupby("city")["temp"].mean()
for city, mean in means.items():
    print(f"{city}: {mean:.2f}")
plt.bar(means.index, means.values)
plt.xlabel("Stadt")
plt.ylabel("Temperatur")
plt.savefig("temp.png")
"""
WITH_ARROW = """
import matplotlib.pyplot as plt, pyarrow.parquet as pq
temps = {}
for row in pq.read_table("weather.parquet").to_pylist():
    temps.setdefault(row["city"], []).append(row["temp"])
means = {city: sum(found) / len(found) for city, found in sorted(temps.items())}
print("\\n".join(f"mean of {city} is {mean:.3f}" for city, mean in means.items()))
plt.bar(list(means), list(means.values()))
plt.xlabel("Stadt")
plt.ylabel("Temperatur")
plt.savefig("temp.png")
"""


def workbook() -> bytes:
    openpyxl: Any = pytest.importorskip("openpyxl", reason="needs the extra `data` (openpyxl)")
    book, file = openpyxl.Workbook(), io.BytesIO()
    staff, budgets = book.active, book.create_sheet("Budgets 2024")
    staff.title = "Staff"
    for row in (["name", "dept", "salary"], ["Ann", "IT", 5200], ["Bo", "HR", 4100], ["Cy", "IT", 6100], ["Di", "HR"]):
        staff.append(row)
    for row in (["dept", "budget"], ["IT", 11000], ["HR", 9000]):
        budgets.append(row)
    book.save(file)
    return file.getvalue()


def weather() -> bytes:
    arrow: Any = pytest.importorskip("pyarrow", reason="needs the extra `data` (pyarrow)")
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason="needs the extra `data` (pyarrow)")
    file = io.BytesIO()
    parquet.write_table(arrow.table({"city": ["Nice", "Brest", "Nice"], "temp": [20.5, 11.0, 22.0]}), file)
    return file.getvalue()


async def live(runs: AgentRuns, task: str, files: dict[str, FileData]) -> Played:
    order = Order(Task(task, files=files))
    return await follow(runs, await runs.begin(order))


async def test_a_workbook_of_two_sheets_is_computed_twice(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: fenced((WITH_PANDAS, BY_HAND)[min(times, 1)])
    played = await live(live_runs, OVER, {"company.xlsx": workbook()})
    prompts = [words for _, words in model_server.prompts]
    assert len(prompts) == 2
    assert all("sheet 'Budgets 2024', 2 rows, 2 columns" in words for words in prompts)
    assert all("'salary': whole number, 1 missing, from 4100 to 6100" in words for words in prompts)
    assert played.outcome["verdict"] == "partly_verified"
    assert played.outcome["evidence"]["compared"] == {"equal": 1, "different": 0, "no_answer": 0}
    assert all(figure in played.outcome["answer"] for figure in ("11300", "11000", "4100", "9000"))


async def test_another_sum_from_the_same_workbook_is_no_confirmation(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    wrong = BY_HAND.replace("min_row=2, values_only=True):\n    total", "min_row=3, values_only=True):\n    total")
    model_server.answer = lambda role, times: fenced((WITH_PANDAS, wrong)[times % 2])
    played = await live(live_runs, OVER, {"company.xlsx": workbook()})
    assert played.outcome["verdict"] == "unverified"


async def test_a_parquet_table_is_computed_twice_and_drawn(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: fenced((DRAWN, WITH_ARROW)[min(times, 1)])
    played = await live(live_runs, WARM, {"weather.parquet": weather()})
    (_, words), _ = model_server.prompts
    assert "'temp': number, from 11.0 to 22.0 (double)" in words
    assert played.outcome["verdict"] == "partly_verified"
    assert [artifact["name"] for artifact in played.outcome["artifacts"]] == ["temp.png"]
    assert "21.25" in played.outcome["answer"]
