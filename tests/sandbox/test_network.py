"""No program reaches a listener of this machine, by any family of sockets."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.conftest import Walled

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Listeners:
    """Listens on TCP, UDP, an abstract and a path socket; remembers every contact."""

    def __init__(self, folder: Path) -> None:
        self.contacts: list[str] = []
        self.path = str(folder / "s.sock")
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(self.path)
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0listener-{id(self)}")
        self.mailbox = str(folder / "d.sock")
        self.datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.datagrams.bind(self.mailbox)
        self.names = {"tcp": self.tcp, "unix": self.unix, "abstract": self.abstract}
        for name, sock in self.names.items():
            sock.listen()
            threading.Thread(target=self._accept, args=(name, sock), daemon=True).start()

    def _accept(self, name: str, sock: socket.socket) -> None:
        while True:
            try:
                sock.accept()
            except OSError:
                return
            self.contacts.append(name)

    def datagram(self) -> bool:
        """Whether one has arrived, by UDP or at a path."""
        for sock in (self.udp, self.datagrams):
            sock.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                return bool(sock.recv(10))
        return False

    def close(self) -> None:
        for sock in (*self.names.values(), self.udp, self.datagrams):
            sock.close()


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[Listeners]:
    opened = Listeners(tmp_path)
    yield opened
    opened.close()


PAIR = "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"


def reach(listeners: Listeners) -> dict[str, str]:
    port, udp = listeners.tcp.getsockname()[1], listeners.udp.getsockname()[1]
    return {
        "tcp": f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 1)\n",
        "udp": f"import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp}))\n",
        "path": f"import socket\nsocket.socket(socket.AF_UNIX).connect({listeners.path!r})\n",
        "abstract": f"import socket\nsocket.socket(socket.AF_UNIX).connect({listeners.abstract.getsockname()!r})\n",
        "http": f"import urllib.request\nurllib.request.urlopen('http://127.0.0.1:{port}', timeout=1)\n",
        "name": "import socket\nsocket.create_connection(('localhost', 1), 1)\n",
        "netlink": "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW)\n",
        "raw": "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW, 1)\n",
        "listen": "import socket\nsocket.create_server(('127.0.0.1', 0))\n",
        "asyncio": f"import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', {port}))\n",
        "datagram of a pair": f"{PAIR}a.sendto(b'x', {listeners.mailbox!r})\n",
        "message of a pair": f"{PAIR}a.sendmsg([b'x'], [], 0, {listeners.mailbox!r})\n",
        "pair made by number": (
            "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\npair = (ctypes.c_int * 2)()\n"
            f"path = {listeners.mailbox!r}.encode()\naddress = b'\\x01\\x00' + path + b'\\0'\n"
            "if libc.socketpair(1, 2 | 0x80000, 0, pair) and libc.socketpair(1, 5, 0, pair):\n"
            "    raise PermissionError(ctypes.get_errno())\n"
            "print('OPEN', libc.sendto(pair[0], b'x', 1, 0, address, len(address)))\n"
        ),
        "address on a stream": f"import socket\nsocket.socketpair()[0].sendto(b'x', {listeners.mailbox!r})\n",
        "by number": (
            "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
            "if libc.syscall(41, 2, 1, 0) >= 0 or libc.syscall(198, 2, 1, 0) >= 0:\n    print('OPEN')\n"
            "raise PermissionError(ctypes.get_errno())\n"
        ),
    }


@pytest.mark.parametrize(
    "way",
    [
        "tcp", "udp", "path", "abstract", "http", "name", "netlink", "raw", "listen", "asyncio", "by number",
        "datagram of a pair", "message of a pair", "pair made by number", "address on a stream",
    ],
)  # fmt: skip
async def test_the_network_is_closed(walled: Walled, listeners: Listeners, way: str) -> None:
    done = await walled.script(reach(listeners)[way])
    assert done.status in ("blocked", "error"), done
    assert "OPEN" not in done.stdout
    assert listeners.contacts == []
    assert not listeners.datagram()


async def test_a_pair_of_sockets_inside_the_program_works(walled: Walled) -> None:
    done = await walled.script("import socket\na, b = socket.socketpair()\na.send(b'hi')\nprint(b.recv(2))\n")
    assert done.stdout == "b'hi'\n"


async def test_the_control_listeners_do_listen(listeners: Listeners) -> None:
    with socket.create_connection(listeners.tcp.getsockname(), 1) as sock:
        sock.close()
    deadline = threading.Event()
    for _ in range(100):
        if listeners.contacts:
            break
        deadline.wait(0.01)
    assert listeners.contacts == ["tcp"]
    with socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0] as pair:
        pair.sendto(b"x", listeners.mailbox)
    assert listeners.datagram()
