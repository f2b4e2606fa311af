"""Tables of judges of claims: what they may say, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from endpoint_workspaces import write_settings

from engine.judge.base import JudgeSpec
from engine.judge.claims.metrics import RAGCHECKER
from engine.judge.registry import judges
from store.errors import InputError

PROVIDER = '[providers.p]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'


def found(folder: Path, rest: str) -> JudgeSpec:
    write_settings(folder, PROVIDER, f'[judges.c]\nmethod = "claims"\n{rest}\n')
    return judges(folder)["c"]


def test_a_model_is_asked_with_templates_in_both_languages(tmp_path: Path) -> None:
    spec = found(tmp_path, 'model = "p"')
    assert (spec.kind, spec.metrics, spec.stands_in) == ("claims", RAGCHECKER, False)
    assert spec.provider is not None
    assert sorted(spec.config["prompts"]) == [
        f"{lang}/claims/{name}" for lang in ("en", "zh") for name in ("check", "list")
    ]
    fewer = found(tmp_path, 'model = "p"\nmetrics = ["fscore_c", "claim_f1"]\nlang = "zh"')
    assert fewer.metrics == ("claim_f1", "fscore_c")
    assert len(fewer.config["prompts"]) == 2
    assert fewer.hash != spec.hash
    assert found(tmp_path, 'model = "p"\nclaims_per_request = 5').hash != spec.hash


def test_without_a_model_it_is_a_stand_in_that_has_to_be_named(tmp_path: Path) -> None:
    spec = found(tmp_path, 'support = "words"')
    assert (spec.provider, spec.stands_in, spec.metrics) == (None, True, RAGCHECKER)
    with pytest.raises(InputError, match=r"judges\.c has neither `model` nor `support`") as refused:
        found(tmp_path, "")
    assert 'support = "words"' in (refused.value.remedy or "")


def test_a_stand_in_may_name_an_embedding_of_the_workspace(tmp_path: Path) -> None:
    judge = '[judges.c]\nmethod = "claims"\nsupport = "embedding"\nembedding = "{}"\n{}'

    def named(name: str, rest: str = "") -> JudgeSpec:
        far = '[embeddings.far]\nprovider = "p"\n'
        write_settings(tmp_path, PROVIDER, far, judge.format(name, rest))
        return judges(tmp_path)["c"]

    spec = named("far")
    assert (spec.embeds_at, spec.stands_in) == ("p", True)
    assert spec.hash == named("far", "least_similarity = 0.7").hash
    assert spec.hash != named("far", "least_similarity = 0.6").hash
    for name, rest, message in (
        ("none", "", "embedding is 'none'"),
        ("far", "least_similarity = 2", "least_similarity"),
        ("lsa-stand-in", "", "`corpus` is missing"),
    ):
        with pytest.raises(InputError, match=message):
            named(name, rest)


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ('model = "q"', "judges.c.model is 'q'"),
        ('model = "p"\nmetrics = ["accuracy"]', "metrics holds 'accuracy'"),
        ('model = "p"\nmetrics = []', "metrics is empty"),
        ('model = "p"\nclaims_per_request = 0', "claims_per_request"),
        ('model = "p"\nsupport = "words"', "support"),
        ('model = "p"\nprompts = "nowhere"', "prompts is 'nowhere'"),
        ('support = "vibes"', "support"),
        ('support = "words"\nembedding = "own"', 'go with support = "embedding"'),
        ('support = "words"\nrepeats = 2', "repeats"),
    ],
)
def test_a_wrong_table_names_its_field(tmp_path: Path, rest: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        found(tmp_path, rest)
    assert message in str(refused.value)
    assert "ragdesk.toml" in str(refused.value)


def test_a_name_that_no_judge_can_have_is_refused_of_a_stand_in_too(tmp_path: Path) -> None:
    write_settings(tmp_path, '[judges.rules]\nmethod = "claims"\nsupport = "words"\n')
    with pytest.raises(InputError, match="built-in judge"):
        judges(tmp_path)


def test_a_template_of_the_workspace_is_taken_and_one_without_its_slot_refused(
    tmp_path: Path,
) -> None:
    own = tmp_path / "prompts/en/claims/list.txt"
    own.parent.mkdir(parents=True)
    own.write_text("[system]\nList.\n[user]\n{question} {text}", "utf-8")
    assert "List." in found(tmp_path, 'model = "p"').config["prompts"]["en/claims/list"]
    own.write_text("[system]\nList.\n[user]\n{question}", "utf-8")
    with pytest.raises(InputError, match=r"lacks the slot \{text\}"):
        found(tmp_path, 'model = "p"')
