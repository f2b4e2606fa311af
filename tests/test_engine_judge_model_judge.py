"""A model judge at a scripted server: JSON schemas, documents fitted to a limit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import scripted_server as scripted
from asked_judges import AskedJudges, item
from endpoint_workspaces import provider_table, write_settings
from scripted_server import Reply, Request

from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store.jobs import jobs
from store.records import JobState
from store.workspace import open_workspace

TABLES = (
    '[judges.strict]\nmodel = "s"\nmetrics = ["accuracy", "numerical_accuracy"]\n',
    '[judges.refused]\nmodel = "r"\nmetrics = ["accuracy"]\n',
    '[judges.short]\nmodel = "p"\nmetrics = ["accuracy", "utilization"]\nmax_document_tokens = 6\n',
    '[judges.passages]\nmodel = "p"\nmetrics = ["passage_relevance", "passage_necessity"]\n',
    '[judges.plain]\nmodel = "p"\nmetrics = ["accuracy", "completeness"]\n',
    '[judges.theirs]\nmodel = "p"\nmetrics = ["accuracy", "completeness"]\nvariant = "omnieval"\n',
)


def reply(request: Request) -> Reply:
    if "refusing" in request.body["model"]:
        return scripted.error(400, "Unknown parameter: 'response_format'.", "unknown_parameter")
    asked = request.body["messages"][1]["content"]
    if asked.endswith("Relevance (JSON):"):
        value = 2 if "The rate" in asked.partition("Document to grade:")[2] else 0
        return scripted.answer(f'{{"reason": "of a passage", "value": {value}}}')
    if asked.endswith("Necessity (JSON):"):
        return scripted.answer('{"value": 3}')
    return scripted.answer('{"reason": "seen", "value": 1}')


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedJudges]:
    items = {"q0": item("What was the rate in March?", ["3.5 percent"])}
    folder = tmp_path_factory.mktemp("model") / "w"
    with AskedJudges(folder, items, {"run": lambda _: "3.5"}, reply, ()) as judges:
        address = judges.server.base_url
        write_settings(
            folder,
            provider_table("p", address),
            provider_table("s", address, json_schema=True),
            provider_table("r", address, json_schema=True, model="refusing"),
            *TABLES,
        )
        for name in ("strict", "refused", "short", "passages", "plain", "theirs"):
            judges.judge(name, "run", name)
        yield judges


def test_a_server_that_takes_a_schema_is_sent_one_for_each_metric(work: AskedJudges) -> None:
    sent = [
        request.body["response_format"]["json_schema"]
        for request in work.server.requests
        if request.body["model"] == "scripted" and "response_format" in request.body
    ]
    assert [one["name"] for one in sent] == ["accuracy", "numerical_accuracy"]
    assert sent[1]["schema"]["properties"]["value"]["enum"] == [0, 1, None]
    assert work.scores("strict", "accuracy")[0].score.value == 1


def test_a_server_that_refuses_the_schema_ends_the_job_with_what_to_do(work: AskedJudges) -> None:
    job = work.jobs["refused"]
    assert (job.state, work.asked["refused"]) == (JobState.FAILED, 1)
    with open_workspace(work.folder) as workspace:
        stored = jobs.get(workspace.db, job.id)
    assert "takes no JSON schema" in str(stored.error)
    assert "Remove json_schema" in str(stored.remedy)


def test_documents_are_cut_to_the_limit_where_a_prompt_shows_them_and_the_score_says_how(
    work: AskedJudges,
) -> None:
    (asked,) = [
        request.body["messages"][-1]["content"]
        for request in work.server.requests
        if "Retrieved documents:" in request.body["messages"][-1]["content"]
    ]
    assert "[2]" not in asked
    told = work.scores("short", "utilization")[0].details
    assert told is not None
    assert (told["documents"]["limit"], told["documents"]["cut"]) == (6, 1)
    assert work.scores("short", "accuracy")[0].details is None


def test_omnievals_variant_reads_the_same_replies_as_their_code_does(work: AskedJudges) -> None:
    # accuracy was asked for before; in completeness the server gives the same
    assert (work.asked["plain"], work.asked["theirs"]) == (1, 0)
    assert (work.estimates["theirs"].calls, work.estimates["theirs"].cached) == (2, 2)
    score = work.scores("theirs", "accuracy")[0].score
    assert (score.variant, score.value) == ("omnieval", 0.5)
    with open_workspace(work.folder) as workspace:
        found = run_matrix(workspace.db, "run", MetricQuery("accuracy", "omnieval", "theirs"))
    assert found.matrix.total.summary.mean == 0.5


def test_each_passage_is_asked_about_and_the_score_is_their_mean(work: AskedJudges) -> None:
    shown = work.scores("passages", "passage_relevance")[0]
    assert shown.details is not None
    values = [one["value"] for one in shown.details["passages"]]
    assert len(values) > 1
    assert shown.score.value == sum(values) / len(values) == 2 / len(values)
    assert shown.details["passages"][0]["reason"] == "of a passage"
    # each of necessity's is off the scale, and was asked about once more
    assert work.asked["passages"] == 3 * len(values)
    assert work.estimates["passages"].calls == 2 * len(values)


def test_a_passage_without_a_value_leaves_the_metric_without_one(work: AskedJudges) -> None:
    score = work.scores("passages", "passage_necessity")[0].score
    assert (score.state, score.value) == ("out_of_range", None)
    assert score.reason.startswith("passage 1 of ")
