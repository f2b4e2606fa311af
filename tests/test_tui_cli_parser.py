"""The parser: help, examples, messages for mistyped words, and what start-up imports."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_docs import commands_of

from engine.report import comparison, run_matrix, run_table, work
from tui.cli import main
from tui.cli.parser import build, command_words, parse

NEEDS_NONE = {
    *("backup", "demo", "doctor", "experiment list", "items acts", "items undo", "jobs list"),
    *("judges", "forms list", "providers list", "runs", "systems", "team list", "team log"),
    *("unshare", "verify"),
}
"""Run as they stand."""


def parsers_of(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parsers_of(command)


EXAMPLES = {
    parser.prog.removeprefix("ragdesk "): parser.example
    for parser in parsers_of(build())
    if parser.example
}


def test_every_command_that_takes_something_has_an_example() -> None:
    assert set(commands_of(build())) == {*EXAMPLES, *NEEDS_NONE}


@pytest.mark.parametrize("words", sorted(EXAMPLES))
def test_an_example_is_understood_and_is_of_its_command(words: str) -> None:
    arguments = parse(shlex.split(EXAMPLES[words])[1:])
    assert arguments.parser.prog == f"ragdesk {words}"


@pytest.mark.parametrize(
    ("line", "built"),
    [
        ("search --corpus c x", ["search"]),
        ("--workspace labels --rater x labels next", ["labels next"]),
    ],
)
def test_only_the_parser_of_the_command_that_was_called_is_built(
    line: str, built: list[str]
) -> None:
    assert list(commands_of(build(command_words(line.split())))) == built


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("demo", "ragdesk-demo"),
        ("--workspace mine demo", "mine"),
        ("demo --workspace mine", "mine"),
        ("runs", "set"),
    ],
)
def test_the_demo_has_a_folder_of_its_own_unless_one_is_named(
    line: str, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGDESK_WORKSPACE", "set")
    assert parse(line.split()).workspace == Path(folder)


def test_help_ends_with_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["split", "--help"]) == 0
    assert capsys.readouterr().out.endswith(f"\nexample:\n  {EXAMPLES['split']}\n")


def test_every_number_is_one_that_the_workspace_can_hold() -> None:
    numbers = {
        (parser.prog, action.dest): action.type
        for parser in parsers_of(build())
        for action in parser._actions
        if getattr(action.type, "__name__", "") in ("int", "float")
    }
    assert len(numbers) > 50
    for read in set(numbers.values()):
        assert callable(read)
        with pytest.raises(argparse.ArgumentTypeError):
            read("9" * 24 if read.__name__ == "int" else "nan")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lables next", "invalid choice: 'lables'. Did you mean 'labels'?"),
        ("topics bild", "Did you mean 'build'?"),
        ("import omnival x", "Did you mean 'omnieval'?"),
        ("xyzzy", "choose from"),
        ("inspect --dataset d --only-state draft", "Did you mean 'drafted'?"),
        ("labels progress --sampel s", "ragdesk labels progress: error: unrecognized arguments"),
        ("labels progress --sampel s", "Did you mean --sample?"),
        ("datasets x", "ragdesk datasets: error: unrecognized arguments: x"),
        ("--asci", "Did you mean --ascii?"),
        ("agree --form=--", "argument --form: expected one argument"),
        ("generate --corpus c --dataset d --per-cell x", "invalid int value: 'x'"),
    ],
)
def test_what_is_mistyped_is_refused_with_what_was_meant(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    assert said in capsys.readouterr().err


def test_every_argument_says_what_it_is() -> None:
    assert not [
        f"{command.prog}: {action.metavar or action.option_strings}"
        for command in parsers_of(build())
        for action in command._actions
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]


@pytest.mark.parametrize(
    ("words", "renderers"),
    [
        ("matrix", {"text", "json", *run_matrix.RENDERERS}),
        ("compare", set(comparison.RENDERERS)),
        ("table", set(run_table.RENDERERS)),
        ("labels statistics", {*work.RENDERERS} - {"json"}),
    ],
)
def test_every_format_of_a_result_is_offered(words: str, renderers: set[str]) -> None:
    (command,) = (one for one in parsers_of(build()) if one.prog == f"ragdesk {words}")
    (formats,) = (one.choices for one in command._actions if one.dest == "format")
    assert set(formats or ()) == renderers


def test_start_up_imports_the_commands_and_what_their_options_name() -> None:
    code = (
        "import sys; from tui.cli.parser import build\n"
        "build().format_help()\n"
        "ours = {name for name in sys.modules if name.startswith(('store.', 'engine.', 'tui.'))}\n"
        "print(sorted(name for name in ours if not name.startswith('tui.cli')))\n"
        "heavy = {'textual', 'rich', 'sqlite_utils', 'numpy', 'msgspec', 'sqlite3', 'openai',\n"
        "    'asyncio', 'dataclasses'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "['engine.exporters', 'engine.exporters.layouts', 'engine.prompts',"
        " 'engine.prompts.languages', 'store.errors', 'store.messages', 'tui.language',"
        " 'tui.language.choice', 'tui.language.translation']",
        "[]",
    ]


@pytest.mark.parametrize("words", [["em", "f1"], ["em,f1"], ["em,", "f1"]])
def test_a_list_of_words_may_have_commas(words: list[str]) -> None:
    assert parse(["score", "file.jsonl", "--metrics", *words]).metrics == ["em", "f1"]
