"""`python -m agent show RUN`: prints what each role of a run was told and what it answered."""

from __future__ import annotations

import json
from contextlib import closing

from agent.events.transcript import NOTHING, SAID, JsonObject, as_text
from framework.errors import UnknownRun
from framework.settings import Settings
from framework.storage.store import Store


async def run(run_id: str, settings: Settings, *, as_json: bool) -> int:
    """Prints the dialogue of a run. Returns 1 when none of it was kept. Raises UnknownRun."""
    rows = stored(settings, run_id)
    if as_json:
        print(json.dumps({"run_id": run_id, "calls": rows}, ensure_ascii=False))
    else:
        print("\n\n".join(as_text(number, row) for number, row in enumerate(rows, 1)) or NOTHING)
    return 0 if rows else 1


def stored(settings: Settings, run_id: str) -> list[JsonObject]:
    """Returns the calls of a run in their order. Raises UnknownRun."""
    with closing(Store.open(settings.state_dir, url=settings.database_url)) as store:
        if store.runs.get(run_id) is None:
            raise UnknownRun(f"there is no run {run_id!r}")
        return store.memo.listed(run_id, SAID)
