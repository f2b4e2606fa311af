"""EKRAG's `[judges.NAME]` tables, and its stand-in without a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked_judges import AskedJudges, item
from endpoint_workspaces import make_workspace, write_settings
from scripted_server import Reply, Request

from engine.judge.registry import find_judge
from store.errors import InputError
from tui.cli import main

PROVIDER = '[providers.p]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'
EKRAG = '[judges.e]\nmethod = "ekrag"\n{}\n'
STAND_IN = EKRAG.format('by = "embedding"\nembedding = "lsa-stand-in"\ncorpus = "tiny"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_workspace(tmp_path / "w", {"q00000": item("0?", ("gold",))})


def test_a_model_is_the_way_by_itself_with_five_levels(folder: Path) -> None:
    write_settings(folder, PROVIDER, EKRAG.format('model = "p"'))
    spec = find_judge(folder, "e")
    assert (spec.config["by"], spec.config["levels"], spec.repeats) == ("model", 5, 1)
    assert spec.metrics == ("ekrag_correctness", "ekrag_relevance", "ekrag_faithfulness")
    assert set(spec.config["prompts"]) == {
        f"{lang}/ekrag/{name}"
        for lang in ("zh", "en")
        for name in ("correctness", "relevance", "faithfulness")
    }
    assert spec.provider is not None
    write_settings(folder, PROVIDER, EKRAG.format('model = "p"\nlevels = 3'))
    assert find_judge(folder, "e").hash != spec.hash


def test_a_prompt_of_the_workspace_wins_and_is_checked(folder: Path) -> None:
    table = EKRAG.format('model = "p"\nlang = "en"\nmetrics = ["ekrag_relevance"]')
    write_settings(folder, PROVIDER, table)
    own = folder / "prompts/en/ekrag/relevance.txt"
    own.parent.mkdir(parents=True)
    own.write_text("[system]\n1 to {levels}\n[user]\n{question} {answer} {evidence}\n", "utf-8")
    assert find_judge(folder, "e").config["prompts"] == {"en/ekrag/relevance": own.read_text()}
    own.write_text("[system]\n1 to {levels}\n[user]\n{question} {answer} {documents}\n", "utf-8")
    with pytest.raises(InputError, match=r"unknown slot \{documents\}.* lacks the slot \{evidence"):
        find_judge(folder, "e")


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ('by = "magic"', r"judges\.e\.by is 'magic'"),
        ("by = 1", r"judges\.e\.by is 1"),
        ("", "model"),
        ('model = "nobody"', r"model is 'nobody'"),
        ('model = "p"\nlevels = 1', "levels"),
        ('model = "p"\nembedding = "x"', "embedding"),
        ('model = "p"\nprompts = "gone"', r"judges\.e\.prompts is 'gone'"),
        ('model = "p"\nmetrics = ["accuracy"]', r"metrics holds 'accuracy'"),
        ('by = "embedding"\nembedding = "x"', r"judges\.e\.embedding is 'x'"),
        ('by = "embedding"\nembedding = "x"\nmodel = "p"', "model"),
        ('by = "reranker"\nreranker = "x"', r"reranker is 'x'.*"),
        ('by = "reranker"', "reranker"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_the_reason(
    folder: Path, fields: str, word: str
) -> None:
    write_settings(folder, PROVIDER, EKRAG.format(fields))
    with pytest.raises(InputError, match=word):
        find_judge(folder, "e")


def test_nothing_stands_in_for_a_reranker(folder: Path) -> None:
    write_settings(folder, EKRAG.format('by = "reranker"\nreranker = "x"'))
    with pytest.raises(InputError) as refused:
        find_judge(folder, "e")
    assert "nothing stands in for it" in (refused.value.remedy or "")


def test_the_stand_in_compares_with_the_golden_answer_the_evidence_and_what_was_retrieved(
    tmp_path: Path,
) -> None:
    def reply(request: Request) -> Reply:
        raise AssertionError("nothing is asked")

    golden = "The rate rose to 3.5 percent in March."
    work = AskedJudges(
        tmp_path / "w",
        {f"q{number:05}": item("What is the rate?", (golden,)) for number in range(2)},
        {"a": lambda number: (golden, "保险公司的保费收入。")[number]},
        reply,
        [STAND_IN],
    )
    with work:
        work.judge("e", "a", "e")
        work.judge("again", "a", "e")
    for metric in ("ekrag_correctness", "ekrag_relevance", "ekrag_faithfulness"):
        same, other = (work.scores("e", metric)[number].score for number in (0, 1))
        assert same.reason == "stand-in: LSA of corpus tiny"
        assert (same.value or 0) > (other.value or 0)
    assert work.scores("e", "ekrag_correctness")[0].score.value == pytest.approx(1.0)
    assert work.estimates["again"].answers == 0


def test_it_is_listed_as_a_stand_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_settings(folder, PROVIDER, STAND_IN, EKRAG.format('model = "p"').replace(".e]", ".m]"))
    assert main(["judges", "--workspace", str(folder)]) == 0
    lines = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    kinds = {
        cells[0].strip(): [cell.strip() for cell in cells if cell.strip()][1] for cells in lines
    }
    assert (kinds["e"], kinds["m"]) == ("ekrag, stand-in", "ekrag")
