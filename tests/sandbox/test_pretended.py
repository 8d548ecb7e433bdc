"""What the filter pretends to do fails where there is nothing to do it to."""

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
    ],
)
async def test_times_and_modes_are_those_of_a_file_that_is_there(walled: Walled, source: str) -> None:
    done = await walled.script(source)
    assert (done.stdout, done.status) == ("True\n", "ok"), done
