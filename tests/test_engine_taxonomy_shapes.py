"""Items that have not the shape of their task are refused on every path, with the reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from generate_samples import CARD, FUND
from msgspec import Struct
from tiny_workspaces import make_corpus

from engine.corpus.document import SourceDocument
from engine.corpus.ingest import put_documents
from engine.corpus.readers import ReadDocument
from engine.generate.drafts import Aspect, Grade
from engine.generate.inspection.checks import check_item, score_of
from engine.generate.replies import read_generation, read_inspection
from engine.importers.items import import_items
from engine.labelling.items.corrections import flaws
from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.shapes import REFUSAL, shape_faults
from store.datasets import datasets
from store.errors import InputError
from store.records import Evidence, ItemContent, Source, Task, Taxonomy, Turn
from store.workspace import Workspace, open_workspace

NEWS = SourceDocument(
    "news-zh",
    "云帆基金发布季报",
    "云帆基金昨日发布季报，期末资产净值为26.84亿元，比上季末增长3.2%。公司表示，债券仓位将保持稳定。",
    "zh",
    "fund",
    "reports/b.md",
)
DOCUMENTS = {document.title: document for document in (FUND, CARD, NEWS)}
QUOTES = {
    FUND.title: "期末资产净值为26.84亿元，管理费率为0.60%，托管费率为0.15%。",
    CARD.title: "The annual fee is 36 pounds.",
    NEWS.title: "公司表示，债券仓位将保持稳定。",
}
F, C, N = DOCUMENTS
"""The titles of the three documents."""
TAXONOMIES = {key: load_taxonomy(key) for key in ("omnieval", "crud", "ekrag")}
ARTICLE = "云帆基金昨日发布季报，期末资产净值为26.84亿元，比上季末增长3.2%。"
LATER = "公司表示，债券仓位将保持稳定，现金比例不低于一成，全年不作调整。"
WRONG = "公司表示，债券仓位将保持稳定，现金比例不低于三成，全年不作调整。"
ASKED = "云帆稳健债券型基金2024年第四季度末的资产净值是多少？"
ANSWER = "26.84亿元"


class Planted(Struct, frozen=True):
    """An item of a task, with the fault of its shape where it has one."""

    task: str
    """`TAXONOMY/TASK`."""
    turns: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Question, golden answer and the titles of the documents quoted, a turn."""
    code: str = ""
    made_from: tuple[str, ...] = ()
    """Titles of the documents that it was written from; those quoted where empty."""

    @property
    def taxonomy(self) -> Taxonomy:
        return TAXONOMIES[self.task.partition("/")[0]]

    @property
    def definition(self) -> Task:
        key = self.task.partition("/")[2]
        return next(task for task in self.taxonomy.tasks if task.key == key)

    @property
    def documents(self) -> list[SourceDocument]:
        quoted = [title for _, _, titles in self.turns for title in titles]
        return [DOCUMENTS[title] for title in dict.fromkeys((*self.made_from, *quoted))]

    def content(self) -> ItemContent:
        turns = tuple(
            Turn(question, (answer,) if answer else (), tuple(map(quoted, titles)))
            for question, answer, titles in self.turns
        )
        facets = {"documents": len(self.made_from)} if self.made_from else {}
        return ItemContent(turns, "fund", self.definition.key, "zh", facets)


def quoted(title: str) -> Evidence:
    text, quote = DOCUMENTS[title].text, QUOTES[title]
    start = text.index(quote)
    return Evidence(DOCUMENTS[title].document_id, start, start + len(quote), quote)


def one(task: str, code: str, *titles: str, made_from: tuple[str, ...] = ()) -> Planted:
    return Planted(task, ((ASKED, ANSWER, titles),), code, made_from)


def of_text(task: str, code: str, question: str, answer: str = LATER) -> Planted:
    return Planted(task, ((question, answer, (N,)),), code)


