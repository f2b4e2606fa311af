"""The authors' items, in every shape that their program writes, become items here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.importers.omnieval_items import OmniItemsReport, import_omnieval_items
from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.stored import save_taxonomy
from store.corpora import corpora
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.records import Evidence, ItemContent, Taxonomy, Topic, split_turn_facet
from store.verify import verify
from store.workspace import Workspace

LCR = "商业银行应当按月报送流动性覆盖率。\n流动性覆盖率不得低于100%。"
AML = "可疑交易应当在五个工作日内报告。\n报告由合规部门提交。"
TOPIC = "金融 - 监管与合规 - 反洗钱（AML）"


def item(**changed: Any) -> dict[str, Any]:
    return {
        "thought_process": "先看第一句",
        "question": "流动性覆盖率多久报送一次？",
        "answer": ["按月", "每月"],
        "relevant_passage": ["商业银行应当按月报送流动性覆盖率。"],
        "topic_name": "金融 - 银行业务 - 商业银行",
        "task_name": "抽取类问答",
        "relevant_node": ["n1"],
        "evaluation": 2,
        **changed,
    }


def turn(question: str, **changed: Any) -> dict[str, Any]:
    return item(question=question, topic_name=TOPIC, task_name="多轮对话能力", **changed)


def write(file: Path, *rows: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus of two documents and no item."""
    made = tmp_path / "gen_datas_final"
    rows = [
        {"id": "n1", "title": "LCR", "contents": LCR},
        {"id": "n2", "title": "", "contents": AML},
    ]
    write(made / "corpus.jsonl", *rows)
    return made


def bring_in(workspace: Workspace, *paths: Path, **chosen: Any) -> OmniItemsReport:
    given = {"corpus_name": "c", "dataset_name": "d", "author": "test"}
    options = {**given, "taxonomy": load_taxonomy("omnieval"), **chosen}
    return import_omnieval_items(workspace, paths, **options)


def contents(workspace: Workspace) -> list[ItemContent]:
    return list(datasets.first_contents(workspace.db, datasets.get(workspace.db, "d")).values())


def states(workspace: Workspace) -> dict[str, int]:
    return datasets.state_counts(workspace.db, datasets.get(workspace.db, "d"))


def quotes(content: ItemContent, at: int = 0) -> list[str | None]:
    return [unit.quote for unit in content.turns[at].evidence]


def test_lines_in_every_shape_become_items(workspace: Workspace, folder: Path):
    write(folder / "银行业务/商业银行/抽取类问答.jsonl", item())
    dialogue = [
        turn(
            "谁提交报告？",
            answer="合规部门",
            relevant_node=["n1", "n2"],
            relevant_passage=["报告由合规部门提交。"],
        ),
        turn(
            "何时？",
            answer=["五个工作日内"],
            relevant_node="n2",
            relevant_passage="可疑交易应当在五个工作日内报告。",
        ),
    ]
    for one in dialogue:
        one["though_process"] = one.pop("thought_process")
    write(
        folder / "v1022.jsonl", dialogue, item(task_name="多跳推理类问答(金融计算类)", evaluation=1)
    )
    report = bring_in(workspace, folder)
    assert (report.items.added, report.documents.added, report.dropped) == (3, 2, ())
    assert (report.mended, report.unlocated, report.stand_ins, report.unassigned) == (0, 0, 0, 0)
    conversation, hops, single = sorted(contents(workspace), key=lambda one: one.task)
    assert (single.topic, single.task, single.lang) == ("commercial_banking", "multi_hop", "zh")
    assert (hops.task, conversation.task) == ("extractive", "conversational")
    assert conversation.topic == "anti_money_laundering"
    assert single.turns[0].golden_answers == ("按月", "每月")
    assert single.facets == {"thought_process": "先看第一句", "evaluation": 1}
    # the passage of one document, and the other document as a whole
    first = conversation.turns[0]
    assert quotes(conversation) == ["报告由合规部门提交。", None]
    assert first.golden_answers == ("合规部门",)
    assert quotes(conversation, 1) == ["可疑交易应当在五个工作日内报告。"]
    thoughts = split_turn_facet(conversation.facets["thought_process"], 2)
    assert thoughts == ["先看第一句", "先看第一句"]
    assert verify(workspace.db).ok


