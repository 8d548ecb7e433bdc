"""python -m evaluation calibrate: the chances that verdicts carry, counted on stored runs and written to their file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from agent.trust.chance import TABLE
from evaluation.console import whole

from .calibration import table
from .data import DATA_HELP, STORED, DataError, load_tasks, load_truth


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0; 2 for data that cannot be read or do not tell which programs are right."""
    parser = argparse.ArgumentParser(prog="python -m evaluation calibrate", description=__doc__)
    parser.add_argument("--data", type=Path, default=STORED, help=DATA_HELP)
    parser.add_argument("--seeds", type=whole, default=20, help="orders of the programs for each problem (20)")
    parser.add_argument("--out", type=Path, default=TABLE, help=f"the file to write ({TABLE.name} of agent/trust)")
    options = parser.parse_args(argv)
    try:
        tasks, truth = load_tasks(options.data), load_truth(options.data)
        if truth is None:
            raise DataError(f"{options.data} tells of no program whether it is right")
        text = json.dumps(table(tasks, truth, options.seeds), indent=1) + "\n"
        options.out.write_text(text, encoding="utf-8")
    except (DataError, OSError) as error:
        sys.stderr.write(f"calibrate: {error}\n")
        return 2
    return 0
