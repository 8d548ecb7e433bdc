"""What a worker rehearses leaves nothing behind in the children that it forks."""

import subprocess
import sys
import textwrap

_COUNT = textwrap.dedent(
    """
    import sys
    heard = []
    sys.addaudithook(lambda event, _: heard.append(event))
    from sandbox.child.rehearsal import rehearse
    rehearse()
    print(heard.count("sys.addaudithook"), "exec" in heard)
    """
)


def test_no_run_inherits_an_audit_hook_of_the_rehearsal():
    """Nobody can take an audit hook away again: it would slow down every run of the worker."""
    ended = subprocess.run([sys.executable, "-c", _COUNT], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["0", "True"]