def test_importing_twice_and_repeated_lines_add_nothing(workspace: Workspace, folder: Path):
    write(folder / "a.jsonl", item(), item(), item(question="别的问题？"))
    report = bring_in(workspace, folder)
    assert (report.items.added, report.duplicates) == (2, 1)
    again = bring_in(workspace, folder)
    assert (again.items.added, again.items.known, again.items.release) == (0, 2, None)
    write(folder / "b.jsonl", item(question="再一个？"))
    more = bring_in(workspace, folder)
    assert more.items.added == 1
    assert more.items.release is not None
    assert more.items.release.label == "d@2"


def test_only_what_their_inspector_kept_is_accepted(workspace: Workspace, folder: Path):
    rows = [item(question=f"问{value}？", evaluation=value) for value in (1, 2, -1, 0)]
    bare = item(question="没有质检？")
    del bare["evaluation"]
    write(folder / "a.jsonl", *rows, bare)
    report = bring_in(workspace, folder)
    assert states(workspace) == {"accepted": 2, "drafted": 3}
    assert report.items.release is not None
    assert report.items.release.items == 2
    accepted = bring_in(workspace, folder, dataset_name="e", accept=True)
    assert accepted.items.release is not None
    assert accepted.items.release.items == 5


def test_drafts_alone_are_not_released(workspace: Workspace, folder: Path):
    write(folder / "a.jsonl", item(evaluation=-1))
    assert bring_in(workspace, folder).items.release is None
    assert states(workspace) == {"drafted": 1}


def test_passages_are_put_into_their_documents_words(workspace: Workspace, folder: Path):
    write(
        folder / "a.jsonl",
        item(relevant_passage=["商业银行应当 按月报送流动性覆盖率."]),
        item(question="二？", relevant_passage=["根本不在文中的一句话，也没有相似的句子。"]),
    )
    report = bring_in(workspace, folder)
    assert (report.mended, report.unlocated) == (1, 1)
    first, second = contents(workspace)
    assert quotes(first) == ["商业银行应当按月报送流动性覆盖率"]
    assert quotes(second) == [None]


def test_documents_that_are_nowhere_are_made_of_their_passages(
    workspace: Workspace, tmp_path: Path
):
    file = write(
        tmp_path / "human.jsonl",
        item(),
        item(question="二？", relevant_passage=["最低要求是100%。"]),
        item(question="三？", relevant_node=["n1", "n9"], relevant_passage=["甲。", "乙。"]),
    )
    report = bring_in(workspace, file)
    assert (report.stand_ins, report.unlocated) == (2, 0)
    texts = {one.text for one in corpora.documents(workspace.db, corpora.get(workspace.db, "c"))}
    assert texts == {"商业银行应当按月报送流动性覆盖率。\n最低要求是100%。\n甲。", "乙。"}
    again = bring_in(workspace, file)
    assert (again.items.added, again.stand_ins) == (0, 0)
    assert verify(workspace.db).ok


def test_documents_that_the_corpus_holds_are_found(workspace: Workspace, folder: Path):
    write(folder / "a.jsonl", item())
    bring_in(workspace, folder)
    file = write(folder.parent / "more.jsonl", item(question="二？"))
    report = bring_in(workspace, file, dataset_name="e")
    assert (report.stand_ins, report.documents.seen) == (0, 0)


def test_the_standard_cleaning_loses_no_more_than_it_must(workspace: Workspace, folder: Path):
    write(
        folder / "a.jsonl",
        item(answer=["按月", " "]),
        item(question=" "),
        [turn("一？"), turn(" "), turn("三？")],
        [],
        {
            **item(task_name="多轮对话能力"),
            "question": ["问一？", "问二？"],
            "answer": [["甲"], "乙"],
            "relevant_passage": [["商业银行应当按月报送流动性覆盖率。"], []],
        },
    )
    report = bring_in(workspace, folder)
    assert [one.reason for one in report.dropped] == [
        "the question is blank",
        "turn 2: the question is blank",
        "the dialogue is empty",
    ]
    assert report.dropped[0].place.endswith("a.jsonl, line 2")
    single, dialogue = contents(workspace)
    assert single.turns[0].golden_answers == ("按月",)
    assert [one.golden_answers for one in dialogue.turns] == [("甲",), ("乙",)]


