"""Writes sandbox/worker/numbers.py from libseccomp's own tables, so that nobody copies system call numbers by hand.

The table in the repository was made by this command, with libseccomp 2.5.4 (Debian package libseccomp2):

    python -m tests.sandbox.export_syscalls > sandbox/worker/numbers.py
"""

from __future__ import annotations

import ctypes
import sys
import textwrap

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Machine -> what the kernel calls it in a filter's data (AUDIT_ARCH_* of linux/audit.h), which libseccomp uses too."""
_NUMBERS = range(1024)

Table = dict[str, tuple[int | None, ...]]
"""Name -> its number on each machine, in the order of AUDIT_ARCH; None where that machine lacks the call."""


def read_table() -> Table:
    """Every system call that libseccomp knows on these machines. Raises OSError without the library."""
    library = ctypes.CDLL("libseccomp.so.2")
    resolve = library.seccomp_syscall_resolve_num_arch
    resolve.restype, resolve.argtypes = ctypes.c_void_p, [ctypes.c_uint32, ctypes.c_int]
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    found: dict[str, list[int | None]] = {}
    for column, arch in enumerate(AUDIT_ARCH.values()):
        for number in _NUMBERS:
            text = resolve(arch, number)
            if text:
                name = ctypes.string_at(text).decode("ascii")
                free(text)
                found.setdefault(name, [None] * len(AUDIT_ARCH))[column] = number
    return {name: tuple(numbers) for name, numbers in sorted(found.items())}


def write_module(table: Table) -> str:
    """The table as a Python module: data for sandbox.worker.syscalls."""
    entries = (
        f"{name} {' '.join('-' if number is None else str(number) for number in numbers)}"
        for name, numbers in table.items()
    )
    wrapped = textwrap.fill(", ".join(entries), 118, break_long_words=False, break_on_hyphens=False)
    return (
        '"""Numbers of the system calls, by name; written by tests/sandbox/export_syscalls.py, never by hand."""\n\n'
        f"MACHINES = {tuple(AUDIT_ARCH)!r}\n\n".replace("'", '"')
        + f'TABLE = """\n{wrapped}\n"""\n'
    )


if __name__ == "__main__":
    sys.stdout.write(write_module(read_table()))
