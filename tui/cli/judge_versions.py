"""The commands that make a judge better by labels: judge-examples, judge-versions."""

from __future__ import annotations

import argparse

from store.errors import NotFound
from store.messages import choices, plural
from tui.cli.command import command, option
from tui.cli.options import FORCE, workspace_of
from tui.cli.output import print_json, print_line, tell, terminal_width

_SPLIT = option(
    "--split SPLIT", "split to take the sides from (default: the one that exports share)"
)


@command(
    "judge-examples",
    "choose judged answers of the train side as examples for a judge",
    option("FILE", "file to write, as `examples` of a judge's table reads it"),
    option("--metrics M...", "metrics to choose examples for (default: all five)", None),
    option("--each N", "examples of every value, in every language (default 1)", 1),
    option("--wrong-by JUDGE", "first what this judge, NAME or NAME@HASH, got wrong"),
    option("--seed N", "seed of the choice (default 0)", 0),
    _SPLIT,
    FORCE,
    example="examples.jsonl --metrics accuracy --each 2",
)
def judge_examples(arguments: argparse.Namespace) -> int:
    import msgspec

    from engine.judge.base import LABELLED
    from engine.training.data.sides import SPLIT_NAME
    from engine.training.versions.examples import WantedExamples, choose_examples
    from store.files import write_whole
    from store.runs import judge_scores, runs

    with workspace_of(arguments) as workspace:
        wrong_by = None
        if arguments.wrong_by:
            db = workspace.db
            have = {
                judge.id: judge
                for run in runs.listing(db)
                for judge in judge_scores.of_run(db, run.id)
            }
            chosen = judge_scores.choose(list(have.values()), arguments.wrong_by)
            if not chosen:
                raise NotFound(
                    f"No judge {arguments.wrong_by!r} has scored anything.",
                    choices(arguments.wrong_by, [one.label for one in have.values()], "These have"),
                )
            wrong_by = chosen[0].id
        examples = choose_examples(
            workspace,
            WantedExamples(
                tuple(arguments.metrics or LABELLED),
                arguments.each,
                arguments.split or SPLIT_NAME,
                wrong_by,
                arguments.seed,
            ),
        )
    lines = "".join(f"{msgspec.json.encode(example).decode()}\n" for example in examples)
    write_whole(lines, arguments.file, force=arguments.force)
    if arguments.json:
        print_json({"out": str(arguments.file), "examples": len(examples)})
    else:
        tell(
            "Wrote {examples} of the train side to {file}.",
            examples=plural(len(examples), "example"),
            file=arguments.file,
        )
        print_line('next: in the judge\'s table, examples = "{file}"', file=arguments.file)
    return 0


@command(
    "judge-versions",
    "compare the versions of a judge on the validation side, or test one",
    option("JUDGE", "a judge; with --test one version of it, as NAME@HASH", dest="judge"),
    _SPLIT,
    option("--test", "ask the test side about this version: once, and the answer is kept"),
    example="gpt",
)
def judge_versions(arguments: argparse.Namespace) -> int:
    from engine.training.data.sides import SPLIT_NAME
    from engine.training.versions import versions
    from engine.training.versions.report import reading_text, versions_text

    split = arguments.split or SPLIT_NAME
    with workspace_of(arguments) as workspace:
        if arguments.test:
            reading, read_at = versions.ask_test_side(workspace, arguments.judge, split)
        else:
            found = versions.judge_versions(workspace, arguments.judge, split)
    if arguments.test:
        if arguments.json:
            print_json({"read_at": read_at, "reading": reading})
        else:
            print(reading_text(reading, read_at, width=terminal_width()), end="")
    elif arguments.json:
        print_json(found)
    else:
        print(versions_text(found, width=terminal_width()), end="")
    return 0


COMMANDS = (judge_examples, judge_versions)
