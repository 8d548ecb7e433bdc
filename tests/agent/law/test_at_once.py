"""How many jobs run at the same time: read from the task, and counted."""

from __future__ import annotations

import pytest

from agent.examples import read_clauses

from .conftest import Inspect

TASK = "Write `async def fetch_all(urls, fetch, limit)`: call fetch for each url, at most limit at the same time."
BOUNDED = """import asyncio

async def fetch_all(urls, fetch, limit):
    gate = asyncio.Semaphore(limit)

    async def one(url):
        async with gate:
            return await fetch(url)

    return await asyncio.gather(*map(one, urls))
"""
UNBOUNDED = """import asyncio

async def fetch_all(urls, fetch, limit):
    return await asyncio.gather(*map(fetch, urls))
"""
THREADED = """from concurrent.futures import ThreadPoolExecutor

def run_all(jobs):
    with ThreadPoolExecutor({}) as pool:
        return [future.result() for future in [pool.submit(job) for job in jobs]]
"""
WORKERS = "Write run(jobs, workers) that runs all jobs in threads, at most 3 at the same time."
POOL = """from concurrent.futures import ThreadPoolExecutor

def run(jobs, workers):
    with ThreadPoolExecutor({}) as pool:
        return list(pool.map(lambda job: job(), jobs))
"""
BATCHED = """import asyncio

async def run(jobs, batch):
    done = []
    for start in range(0, len(jobs), batch):
        done += await asyncio.gather(*jobs[start:start + batch])
    return done
"""
LOOP_OF_ITS_OWN = "Write `run_all(coros, limit)`: it runs the coroutines with asyncio, at most limit at the same time."
OWN_LOOP = """import asyncio

def run_all(coros, limit):
    async def main():
        gate = asyncio.Semaphore(limit)

        async def one(coro):
            async with gate:
                return await coro

        return await asyncio.gather(*map(one, coros))

    return asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("text", "most"),
    [
        (TASK, "limit"),
        ("Run the coroutines with no more than 3 concurrent calls.", "3"),
        ("async def gather(jobs, n): never more than `n` jobs run at once", "n"),
        ("An asynchronous function that downloads up to five pages in parallel", "5"),
        ("Rufe die async-Funktion für jede URL auf, höchstens 4 gleichzeitig.", "4"),
        ("Функция async def run(jobs, n) выполняет не более n задач одновременно", "n"),
    ],
)
def test_a_limit_on_what_runs_at_once_is_read(text: str, most: str) -> None:
    assert [clause.names for clause in read_clauses(text) if clause.kind == "at_once"] == [(most,)]


@pytest.mark.parametrize(
    "text",
    [
        "A library from which a member may borrow at most 2 books at the same time.",
        "Split the list into chunks of at most n items.",
        "Write async def first(jobs) that returns the first result.",
        "Is it true that at most 3 threads run at once?",
        "Write run_all(jobs) that takes at most 5 jobs and runs them all in parallel threads.",
        "Write run_all(jobs): threads run the jobs; retry each up to 3 times, at once after it fails.",
        "Write run_all(functions) that takes up to 2 functions in a list and runs them concurrently in threads.",
        "Write async def gather(jobs, n) that waits for all jobs and returns results in lists of at most n at a time.",
        "Write async def first(jobs, n) that starts all jobs and returns at most n results as they come, in parallel.",
        "Write async def run_all(jobs). It is not limited to at most 3 at once.",
        "My async code runs at most 3 at once but it should run all jobs in parallel.",
        "Write async def notify(users): up to date users at the same time are told twice.",
        "Write async def run(jobs): max speed, all in parallel.",
        "Write async def run(jobs) with maximum parallelism.",
    ],
)
def test_what_limits_nothing_that_runs_is_none(text: str) -> None:
    assert not [clause for clause in read_clauses(text) if clause.kind == "at_once"]


@pytest.mark.parametrize(
    ("task", "code", "standing"),
    [
        (TASK, BOUNDED, "kept"),
        (TASK, UNBOUNDED, "broken"),
        (TASK, BOUNDED.replace("fetch(url)", "asyncio.to_thread(fetch, url)"), "kept"),
        (TASK, BOUNDED.replace("urls, fetch, limit", "urls, fetch, limit, retries"), "kept"),
        (TASK, UNBOUNDED.replace("urls, fetch, limit", "urls, fetch, limit, retries"), "broken"),
        (TASK, BOUNDED.replace("urls, fetch, limit", "urls, fetch, limit, retries, headers"), "open"),
        (LOOP_OF_ITS_OWN, OWN_LOOP, "kept"),
        (LOOP_OF_ITS_OWN, OWN_LOOP.replace("Semaphore(limit)", "Semaphore(limit + 1)"), "broken"),
        ("Write run_all(jobs) that runs all jobs in threads, at most 3 at once.", THREADED.format(3), "kept"),
        ("Write run_all(jobs) that runs all jobs in threads, at most 3 at once.", THREADED.format(12), "broken"),
        (WORKERS, POOL.format("workers"), "open"),
        (WORKERS, POOL.format("min(workers, 3)"), "kept"),
        (WORKERS, POOL.format("4"), "broken"),
        ("Write async def run(jobs, batch): it awaits all jobs, at most 3 at the same time.", BATCHED, "open"),
    ],
)
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.slow
async def test_it_is_counted_on_jobs_that_wait(inspected: Inspect, task: str, code: str, standing: str) -> None:
    found = [finding for finding in await inspected(task, code) if finding.kind == "at_once"]
    assert [finding.standing for finding in found] == [standing], found
