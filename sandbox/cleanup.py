"""Removes folders in which untrusted programs have worked, however deep, oddly named or unreadable their content is."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

PREFIX = "sandbox-"
"""Prefix of the folders of all sandboxes of this machine; the id of the process that made the folder comes next."""


def remove_folders(*paths: str) -> None:
    """Removes these folders and ignores those that cannot be removed. Blocks.

    `rm` and `chmod` are used because they handle every tree, while Python's own functions end in a RecursionError on a
    deep one. chmod opens folders that their owner may not read; it follows no link that it meets, or a program could
    make it change files elsewhere."""
    there = [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]
    for words in (["rm", "-rf"], ["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        if there:
            nothing = subprocess.DEVNULL
            with contextlib.suppress(OSError):
                command = [system_tool(words[0]), *words[1:], "--", *there]
                subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, check=False)
        there = [path for path in there if os.path.isdir(path)]


def system_tool(name: str) -> str:
    """Returns the path of a system tool, even if the app was started with an odd PATH."""
    return shutil.which(name) or shutil.which(name, path=os.defpath) or name


def sweep() -> None:
    """Removes the folders of sandboxes whose process was killed. Blocks."""
    if not Path("/proc/self").exists():
        return
    remove_folders(*(str(path) for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*") if _is_abandoned(path)))


def _is_abandoned(path: Path) -> bool:
    number = path.name.split("-")[1]
    try:
        status = path.lstat()
    except OSError:
        return False
    mine = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return mine and number.isdigit() and not Path(f"/proc/{number}").exists()
