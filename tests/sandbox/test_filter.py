"""The system call filter decides as its tables say, for every number, on both machines it is written for."""

from __future__ import annotations

import os
import struct
from types import SimpleNamespace

import pytest

from sandbox.worker import seccomp, syscalls

ALLOW, EPERM, ENOSYS, PRETEND, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x00050000, 0x80000000
PID = 4321


def run(program: bytes, number: int, arguments: tuple[int, ...] = (), arch: int | None = None) -> int:
    """A little interpreter of the filter's own instructions."""
    data = struct.pack("=iI", number, arch or syscalls.audit_arch() or 0) + bytes(8)
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


def test_every_number_is_decided_by_its_table(program: bytes) -> None:
    denied, ignored, judged = syscalls.tables()
    assert not set(denied.values()) & set(ignored.values())
    for number in range(600):
        expected = ALLOW if number < syscalls.FIRST_UNKNOWN else ENOSYS
        if number in denied.values():
            expected = EPERM
        elif number in ignored.values():
            expected = PRETEND
        if number not in judged.values():
            assert run(program, number) == expected, number


def test_arguments_decide_where_they_must(program: bytes) -> None:
    judged = syscalls.tables()[2]
    assert run(program, judged["kill"], (PID, 9)) == ALLOW
    assert run(program, judged["kill"], (1, 9)) == EPERM
    assert run(program, judged["kill"], (2**64 - 1, 9)) == EPERM
    assert run(program, judged["tgkill"], (PID, PID, 9)) == ALLOW
    assert run(program, judged["tgkill"], (7, 7, 9)) == EPERM
    assert run(program, judged["clone"], (0x10000 | 0x100,)) == ALLOW
    assert run(program, judged["clone"], (17,)) == EPERM
    assert run(program, judged["clone3"]) == ENOSYS
    assert run(program, judged["prlimit64"], (0, 7)) == ALLOW
    assert run(program, judged["prlimit64"], (1, 7)) == EPERM
    assert run(program, judged["ioctl"], (0, 0x5401)) == ALLOW
    assert run(program, judged["ioctl"], (0, 0x5412)) == EPERM
    assert run(program, judged["fcntl"], (0, 3)) == ALLOW
    assert run(program, judged["fcntl"], (0, 8, 1)) == EPERM


def test_another_machines_calls_kill(program: bytes) -> None:
    assert run(program, 0, arch=0x40000003) == KILL


def test_a_new_namespace_with_a_thread_flag_is_no_thread(program: bytes) -> None:
    clone = syscalls.tables()[2]["clone"]
    assert run(program, clone, (0x10000000 | 0x10000,)) == EPERM
