"""Stream sockets between processes, without the weight of the `socket` module: each loaded library slows every fork."""

from __future__ import annotations

from _socket import socket as Socket
from _socket import socketpair

__all__ = ["Socket", "socketpair"]