def test_the_variant_cleans_as_the_authors_do(workspace: Workspace, folder: Path):
    write(
        folder / "a.jsonl",
        item(answer=["按月", " "]),
        [turn("一？"), turn(" "), turn("三？")],
        [turn(" ")],
        item(question="好？"),
    )
    report = bring_in(workspace, folder, variant="omnieval")
    assert [one.place.rpartition(" ")[2] for one in report.dropped] == ["1", "3", "2"]
    assert report.dropped[-1].reason == "a conversation has at least 2 turns, this one 1"
    assert [one.turns[0].question for one in contents(workspace)] == ["好？"]


@pytest.mark.parametrize("variant", ["standard", "omnieval"])
@pytest.mark.parametrize(
    "bad", [item(answer=[3]), item(relevant_passage=[5]), {"question": "q?"}, "text", [1]]
)
def test_a_bad_line_is_named_and_nothing_is_imported(
    workspace: Workspace, folder: Path, bad: object, variant: str
):
    write(folder / "a.jsonl", item(), bad)
    with pytest.raises(InputError, match=r"a\.jsonl, line 2: "):
        bring_in(workspace, folder, variant=variant)
    assert datasets.listing(workspace.db) == []
    assert corpora.listing(workspace.db) == []


def test_files_of_predictions_and_folders_without_items_are_named(
    workspace: Workspace, folder: Path
):
    with pytest.raises(InputError, match="no item"):
        bring_in(workspace, folder)
    with pytest.raises(InputError, match="Name the run"):
        bring_in(workspace, write(folder / "投资 - 基金 - 抽取类问答.pred.jsonl"))


def test_unknown_topics_and_tasks_are_shown_as_unassigned(workspace: Workspace, folder: Path):
    write(folder / "a.jsonl", item(topic_name="金融 - 移动支付", task_name="结构化知识问答"))
    assert bring_in(workspace, folder).unassigned == 1
    (found,) = contents(workspace)
    assert (found.topic, found.task) == ("unassigned", "unassigned")
    assert found.turns[0].evidence == (
        Evidence(
            found.turns[0].evidence[0].document_id, 0, 17, "商业银行应当按月报送流动性覆盖率。"
        ),
    )


def own_taxonomy(workspace: Workspace, name: str, *topics: str) -> None:
    standard = load_taxonomy("omnieval")
    own = tuple(Topic(f"t{at}", topic, topic) for at, topic in enumerate(topics))
    with workspace.write() as db:
        save_taxonomy(db, Taxonomy(name, name, own, standard.tasks), "made")


def test_the_only_taxonomy_that_holds_all_topics_is_taken(workspace: Workspace, folder: Path):
    own_taxonomy(workspace, "ports", "港口", "航运")
    own_taxonomy(workspace, "half", "港口")
    file = write(
        folder / "x.jsonl",
        item(topic_name="物流 - 港口"),
        item(topic_name="航运", question="每月几次？"),
    )
    made = bring_in(workspace, file, taxonomy=None)
    assert (made.taxonomy, made.is_chosen, made.unassigned) == ("ports", True, 0)
    assert [one.topic for one in contents(workspace)] == ["t0", "t1"]
    again = bring_in(workspace, file, taxonomy=None)
    assert (again.taxonomy, again.is_chosen, again.items.added) == ("ports", False, 0)


def test_the_authors_taxonomy_comes_first_and_several_others_are_asked_about(
    workspace: Workspace, folder: Path
):
    own_taxonomy(workspace, "banks", "商业银行", "港口")
    own_taxonomy(workspace, "ports", "港口")
    file = write(folder / "x.jsonl", item())
    assert bring_in(workspace, file, taxonomy=None).taxonomy == "omnieval"
    ports = write(folder / "y.jsonl", item(topic_name="港口"))
    with pytest.raises(UsageError, match=r"these items: banks, ports\. Choose one"):
        bring_in(workspace, ports, taxonomy=None, dataset_name="new")
    assert [one.name for one in datasets.listing(workspace.db)] == ["d"]
    # none has it: as the authors' taxonomy, with the topic unassigned
    nowhere = write(folder / "z.jsonl", item(topic_name="天文"))
    made = bring_in(workspace, nowhere, taxonomy=None, dataset_name="new")
    assert (made.taxonomy, made.unassigned) == ("omnieval", 1)
