"""The system call filter decides as its lists say, for every number, on both machines it is written for."""

from __future__ import annotations

import os
import struct
import sys
from types import SimpleNamespace

import pytest

from sandbox.worker import numbers, seccomp, syscalls
from tests.sandbox import export_syscalls
from tests.tables import in_one_test

ALLOW, EPERM, ENOSYS, EOPNOTSUPP = 0x7FFF0000, 0x00050001, 0x00050026, 0x0005005F
PRETEND, KILL = 0x00050000, 0x80000000
PID = 4321


def run(program: bytes, number: int, arguments: tuple[int, ...] = (), arch: int | None = None) -> int:
    """A little interpreter of the filter's own instructions."""
    data = struct.pack("=II", number, arch or syscalls.audit_arch() or 0) + bytes(8)
    data += b"".join(struct.pack("=Q", value) for value in (*arguments, 0, 0, 0, 0, 0, 0)[:6])
    code = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    at, word = 0, 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        if operation == 0x20:
            (word,) = struct.unpack_from("=I", data, value)
        elif operation == 0x06:
            return value
        elif operation == 0x05:
            at += value
        else:
            held = {0x15: word == value, 0x35: word >= value, 0x45: bool(word & value)}[operation]
            at += yes if held else no


@pytest.fixture(params=["x86_64", "aarch64"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine=request.param))
    return seccomp.Filter().program(PID)


def test_no_number_is_called_where_it_means_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert syscalls.audit_arch() is None


def test_every_number_is_decided_by_the_list_that_names_it(program: bytes) -> None:
    names = {number: name for name, number in syscalls.table().items()}
    answers = dict.fromkeys(syscalls.ALLOWED, ALLOW) | dict.fromkeys(syscalls.PRETENDED, PRETEND)
    answers |= dict.fromkeys(syscalls.UNSUPPORTED, EOPNOTSUPP) | dict.fromkeys(syscalls.ABSENT, ENOSYS)
    for number in (*range(1024), 0x40000000, 0x40000000 + 41, 2**31 - 1):
        name = names.get(number, "")
        if name not in syscalls.JUDGED:
            assert run(program, number) == answers.get(name, EPERM if name else ENOSYS), (number, name)


def test_every_name_is_in_one_list_and_known_to_a_machine() -> None:
    lists = (syscalls.ALLOWED, syscalls.JUDGED, syscalls.PRETENDED, syscalls.UNSUPPORTED, syscalls.ABSENT)
    known = {entry.split()[0] for entry in numbers.TABLE.split(",")}
    assert sum(map(len, lists)) == len(frozenset().union(*lists))
    assert frozenset().union(*lists) <= known


@in_one_test(
    "name",
    [
        "socket", "connect", "bind", "accept4", "sendmmsg", "fork", "vfork", "execve", "execveat", "ptrace", "kcmp",
        "process_vm_readv", "process_vm_writev", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "tkill", "setsid",
        "rt_sigqueueinfo", "rt_tgsigqueueinfo", "setpriority", "sched_setaffinity", "fchown", "memfd_create", "shmget",
        "msgget", "semget", "mq_open", "mount", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount",
        "fsopen", "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "io_uring_setup", "io_setup",
        "personality", "name_to_handle_at", "open_by_handle_at", "fanotify_init", "inotify_init1", "inotify_add_watch",
        "setuid", "setresuid", "capset", "seccomp", "landlock_restrict_self", "init_module", "finit_module", "reboot",
        "kexec_load", "swapon", "sync", "syncfs", "acct", "quotactl", "syslog", "process_madvise", "memfd_secret",
        "clock_settime", "move_pages", "mbind", "vmsplice", "splice",
    ],
)  # fmt: skip
def test_what_an_attack_needs_is_refused(program: bytes, name: str) -> None:
    number = syscalls.table().get(name)
    assert number is None or run(program, number) == EPERM


def test_the_numbers_are_those_of_libseccomp() -> None:
    try:
        current = export_syscalls.read_table()
    except OSError:
        pytest.skip("libseccomp is not installed")
    stored = {
        name: text for name, text in (entry.split(maxsplit=1) for entry in numbers.TABLE.replace("\n", " ").split(","))
    }
    assert len(stored) > 350
    for name, text in stored.items():
        assert text.split() == ["-" if number is None else str(number) for number in current[name]]


def test_an_old_landlock_that_cannot_judge_a_call_leaves_it_to_the_filter() -> None:
    number = syscalls.table()["truncate"]
    assert run(seccomp.Filter().program(PID), number) == ALLOW
    assert run(seccomp.Filter(without=("truncate",)).program(PID), number) == EPERM


STREAM, DATAGRAM, SEQUENCED, CLOEXEC = 1, 2, 5, 0x80000
ARGUMENTS = [
    ("kill", (PID, 9), ALLOW), ("kill", (1, 9), EPERM), ("kill", (0, 9), EPERM), ("kill", (2**64 - 1, 9), EPERM),
    ("tgkill", (PID, PID, 9), ALLOW), ("tgkill", (7, 7, 9), EPERM),
    ("clone", (0x10000 | 0x100,), ALLOW), ("clone", (17,), EPERM), ("clone", (0x10000000 | 0x10000,), EPERM),
    ("prlimit64", (0, 7), ALLOW), ("prlimit64", (PID, 7), ALLOW), ("prlimit64", (1, 7), EPERM),
    ("ioctl", (0, 0x5401), ALLOW), ("ioctl", (0, 0x5412), EPERM), ("ioctl", (0, 0x40049409), EOPNOTSUPP),
    ("ioctl", (0, 0xC0481100), EPERM),
    ("fcntl", (0, 3), ALLOW), ("fcntl", (0, 8, 1), EPERM), ("fcntl", (0, 15, 1), EPERM), ("fcntl", (0, 1026), EPERM),
    ("fcntl", (0, 1031, 1 << 20), EPERM),
    ("prctl", (15,), ALLOW), ("prctl", (1, 0), EPERM), ("prctl", (4, 1), EPERM), ("prctl", (0x59616D61, 1), EPERM),
    ("socketpair", (1, STREAM | CLOEXEC), ALLOW), ("socketpair", (1, DATAGRAM), EPERM),
    ("socketpair", (1, DATAGRAM | CLOEXEC), EPERM), ("socketpair", (1, SEQUENCED), EPERM),
    ("socketpair", (30, STREAM), EPERM),
    ("sendto", (5, 0, 1, 0, 0, 0), ALLOW), ("sendto", (5, 0, 1, 0, 0x7F0000001000, 110), EPERM),
    ("sendto", (5, 0, 1, 0, 0x100000000, 110), EPERM),
    ("setsockopt", (5, 1, 7), ALLOW), ("setsockopt", (5, 1, 26), EPERM), ("setsockopt", (5, 1, 50), EPERM),
]  # fmt: skip


@in_one_test("name, arguments, answer", ARGUMENTS)
def test_arguments_decide_where_they_must(program: bytes, name: str, arguments: tuple[int, ...], answer: int) -> None:
    assert run(program, syscalls.table()[name], arguments) == answer


def test_another_machines_calls_kill(program: bytes) -> None:
    assert run(program, 0, arch=0x40000003) == KILL
