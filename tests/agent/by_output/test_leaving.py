"""What a script leaves behind is looked at: files, their columns, and values that it prints."""

from __future__ import annotations

import json

import pytest

from agent.by_output.data import description_of
from agent.by_output.leaving import lacking_of, look_at_left
from agent.by_output.pictures import look_at_pictures
from agent.examples.types import Demand, Leaving
from sandbox.types import Artifact, Sandbox


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("name", "data", "columns", "fault"),
    [
        ("a.csv", b"name,age\nAnn,3\nBob,4\n", ("age",), ""),
        ("a.csv", b"name,age\nAnn,3\nBob,4\n", ("Alter",), "has no 'Alter'"),
        ("a.csv", b"value\n3\n4\n", ("Value",), ""),
        ("a.csv", b"3\n4\n", ("value",), "has no 'value'"),
        ("a.csv", b" \n", (), "is empty"),
        ("a.csv", b"name,age\n", (), "holds no rows"),
        ("a.json", b'{"mean": 3}', ("mean",), ""),
        ("a.json", b"{'mean': 3}", (), "is no JSON file"),
        ("a.png", b"not a picture", (), "is no PNG file"),
        ("a.sqlite", b"name,age\nAnn,3\n", (), "is no SQLITE file"),
        ("a.txt", b"anything", (), ""),
    ],
)
async def test_a_file_is_looked_at(
    name: str, data: bytes, columns: tuple[str, ...], fault: str, sandbox: Sandbox
) -> None:
    made = [Artifact(name, "image/png" if name.endswith("png") else "text/plain", data)]
    demand = Demand(leaves=(Leaving(name, columns),))
    found = await look_at_left(sandbox, "", made, await look_at_pictures(sandbox, made), demand)
    assert (fault in lacking_of(found)) if fault else not lacking_of(found), found
    assert await description_of(sandbox, made[0])


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("name", "data", "fault"),
    [
        ("a.csv", ",".join(f"c{place}" for place in range(41)) + "\n" + ",".join("1" * 41), ""),
        ("a.csv", ",".join(f"c{place}" for place in range(40)) + "\n" + ",".join("1" * 40), "has no 'c99'"),
        ("a.json", json.dumps({f"c{place}": 1 for place in range(13)}), ""),
        ("a.json", json.dumps({f"c{place}": 1 for place in range(12)}), "has no 'c99'"),
    ],
)
async def test_of_a_wide_file_only_what_was_seen_is_told(name: str, data: str, fault: str, sandbox: Sandbox) -> None:
    demand = Demand(leaves=(Leaving(name, ("c1", "c99")),))
    found = await look_at_left(sandbox, "", [Artifact(name, "text/plain", data.encode())], (), demand)
    assert (fault in lacking_of(found)) if fault else found[0].told.endswith(": c1"), found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("printed", "fault"),
    [("Mean Age: 3", False), ("mean_age=3", False), ("the mean age is:\n3", False), ("mean age\n3", True), ("3", True)],
)
async def test_a_value_is_printed_with_its_name(printed: str, fault: bool, sandbox: Sandbox) -> None:
    found = await look_at_left(sandbox, printed, (), (), Demand(values=("mean age",)))
    assert bool(lacking_of(found)) == fault
