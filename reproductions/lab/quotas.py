"""A small file system with a quota, served over FUSE: the kernels that runners have offer none in a namespace."""

from __future__ import annotations

import ctypes
import errno
import os
import pathlib
import stat
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lab import cases

_IN = struct.Struct("<IIQQIIII")
_BUFFER = 2**17
# Numbers of calls and the layout of what is read and written are those of linux/fuse.h.
_NAMES = {10: "unlink", 11: "unlink", 12: "rename", 45: "rename"}
_NO_REPLY = (2, 42)  # FORGET and BATCH_FORGET
_DONE = (18, 20, 25, 29, 30)  # RELEASE, FSYNC, FLUSH, RELEASEDIR, FSYNCDIR


@dataclass
class _Node:
    mode: int
    data: bytearray = field(default_factory=bytearray)
    names: dict[str, int] = field(default_factory=dict)
    changed: int = 0


class _Refused(Exception):
    def __init__(self, number: int) -> None:
        super().__init__(os.strerror(number))
        self.number = number


def mount(path: str, size: int, files: int = 1000) -> pathlib.Path:
    """Mount a file system with room for a terabyte, of which the user may have `size` bytes and `files` files.

    A process of its own serves it until the namespaces of the case end.
    """
    target = pathlib.Path(path)
    target.mkdir(parents=True, exist_ok=True)
    try:
        device = os.open("/dev/fuse", os.O_RDWR)
    except OSError as refused:
        cases.cannot(refused)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
    if libc.mount(b"quota", os.fsencode(target), b"fuse", 0, options):
        cases.cannot(f"a FUSE file system: {os.strerror(ctypes.get_errno())}")
    if not os.fork():
        try:
            _Server(device, size, files).serve()
        finally:
            os._exit(1)  # never back into the case
    os.close(device)
    return target


class _Server:
    """Files and folders in memory, never more than the quota, for one mount."""

    def __init__(self, device: int, size: int, files: int) -> None:
        self._device = device
        self._size = size
        self._files = files
        self._nodes = {1: _Node(stat.S_IFDIR | 0o755)}
        self._last = 1
        self._calls: dict[int, Callable[[int, bytes], bytes]] = {
            1: lambda node, body: self._entry(self._child(node, body)),
            3: lambda node, body: self._attributes(node),
            4: self._set_attributes,
            9: lambda node, body: self._entry(self._make(node, body[8:], stat.S_IFDIR, body)),
            14: lambda node, body: struct.pack("<QII", 0, 0, 0),
            15: self._read,
            16: self._write,
            17: lambda node, body: self._room(),
            26: self._hello,
            27: lambda node, body: struct.pack("<QII", 0, 0, 0),
            28: self._list,
            35: self._create,
        }

    def serve(self) -> None:
        """Answer until the file system is gone."""
        while True:
            try:
                request = os.read(self._device, _BUFFER + 4096)
            except OSError:
                os._exit(0)
            _, call, unique, node, *_ = _IN.unpack_from(request)
            if call in _NO_REPLY:
                continue
            try:
                error, answer = 0, self._answer(call, node, request[_IN.size :])
            except _Refused as refused:
                error, answer = -refused.number, b""
            except KeyError:  # removed while it was open
                error, answer = -errno.ESTALE, b""
            os.write(self._device, struct.pack("<IiQ", 16 + len(answer), error, unique) + answer)

    def _answer(self, call: int, node: int, body: bytes) -> bytes:
        if call in _DONE:
            return b""
        if call in _NAMES:
            return self._names(call, node, body)
        if call not in self._calls:
            raise _Refused(errno.ENOSYS)
        return self._calls[call](node, body)

    def _hello(self, _: int, body: bytes) -> bytes:
        big_writes = 1 << 5
        return struct.pack("<IIIIHHIIHHI7I", 7, 31, _BUFFER, big_writes, 8, 8, _BUFFER, 1, 0, 0, 0, *[0] * 7)

    def _child(self, node: int, body: bytes) -> int:
        try:
            return self._nodes[node].names[_name(body)]
        except KeyError:
            raise _Refused(errno.ENOENT) from None

    def _make(self, node: int, name: bytes, kind: int, body: bytes) -> int:
        if len(self._nodes) > self._files:
            raise _Refused(errno.EDQUOT)
        self._last += 1
        mode = struct.unpack_from("<I", body, 0 if kind == stat.S_IFDIR else 4)[0]
        self._nodes[self._last] = _Node(kind | stat.S_IMODE(mode), changed=int(time.time()))
        self._nodes[node].names[_name(name)] = self._last
        return self._last

    def _create(self, node: int, body: bytes) -> bytes:
        made = self._make(node, body[16:], stat.S_IFREG, body)
        return self._entry(made) + struct.pack("<QII", 0, 0, 0)

    def _write(self, node: int, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        self._resize(node, max(offset + size, len(self._nodes[node].data)))
        self._nodes[node].data[offset : offset + size] = body[40 : 40 + size]
        return struct.pack("<II", size, 0)

    def _resize(self, node: int, size: int) -> None:
        file = self._nodes[node]
        used = sum(len(other.data) for other in self._nodes.values())
        if size > len(file.data) and used - len(file.data) + size > self._size:
            raise _Refused(errno.EDQUOT)
        del file.data[size:]
        file.data.extend(bytes(size - len(file.data)))

    def _read(self, node: int, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        return bytes(self._nodes[node].data[offset : offset + size])

    def _list(self, node: int, body: bytes) -> bytes:
        _, offset, room = struct.unpack_from("<QQI", body)
        answer = b""
        for place, (name, number) in enumerate(self._nodes[node].names.items()):
            if place >= offset:
                raw = name.encode()
                entry = struct.pack("<QQII", number, place + 1, len(raw), self._nodes[number].mode >> 12) + raw
                entry += bytes(-len(entry) % 8)
                if len(answer) + len(entry) > room:
                    break
                answer += entry
        return answer

    def _set_attributes(self, node: int, body: bytes) -> bytes:
        valid, _, _, size = struct.unpack_from("<IIQQ", body)
        if valid & 1 << 3:
            self._resize(node, size)
        return self._attributes(node)

    def _names(self, call: int, node: int, body: bytes) -> bytes:
        if _NAMES[call] == "unlink":
            del self._nodes[self._nodes[node].names.pop(_name(body))]
            return b""
        new_folder = struct.unpack_from("<Q", body)[0]
        old, new = body[8 if call == 12 else 16 :].split(b"\0")[:2]
        moved = self._nodes[node].names.pop(_name(old))
        replaced = self._nodes[new_folder].names.pop(_name(new), None)
        if replaced:
            del self._nodes[replaced]
        self._nodes[new_folder].names[_name(new)] = moved
        return b""

    def _entry(self, node: int) -> bytes:
        return struct.pack("<4QII", node, 0, 0, 0, 0, 0) + self._stat(node)

    def _attributes(self, node: int) -> bytes:
        return struct.pack("<QII", 0, 0, 0) + self._stat(node)

    def _stat(self, node: int) -> bytes:
        one = self._nodes[node]
        size, day = len(one.data), one.changed
        blocks = (size + 511) // 512
        return struct.pack("<6Q10I", node, size, blocks, day, day, day, 0, 0, 0, one.mode, 1, 0, 0, 0, 4096, 0)

    def _room(self) -> bytes:
        blocks = 2**40 // 4096
        return struct.pack("<5Q10I", blocks, blocks // 2, blocks // 2, 10**8, 10**8, 4096, 255, 4096, *[0] * 7)


def _name(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode()
