"""The command line `ragdesk`: every action of the app, headless.

Nothing heavy is imported here; a command imports what it needs when it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tui.language import language, read, tr


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code: 0 done, 1 failed, 2 wrong use, 3 paused, 130 Ctrl-C,
    of a comparison with gates and of an audit also 4 not met, 5 undecided.

    The one place where a failure becomes a message: foreseeable ones never show a traceback.
    """
    from tui.cli.streams import Unwritable, guard, silence

    guard()
    words = sys.argv[1:] if argv is None else argv
    _choose_language(words)
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # `ragdesk ... | head` ends the reader first
        silence()
        return 0
    except Unwritable as error:
        silence()
        return _report(error)
    return code


def entry() -> None:
    """The console script."""
    sys.exit(main())


def _choose_language(words: Sequence[str]) -> None:
    """Speaks the language of a `--lang` before the command, from the first import on: after it a
    command may have an option of that name."""
    from tui.language import LANGUAGES, use_language

    rest = iter(words)
    for word in rest:
        option, _, value = word.partition("=")
        if option in ("--lang", "--workspace", "--rater"):
            value = value or next(rest, "")
        elif not option.startswith("-"):
            return
        for code in LANGUAGES:
            if option == "--lang" and value == code:
                use_language(code)


def _run(argv: Sequence[str]) -> int:
    from tui.cli.streams import Unwritable

    try:
        # within, since Ctrl-C may come while it is imported
        from tui.cli.parser import parse

        arguments = parse(argv)
        if language() != "en":
            from engine.report.text_table import say_by

            say_by(read)
        return int(arguments.run(arguments))
    except SystemExit as leaving:
        return int(leaving.code or 0)
    except KeyboardInterrupt:
        print(tr("Interrupted."), file=sys.stderr)
        return 130
    except (BrokenPipeError, Unwritable):
        raise
    except Exception as error:  # noqa: BLE001  the command line's edge
        return _report(error)


def _report(error: Exception) -> int:
    import sqlite3

    from store.errors import InputError, RagdeskError, UsageError

    if isinstance(error, sqlite3.Error):
        from pathlib import Path

        from store.faults import explain

        error = explain(error, Path("the workspace file"))
    if isinstance(error, UnicodeEncodeError):
        error = UsageError("A name holds bytes that are no text in UTF-8.", "Use another name.")
    if isinstance(error, OSError):
        # of files that no command expects to fail on, such as one whose name is too long
        place = error.filename or "A file"
        error = InputError(f"{place} cannot be read or written: {error.strerror}.")
    if not isinstance(error, RagdeskError):
        raise error
    how = f" ({error.command})" if error.command else ""
    print(f"ragdesk: {read(str(error))}{how}", file=sys.stderr)
    return 2 if isinstance(error, UsageError) else 1
