"""The system calls that a program may make. A call that is not named is refused, so that an oversight breaks a program
and opens no hole.

The groups were found by tracing real programs (numpy, pandas, matplotlib, asyncio, sqlite3, threads, tempfile,
hypothesis, unittest, pytest) and by asking of every other call what an ordinary computation would need it for. A filter
cannot see paths. A call that takes a path is allowed only if landlock judges the path, or if the call tells no more
than what exists there."""

from __future__ import annotations

import os
import sys
from functools import cache

from . import numbers

AUDIT_ARCH = {"x86_64": 0xC000003E, "amd64": 0xC000003E, "aarch64": 0xC00000B7, "arm64": 0xC00000B7}
"""Machine name -> the kernel's number for it in a filter's data."""
_TABLE_OF = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}

UNTRIED = frozenset({"aarch64", "arm64"})

_ALLOWED = """
read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek sendfile copy_file_range
close close_range dup dup2 dup3 pipe pipe2 fstat fstatfs ftruncate fsync fdatasync flock fadvise64 getdents getdents64
# Waiting.
poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4 pause futex futex_waitv
# Paths that landlock judges.
open openat openat2 creat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat
mknod mknodat truncate
# Paths that it does not judge: these tell that something exists and what it is, which the doctor says.
stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat statfs getcwd chdir fchdir umask
# Memory, all of it within the address space that is limited.
brk mmap munmap mremap mprotect madvise msync
# Threads, and the process's own end. It has no children: waiting for one only says so.
set_robust_list get_robust_list set_tid_address rseq arch_prctl gettid sched_yield exit exit_group restart_syscall
wait4 waitid
# Time.
time gettimeofday clock_gettime clock_getres nanosleep clock_nanosleep times alarm setitimer getitimer
timer_create timer_settime timer_gettime timer_getoverrun timer_delete
# Signals to and in this process.
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack
# What a process is told about itself and the machine, and its own limits, which only ever sink.
getpid getppid getpgrp getpgid getsid getuid geteuid getgid getegid getgroups getresuid getresgid capget uname sysinfo
getrlimit setrlimit getrusage getcpu getrandom getpriority
sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
# A pair of stream sockets inside the process, which asyncio needs. No other socket exists: none can be made.
recvfrom sendmsg recvmsg shutdown getsockname getpeername getsockopt
"""

_JUDGED = "clone kill tgkill prlimit64 prctl ioctl fcntl socketpair sendto setsockopt"
"""Allowed or refused by their arguments; seccomp.py says which."""

_PRETENDED = "chmod fchmod fchmodat fchmodat2 utime utimes utimensat futimesat"
"""Answered with success and without effect, because landlock does not cover them and they could change files outside.
Python programs still see what they have set (child/pretended.py)."""

_UNSUPPORTED = """
fallocate
setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
removexattr lremovexattr fremovexattr
"""
"""Answered as a plain file system would, so that honest programs go on without them. `fallocate` takes room beyond
the limit of a file's size (FALLOC_FL_KEEP_SIZE); extended attributes are read and written outside landlock's folders
too."""

_ABSENT = "clone3"
"""Answered as an older kernel would, so that the C library uses `clone`, whose flags a filter can see."""


def _names(text: str) -> frozenset[str]:
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(" ".join(lines).split())


ALLOWED, JUDGED, PRETENDED, UNSUPPORTED, ABSENT = map(_names, (_ALLOWED, _JUDGED, _PRETENDED, _UNSUPPORTED, _ABSENT))


def audit_arch() -> int | None:
    """Returns AUDIT_ARCH of this machine; None when no table exists. On macOS the same numbers mean other calls."""
    return AUDIT_ARCH.get(os.uname().machine.lower()) if sys.platform == "linux" else None


def table() -> dict[str, int]:
    """Returns name -> number of every system call that this machine's kernel may have. Raises KeyError when no table
    exists."""
    return _table(_TABLE_OF[os.uname().machine.lower()])


@cache
def _table(machine: str) -> dict[str, int]:
    column = 1 + numbers.MACHINES.index(machine)
    rows = (entry.split() for entry in numbers.TABLE.split(","))
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}
