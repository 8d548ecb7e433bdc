"""`python -m agent memory`: lists, deletes and exports what runs remember, for the person at the machine."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from agent.session.memory import KEY, as_lines, listed
from agent.task.request import BadInput
from framework.errors import UnknownRun
from framework.secret import Redactor, Secret
from framework.settings import Settings
from framework.storage.store import Store

from .listing import when

OWN = ""
"""The owner of runs that are started at the command line."""
FILE = "lessons.jsonl"
_WIDTH = 70
"""Characters of a task that a line shows."""


async def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Runs the command. Raises UnknownRun, StoreError, and BadInput when the export cannot be written."""
    owner = None if arguments.everyone else OWN
    with closing(Store.open(settings.state_dir, url=settings.database_url)) as store:
        if arguments.delete or arguments.delete_all:
            run_id = "" if arguments.delete_all else _run(store, owner, arguments.delete)
            _say({"forgotten": store.memo.forget(owner, KEY, run_id)}, arguments.json)
        elif arguments.export or arguments.push:
            _say(_exported(listed(store, owner), arguments, settings), arguments.json)
        else:
            _show(listed(store, owner, arguments.query, max(0, arguments.limit)), arguments)
    return 0


def _run(store: Store, owner: str | None, word: str) -> str:
    """Returns the id of the run that remembers something and whose id is or begins with `word`. Raises UnknownRun."""
    found = [run_id for run_id, *_ in store.memo.of_owner(owner, KEY) if run_id.startswith(word)]
    if len(found) != 1 and word not in found:
        raise UnknownRun(f"{len(found) or 'no'} runs that begin with {word!r} remember something")
    return word if word in found else found[0]


def _exported(entries: list[dict[str, Any]], arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    if arguments.push:
        token = settings.variables.secret("HF_TOKEN")
        if token is None:
            raise BadInput("HF_TOKEN is not set: without it nothing can be uploaded; --export F writes a file")
        return {"exported": len(entries), "to": push(as_lines(entries), arguments.push, token)}
    if arguments.export == "-":
        sys.stdout.write(as_lines(entries))
        return {}
    try:
        Path(arguments.export).write_text(as_lines(entries), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{arguments.export} cannot be written: {error.strerror}") from None
    return {"exported": len(entries), "to": arguments.export}


def push(lines: str, name: str, token: Secret) -> str:
    """Uploads the lines to a private data set, which is made if it does not exist, and returns its address. Raises
    BadInput if the data set cannot be reached or written, or is public: lessons may hold words of private tasks."""
    hub: Any = importlib.import_module("huggingface_hub")
    http: Any = importlib.import_module("httpx2")
    api = hub.HfApi(token=token.reveal())
    try:
        address = api.create_repo(name, repo_type="dataset", private=True, exist_ok=True)
        if not api.repo_info(address.repo_id, repo_type="dataset").private:
            raise BadInput(f"the data set {address.repo_id} is public; lessons are uploaded to a private one only")
        api.upload_file(
            path_or_fileobj=lines.encode(),
            path_in_repo=FILE,
            repo_id=address.repo_id,
            repo_type="dataset",
            commit_message="Lessons of finished runs",
        )
    except (hub.errors.HfHubHTTPError, hub.errors.HFValidationError, http.HTTPError, OSError) as error:
        said = Redactor([token]).text(" ".join(str(error).split()))
        raise BadInput(f"the data set {name} cannot be written: {said[:300]}") from None
    return str(address)


def _show(entries: list[dict[str, Any]], arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json.dumps({"memory": entries}, ensure_ascii=False))
    elif not entries:
        hint = "Nothing is remembered with these words." if arguments.query else "Nothing is remembered yet."
        print(f"{hint} Runs remember with --memory or MEMORY=on.")
    for entry in [] if arguments.json else entries:
        task = " ".join(entry["task"].split())
        print(f"{entry['run_id']}  {when(entry['created'])}  {entry['verdict']:15}  {task[:_WIDTH]}")
        for lesson in entry["lessons"]:
            print(f"    - {' '.join(lesson.split())}")


def _say(told: dict[str, Any], as_json: bool) -> None:
    if as_json and told:
        print(json.dumps(told, ensure_ascii=False))
    elif told:
        print(", ".join(f"{name}: {value}" for name, value in told.items()))
