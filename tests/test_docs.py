"""The documents say what the program does: commands, links, metrics and figures are checked."""

from __future__ import annotations

import argparse
import ast
import json
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from engine.corpus.readers.reading import READERS
from engine.judge.base import Case
from engine.judge.rules.config import METRICS
from engine.judge.rules.judge import judge_case
from engine.metrics.compute import score_ranking, score_text
from engine.metrics.score_file import encode, score_lines
from engine.metrics.spec import SPECS, VARIANTS
from engine.text.numbers import numbers, same_number
from store.records import MetricScore, Passage
from tui.cli.parser import build

ROOT = Path(__file__).parents[1]
PAGES = (
    ROOT / "README.md",
    ROOT / "README.zh.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = build()
NUMBER_PLACEHOLDER = re.compile(r"^(JOB|N)$")


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def commands_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Every command by its words: `search`, `jobs pause`."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                inner = list(commands_of(command))
                yield from (f"{name} {rest}" for rest in inner) if inner else (name,)


def fences(page: Path) -> list[tuple[str, str]]:
    """(language, text) of each fenced block."""
    return [match.groups() for match in FENCE.finditer(page.read_text("utf-8"))]


def typed_lines(page: Path) -> list[str]:
    """What follows `ragdesk` on the lines of a page that a reader is to type."""
    lines = [line.removeprefix("$ ") for _, block in fences(page) for line in block.splitlines()]
    return [
        line.partition("ragdesk")[2] for line in lines if re.match(r"(\S+/)?ragdesk( |$)", line)
    ]


def named_lines(page: Path) -> list[str]:
    """What follows `ragdesk` in the sentences of a page: arguments, or only a command's name."""
    return re.findall(r"`ragdesk( [^`\n]+)?`", FENCE.sub("", page.read_text("utf-8")))


def refusal(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the program has against a line; nothing for one that it understands."""
    words = shlex.split(line, comments=True)
    typed = ["1" if NUMBER_PLACEHOLDER.match(word) else word for word in words]
    try:
        PROGRAM.parse_args(typed)
    except SystemExit as leaving:
        message = capsys.readouterr().err
        return f"ragdesk{line}: {message}" if leaving.code else ""
    return ""


def tables(page: str) -> Iterator[list[list[str]]]:
    """The tables of a page: rows of cells, the header first, without the line below it."""
    rows: list[list[str]] = []
    for line in [*FENCE.sub("", text_of(page)).splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif rows:
            yield [rows[0], *rows[2:]]
            rows = []


def table(page: str, *header: str) -> list[list[str]]:
    """The rows of all tables of a page whose header begins so."""
    found = [rows[1:] for rows in tables(page) if tuple(rows[0][: len(header)]) == header]
    assert found, f"{page} has no table {header}"
    return [row for rows in found for row in rows]


def bare(cell: str) -> str:
    return cell.strip("`")


def forms(cell: str) -> list[str]:
    """The texts that a cell holds in backquotes; none for `(empty)`."""
    return re.findall(r"`([^`]+)`", cell)


def shown(scores: list[MetricScore]) -> str:
    """A score as the tables write it."""
    (score,) = scores
    return f"{score.value:.4g}" if score.value is not None else str(score.state)


def metric_exists(name: str, variant: str) -> bool:
    return any((spec.name, spec.variant) == (name, variant) for spec in SPECS)


# commands


def test_every_command_is_documented():
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    missing = [name for name in commands_of(PROGRAM) if f"ragdesk {name}" not in text]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_is_understood_by_the_program(page, capsys):
    commands = set(commands_of(PROGRAM))
    lines = [*typed_lines(page), *(line for line in named_lines(page) if line[1:] not in commands)]
    assert not [found for line in lines if (found := refusal(line, capsys))]


def test_the_readme_sets_up_by_two_commands_and_the_checks_run_the_second():
    setups = [
        block.strip()
        for language, block in fences(ROOT / "README.md")
        if language == "sh" and "python3 -m venv" in block
    ]
    assert len(setups) == 2
    assert all(len(setup.splitlines()) == 1 for setup in setups)
    assert setups[0].endswith("ragdesk demo")
    steps = [without_place(step) for step in setups[1].split(" && ")]
    checked = [without_place(line) for line in text_of(".ci/run").splitlines()]
    assert len(steps) == 3
    assert [line for line in checked if line in steps] == steps


def test_both_readmes_show_the_same_commands_and_tables_of_files():
    english, chinese = (fences(ROOT / name) for name in ("README.md", "README.zh.md"))
    assert chinese == english


def without_place(command: str) -> str:
    """A command without the folder of its environment and without --quiet."""
    bare_command = command.replace('"', "").replace(" --quiet", "")
    return re.sub(r"\S*venv\S*(?=/bin/)|(?<=-m venv )\S+", "VENV", bare_command)


# links


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page):
    text = FENCE.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# formats


def rooms() -> dict[str, str]:
    """The packages inside the three layers, each with the first paragraph of its docstring."""
    sentences = {}
    for file in sorted(ROOT.glob("[est]*/**/__init__.py")):
        folder = file.parent.relative_to(ROOT)
        if folder.parts[0] in ("store", "engine", "tui") and len(folder.parts) > 1:
            docstring = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
            sentences[f"{folder.as_posix()}/"] = " ".join(docstring.partition("\n\n")[0].split())
    return sentences


def test_every_room_stands_in_the_design_with_its_sentence():
    rows = re.findall(r"^\| `([\w/]+/)` \| (.+) \|$", text_of("docs/design.md"), re.MULTILINE)
    layers = {"store/", "engine/", "tui/"}
    assert {room: sentence for room, sentence in rows if room not in layers} == rooms()


def test_every_path_that_a_page_names_is_there():
    named = [
        (page.name, path)
        for page in (*PAGES, ROOT / "CONTRIBUTING.md")
        for path in re.findall(
            r"`((?:store|engine|tui|tests|docs|benchmarks)/[\w./]*)`", page.read_text("utf-8")
        )
    ]
    assert len(named) > 50
    assert [
        (page, path)
        for page, path in named
        if not {"NAME", "LANG"} & {*re.split(r"[/.]", path)} and not (ROOT / path).exists()
    ] == []


def test_every_suffix_that_is_read_is_listed():
    listed = [suffix for row in table("docs/formats.md", "suffix") for suffix in forms(row[0])]
    assert sorted(listed) == sorted(READERS)


# how results are computed


def test_every_metric_and_variant_is_explained_and_no_other():
    rows = table("docs/results.md", "metric", "variant")
    explained = [(bare(row[0]), bare(row[1])) for row in rows]
    assert sorted(explained) == sorted((spec.name, spec.variant) for spec in SPECS)
    assert all(all(cell for cell in row) for row in rows)
    assert [bare(row[0]) for row in table("docs/results.md", "variant")] == list(VARIANTS)


def test_the_judge_scales_are_those_of_the_metrics():
    rows = table("docs/results.md", "metric", "variant", "scale")
    scales = {bare(row[0]): row[2] for row in rows}
    for spec in SPECS:
        if spec.family == "judge":
            legal = ", ".join(f"{value:g}" for value in spec.values)
            legal = legal or f"{spec.minimum:g} to {spec.maximum:g}"
            direction = "" if spec.higher_is_better else "; lower is better"
            assert scales[spec.name] == legal + direction


def test_the_text_examples_hold():
    for golden, prediction, metric, *values, _ in table(
        "docs/results.md", "golden answers", "prediction", "metric"
    ):
        predicted = (forms(prediction) or [""])[0]
        name = bare(metric)
        for variant, value in zip(("standard", "omnieval", "crud"), values, strict=True):
            if metric_exists(name, variant):
                assert shown(score_text(variant, [name], predicted, forms(golden))) == value
            else:
                assert value == "-"


def test_the_ranking_examples_hold():
    for id, retrieved, relevant, metric, *values, _ in table(
        "docs/results.md", "id", "retrieved", "relevant"
    ):
        name = bare(metric)
        base = re.sub(r"@\d+", "@k", name)
        relevance = dict.fromkeys(bare(relevant).split(), 1.0)
        for variant, value in zip(("standard", "omnieval", "financerag"), values, strict=True):
            if metric_exists(base, variant):
                found = bare(retrieved).split()
                scores = score_ranking(variant, [name], found, relevance, query_id=bare(id))
                assert shown(scores) == value
            else:
                assert value == "-"


def test_the_number_examples_hold():
    for one, other, same, _ in table("docs/results.md", "golden answer", "prediction", "same"):
        ((a,), (b,)) = numbers(bare(one)), numbers(bare(other))
        assert same_number(a, b) == (same == "yes")


def test_the_judge_example_holds():
    text = text_of("docs/results.md")
    example = re.search(r"Question: (.+?) Golden answer: (.+?)\. Retrieved: (.+)", text)
    assert example
    question, golden, retrieved = example.groups()
    passages = (Passage(document_id="d", title="", text=retrieved, start=0),)
    reasons = []
    for prediction, *values in table("docs/results.md", "prediction", *METRICS):
        scores = judge_case(Case(1, question, (), (golden,), bare(prediction), passages, "zh"))
        assert [f"{score.value:g}" for score in scores] == values
        reasons.append(scores[0].reason)
    assert reasons[2] in text


def test_the_score_example_holds():
    blocks = [block for language, block in fences(ROOT / "docs/formats.md") if language == "json"]
    given, expected = next(pair for pair in pairwise(blocks) if '"states"' in pair[1])
    lines = given.encode().splitlines(keepends=True)
    scored = score_lines(lines, "example", metrics=["em", "f1", "ndcg@10"])
    assert b"".join(encode(line) for line in scored).decode() == expected


def test_the_json_examples_are_json():
    for page in PAGES:
        for language, block in fences(page):
            if language == "json":
                json.JSONDecoder().raw_decode(block)
