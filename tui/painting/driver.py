"""A driver of Textual for terminals that writes only what has changed of each picture."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from textual import events
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from tui.painting.picture import Picture

SYNC_FROM = 256
"""Characters from which a picture is worth the 16 bytes that have it shown at one moment."""

_POINTER = "\x1b]22;"
_TEXT_UNTOUCHED = (
    "\x1b]",
    "\x07",
    *(f"\x1b[{start}" for start in ("?2", "?100", "?101", "?7", ">", "<")),
)
"""How sequences begin that leave cells and cursor alone: titles, the clipboard, modes, queries."""


class ChangesDriver(LinuxDriver):
    """Writes what `Picture` makes of each picture.

    What stands on the terminal is taken as unknown after a change of its size, after a suspension,
    and after anything was written that is not a picture; all that Textual then draws is written.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._picture = Picture()
        self._is_stale = False
        self._is_synchronised = False
        self._pointer = ""

    def forget(self) -> None:
        """Marks the terminal as unknown, so that everything is written next time."""
        self._is_stale = True

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.forget()
        self._pointer = ""
        resized = signal.getsignal(signal.SIGWINCH)

        def on_resize(number: int, frame: FrameType | None) -> None:
            self.forget()
            if callable(resized):
                resized(number, frame)

        signal.signal(signal.SIGWINCH, on_resize)

    def process_message(self, message: Message) -> None:
        # a terminal may tell its size by a message in place of the signal
        if isinstance(message, events.Resize):
            self.forget()
        super().process_message(message)

    def write(self, data: str) -> None:
        if data == SYNC_START:
            self._is_synchronised = True
        elif data == SYNC_END:
            self._is_synchronised = False
        elif data.startswith(_POINTER):
            # Textual says it with every screen that opens
            if data != self._pointer:
                self._pointer = data
                super().write(data)
        elif data.startswith(_TEXT_UNTOUCHED):
            super().write(data)
        elif data[:2] == "\x1b[" and data[2:3].isdigit():
            self._write_picture(data)
        else:
            self.forget()
            super().write(data)

    def _write_picture(self, data: str) -> None:
        if self._is_stale:
            self._is_stale = False
            self._picture.forget()
        written = self._picture.draw(data, self._app.size)
        if self._is_synchronised and len(written) >= SYNC_FROM:
            written = f"{SYNC_START}{written}{SYNC_END}"
        if written:
            super().write(written)
