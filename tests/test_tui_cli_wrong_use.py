"""What is typed wrongly ends with 2 and says what would do; dry runs refuse what calls refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from endpoint_workspaces import provider_table, system_table, write_settings
from tiny_workspaces import Released, make_run

from store.corpora import corpora
from store.lifecycle import archiving
from store.records import ChunkingSettings
from store.workspace import Workspace
from tui.cli import main

LONG = "x" * 300
UNREACHABLE = "http://127.0.0.1:9/v1"


class Said(NamedTuple):
    code: int
    words: str


Call = Callable[..., Said]


@pytest.fixture
def call(
    workspace: Workspace,
    released: Released,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Call:
    """Calls a command on a workspace with a corpus, an empty corpus `void`, dataset `gold` with
    a release, and the runs `first` and `second`, which is archived."""
    monkeypatch.delenv("NO_KEY", raising=False)
    with workspace.write() as db:
        make_run(db, released, "first")
        make_run(db, released, "second")
        archiving.archive(db, archiving.find(db, "run", "second"))
        corpora.create(db, "void", ChunkingSettings())
    write_settings(
        workspace.folder,
        provider_table("local", UNREACHABLE, api_key_env=""),
        provider_table("keyless", UNREACHABLE, api_key_env="NO_KEY"),
        system_table("asks", "local", "bm25"),
        system_table("locked", "keyless", "bm25"),
        '[judges.strict]\nmodel = "keyless"\n',
    )

    def run(*words: str) -> Said:
        try:
            code = main(["--workspace", str(workspace.folder), *words])
        except SystemExit as leaving:
            code = int(str(leaving.code))
        return Said(code, capfd.readouterr().err)

    return run


GENERATE = "generate --corpus {corpus} --dataset new --per-cell 1"


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (GENERATE.replace("new", "a@1"), 2, "'a@1' cannot name a dataset"),
        (GENERATE.replace("new", "gold") + " --taxonomy crud", 2, "is sorted by taxonomy"),
        ("generate --corpus void --dataset gold --per-cell 1", 2, "not 'void'"),
        (GENERATE + " --taxonomy omnival", 2, "Did you mean 'omnieval'?"),
        (GENERATE + " --topics fnud", 2, "Did you mean 'fund'?"),
        (GENERATE + " --model locla", 2, "Did you mean 'local'?"),
        (GENERATE + " --model keyless", 1, "NO_KEY is not set"),
        (GENERATE + " --inspect keyless", 1, "NO_KEY is not set"),
        (
            GENERATE + " --max-tokens 0",
            2,
            "The budget of tokens is 0. Use a number above 0. (--max-tokens)",
        ),
        (GENERATE + " --model local --max-cost 1", 2, "A budget of money needs prices"),
        ("inspect --dataset glod", 2, "Did you mean 'gold'?"),
        ("inspect --dataset gold", 1, "yet to inspect"),
        (
            "inspect --dataset gold --max-tokens 0",
            2,
            "The budget of tokens is 0. Use a number above 0. (--max-tokens)",
        ),
        ("classify --corpus viod", 2, "Did you mean 'void'?"),
        ("classify --corpus {corpus} --model keyless", 1, "NO_KEY is not set"),
        ("classify --corpus {corpus} --model local --max-cost 1", 2, "needs prices"),
        ("classify --corpus {corpus} --max-tokens -1", 2, "The budget of tokens is -1"),
        ("run --system ask --dataset gold", 2, "Did you mean 'asks'?"),
        ("run --system bm25 --dataset gold@7", 2, "Did you mean 'gold@1'?"),
        ("run --system bm25 --dataset gold --name first", 2, "a run 'first' already"),
        ("run --system bm25 --dataset gold --name 7", 2, "'7' cannot name a run"),
        ("run --system locked --dataset gold", 1, "NO_KEY is not set"),
        ("run --system asks --dataset gold --max-cost 1", 2, "needs prices"),
        ("judge frist --judge rules", 2, "Did you mean 'first'?"),
        ("judge second --judge rules", 1, "is archived"),
        ("judge first --judge rulse", 2, "Did you mean 'rules'?"),
        ("judge first --judge rules --metrics acuracy", 2, "Did you mean 'accuracy'?"),
        ("judge first --judge strict", 1, "NO_KEY is not set"),
        (
            "judge first --judge rules --max-tokens 0",
            2,
            "The budget of tokens is 0. Use a number above 0. (--max-tokens)",
        ),
        ("sample draw s --dataset glod --per-cell 1", 2, "Did you mean 'gold'?"),
        ("sample draw s --dataset gold --per-cell 0", 2, "at least one subject"),
    ],
)
def test_a_dry_run_refuses_what_the_call_refuses(
    call: Call, released: Released, line: str, code: int, words: str
):
    asked = line.format(corpus=released.corpus.name).split()
    real = call(*asked)
    assert (real.code, words in real.words) == (code, True), real
    assert call(*asked, "--dry-run") == real


def test_a_judge_at_work_is_refused_by_a_dry_run_too(call: Call, workspace: Workspace):
    from engine.jobs.operation import queue
    from engine.judge.judge_job import JudgeRun

    queue(workspace, JudgeRun("first", "rules"))
    real = call("judge", "first", "--judge", "rules")
    assert real.code == 1
    assert "at work on run 'first' already" in real.words
    assert call("judge", "first", "--judge", "rules", "--dry-run") == real


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ingest {file} --corpus {corpus} --chunk-size 9999", "is chunked by"),
        ("topics build --corpus void --name omnieval", "comes with ragdesk"),
        ("topics prune omnieval --drop fnud --as x", "Did you mean 'fund'?"),
        ("split --dataset gold --sides a=1 a=2", "two or more sides"),
        ("train-judge rules", "is the name of a judge"),
        ("train-judge j --metrics acuracy", "Did you mean 'accuracy'?"),
        ("train-judge j --data x", "--lora BASE"),
        ("matrix first --rows topci", "Did you mean 'topic'?"),
        ("compare first first --rows topci", "Did you mean 'topic'?"),
        ("table first --variant standrad", "Did you mean 'standard'?"),
        ("table first --judge rules", "No judge 'rules' has scored these runs"),
        ("sample draw s --form inspecton --dataset gold --per-cell 1", "mean 'inspection'?"),
        ("labels set 1 scoer=4", "Did you mean 'score'?"),
        ("labels set 1 score=9", "It takes 1, 2, 3, 4, 5"),
        ("labels show x", "names no revision"),
        ("adjudicate set x score=4", "Nobody has labelled"),
        ("labels import {file}", "neither .csv nor .jsonl"),
        ("export items --dataset gold --topic fnud --out {out}", "no topic 'fnud'"),
        ("import scores {file} --run first --judge a@b", "cannot name a judge"),
        ("providers test locla", "Did you mean 'local'?"),
        ("delete dataset gold@1", "Did you mean 'gold'?"),
    ],
)
def test_what_is_typed_wrongly_is_wrong_use(
    call: Call, released: Released, tmp_path, line: str, words: str
):
    file = tmp_path / "text.txt"
    file.write_text("A bank lends money.", "utf-8")
    said = call(*line.format(file=file, corpus=released.corpus.name, out=tmp_path / "o").split())
    assert (said.code, words in said.words) == (2, True), said


def test_what_may_be_left_out_is_not_asked_for(call: Call) -> None:
    assert "the following arguments are required: JUDGE\n" in call("audit").words


def test_a_corpus_needs_a_name(call: Call, tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("A bank lends money.", "utf-8")
    assert call("ingest", str(file), "--corpus", " ").code == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ingest nowhere.txt --corpus x", "does not exist"),
        ("search x --corpus void", "is empty"),
        ("release --dataset gold", "already holds exactly these"),
        ("restore run first", "is not archived"),
        (f"import items {LONG} --corpus c --dataset d", "File name too long"),
        (f"backup --out {LONG}", f"{LONG} cannot be read or written: File name too long"),
    ],
)
def test_a_right_call_that_cannot_be_done_fails(call: Call, line: str, words: str):
    said = call(*line.split())
    assert (said.code, words in said.words) == (1, True), said


def test_labels_next_knows_the_topics_of_its_samples(call: Call, released: Released):
    drawn = call("sample", "draw", "s", "--dataset", "gold", "--states", "accepted", "--per-cell=2")
    assert drawn.code == 0, drawn
    said = call("labels", "next", "--topic", "nowhere")
    assert (said.code, "Topics of the samples: " in said.words) == (2, True), said
