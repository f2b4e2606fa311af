"""The sample corpus keeps its laws: gold that can be checked, full cells, hard questions."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

import msgspec
import pytest

from engine.text.segmentation import terms
from store.records import Lang

ROOT = Path(__file__).parents[1] / "sample_corpus"
TASKS = ("extractive", "multi_hop", "contrast", "long_form", "conversational")
TOPICS = 16
HAN = re.compile(r"[\u4e00-\u9fff]")
TOPIC_KEYS = sorted(path.stem for path in (ROOT / "items").glob("*.jsonl"))


class GoldEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    quote: str


class GoldTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    question: str
    golden_answers: tuple[str, ...]
    evidence: tuple[GoldEvidence, ...]


class GoldItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    topic: str
    task: str
    lang: Lang
    turns: tuple[GoldTurn, ...]
    facets: dict[str, str | int]

    @property
    def sources(self) -> set[str]:
        return {unit.source for turn in self.turns for unit in turn.evidence}


@lru_cache
def items_of(topic: str) -> tuple[GoldItem, ...]:
    lines = (ROOT / "items" / f"{topic}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(msgspec.json.decode(line, type=GoldItem) for line in lines)


@lru_cache
def text_of(source: str) -> str:
    return (ROOT / source).read_text(encoding="utf-8")


def documents_of(topic: str) -> list[str]:
    folder = ROOT / "documents" / topic
    return sorted(path.relative_to(ROOT).as_posix() for path in folder.glob("*.md"))


def is_chinese(text: str) -> bool:
    return len(HAN.findall(text)) > len(text) / 4


def bare(text: str) -> str:
    """The text without case, thousands separators and table cell borders."""
    return re.sub(r"[,|\s]", "", text.casefold())


@lru_cache
def missed_by_first_hit() -> tuple[str, ...]:
    """Ids of the items whose first question BM25 answers with a document that is not gold."""
    from rank_bm25 import BM25Okapi

    sources = [source for topic in TOPIC_KEYS for source in documents_of(topic)]
    bm25 = BM25Okapi([terms(text_of(source)) for source in sources])
    missed = []
    for topic in TOPIC_KEYS:
        for item in items_of(topic):
            first = item.turns[0]
            scores = bm25.get_scores(terms(first.question))
            best = max(range(len(sources)), key=lambda i: (scores[i], -i))
            if sources[best] not in {unit.source for unit in first.evidence}:
                missed.append(item.id)
    return tuple(missed)


@pytest.mark.parametrize("topic", TOPIC_KEYS)
class TestDocuments:
    def test_a_topic_has_at_least_two_documents_in_each_language(self, topic: str):
        chinese = Counter(is_chinese(text_of(source)) for source in documents_of(topic))
        assert chinese[True] >= 2
        assert chinese[False] >= 2

    def test_a_document_begins_with_its_title(self, topic: str):
        for source in documents_of(topic):
            assert re.match(r"# \S", text_of(source)), source

    def test_a_document_is_neither_a_scrap_nor_a_book(self, topic: str):
        for source in documents_of(topic):
            text = text_of(source)
            if is_chinese(text):
                assert 350 <= len(HAN.findall(text)) <= 1200, source
            else:
                assert 250 <= len(text.split()) <= 700, source

    def test_half_of_the_documents_hold_a_table(self, topic: str):
        sources = documents_of(topic)
        with_table = [source for source in sources if "\n|---" in text_of(source)]
        assert 2 * len(with_table) >= len(sources)

    def test_a_table_row_has_as_many_cells_as_its_header(self, topic: str):
        for source in documents_of(topic):
            for table in re.findall(r"(?:^\|.*\n?)+", text_of(source), re.MULTILINE):
                widths = {row.count("|") for row in table.splitlines()}
                assert len(widths) == 1, (source, table)


@pytest.mark.parametrize("topic", TOPIC_KEYS)
class TestItems:
    def test_an_id_names_topic_and_task_and_is_unique(self, topic: str):
        ids = [item.id for item in items_of(topic)]
        assert len(ids) == len(set(ids))
        for item in items_of(topic):
            assert re.fullmatch(rf"{topic}-{item.task}-\d+", item.id)
            assert item.topic == topic

    def test_every_cell_holds_two_items_or_more(self, topic: str):
        counts = Counter(item.task for item in items_of(topic))
        assert set(counts) == set(TASKS)
        assert min(counts.values()) >= 2

    def test_both_languages_are_asked(self, topic: str):
        assert {item.lang for item in items_of(topic)} == {"zh", "en"}

    def test_a_question_is_written_in_the_language_of_its_item(self, topic: str):
        for item in items_of(topic):
            for turn in item.turns:
                assert bool(HAN.search(turn.question)) == (item.lang == "zh"), item.id

    def test_every_turn_has_a_question_an_answer_and_evidence(self, topic: str):
        for item in items_of(topic):
            for turn in item.turns:
                assert turn.question.strip(), item.id
                assert turn.golden_answers, item.id
                assert all(answer.strip() for answer in turn.golden_answers), item.id
                assert turn.evidence, item.id

    def test_surface_forms_of_an_answer_differ(self, topic: str):
        for item in items_of(topic):
            for turn in item.turns:
                assert len(set(turn.golden_answers)) == len(turn.golden_answers), item.id

    def test_a_quote_stands_verbatim_once_on_one_line_of_its_document(self, topic: str):
        for item in items_of(topic):
            for turn in item.turns:
                for unit in turn.evidence:
                    assert "\n" not in unit.quote, item.id
                    assert text_of(unit.source).count(unit.quote) == 1, (item.id, unit.quote)

    def test_a_quote_comes_from_a_document_of_the_topic(self, topic: str):
        documents = set(documents_of(topic))
        for item in items_of(topic):
            assert item.sources <= documents, item.id

    def test_a_dialogue_has_two_to_four_turns_and_any_other_item_one(self, topic: str):
        for item in items_of(topic):
            low, high = (2, 4) if item.task == "conversational" else (1, 1)
            assert low <= len(item.turns) <= high, item.id

    def test_an_extractive_answer_stands_in_its_evidence(self, topic: str):
        for item in items_of(topic):
            if item.task == "extractive":
                quotes = " ".join(unit.quote for unit in item.turns[0].evidence)
                forms = item.turns[0].golden_answers
                assert any(bare(form) in bare(quotes) for form in forms), item.id

    def test_a_contrast_draws_on_two_documents(self, topic: str):
        for item in items_of(topic):
            if item.task == "contrast":
                assert len(item.sources) >= 2, item.id

    def test_facets_describe_steps_and_modality(self, topic: str):
        for item in items_of(topic):
            assert set(item.facets) == {"steps", "modality"}, item.id
            assert item.facets["steps"] in {1, 2}
            quotes = [unit.quote for turn in item.turns for unit in turn.evidence]
            kinds = {"table" if quote.startswith("|") else "text" for quote in quotes}
            expected = kinds.pop() if len(kinds) == 1 else "both"
            assert item.facets["modality"] == expected, item.id

    def test_multi_hop_and_contrast_take_two_steps(self, topic: str):
        for item in items_of(topic):
            if item.task in {"multi_hop", "contrast"}:
                assert item.facets["steps"] == 2, item.id


def test_every_line_is_one_json_object_in_readable_characters():
    for topic in TOPIC_KEYS:
        for line in (ROOT / "items" / f"{topic}.jsonl").read_text(encoding="utf-8").splitlines():
            assert json.dumps(json.loads(line), ensure_ascii=False) == line


def test_at_least_three_items_in_ten_are_not_solved_by_the_first_hit_of_bm25():
    total = sum(len(items_of(topic)) for topic in TOPIC_KEYS)
    assert 0.30 <= len(missed_by_first_hit()) / total <= 0.60


def test_items_missed_by_bm25_are_spread_over_topics():
    # one topic of riddles would make the law above true and the matrix uninformative
    missed = Counter(item_id.split("-", 1)[0] for item_id in missed_by_first_hit())
    for topic in TOPIC_KEYS:
        assert missed[topic] >= 1, topic


def test_all_sixteen_topics_fill_all_five_tasks_twice():
    cells = Counter((item.topic, item.task) for topic in TOPIC_KEYS for item in items_of(topic))
    assert len(TOPIC_KEYS) == TOPICS
    assert len(cells) == TOPICS * len(TASKS)
    assert min(cells.values()) >= 2
