"""`python tests/benches/inspected.py TASKS.jsonl WORKERS`: inspect_ai, in an environment that holds no other package.

Each line in: all tasks once. Lines out: "ready" first, then the seconds of its own `eval` and how many samples were not
right. Nothing is asked of a model: the known answer stands in for its output.
"""

import importlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_SECONDS = 10


def main() -> int:
    """Serves until stdin ends."""
    inspect: Any = importlib.import_module("inspect_ai")
    data, model, scorer, solver, util = (
        importlib.import_module(f"inspect_ai.{name}") for name in ("dataset", "model", "scorer", "solver", "util")
    )

    @solver.solver
    def known() -> Any:
        async def solve(state: Any, _: Any) -> Any:
            state.output = model.ModelOutput.from_content("none", state.metadata["solution"])
            return state

        return solve

    @scorer.scorer(metrics=[scorer.accuracy()])
    def passes() -> Any:
        async def score(state: Any, _: Any) -> Any:
            text = f"{state.output.completion}\n{state.metadata['tests']}\ncheck({state.metadata['entry']})\n"
            done = await util.sandbox().exec([sys.executable, "-c", text], timeout=_SECONDS)
            return scorer.Score(value=scorer.CORRECT if done.success else scorer.INCORRECT)

        return score

    tasks, workers = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()], int(sys.argv[2])
    samples = [data.Sample(input=task["name"], target="", metadata=task) for task in tasks]
    with tempfile.TemporaryDirectory() as folder:
        print("ready", flush=True)
        for _ in sys.stdin:
            task = inspect.Task(dataset=data.MemoryDataset(samples), solver=known(), scorer=passes(), sandbox="local")
            begun = time.perf_counter()
            (log,) = inspect.eval(
                task, model=None, display="none", log_dir=folder, max_samples=workers, max_subprocesses=workers
            )
            seconds = time.perf_counter() - begun
            right = [sample.scores["passes"].value == scorer.CORRECT for sample in log.samples or ()]
            print(json.dumps([seconds, len(samples) - sum(right)]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
