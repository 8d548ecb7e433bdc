"""Makes random keys that must survive a restart, and keeps them in the state directory."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from .errors import StoreError
from .secret import Secret


def kept_key(state_dir: Path, name: str) -> Secret:
    """Returns the key of that name. The first call makes it, in a file that only this user can read. Raises
    StoreError."""
    path = state_dir / f"{name}.key"
    try:
        state_dir.mkdir(parents=True, exist_ok=True)
        fresh = state_dir / f".{name}.{os.getpid()}.{secrets.token_hex(4)}"
        if not path.exists():
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(32))
            _publish(fresh, path)
        text = path.read_text()
    except OSError as error:
        raise StoreError(f"the state directory {state_dir} cannot be used: {error.strerror}") from error
    if not re.fullmatch(r"[\w-]{43}", text):
        raise StoreError(f"{path} is damaged; delete it to get a new key")
    return Secret(text)


def _publish(fresh: Path, path: Path) -> None:
    """Gives the file its name, unless another process was faster: then that process's key counts."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        return
    finally:
        fresh.unlink()