SECOND = ("那管理费率呢？", "0.60%", (F,))
FIRST = (ASKED, ANSWER, (F,))
TITLES = (F, C, N)
PAIRS = tuple(permutations(TITLES, 2))
DIALOGUES = ((FIRST, SECOND), (FIRST, SECOND, ("那托管费率呢？", "0.15%", (F,))))
FAULTS = (
    *(one("omnieval/contrast", "too_few_documents", title) for title in TITLES),
    *(
        one("omnieval/contrast", "too_few_documents", title, made_from=(title, other))
        for title, other in PAIRS
    ),
    *(
        one(f"omnieval/{task}", "document_unused", title, made_from=(title, other))
        for task in ("extractive", "multi_hop", "long_form")
        for title, other in PAIRS
    ),
    *(
        Planted("omnieval/conversational", turns, "document_unused", (F, *others))
        for turns in DIALOGUES
        for others in ((C,), (N,), (C, N))
    ),
    *(
        Planted("omnieval/conversational", ((ASKED, ANSWER, titles),), "too_few_turns")
        for titles in (*((title,) for title in TITLES), *PAIRS)
    ),
    *(one("crud/qa_1doc", "too_many_documents", *titles) for titles in (*PAIRS, TITLES)),
    *(one("crud/qa_2doc", "too_few_documents", title) for title in TITLES),
    *(
        one("crud/qa_2doc", "too_few_documents", title, made_from=(title, other))
        for title, other in PAIRS
    ),
    one("crud/qa_2doc", "too_many_documents", *TITLES),
    *(one("crud/qa_3doc", "too_few_documents", title) for title in TITLES),
    *(one("crud/qa_3doc", "too_few_documents", *titles, made_from=TITLES) for titles in PAIRS),
    *(
        one("crud/summarization", "document_unused", title, made_from=made_from)
        for title in TITLES
        for made_from in (TITLES, *(pair for pair in PAIRS if title == pair[0]))
    ),
    *(
        of_text("crud/continuation", "no_beginning", asked)
        for asked in ("请续写。", "续写下文：", "续写。", "Go on.")
    ),
    *(
        of_text("crud/continuation", "holds_answer", f"{asked}{ARTICLE}{LATER}")
        for asked in ("请续写下面这篇文章：", "续写：\n", "")
    ),
    *(
        of_text("crud/hallucination_fix", "no_faulty_text", asked)
        for asked in (
            ASKED,
            "请改正错误。",
            "Correct it.",
            f"文章开头：{ARTICLE}\n请改正其中的错误。",
            ARTICLE,
        )
    ),
    *(
        of_text("crud/hallucination_fix", "holds_answer", f"{asked}{LATER}")
        for asked in (f"文章开头：{ARTICLE}\n续文：", "请改正这段话中的错误：")
    ),
    *(
        Planted("ekrag/no_answer", ((ASKED, ANSWER, titles),), "answered")
        for titles in ((), (F,), (C,), (N,), (F, N))
    ),
    *(
        Planted("ekrag/no_answer", ((ASKED, REFUSAL["zh"], titles),), "evidence_without_answer")
        for titles in ((F,), (C,), (N,), (F, C))
    ),
)
SOUND = (
    one("omnieval/extractive", "", F),
    one("omnieval/contrast", "", F, N),
    one("omnieval/multi_hop", "", F),
    one("omnieval/long_form", "", F, N, made_from=(F, N)),
    Planted("omnieval/conversational", (FIRST, SECOND)),
    one("crud/qa_1doc", "", N),
    one("crud/qa_2doc", "", F, N),
    one("crud/qa_3doc", "", F, C, N),
    one("crud/summarization", "", F, N, made_from=(F, C, N)),
    of_text("crud/continuation", "", f"请续写下面这篇文章：{ARTICLE}"),
    of_text("crud/hallucination_fix", "", f"文章开头：{ARTICLE}\n续文（有误）：{WRONG}"),
    of_text("crud/hallucination_fix", "", f"请改正这段话中的错误：{WRONG}"),
    Planted("ekrag/no_answer", ((ASKED, REFUSAL["zh"], ()),)),
)


def name(planted: Planted) -> str:
    return f"{planted.task}-{planted.code}"


BY_KIND = {
    name(planted): [fault for fault in FAULTS if name(fault) == name(planted)] for planted in FAULTS
}
kinds = pytest.mark.parametrize("kind", BY_KIND)


def test_a_hundred_faults_are_planted():
    assert len({repr(planted) for planted in FAULTS}) == len(FAULTS) >= 100


def reply(planted: Planted) -> str:
    turns = [
        {
            "question": question,
            "answer": [answer],
            "relevant_passage": [QUOTES[title] for title in titles],
        }
        for question, answer, titles in planted.turns
    ]
    return json.dumps(turns if len(turns) == 1 else [turns], ensure_ascii=False)


@kinds
def test_a_models_reply_of_another_shape_gives_no_item(kind: str):
    for planted in BY_KIND[kind]:
        documents = planted.documents or [FUND]
        read = read_generation(reply(planted), documents, "fund", planted.definition, "zh")
        assert read.taken == ()
        problems = [problem for item in read.items for problem in item.problems]
        assert planted.code in [problem.code for problem in problems]
        assert all(problem.message for problem in problems)


@kinds
def test_a_draft_by_rule_of_another_shape_fails_the_check_of_its_task(kind: str):
    for planted in BY_KIND[kind]:
        checks = check_item(planted.content(), planted.definition, planted.documents)
        assert checks[0].aspect is Aspect.TASK
        assert checks[0].grade is Grade.FAILED
        (fault, *_) = shape_faults(planted.content(), planted.definition, may_lack=True)
        assert fault.zh in checks[0].reason
        assert score_of(checks) <= 2, "an item of so few points is never taken"


