"""Other people's conversations and texts come in with the pages that they are about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.importers.question_sets import SetReport, import_question_set
from engine.taxonomy.definitions import load_taxonomy
from store.corpora import corpora
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.records import ItemContent, Turn, split_turn_facet
from store.verify import verify
from store.workspace import Workspace

DATA = Path(__file__).parents[2] / "shared" / "data"

CONVERSATION: dict[str, Any] = {
    "id": "Single_ACME/2019/page_3.pdf-2",
    "doc": {
        "pre_text": "Revenue of the bank grew .",
        "post_text": "More follows .",
        "table": {"2019": {"revenue": 35.0, "cost": None}, "2018": {"revenue": 25.5}},
    },
    "dialogue": {
        "conv_questions": ["what was revenue in 2019?", "and the change?"],
        "conv_answers": ["35", "37.3%"],
        "turn_program": ["35.0", "subtract(35, 25.5), divide(#0, 25.5)"],
        "executed_answers": [35.0, 0.37255],
        "qa_split": [False, True],
    },
    "features": {"has_type2_question": True, "num_dialogue_turns": 2},
}

CONTEXT: dict[str, Any] = {
    "table": {"uid": "t1", "table": [["", "2019"], ["Loans | gross", "1,200"]]},
    "paragraphs": [
        {"uid": "p2", "order": 2, "text": "Loans are given to firms."},
        {"uid": "p1", "order": 1, "text": "The bank has two segments."},
    ],
    "questions": [
        {
            "question": "In 2019.",
            "answer": 1.2,
            "scale": "million",
            "answer_type": "arithmetic",
            "order": 2,
            "answer_from": "table-text",
            "rel_paragraphs": ["2"],
            "original_question": "What were loans in 2019?",
            "derivation": "1,200 / 1,000 ",
            "req_clari": False,
            "follow_up": True,
        },
        {
            "question": "What were loans?",
            "answer": ["Which year?"],
            "answer_type": "question",
            "order": 1,
            "answer_from": "text",
            "rel_paragraphs": [],
            "original_question": "What were loans?",
            "req_clari": True,
        },
    ],
}

TEXT: dict[str, Any] = {
    "id": "num_7",
    "headLine": "央行下调利率",
    "broadcastDate": "2024-01-01",
    "type": "num",
    "newsBeginning": "  央行今日宣布下调贷款利率。",
    "hallucinatedContinuation": "\n下调幅度为五十个基点。",
    "generatedBy": "qwen",
    "annotations": ["下调<sep>合理", "五十个基点<sep>不合理，应为二十五个"],
    "realContinuation": "下调幅度为二十五个基点。",
    "newsRemainder": "下调幅度为二十五个基点。银行贷款将更便宜。",
}


def write(file: Path, *rows: object) -> Path:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


def bring_in(
    workspace: Workspace, kind: str, *files: Path, taxonomy: str = "omnieval"
) -> SetReport:
    return import_question_set(
        workspace,
        kind,
        files,
        corpus_name="c",
        dataset_name="d",
        taxonomy=load_taxonomy(taxonomy),
        author="test",
    )


def contents(workspace: Workspace) -> dict[str, ItemContent]:
    return datasets.first_contents(workspace.db, datasets.get(workspace.db, "d"))


def only(workspace: Workspace) -> ItemContent:
    (found,) = contents(workspace).values()
    return found


def text_of(workspace: Workspace) -> str:
    (found,) = corpora.documents(workspace.db, corpora.get(workspace.db, "c"))
    return found.text


def test_convfinqa_gives_turns_answers_programs_and_the_page(workspace: Workspace, tmp_path: Path):
    report = bring_in(workspace, "convfinqa", write(tmp_path / "c.jsonl", CONVERSATION))
    assert (report.items.added, report.documents.added) == (1, 1)
    assert report.items.release is not None
    assert text_of(workspace) == (
        "Revenue of the bank grew .\n\n|  | 2019 | 2018 |\n| --- | --- | --- |\n"
        "| revenue | 35 | 25.5 |\n| cost |  |  |\n\nMore follows ."
    )
    item = only(workspace)
    assert item.task == "conversational"
    assert [turn.golden_answers for turn in item.turns] == [("35",), ("37.3%", "0.37255")]
    assert item.turns[1].question == "and the change?"
    assert [unit.span.start for turn in item.turns for unit in turn.evidence] == [None, None]
    assert item.facets["second_question_from"] == 1
    assert item.facets["has_type2_question"] is True
    assert split_turn_facet(item.facets["program"], 2)[1].startswith("subtract")
    (live,) = corpora.documents(workspace.db, corpora.get(workspace.db, "c"))
    assert live.external_id == "ACME/2019/page_3.pdf"


def test_conversations_about_one_page_share_its_document(workspace: Workspace, tmp_path: Path):
    other = {**CONVERSATION, "id": "Double_ACME/2019/page_3.pdf"}
    changed = {**CONVERSATION["doc"], "post_text": "Something else ."}
    third = {**CONVERSATION, "id": "Single_ACME/2019/page_3.pdf-3", "doc": changed}
    file = tmp_path / "all.json"
    file.write_text(json.dumps({"train": [CONVERSATION, other], "dev": [third]}), "utf-8")
    report = bring_in(workspace, "convfinqa", file)
    assert (report.items.added, report.documents.added) == (3, 2)
    evidence = [item.turns[0].evidence[0].document_id for item in contents(workspace).values()]
    assert evidence[0] == evidence[1] != evidence[2]
    again = bring_in(workspace, "convfinqa", file)
    assert (again.items.added, again.items.known, again.documents.unchanged) == (0, 3, 2)
    assert verify(workspace.db).ok


def test_pacific_gives_scales_evidence_and_standalone_questions(
    workspace: Workspace, tmp_path: Path
):
    report = bring_in(workspace, "pacific", write(tmp_path / "p.jsonl", CONTEXT))
    assert report.unlocated == 0
    item = only(workspace)
    first, second = item.turns
    assert first == Turn("What were loans?", ("Which year?",), first.evidence)
    assert [unit.quote for unit in first.evidence] == [None]
    assert second.golden_answers == ("1.2 million", "1.2")
    assert second.expansions == {"standalone": "What were loans in 2019?"}
    assert [unit.quote for unit in second.evidence] == [
        "Loans are given to firms.",
        "|  | 2019 |\n| --- | --- |\n| Loans / gross | 1,200 |",
    ]
    assert text_of(workspace).startswith("The bank has two segments.\nLoans are given")
    assert split_turn_facet(item.facets["derivation"], 2) == ["", "1,200 / 1,000"]
    assert (item.facets["asks_back"], item.facets["follow_ups"]) == (True, 1)
    assert verify(workspace.db).ok


@pytest.mark.parametrize(
    ("answer", "scale", "expected"),
    [
        (2.1, "percent", ("2.1%", "2.1 percent", "2.1")),
        (["36%"], "percent", ("36%",)),
        (["FY19", " FY18", ""], "", ("FY19, FY18",)),
        (4, "", ("4",)),
        ([""], "", ()),
    ],
)
def test_pacific_answers_are_written_as_people_write_them(
    workspace: Workspace, tmp_path: Path, answer: object, scale: str, expected: tuple[str, ...]
):
    question = {"question": "q?", "answer": answer, "scale": scale}
    file = write(tmp_path / "p.jsonl", {**CONTEXT, "questions": [question]})
    bring_in(workspace, "pacific", file)
    assert only(workspace).turns[0].golden_answers == expected


def test_uhgeval_asks_for_the_correction_of_a_text(workspace: Workspace, tmp_path: Path):
    file = write(tmp_path / "u.jsonl", TEXT)
    report = bring_in(workspace, "uhgeval", file, taxonomy="crud")
    assert report.items.added == 1
    item = only(workspace)
    (turn,) = item.turns
    assert (item.task, item.lang) == ("hallucination_fix", "zh")
    assert turn.question == "央行今日宣布下调贷款利率。\n下调幅度为五十个基点。"
    assert turn.golden_answers == ("下调幅度为二十五个基点。",)
    assert [unit.quote for unit in turn.evidence] == ["下调幅度为二十五个基点。"]
    assert item.facets == {"type": "num", "generated_by": "qwen", "wrong_keywords": 1}
    # in a taxonomy without that task it is shown as what it is: unassigned
    other = import_question_set(
        workspace,
        "uhgeval",
        [file],
        corpus_name="c",
        dataset_name="e",
        taxonomy=load_taxonomy("omnieval"),
        author="test",
    )
    assert other.documents.unchanged == 1
    (content,) = datasets.first_contents(workspace.db, datasets.get(workspace.db, "e")).values()
    assert content.task == "unassigned"


@pytest.mark.parametrize(
    ("kind", "good", "bad", "word"),
    [
        ("convfinqa", CONVERSATION, {"id": 3}, r"line 2: .*`str`.*\$\.id"),
        (
            "convfinqa",
            CONVERSATION,
            {**CONVERSATION, "dialogue": {"conv_questions": ["a", "b"], "conv_answers": ["1"]}},
            "line 2: field `dialogue.conv_answers` has 1 entries for 2 turns",
        ),
        ("convfinqa", CONVERSATION, CONVERSATION, "line 2: .* stands in .*line 1 already"),
        ("pacific", CONTEXT, {**CONTEXT, "questions": []}, "line 2: field `questions`"),
        ("uhgeval", TEXT, {**TEXT, "annotations": 3}, r"line 2: .*annotations"),
        ("uhgeval", TEXT, {"id": 1, "newsBeginning": "x"}, "line 2: .*missing required"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_imported(
    workspace: Workspace, tmp_path: Path, kind: Any, good: object, bad: object, word: str
):
    with pytest.raises(InputError, match=word):
        bring_in(workspace, kind, write(tmp_path / "x.jsonl", good, bad))
    assert datasets.listing(workspace.db) == []
    assert corpora.listing(workspace.db) == []


def test_a_json_file_of_another_shape_and_an_empty_one_are_named(
    workspace: Workspace, tmp_path: Path
):
    file = tmp_path / "x.json"
    for text, word in (("3", "Expected"), ("[{}]", "entry 1"), ("[", "truncated")):
        file.write_text(text)
        with pytest.raises(InputError, match=word):
            bring_in(workspace, "convfinqa", file)
    with pytest.raises(InputError, match="nothing in the files"):
        bring_in(workspace, "pacific", write(tmp_path / "empty.jsonl"))
    with pytest.raises(InputError, match="cannot be read"):
        bring_in(workspace, "pacific", tmp_path / "gone.json")


def test_an_entry_that_changed_is_refused_whole(workspace: Workspace, tmp_path: Path):
    bring_in(workspace, "uhgeval", write(tmp_path / "u.jsonl", TEXT), taxonomy="crud")
    new = {**TEXT, "id": "num_8"}
    file = write(tmp_path / "v.jsonl", new, {**TEXT, "hallucinatedContinuation": "别的。"})
    with pytest.raises(InputError, match="line 2: dataset 'd' holds another item 'num_7'"):
        bring_in(workspace, "uhgeval", file, taxonomy="crud")
    assert set(contents(workspace)) == {"num_7"}
    with pytest.raises(UsageError, match="is sorted by taxonomy 'crud'"):
        bring_in(workspace, "uhgeval", file, taxonomy="omnieval")


@pytest.mark.skipif(not DATA.exists(), reason="the shared data is not here")
def test_the_real_conversations_come_in_whole(workspace: Workspace):
    file = DATA / "conv_pacific" / "conversations.jsonl"
    report = bring_in(workspace, "pacific", file)
    assert (report.items.added, report.unlocated) == (122, 0)
    assert sum(len(item.turns) for item in contents(workspace).values()) == 871
    assert verify(workspace.db).ok
