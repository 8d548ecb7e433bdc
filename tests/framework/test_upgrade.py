"""What an earlier version stored is still there: its tables are brought up to date when they are opened."""

from __future__ import annotations

import sqlite3
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from framework.errors import NotResumable, StoreError
from framework.runs import Runs
from framework.storage.database import base, upgrade
from framework.storage.store import Store

from .places import Place
from .processes import processes, start, told
from .steps import paused, texts
from .toy import ToyEngine

FIRST = """
CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, created REAL NOT NULL, title TEXT NOT NULL, spec TEXT NOT NULL, scripted INTEGER NOT NULL,
    owner TEXT NOT NULL, holder TEXT NOT NULL DEFAULT '', stop_requested INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX runs_by_age ON runs(created);
CREATE TABLE events(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, seq INTEGER NOT NULL, identity TEXT NOT NULL,
    ts REAL NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY(run_id, seq), UNIQUE(run_id, identity)) STRICT;
CREATE TABLE memo(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY(run_id, key)) STRICT;
CREATE TABLE blobs(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT NOT NULL, mime TEXT NOT NULL,
    created REAL NOT NULL, data BLOB NOT NULL, PRIMARY KEY(run_id, name)) STRICT;
PRAGMA user_version=1;
"""
OLD_COLUMNS = "run_id, created, title, spec, scripted, owner, holder, stop_requested"


def as_first_version(now: Path, then: Path) -> None:
    """The same runs as the first version laid them down, in two files."""
    then.mkdir()
    journal, checkpoints = sqlite3.connect(then / "journal.sqlite"), sqlite3.connect(then / "checkpoints.sqlite")
    journal.executescript(FIRST)
    for database in (journal, checkpoints):
        database.execute("ATTACH DATABASE ? AS now", (str(now / "journal.sqlite"),))
    journal.execute(f"INSERT INTO runs({OLD_COLUMNS}) SELECT {OLD_COLUMNS} FROM now.runs")
    for table in ("events", "memo", "blobs"):
        journal.execute(f"INSERT INTO {table} SELECT * FROM now.{table}")
    journal.execute("INSERT INTO memo SELECT run_id, 'drive:0', '2.5' FROM now.runs")
    for name, sql in checkpoints.execute("SELECT name, sql FROM now.sqlite_master WHERE type = 'table'").fetchall():
        if name in ("checkpoints", "writes", "bodies"):
            checkpoints.execute(sql)
            checkpoints.execute(f"INSERT INTO {name} SELECT * FROM now.{name}")
    for database in (journal, checkpoints):
        database.commit()
        database.close()


async def test_a_run_of_the_first_version_is_found_and_goes_on(tmp_path: Path) -> None:
    runs = await Runs.open(tmp_path / "now", ToyEngine())
    run_id, question = await paused(runs)
    events = runs.store.journal.events(run_id)
    await runs.aclose()
    as_first_version(tmp_path / "now", tmp_path / "then")

    for _ in range(2):
        runs = await Runs.open(tmp_path / "then", ToyEngine())
        assert runs.store.journal.events(run_id) == events
        [row] = runs.store.runs.list(query="T")
        assert (row.run_id, row.seconds, row.stage) == (run_id, 2.5, "")
        assert await runs.status(run_id) == "waiting"
        await runs.aclose()
    assert sorted(path.name for path in (tmp_path / "then").iterdir()) == ["journal.sqlite", "leases", "opening.lock"]
    runs = await Runs.open(tmp_path / "then", ToyEngine())
    await runs.answer(run_id, question, {"text": "yes"})
    assert (await texts(runs, run_id))[-1].endswith("review: yes")
    await runs.aclose()


async def test_a_run_whose_state_has_another_form_by_now_is_still_told_and_goes_on_no_more(tmp_path: Path) -> None:
    class Renamed(ToyEngine):
        state_types = tuple(kind for kind in ToyEngine.state_types if kind[1] != "Note")

    runs = await Runs.open(tmp_path, ToyEngine())
    run_id, question = await paused(runs)
    told = await texts(runs, run_id)
    await runs.aclose()
    runs = await Runs.open(tmp_path, Renamed())
    assert (await runs.status(run_id), await texts(runs, run_id)) == ("waiting", told)
    with pytest.raises(
        NotResumable, match=r"another version of this program stored its state in another form \(notes\)"
    ):
        await runs.answer(run_id, question, {"text": "yes"})
    await runs.aclose()
    runs = await Runs.open(tmp_path, ToyEngine())
    await runs.answer(run_id, question, {"text": "yes"})
    assert (await texts(runs, run_id))[-1].endswith("review: yes"), "the version that stored it goes on"
    await runs.aclose()


