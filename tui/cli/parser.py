"""The parser of the program, with all its commands."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from tui.cli import (
    adjudication,
    agreement,
    audits,
    authoring,
    corpora,
    datasets,
    demo,
    difficulty,
    doctor,
    evolution,
    experiments,
    exports,
    forms,
    generation,
    graphs,
    guidelines,
    import_datasets,
    import_runs,
    inspection,
    items,
    jobs,
    judge_versions,
    judges,
    known,
    label_log,
    labels,
    providers,
    results,
    runs,
    samples,
    score,
    team,
    topics,
    training,
    upkeep,
)
from tui.cli.app import open_app
from tui.cli.command import Command, Group, Parser, refuse
from tui.language import LANGUAGES, tr

Entry = TypeVar("Entry", Command, Group, Command | Group)

COMMANDS: tuple[Command | Group, ...] = (
    *demo.COMMANDS,
    *corpora.COMMANDS,
    *topics.COMMANDS,
    Group(
        "import",
        "bring data in",
        "KIND",
        (*import_datasets.COMMANDS, *import_runs.COMMANDS),
    ),
    *generation.COMMANDS,
    *inspection.COMMANDS,
    *evolution.COMMANDS,
    Group("graph", "link documents by the entities that they share", "COMMAND", graphs.COMMANDS),
    *authoring.COMMANDS,
    Group("difficulty", "measure and show how hard items are", "COMMAND", difficulty.COMMANDS),
    *datasets.COMMANDS,
    *items.COMMANDS,
    *exports.COMMANDS,
    *providers.COMMANDS,
    Group("experiment", "compare variants of a system", "COMMAND", experiments.COMMANDS),
    *runs.COMMANDS,
    *jobs.COMMANDS,
    *judges.COMMANDS,
    *audits.COMMANDS,
    *training.COMMANDS,
    *judge_versions.COMMANDS,
    *results.COMMANDS,
    *score.COMMANDS,
    *samples.COMMANDS,
    Group("forms", "what people are asked, shipped or one's own", "COMMAND", forms.COMMANDS),
    Group(
        "labels",
        "give, take back and read labels",
        "COMMAND",
        (*labels.COMMANDS, *label_log.COMMANDS, known.show_reliability),
    ),
    Group("known", "questions with known answers among others", "COMMAND", known.COMMANDS),
    *agreement.COMMANDS,
    *adjudication.COMMANDS,
    *guidelines.COMMANDS,
    *team.COMMANDS,
    *doctor.COMMANDS,
    *upkeep.COMMANDS,
)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parses the arguments of one call; the attribute `run` of the result does the work."""
    words = command_words(argv)
    # the app would else wait for the parsers of all commands, a fifth of its start
    opens_app = not words and not {"-h", "--help"} & {*argv}
    arguments, unknown = build(words, () if opens_app else COMMANDS).parse_known_args(argv)
    if unknown:
        refuse(arguments.parser, unknown)
    if arguments.workspace is None:
        named = os.environ.get("RAGDESK_WORKSPACE") or "workspace"
        arguments.workspace = arguments.default_workspace or Path(named)
    return arguments


def command_words(argv: Sequence[str]) -> list[str]:
    """Returns the words of a call that are neither options nor values of the options everywhere; a
    command's name comes first."""
    words: list[str] = []
    rest = iter(argv)
    for word in rest:
        if word in ("--workspace", "--rater", "--lang"):
            next(rest, None)
        elif not word.startswith("-"):
            words.append(word)
    return words


def build(
    named: Sequence[str] = (), commands: Sequence[Command | Group] = COMMANDS
) -> argparse.ArgumentParser:
    """Returns the parser of the program: with all of `commands`, or only the one that `named`
    begins with, which saves most of a short command's time."""
    parser = Parser(
        prog="ragdesk",
        description=tr(
            "A workstation in the terminal for people who build and use RAG benchmarks."
            " Without a command it opens the app."
        ),
        parents=[_global_options()],
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help=tr("print the version and exit")
    )
    parser.add_argument(
        "--lang",
        choices=tuple(LANGUAGES),
        help=tr(
            "language of the interface; the app keeps it for you (default: $RAGDESK_LANG, else what"
            " was kept, else that of the locale)"
        ),
    )
    parser.add_argument(
        "--ascii", action="store_true", help=tr("draw the app with ASCII signs only")
    )
    parser.add_argument(
        "--no-mouse", action="store_true", help=tr("open the app without the mouse")
    )
    parser.add_argument(
        "--full-redraw",
        action="store_true",
        help=tr("redraw the whole screen of the app, not only what has changed"),
    )
    parser.set_defaults(
        workspace=None,
        default_workspace=None,
        rater=os.environ.get("RAGDESK_RATER") or "",
        json=False,
        run=open_app,
        parser=parser,
    )
    subparsers = parser.add_subparsers(title=tr("commands"), metavar="COMMAND")
    for entry in _asked(commands, named[:1]):
        if isinstance(entry, Command):
            _add(subparsers, entry)
            continue
        group = subparsers.add_parser(
            entry.name, help=tr(entry.help), description=_sentence(tr(entry.help))
        )
        within = group.add_subparsers(metavar=entry.metavar, required=True)
        for command in _asked(entry.commands, named[1:2]):
            _add(within, command)
    return parser


def _asked(entries: Sequence[Entry], named: Sequence[str]) -> Sequence[Entry]:
    """Returns the entry of that name; all where there is none, for the help and the error."""
    return [entry for entry in entries if entry.name in named] or entries


def _add(subparsers: Any, command: Command) -> None:
    parser: Parser = subparsers.add_parser(
        command.name,
        help=tr(command.help),
        description=_sentence(tr(command.help)),
        parents=[_global_options(command.defaults.get("default_workspace"))],
    )
    parser.example = f"{parser.prog} {command.example}" if command.example else ""
    parser.set_defaults(run=command.run, parser=parser)
    groups: dict[tuple[str, str], Any] = {}
    for argument in command.arguments:
        place: Any = parser
        if argument.group is not None:
            if argument.group not in groups:
                groups[argument.group] = parser.add_argument_group(*map(tr, argument.group))
            place = groups[argument.group]
        settings = {**argument.settings, "help": tr(argument.settings["help"])}
        place.add_argument(argument.name, **settings)
    parser.set_defaults(**command.defaults)


def _sentence(help: str) -> str:
    return f"{help[0].upper()}{help[1:]}{tr('.')}"


def _global_options(workspace: Path | None = None) -> argparse.ArgumentParser:
    # suppressed defaults: an option given before the command would else be overwritten by the
    # default of the same option after it
    options = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = options.add_argument_group(tr("everywhere"))
    group.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        help=tr("the workspace folder (default: ./{folder})", folder=workspace)
        if workspace
        else tr("the workspace folder (default: $RAGDESK_WORKSPACE, else ./workspace)"),
    )
    group.add_argument(
        "--rater",
        metavar="NAME",
        help=tr("who you are (default: $RAGDESK_RATER, else your user name)"),
    )
    group.add_argument("--json", action="store_true", help=tr("print one JSON document"))
    return options


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        parser.exit(message=f"ragdesk {version('ragdesk')}\n")
