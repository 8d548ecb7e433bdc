"""`make constraints`: the newest versions of the packages that ours bring along, written into pyproject.toml."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent.parent / "pyproject.toml"
EXPORT = "uv export --frozen --no-hashes --no-annotate --no-header --all-extras --all-groups --no-emit-project"
_LISTED = re.compile(r"^constraint-dependencies = \[\n.*?^\]\n", re.DOTALL | re.MULTILINE)


def named(requirement: str) -> str:
    """The package of `name[extra]==1.0 ; marker`, as package indexes spell it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[=; ]", requirement, maxsplit=1)[0]).lower()


def direct(project: dict[str, Any]) -> set[str]:
    """Names of the packages that `project`, a pyproject.toml, pins itself."""
    groups = [*project["project"]["optional-dependencies"].values(), *project["dependency-groups"].values()]
    lines = [*project["project"]["dependencies"], *(line for group in groups for line in group)]
    return {named(line) for line in lines if isinstance(line, str)}


def main() -> None:
    """Raises CalledProcessError where uv finds no set of versions."""
    text = FILE.read_text()
    FILE.write_text(_LISTED.sub("constraint-dependencies = [\n]\n", text))
    subprocess.run(["uv", "lock", "--upgrade"], check=True)
    exported = subprocess.run(EXPORT.split(), check=True, stdout=subprocess.PIPE, text=True).stdout
    own = direct(tomllib.loads(text))
    pins = "".join(f'    "{line}",\n' for line in exported.splitlines() if named(line) not in own)
    FILE.write_text(_LISTED.sub(f"constraint-dependencies = [\n{pins}]\n", text))


if __name__ == "__main__":
    main()