def _tables(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'index')")]
    return {name: connection.execute(f"PRAGMA table_info({name})").fetchall() for name in names}


async def test_upgraded_tables_are_those_of_a_fresh_store(tmp_path: Path) -> None:
    Place(tmp_path / "now").store().close()
    as_first_version(tmp_path / "now", tmp_path / "then")
    Place(tmp_path / "then").store().close()
    with (
        sqlite3.connect(tmp_path / "now/journal.sqlite") as now,
        sqlite3.connect(tmp_path / "then/journal.sqlite") as then,
    ):
        fresh, upgraded = _tables(now), _tables(then)
    assert fresh.keys() == upgraded.keys()
    for name, columns in fresh.items():
        assert sorted(column[1:4] for column in columns) == sorted(column[1:4] for column in upgraded[name]), name


async def test_an_upgrade_that_fails_leaves_all_as_it_was(tmp_path: Path) -> None:
    Place(tmp_path / "now").store().close()
    as_first_version(tmp_path / "now", tmp_path / "then")
    with sqlite3.connect(tmp_path / "then/checkpoints.sqlite") as old:
        old.execute("DROP TABLE writes")
        old.execute("CREATE TABLE writes(other TEXT)")
        old.execute("INSERT INTO writes VALUES('x')")
        old.execute("DROP TABLE bodies")
        old.execute("CREATE TABLE bodies(other TEXT)")
    old.close()
    before = (tmp_path / "then/checkpoints.sqlite").read_bytes()
    with pytest.raises(StoreError, match=r"^the stored runs cannot be brought up to date: ") as caught:
        Place(tmp_path / "then").store()
    assert "\n" not in str(caught.value)
    assert (tmp_path / "then/checkpoints.sqlite").read_bytes() == before
    with sqlite3.connect(tmp_path / "then/journal.sqlite") as journal:
        assert "alembic_version" not in _tables(journal)
    journal.close()


def test_the_last_revision_is_the_one_that_a_fresh_store_is_made_as() -> None:
    config = Config()
    config.set_main_option("script_location", str(upgrade.SCRIPTS))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_current_head() == base.HEAD
    assert [step.revision for step in scripts.walk_revisions()][::-1] == [*base.REVISIONS]


NEXT = """
from alembic import op
revision, down_revision = "0003", "0002"
def upgrade():
    op.execute("ALTER TABLE runs ADD COLUMN colour TEXT")
"""


@pytest.fixture
def later(place: Place, tmp_path: Path) -> Path:
    """The steps of a version that knows one more than the one that made the place."""
    place.store().close()
    scripts = tmp_path / "scripts"
    (scripts / "versions").mkdir(parents=True)
    for step in (upgrade.SCRIPTS / "versions").glob("*.py"):
        (scripts / "versions" / step.name).write_text(step.read_text())
    (scripts / "versions" / "0003_colour.py").write_text(NEXT)
    return scripts


def open_as_later(place: Place, scripts: Path) -> Store:
    patched = pytest.MonkeyPatch()
    patched.setattr(upgrade, "SCRIPTS", scripts)
    patched.setattr("framework.storage.database.base.REVISIONS", ("0001", "0002", "0003"))
    for module in ("sqlite", "postgres"):
        patched.setattr(f"framework.storage.database.{module}.HEAD", "0003")
    try:
        return place.store()
    finally:
        patched.undo()


def upgrade_and_tell(place: Place, scripts: Path, go: Connection, out: Connection) -> None:
    """In a process of its own: opens when it is told to, and tells what it finds or what went wrong."""
    out.send("ready")
    go.recv()
    try:
        store = open_as_later(place, scripts)
        out.send(store.database.execute("SELECT colour FROM runs"))
        store.close()
    except Exception as error:  # noqa: BLE001 - whatever went wrong is for the test to show
        out.send(repr(error))


async def test_a_later_step_is_taken_once_by_whoever_opens_first(place: Place, later: Path) -> None:
    for _ in range(2):
        store = open_as_later(place, later)
        assert store.database.execute("SELECT colour FROM runs") == []
        store.close()


@pytest.mark.slow
def test_a_later_step_is_taken_once_by_processes_that_open_at_the_same_time(place: Place, later: Path) -> None:
    here, out = processes.Pipe()
    starts = [processes.Pipe() for _ in range(3)]
    children = [start(upgrade_and_tell, place, later, wait, out) for wait, _ in starts]
    assert [told(here) for _ in children] == ["ready"] * 3
    for _, go in starts:
        go.send("go")
    assert [told(here) for _ in children] == [[]] * 3
    for child in children:
        child.join(30)
        assert child.exitcode == 0
