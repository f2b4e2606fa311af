"""The kinds of foreseeable failure, whose messages say what, where, and what to do."""

from __future__ import annotations


class RagdeskError(Exception):
    """A failure that a person can act on. Shown as one message, never as a traceback.

    `remedy` is the sentence that says what to do; empty when the message already does. `command`
    is how the command line does that: a command, or options. Only the command line shows it, after
    the rest, so that the sentences hold in the app, too.
    """

    def __init__(self, message: str, remedy: str = "", command: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.command = command

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class UsageError(RagdeskError):
    """The command was called wrongly: a value out of its range, options that exclude each other, a
    name that is taken or does not exist. Exit code 2.
    """


class InputError(RagdeskError):
    """A file that a person gave is missing, broken or of the wrong shape."""


class WorkspaceError(RagdeskError):
    """The workspace cannot be opened, read or written."""


class Busy(WorkspaceError):
    """Another process writes to the workspace and has not finished in time: try again later."""


class DiskFull(WorkspaceError):
    """The disk, a quota or a file-size limit leaves no room; nothing was changed."""


class NotFound(UsageError):
    """The workspace holds nothing of the given name."""


class Conflict(RagdeskError):
    """The store has changed, or the state forbids the change; nothing was written."""