@kinds
def test_a_correction_to_another_shape_is_not_proposed(kind: str):
    for planted in BY_KIND[kind]:
        texts = {document.document_id: document.text for document in DOCUMENTS.values()}
        base = one("omnieval/extractive", "", F).content()
        told = flaws(planted.content(), base, texts, planted.definition)
        assert told, "the reason stands at the field"
        assert all(flaw.text.endswith(("another task.", "missing.")) for flaw in told)
        expected = shape_faults(planted.content(), planted.definition)
        assert {fault.part for fault in expected} <= {flaw.part for flaw in told}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with the three documents in corpus `tiny`."""
    folder = tmp_path_factory.mktemp("shapes") / "workspace"
    with open_workspace(folder, create=True) as workspace:
        with workspace.write() as db:
            corpus = make_corpus(db)
        put_documents(
            workspace,
            corpus,
            [
                ReadDocument(document.text, Source(f"/{document.document_id}.md"))
                for document in DOCUMENTS.values()
            ],
        )
        yield workspace


def written(folder: Path, planted: Planted) -> Path:
    item = {
        "id": "planted",
        "task": planted.definition.key,
        "lang": "zh",
        "turns": [
            {
                "question": question,
                "golden_answers": [answer],
                "evidence": [
                    {"source": f"{DOCUMENTS[title].document_id}.md", "quote": QUOTES[title]}
                    for title in titles
                ],
            }
            for question, answer, titles in planted.turns
        ],
        "facets": {"documents": len(planted.made_from)} if planted.made_from else {},
    }
    file = folder / "items.jsonl"
    file.write_text(json.dumps(item, ensure_ascii=False), "utf-8")
    return file


def bring_in(workspace: Workspace, file: Path, planted: Planted, dataset: str) -> None:
    import_items(
        workspace,
        [file],
        corpus_name="tiny",
        dataset_name=dataset,
        taxonomy=planted.taxonomy,
        author="test",
    )


@kinds
def test_an_imported_item_of_another_shape_is_named_and_nothing_is_stored(
    kind: str, library: Workspace, tmp_path: Path
):
    for planted in BY_KIND[kind]:
        with pytest.raises(InputError) as refused:
            bring_in(library, written(tmp_path, planted), planted, "refused")
        (fault, *_) = shape_faults(planted.content(), planted.definition, may_lack=True)
        assert (
            f"items.jsonl, line 1: 'planted' is no item of task {planted.definition.key!r}"
            in str(refused.value)
        )
        assert fault.en in str(refused.value)
        assert datasets.find(library.db, "refused") is None


@pytest.mark.parametrize("planted", SOUND, ids=name)
def test_an_item_of_the_shape_of_its_task_comes_in_on_every_path(
    planted: Planted, library: Workspace, tmp_path: Path
):
    documents = planted.documents or [FUND]
    read = read_generation(reply(planted), documents, "fund", planted.definition, "zh")
    assert [len(content.turns) for content in read.taken] == [len(planted.turns)]
    content = planted.content()
    texts = {document.document_id: document.text for document in DOCUMENTS.values()}
    assert flaws(content, content, texts, planted.definition) == []
    bring_in(
        library, written(tmp_path, planted), planted, f"{name(planted)} {SOUND.index(planted)}"
    )


def test_an_inspectors_correction_of_another_shape_is_not_used():
    content = one("omnieval/contrast", "", F, N).content()
    verdict = {"evaluation": 1, "corrected_result": json.loads(reply(FAULTS[0]))[0]}
    task = one("omnieval/contrast", "").definition
    read = read_inspection(json.dumps(verdict, ensure_ascii=False), content, [FUND, NEWS], task)
    assert (read.evaluation, read.correction) == (1, None)
    assert "too_few_documents" in [problem.code for problem in read.problems]


def test_every_task_that_comes_with_the_program_declares_its_shape():
    from engine.taxonomy.shapes import SHAPES

    builders = {builder for builder, _ in SHAPES}
    tasks = [task for taxonomy in TAXONOMIES.values() for task in taxonomy.tasks]
    assert {task.builder for task in tasks} == builders


def test_a_question_without_an_answer_gets_the_one_that_says_so():
    item = {"question": ASKED, "answer": "", "relevant_passage": []}
    task = Planted("ekrag/no_answer", ()).definition
    read = read_generation(json.dumps([item]), [FUND], "fund", task, "zh")
    assert [content.turns[0].golden_answers for content in read.taken] == [(REFUSAL["zh"],)]
