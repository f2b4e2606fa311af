"""The forms of systems' tables: what can be chosen is what there is, and is read as it is."""

from __future__ import annotations

import pytest
from msgspec.structs import fields

from engine.evaluate.system_fields import system_fields
from engine.evaluate.systems import STAGES, VARIANTS, SystemReader
from engine.settings.fields import text_of, with_text
from store.systems import OWN

SETTINGS = """
[providers.p]
base_url = "http://127.0.0.1:9/v1"
model = "m"
[embeddings.e]
provider = "p"
[rerankers.r]
kind = "listwise"
provider = "p"
"""


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_every_field_of_a_form_says_what_it_is_for(variant, tmp_path):
    described = system_fields(tmp_path, variant)
    keys = {one.name for one in fields(variant.struct)} - variant.fixed.keys() - variant.without
    assert {one.path[0] for one in described} == keys
    assert all(one.about for one in described)


def test_whatever_can_be_chosen_is_read(tmp_path):
    (tmp_path / "ragdesk.toml").write_text(SETTINGS, encoding="utf-8")
    reader = SystemReader(tmp_path)
    # aqe needs vectors, rerankers need chunks, stages that ask need a model
    base = {"retriever": "lsa", "generator": "p"}
    filled = {"best k=": "3", "min_score score=": "0.5", "token_limit tokens=": "100"}
    for field in system_fields(tmp_path, STAGES):
        for choice, _ in field.choices:
            if choice in ("every-chunk", "all"):
                continue
            table = with_text(base, field, choice + filled.get(choice, ""))
            if choice == "closed-book":
                del table["retriever"]
            read = reader.system("s", table, "here")
            assert text_of(field, table), read.name


def test_all_chunks_are_for_rerankers(tmp_path):
    (tmp_path / "ragdesk.toml").write_text(SETTINGS, encoding="utf-8")
    table = {}
    chosen = {"retriever": "every-chunk", "reranker": "r", "rerank_depth": "all", "generator": "p"}
    for field in system_fields(tmp_path, STAGES):
        table = with_text(table, field, chosen.get(field.key, ""))
    assert SystemReader(tmp_path).system("s", table, "here").rerank[0].depth > 1000


def test_a_command_is_read_before_there_is_a_file(tmp_path):
    variant = next(one for one in VARIANTS if one.name == "command")
    (field,) = [one for one in system_fields(tmp_path, variant) if one.key == "command"]
    table = with_text(dict(variant.fixed), field, "./rag --serve")
    assert SystemReader(tmp_path).system("s", table, "here").retriever == OWN
