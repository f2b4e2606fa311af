"""The messages between the app and the process that computes.

A question names the class of a query and carries it; the reply carries what its `answer` returns.
Each is sent as a length (4 bytes, big endian) and a msgpack document.
"""

from __future__ import annotations

import struct
from importlib import import_module
from typing import IO, Protocol, TypeVar, cast, get_type_hints

import msgspec

from store.workspace import Workspace

Answer_co = TypeVar("Answer_co", covariant=True)
_LENGTH = struct.Struct(">I")


class Query(Protocol[Answer_co]):
    """Something to be computed: a frozen struct at the top of its module.

    `answer` names the type that it returns, by which the reply is decoded.
    """

    def answer(self, workspace: Workspace) -> Answer_co:
        """Computes the answer; raises RagdeskError with what is wrong."""


class Question(msgspec.Struct, frozen=True):
    module: str
    name: str
    """Of the query's class."""
    body: bytes
    """The query, as a msgpack document of its own."""

    @classmethod
    def of(cls, query: Query[object]) -> Question:
        """Wraps a query for sending."""
        kind = type(query)
        return cls(kind.__module__, kind.__qualname__, msgspec.msgpack.encode(query))

    def query(self) -> Query[object]:
        """Decodes the query; imports its module."""
        kind = getattr(import_module(self.module), self.name)
        return cast("Query[object]", msgspec.msgpack.decode(self.body, type=kind))


class Reply(msgspec.Struct, frozen=True):
    """A reply: the answer as a msgpack document of its own, or an error."""

    body: bytes | None = None
    error: str = ""
    remedy: str = ""


def answer_type(kind: type[Query[Answer_co]]) -> type[Answer_co]:
    """Returns the type that `answer` of a class of queries returns."""
    return cast("type[Answer_co]", get_type_hints(kind.answer)["return"])


def send(stream: IO[bytes], value: msgspec.Struct) -> None:
    body = msgspec.msgpack.encode(value)
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Reads the next document; None at the end of the stream."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None
