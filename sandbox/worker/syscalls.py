"""System calls that a program may not make, with their numbers on x86-64 and (untried) aarch64."""

from __future__ import annotations

import os

ARCHITECTURES = {
    "x86_64": (0, 0xC000003E),
    "amd64": (0, 0xC000003E),
    "aarch64": (1, 0xC00000B7),
    "arm64": (1, 0xC00000B7),
}
"""Machine name -> (column of the tables below, AUDIT_ARCH)."""

UNTRIED = frozenset({"aarch64", "arm64"})
FIRST_UNKNOWN = 453
"""From 424 on numbers are the same on all machines; calls newer than these tables do not exist for a program."""

_DENIED = """
socket 41 198|connect 42 203|accept 43 202|accept4 288 242|bind 49 200|listen 50 201
fork 57 -|vfork 58 -|execve 59 221|execveat 322 281
ptrace 101 117|process_vm_readv 310 270|process_vm_writev 311 271|kcmp 312 272
pidfd_open 434 434|pidfd_getfd 438 438|pidfd_send_signal 424 424
process_madvise 440 440|process_mrelease 448 448
tkill 200 130|rt_sigqueueinfo 129 138|rt_tgsigqueueinfo 297 240
setpriority 141 140|sched_setscheduler 144 119|sched_setparam 142 118|sched_setattr 314 274|sched_setaffinity 203 122
ioprio_set 251 30|setsid 112 157|setpgid 109 154
chown 92 -|fchown 93 55|lchown 94 -|fchownat 260 54
setxattr 188 5|lsetxattr 189 6|fsetxattr 190 7|removexattr 197 14|lremovexattr 198 15|fremovexattr 199 16
shmget 29 194|shmat 30 196|shmctl 31 195|semget 64 190|semop 65 193|semctl 66 191|semtimedop 220 192
msgget 68 186|msgsnd 69 189|msgrcv 70 188|msgctl 71 187|mq_open 240 180|mq_unlink 241 181
memfd_create 319 279|memfd_secret 447 447
mount 165 40|umount2 166 39|pivot_root 155 41|chroot 161 51|unshare 272 97|setns 308 268
open_tree 428 428|move_mount 429 429|fsopen 430 430|fsconfig 431 431|fsmount 432 432
fspick 433 433|mount_setattr 442 442
init_module 175 105|finit_module 313 273|delete_module 176 106|kexec_load 246 104|kexec_file_load 320 294
bpf 321 280|perf_event_open 298 241|userfaultfd 323 282|keyctl 250 219|add_key 248 217|request_key 249 218
io_uring_setup 425 425|io_uring_enter 426 426|io_uring_register 427 427|io_setup 206 0|io_submit 209 2
personality 135 92|syslog 103 116|acct 163 89|quotactl 179 60|quotactl_fd 443 443
swapon 167 224|swapoff 168 225|reboot 169 142|name_to_handle_at 303 264|open_by_handle_at 304 265
fanotify_init 300 262|fanotify_mark 301 263|iopl 172 -|ioperm 173 -|modify_ldt 154 -
setuid 105 146|setgid 106 144|setreuid 113 145|setregid 114 143|setresuid 117 147|setresgid 119 149
setgroups 116 159|setfsuid 122 151|setfsgid 123 152|capset 126 91
vhangup 153 58|uselib 134 -|clock_settime 227 112|settimeofday 164 170|adjtimex 159 171|clock_adjtime 305 266
sethostname 170 161|setdomainname 171 162|migrate_pages 256 238|move_pages 279 239|mbind 237 235
set_mempolicy 238 237|set_mempolicy_home_node 450 450|lookup_dcookie 212 18|nfsservctl 180 42
"""

_IGNORED = """
chmod 90 -|fchmod 91 52|fchmodat 268 53|fchmodat2 452 452
utime 132 -|utimes 235 -|utimensat 280 88|futimesat 261 -
"""
"""Answered with success and no effect: landlock does not cover them, and honest copies of files call them."""

_JUDGED = "clone 56 220|clone3 435 435|kill 62 129|tgkill 234 131|prlimit64 302 261|ioctl 16 29|fcntl 72 25"
"""Allowed or not by their arguments."""


def _column(table: str, column: int) -> dict[str, int]:
    rows = (entry.split() for line in table.split("\n") for entry in line.split("|") if entry)
    return {row[0]: int(row[1 + column]) for row in rows if row[1 + column] != "-"}


def audit_arch() -> int | None:
    """AUDIT_ARCH of this machine; None where no table exists."""
    known = ARCHITECTURES.get(os.uname().machine.lower())
    return known[1] if known else None


def tables() -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """(denied, ignored, judged by arguments), name -> number on this machine."""
    column = ARCHITECTURES[os.uname().machine.lower()][0]
    return _column(_DENIED, column), _column(_IGNORED, column), _column(_JUDGED, column)
