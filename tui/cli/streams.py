"""Standard output and standard error of a command: nothing written moves a terminal, and what
cannot be written is one sentence.

This is the one place where text meets a terminal: names, texts of files and replies of endpoints
are not cleaned where they are printed. What goes into a pipe or a file stays as it is.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import TextIO

from store.errors import RagdeskError
from tui.language import tr

_ESCAPING = "ragdesk.escaped"


class Unwritable(RagdeskError):
    """Standard output cannot be written to: it is closed, or its disk is full."""


class Guarded(io.TextIOBase):
    """A standard stream: cleans what goes to a terminal, and names what cannot be written."""

    def __init__(self, stream: TextIO, *, is_result: bool) -> None:
        """Results that cannot be written are an error; messages are lost without one."""
        self._stream = stream
        self._is_result = is_result
        self._is_terminal = stream.isatty()

    def write(self, text: str) -> int:
        self._attempt(lambda: self._stream.write(clean(text) if self._is_terminal else text))
        return len(text)

    def flush(self) -> None:
        self._attempt(self._stream.flush)

    def _attempt(self, action: Callable[[], object]) -> None:
        try:
            action()
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as error:
            if self._is_result:
                reason = getattr(error, "strerror", None) or tr("it is closed")
                raise Unwritable(
                    tr("Standard output cannot be written: {reason}.", reason=reason)
                ) from error

    def empty_line(self) -> None:
        """Empties the line that a terminal's cursor is in."""
        self._attempt(lambda: self._stream.write("\r\x1b[2K"))

    def isatty(self) -> bool:
        return self._is_terminal

    def fileno(self) -> int:
        return self._stream.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding


def clean(text: str) -> str:
    """The text without what would control a terminal, but for line breaks and the bold, dim and
    shaded cells of a matrix: nobody's text can move, clear or hide anything by them."""
    if text.isprintable():
        return text
    from engine.text.wrapping import printable

    if "\x1b" not in text:
        return "\n".join(map(printable, text.split("\n")))
    parts, end = [], 0
    for ours in _ours().finditer(text):
        parts += [printable(text[end : ours.start()]), ours[0]]
        end = ours.end()
    return "".join([*parts, printable(text[end:])])


@cache
def _ours() -> re.Pattern[str]:
    """Finds what ragdesk itself sends within texts; black or white is legible on each shade."""
    from engine.report.matrix.colours import PALE_SHADES, SHADES

    shades = "|".join(map(str, {*SHADES, *PALE_SHADES}))
    return re.compile(rf"\n|\x1b\[(?:[012]|48;5;(?:{shades})m\x1b\[38;5;(?:16|231))m")


def guard() -> None:
    """Puts the guards in the place of the process's own streams, unless they are there already or
    somebody else's are."""
    _occupy()
    if sys.stdout is None or sys.stdout is sys.__stdout__:
        sys.stdout = Guarded(_opened(sys.__stdout__), is_result=True)
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = Guarded(_opened(sys.__stderr__), is_result=False)


def silence() -> None:
    """Lets nothing more be written to standard output, where Python would complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _occupy() -> None:
    """Opens what is closed of the three standard files, so that none of their numbers is given to
    a file of a workspace, into which a library might print."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)


def _opened(stream: TextIO | None) -> TextIO:
    if stream is None:
        # read-only: to write to it fails, as it should
        return open(os.devnull, encoding="utf-8")  # noqa: PTH123 (for the whole process)
    if isinstance(stream, io.TextIOWrapper):
        codecs.register_error(_ESCAPING, _escaped)
        stream.reconfigure(errors=_ESCAPING)
    return stream


def _escaped(error: UnicodeError) -> tuple[str, int]:
    r"""Writes what a terminal's or pipe's encoding lacks as \uXXXX, which JSON reads, too."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    units = (lost[at : at + 2].hex() for at in range(0, len(lost), 2))
    return "".join(f"\\u{unit}" for unit in units), error.end
