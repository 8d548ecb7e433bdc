"""What the filter pretends to do shows where programs look for it, and fails where there is nothing to do it to."""

# ruff: noqa: E501 - short programs in a line
from __future__ import annotations

import pytest

from tests.sandbox.conftest import Walled

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    "source",
    [
        "from pathlib import Path\nPath('new').touch()\nprint(Path('new').exists())",
        "import os\nopen('there', 'w').close()\nos.utime('there')\nos.chmod('there', 0o600)\nprint(True)",
        "import os\nfile = open('there', 'w')\nos.utime(file.fileno(), ns=(1, 2))\nprint(True)",
        "import os, shutil\nopen('a', 'w').write('x')\nshutil.copy2('a', 'b')\nprint(open('b').read() == 'x')",
        "import os\ntry:\n    os.utime('missing', (1, 2))\nexcept FileNotFoundError:\n    print(True)",
        "import os\ntry:\n    os.chmod('missing', 0o700)\nexcept FileNotFoundError:\n    print(True)",
        "import os\nopen('a', 'w').close()\nos.utime('a', (5, 7.5))\nprint(os.path.getmtime('a') == 7.5 == os.stat('a').st_mtime)",
        "import os\nopen('a', 'w').close()\nos.utime('a', (5, 7))\nprint([e.stat().st_mtime for e in os.scandir()] == [7])",
        "import os\nopen('a', 'w').close()\nos.utime('a', (5, 7))\nopen('a', 'w').write('b')\nprint(os.stat('a').st_mtime > 7)",
        "import os\nopen('a', 'w').close()\nos.chmod('a', 0o755)\nos.rename('a', 'b')\nprint(os.access('b', os.X_OK))",
        "import os, stat\nopen('a', 'w').close()\nos.chmod('a', 0o4)\nprint(stat.filemode(os.lstat('a').st_mode) == '-------r--')",
        "import os, shutil\nopen('a', 'w').close()\nos.utime('a', (5, 7))\nshutil.copy2('a', 'b')\nprint(os.stat('b').st_mtime == 7)",
        "import os, time\nopen('a', 'w').close()\nos.utime('a', (5, 7))\nos.utime('a')\nprint(time.time() - os.stat('a').st_mtime < 60)",
        "import os\nfor line in os.scandir('/usr/lib'):\n    os.fspath(line)\nos.mkdir('a')\nos.chmod('a', 0o700)\n"
        "with os.scandir() as found:\n    entry = next(found)\nprint(os.path.isdir(entry) and entry.is_dir() and entry.name == 'a')",
        "import shutil, os\nos.makedirs('a/b/c')\nos.chmod('a/b', 0o700)\nshutil.rmtree('a')\nprint(not os.path.exists('a'))",
    ],
)
async def test_times_and_modes_are_those_of_a_file_that_is_there(walled: Walled, source: str) -> None:
    done = await walled.script(source)
    assert (done.stdout, done.status) == ("True\n", "ok"), done
