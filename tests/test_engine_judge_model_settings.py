"""`[judges.NAME]` tables, what they freeze, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.judge.base import LABELLED, Case
from engine.judge.model.asking import (
    Example,
    JudgePrompts,
    judge_messages,
    judge_request,
    mending_words,
    reply_schema,
)
from engine.judge.registry import find_judge, judges
from engine.metrics.spec import resolve
from engine.models.asking import corrected
from store.errors import InputError, NotFound
from store.records import Passage

PROVIDER = '[providers.p]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'
EXAMPLE = {
    "metric": "accuracy",
    "lang": "zh",
    "question": "率？",
    "golden_answers": ["7%"],
    "answer": "约7%",
    "value": 2,
}
CASE = Case(
    prediction_id=1,
    question="那 {answer} 呢？",
    history=(("准备金率？", "7%"),),
    golden_answers=("5%", "百分之五"),
    answer="5% {documents}",
    passages=(Passage("d", "公告", "利率为5%。"),),
    lang="zh",
)


def settings(folder: Path, *tables: str) -> Path:
    (folder / "ragdesk.toml").write_text("\n".join([PROVIDER, *tables]), "utf-8")
    return folder


def test_a_judge_needs_only_its_model(tmp_path: Path) -> None:
    found = judges(settings(tmp_path, '[judges.gpt]\nmodel = "p"'))
    assert list(found)[:2] == ["rules", "gpt"]
    gpt = found["gpt"]
    assert (gpt.kind, gpt.metrics) == ("model", LABELLED)
    assert set(gpt.config["prompts"]) == {
        f"{lang}/judge/{m}" for lang in ("zh", "en") for m in LABELLED
    }
    assert json.loads(json.dumps(gpt.config)) == gpt.config
    with pytest.raises(NotFound, match="There is no judge 'nobody'"):
        find_judge(tmp_path, "nobody")


def test_the_hash_follows_whatever_a_score_depends_on_and_nothing_else(tmp_path: Path) -> None:
    def hash_of(*tables: str) -> str:
        return find_judge(settings(tmp_path, *tables), "j").hash

    plain = hash_of('[judges.j]\nmodel = "p"')
    limits = (
        "[providers.p.limits]\nmax_in_flight = 3\n[providers.p.prices]\ninput = 1\noutput = 1\n"
    )
    assert hash_of(limits, '[judges.j]\nmodel = "p"') == plain
    others = {
        plain,
        hash_of('[judges.j]\nmodel = "p"\ntemperature = 0.5'),
        hash_of('[judges.j]\nmodel = "p"\nlang = "zh"'),
        hash_of('[judges.j]\nmodel = "p"\nmetrics = ["accuracy"]'),
        hash_of('[judges.j]\nmodel = "p"\nrepeats = 2'),
        hash_of(
            '[providers.q]\nbase_url = "http://127.0.0.1:2/v1"\nmodel = "m"',
            '[judges.j]\nmodel = "q"',
        ),
    }
    (tmp_path / "examples.jsonl").write_text(json.dumps(EXAMPLE) + "\n", "utf-8")
    others.add(hash_of('[judges.j]\nmodel = "p"\nexamples = "examples.jsonl"'))
    own = tmp_path / "prompts" / "zh" / "judge" / "accuracy.txt"
    own.parent.mkdir(parents=True)
    own.write_text("[system]\n判\n[user]\n{question}{golden_answers}{answer}\n", "utf-8")
    others.add(hash_of('[judges.j]\nmodel = "p"'))
    assert len(others) == 8


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('[judges.j]\nmodel = "nobody"', "which is not a model"),
        ('[judges.j]\nmodel = "offline"', "which is not a model"),
        ("[judges.j]\nmetrics = []", "model"),
        ('[judges.j]\nmodel = "p"\nmetrics = ["beauty"]', "'beauty'"),
        ('[judges.j]\nmodel = "p"\nmetrics = []', "is empty"),
        ('[judges.j]\nmodel = "p"\nrepeats = 0', "repeats is 0"),
        ('[judges.j]\nmodel = "p"\ntemperature = 3.0', "temperature is 3"),
        ('[judges.j]\nmodel = "p"\ncolour = 1', "colour"),
        ('[judges.j]\nmodel = "p"\nmethod = "clams"', "method is 'clams'"),
        ('[judges.rules]\nmodel = "p"', "built-in"),
        ('[judges."a@b"]\nmodel = "p"', "cannot name"),
        ('[judges.j]\nmodel = "p"\nexamples = "none.jsonl"', "cannot be read"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, table: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        judges(settings(tmp_path, table))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metric": "beauty"}, "'beauty'"),
        ({"value": 3}, "3 is not a"),
        ({"value": "na"}, "na"),
    ],
)
def test_an_example_off_its_scale_is_refused(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    (tmp_path / "e.jsonl").write_text(json.dumps({**EXAMPLE, **change}) + "\n", "utf-8")
    with pytest.raises(InputError, match=rf"e.jsonl, line 1: .*{said}"):
        judges(settings(tmp_path, '[judges.j]\nmodel = "p"\nexamples = "e.jsonl"'))


def test_a_folder_of_prompts_that_is_misspelt_is_a_fault_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        judges(settings(tmp_path, '[judges.gpt]\nmodel = "p"\nprompts = "jugde"'))
    message = raised.value.message
    assert message.startswith(f"{tmp_path / 'ragdesk.toml'}: judges.gpt.prompts is 'jugde': ")
    assert "there is no prompt zh/jugde/accuracy" in message
    assert raised.value.remedy is not None
    assert raised.value.remedy.startswith("Did you mean 'judge'?")


def test_a_prompt_that_would_drop_the_answer_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "prompts" / "zh" / "judge" / "hallucination.txt"
    own.parent.mkdir(parents=True)
    own.write_text("[system]\n判\n[user]\n{question}{golden_answers}{answer}\n", "utf-8")
    with pytest.raises(InputError, match=r"lacks the slot \{documents\}"):
        judges(settings(tmp_path, '[judges.j]\nmodel = "p"'))


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("metric", LABELLED)
def test_every_prompt_shows_the_case_as_it_is(tmp_path: Path, metric: str, lang: str) -> None:
    spec = find_judge(settings(tmp_path, f'[judges.j]\nmodel = "p"\nlang = "{lang}"'), "j")
    prompts = JudgePrompts("judge", spec.config["prompts"], lang)  # type: ignore[arg-type]
    system, user = judge_messages(prompts, CASE, metric)
    assert '"value"' in system.content
    for text in ("那 {answer} 呢？", "准备金率？", "百分之五", "5% {documents}"):
        assert text in user.content
    assert ("利率为5%。" in user.content) == (metric in ("hallucination", "utilization"))


def test_examples_come_before_the_case_as_earlier_exchanges() -> None:
    texts = {"zh/judge/accuracy": "[system]\nS\n[user]\n{question}|{golden_answers}|{answer}\n"}
    example = Example(**{**EXAMPLE, "golden_answers": ("7%",), "reason": "同"})  # type: ignore[arg-type]
    prompts = JudgePrompts("judge", texts, examples=(example,))
    request = judge_request(prompts, CASE, "accuracy", temperature=0.3)
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "user"]
    assert request.messages[2].content == '{"reason":"同","value":2}'
    assert request.temperature == 0.3
    words = mending_words("the reply holds no JSON", resolve("accuracy"), "en")
    again = corrected(request, "Fine.", words)
    assert again.messages[:-2] == request.messages
    assert again.messages[-2].content == "Fine."
    assert "no JSON" in again.messages[-1].content
    assert "0, 1, 2" in again.messages[-1].content


def test_a_bound_on_documents_and_a_schema_are_of_the_judge_only_where_they_are_used(
    tmp_path: Path,
) -> None:
    table = '[judges.gpt]\nmodel = "p"\n'
    plain = find_judge(settings(tmp_path, table), "gpt")
    assert not {"max_document_tokens", "json_schema"} & plain.config.keys()
    bound = find_judge(settings(tmp_path, table + "max_document_tokens = 900"), "gpt")
    other = '[judges.levels]\nmethod = "ekrag"\nby = "model"\nmodel = "p"'
    before = find_judge(settings(tmp_path, other), "levels")
    (tmp_path / "ragdesk.toml").write_text(f"{PROVIDER}json_schema = true\n{table}{other}", "utf-8")
    strict = find_judge(tmp_path, "gpt")
    assert len({plain.hash, bound.hash, strict.hash}) == 3
    assert find_judge(tmp_path, "levels").hash == before.hash
    with pytest.raises(InputError, match=r"judges\.gpt\.max_document_tokens is 0"):
        judges(settings(tmp_path, table + "max_document_tokens = 0"))


def test_a_schema_lets_a_reply_be_a_reason_and_a_legal_value() -> None:
    for metric, kinds, legal in (
        ("accuracy", ["integer"], [0, 1, 2]),
        ("completeness", ["integer", "null"], [0, 1, 2, None]),
        ("hallucination", ["integer"], [0, 1]),
    ):
        given = reply_schema(resolve(metric))
        schema = given["json_schema"]["schema"]
        assert (given["type"], given["json_schema"]["strict"]) == ("json_schema", True)
        assert schema["properties"]["value"] == {"type": kinds, "enum": legal}
        assert schema["required"] == ["reason", "value"]
