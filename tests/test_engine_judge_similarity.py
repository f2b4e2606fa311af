"""Similarity to the golden answer: by an endpoint's vectors, by the stand-in, by BERTScore."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import scripted_server as scripted
from asked_judges import AskedJudges, item
from endpoint_workspaces import ENVIRON, make_workspace, write_settings
from scripted_server import Reply, Request

from engine.judge.embedding import STAND_IN
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import find_judge, open_judge
from engine.judge.similarity.bertscore import bert_score
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from engine.retrieve.neural import weights
from engine.retrieve.neural.token_model import Tokens
from store.errors import InputError, RagdeskError
from store.records import ScoreState
from store.verify import verify
from store.workspace import open_workspace
from tui.cli import main

VECTORS = {"gold": [1.0, 4.0], "other": [-4.0, 1.0], "same": [2.0, 8.0], "against": [-1.0, -4.0]}
ANSWERS = ("same", "against", "", "other")
EMBEDDING = '[embeddings.e]\nprovider = "p"\n'
JUDGE = '[judges.{}]\nmethod = "similarity"\nembedding = "{}"\n'


def reply(request: Request) -> Reply:
    assert request.path.endswith("/embeddings")
    return scripted.embeddings([VECTORS[text] for text in request.body["input"]])


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedJudges]:
    golden = [("gold",), ("gold",), ("gold",), ("gold", "other")]
    work = AskedJudges(
        tmp_path_factory.mktemp("similarity") / "w",
        {f"q{number:05}": item(f"{number}?", texts) for number, texts in enumerate(golden)}
        | {"q00004": item("4?", ())},
        {"a": lambda number: (*ANSWERS, "same")[number]},
        reply,
        [EMBEDDING, JUDGE.format("near", "e")],
    )
    with work:
        work.judge("near", "a", "near")
        work.judge("again", "a", "near")
        yield work


def test_a_cosine_is_stored_as_it_is_and_of_several_golden_answers_the_nearest_counts(
    judged: AskedJudges,
) -> None:
    scores = judged.scores("near", "sentence_similarity")
    assert [scores[number].score.value for number in range(5)] == [1.0, -1.0, 0.0, 1.0, None]
    assert scores[2].score.reason == "the answer is empty"
    assert scores[4].score.state is ScoreState.NA
    with open_workspace(judged.folder) as workspace:
        query = MetricQuery("sentence_similarity", judge="near")
        assert run_matrix(workspace.db, "a", query).matrix.total.summary.mean == 0.25
        assert verify(workspace.db).ok


def test_texts_are_embedded_once(judged: AskedJudges) -> None:
    asked = [text for request in judged.server.requests for text in request.body["input"]]
    assert sorted(asked) == sorted(set(asked))
    assert judged.asked["again"] == 0


def test_a_dry_run_says_who_gives_vectors(
    judged: AskedJudges, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (judged.estimates["near"].calls, judged.estimates["near"].embeds_at) == (0, "p")
    place = ["--workspace", str(judged.folder)]
    with patch.dict(os.environ, ENVIRON):
        assert main(["judge", "a", "--judge", "near", "--dry-run", *place]) == 0
    out = capsys.readouterr().out
    assert "scores 0, of which 0 take a model call" in out
    assert "provider p gives vectors: at most 0 requests, not counted above" in out


def test_the_stand_in_knows_the_words_of_a_corpus_and_says_what_it_is(tmp_path: Path) -> None:
    work = AskedJudges(
        tmp_path / "w",
        {
            "q00000": item("0?", ("The rate rose to 3.5 percent in March.",)),
            "q00001": item("1?", ("保险公司的保费收入同比下降3.4%。",)),
        },
        {"a": lambda number: ("The rate rose in March.", "基金净值上涨2.1%。")[number]},
        reply,
        [f'{JUDGE.format("plain", STAND_IN)}corpus = "tiny"\n'],
    )
    with work:
        work.judge("plain", "a", "plain")
    near, far = (work.scores("plain", "sentence_similarity")[number].score for number in (0, 1))
    assert near.reason == far.reason == "stand-in: LSA of corpus tiny"
    assert near.value is not None
    assert far.value is not None
    assert near.value > 0.7 > far.value
    first = find_judge(work.folder, "plain").hash
    write_settings(work.folder, f'{JUDGE.format("plain", STAND_IN)}corpus = "tiny"\n')
    assert find_judge(work.folder, "plain").hash == first


@pytest.mark.parametrize(
    ("table", "word"),
    [
        (JUDGE.format("s", "nobody"), r"judges\.s\.embedding is 'nobody'.*"),
        (JUDGE.format("s", STAND_IN), r"judges\.s\.embedding is 'lsa-stand-in', and `corpus`"),
        (JUDGE.format("s", STAND_IN) + 'corpus = "gone"\n', r"judges\.s\.corpus: .*'gone'"),
        (JUDGE.format("s", "e") + 'corpus = "tiny"\n', r"corpus goes with embedding"),
        (JUDGE.format("s", "e") + 'metrics = ["accuracy"]\n', r"metrics holds 'accuracy'"),
        (JUDGE.format("s", "e") + "metrics = []\n", r"metrics is empty"),
        (JUDGE.format("s", "e") + 'metrics = ["bertscore_f1"]\n', r"an endpoint gives none"),
        (JUDGE.format("s", "e") + "colour = 1\n", r"judges\.s: .*colour"),
        (JUDGE.format("s", "e") + "layer = -1\n", r"layer"),
        (
            JUDGE.format("s", STAND_IN) + 'corpus = "tiny"\nmetrics = ["bertscore_recall"]\n',
            r"the stand-in gives none",
        ),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_the_reason(
    tmp_path: Path, table: str, word: str
) -> None:
    folder = make_workspace(tmp_path / "w", {"q00000": item("0?", ("gold",))})
    provider = '[providers.p]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'
    write_settings(folder, provider, EMBEDDING, table)
    with pytest.raises(InputError, match=word):
        find_judge(folder, "s")


def test_without_the_extra_weights_are_refused_before_anything_is_queued(
    judged: AskedJudges, tmp_path: Path
) -> None:
    (tmp_path / "model").mkdir()
    folder = judged.folder
    settings = (folder / "ragdesk.toml").read_text("utf-8")
    try:
        weights_table = f'[embeddings.w]\nmodel = "{tmp_path / "model"}"\n'
        write_settings(folder, settings, weights_table, JUDGE.format("heavy", "w"))
        spec = find_judge(folder, "heavy")
        assert spec.metrics == (
            *("sentence_similarity", "bertscore_precision"),
            *("bertscore_recall", "bertscore_f1"),
        )
        with (
            patch.object(weights, "find_spec", lambda name: None),
            open_workspace(folder) as workspace,
        ):
            with pytest.raises(RagdeskError, match="need the extra `neural`"):
                JudgeRun("a", "heavy").check(workspace)
            with pytest.raises(RagdeskError, match="need the extra `neural`"):
                open_judge(folder, spec)
        (tmp_path / "model" / "config.json").write_text("{}")
        assert find_judge(folder, "heavy").hash != spec.hash
    finally:
        write_settings(folder, settings)


def tokens(rows: list[list[float]], own: list[bool]) -> Tokens:
    vectors = np.array(rows, dtype=np.float32)
    return Tokens(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.array(own))


def test_bertscore_matches_each_token_with_the_nearest_of_the_other_text() -> None:
    answer = tokens([[1, 0, 0], [0, 1, 0], [1, 1, 0]], [True, True, True])
    golden = tokens([[1, 0, 0], [0, 0, 1]], [True, True])
    half = 2**-0.5
    score = bert_score(answer, golden)
    assert score.precision == pytest.approx((1 + 0 + half) / 3)
    assert score.recall == pytest.approx((1 + 0) / 2)
    both = score.precision + score.recall
    assert score.f1 == pytest.approx(2 * score.precision * score.recall / both)
    turned = bert_score(golden, answer)
    assert (turned.precision, turned.recall) == pytest.approx((score.recall, score.precision))


def test_added_tokens_weigh_nothing_but_may_be_the_nearest() -> None:
    answer = tokens([[0, 1], [1, 0]], [False, True])
    golden = tokens([[1, 0.1], [0, 1]], [False, True])
    score = bert_score(answer, golden)
    assert score.precision == pytest.approx(1 / np.hypot(1, 0.1))
    assert score.recall == pytest.approx(1.0)
    nothing = tokens([[1, 0]], [False])
    assert bert_score(nothing, golden).f1 == 0.0
