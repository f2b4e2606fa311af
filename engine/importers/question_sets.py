"""Importing others' question sets with the texts that they are about: each text a document, each
conversation (or single task) an accepted item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from engine.corpus.finding import quote_in
from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.paths import path_text
from engine.corpus.readers import ReadDocument
from engine.importers.sink import ItemSink, NewItem, PutItems
from engine.taxonomy.offline_classification import topics_of
from engine.text.normalisation import detect_lang, normalise
from store.errors import InputError
from store.formats import convfinqa, pacific, uhgeval
from store.hashing import text_id
from store.records import (
    UNASSIGNED,
    Evidence,
    Facet,
    ItemContent,
    Source,
    Taxonomy,
    Turn,
    join_turn_facet,
)
from store.workspace import Workspace

CONVERSATIONAL = "conversational"
"""Task key of items with several turns, in the taxonomies that have it."""
HALLUCINATION_FIX = "hallucination_fix"
STANDALONE = "standalone"
"""The expansion that holds a turn's question as it would be asked alone."""


class SetReport(Struct, frozen=True):
    documents: IngestReport
    items: PutItems
    unlocated: int
    """Passages that their document does not hold word for word; it stands as a whole instead."""
    misfits: tuple[str, ...]
    """Items that have not the shape of their task, with the reason; they have none now."""


class _Entry(Struct, frozen=True):
    """An item with its text, before either is stored."""

    file: Path
    place: str
    """File and line, for error messages."""
    key: str
    source: Source
    text: str
    turns: tuple[tuple[Turn, tuple[str, ...]], ...]
    """Each without evidence, and the passages that it is founded on."""
    task: str
    facets: dict[str, Facet]
    language_of: str
    """The text whose language is the item's."""


def import_question_set(
    workspace: Workspace,
    kind: str,
    files: Sequence[Path],
    *,
    corpus_name: str,
    dataset_name: str,
    taxonomy: Taxonomy,
    author: str,
) -> SetReport:
    """The conversations or tasks of files of one kind, which `QUESTION_SETS` names.

    All files are read before anything is stored. Imported again they add nothing.
    """
    entries = [entry for file in files for entry in QUESTION_SETS[kind](file)]
    if not entries:
        raise InputError("There is nothing in the files.", "Name another file.")
    _check_keys(entries)
    sink = ItemSink(workspace, dataset_name, taxonomy, author)
    sink.check_open(corpus_name)
    entries = _with_own_names(entries)
    corpus = open_corpus(workspace, corpus_name)
    documents = put_documents(workspace, corpus, _documents(entries))
    topics = topics_of(workspace, corpus, taxonomy)
    tasks = {task.key for task in taxonomy.tasks}
    unlocated: list[str] = []
    items = [_item(entry, topics, tasks, unlocated.append) for entry in entries]
    misfits: list[str] = []
    items = sink.fitted(items, misfits)
    added = sink.add(corpus, items, f"imported from {path_text(entries[0].file.name)}")
    return SetReport(documents, added, len(unlocated), tuple(misfits))


def _convfinqa(file: Path) -> Iterator[_Entry]:
    """ConvFinQA's conversations: the page is the evidence of every turn, programs are facets."""
    for place, conversation in convfinqa.read_conversations(file):
        dialogue = conversation.dialogue
        facets: dict[str, Facet] = {
            name: value for name, value in conversation.features.items() if isinstance(value, bool)
        }
        if dialogue.turn_program:
            facets["program"] = join_turn_facet(dialogue.turn_program)
        if True in dialogue.qa_split:
            facets["second_question_from"] = dialogue.qa_split.index(True)
        yield _Entry(
            file,
            place,
            conversation.id,
            Source(str(file), "", conversation.page, conversation.page),
            conversation.doc.text,
            tuple(
                (Turn(question.strip(), conversation.answers(at)), ())
                for at, question in enumerate(dialogue.conv_questions)
            ),
            CONVERSATIONAL,
            facets,
            " ".join(dialogue.conv_questions),
        )


def _pacific(file: Path) -> Iterator[_Entry]:
    """PACIFIC's conversations. Evidence is the marked paragraphs and the table; where the system
    is to ask back, the golden answer is that question; the stand-alone question is an expansion.
    """
    for place, context in pacific.read_contexts(file):
        yield _Entry(
            file,
            place,
            context.id,
            Source(str(file), "", context.id, context.id),
            context.text,
            tuple((_pacific_turn(turn), tuple(context.passages(turn))) for turn in context.turns),
            CONVERSATIONAL,
            _pacific_facets(context.turns),
            " ".join(turn.question for turn in context.turns),
        )


def _pacific_facets(turns: Sequence[pacific.Question]) -> dict[str, Facet]:
    facets: dict[str, Facet] = {
        "answer_type": join_turn_facet([turn.answer_type for turn in turns]),
        "answer_from": join_turn_facet([turn.answer_from for turn in turns]),
        "asks_back": any(turn.req_clari for turn in turns),
        "follow_ups": sum(turn.follow_up for turn in turns),
    }
    for name, values in (
        ("scale", [turn.scale for turn in turns]),
        ("derivation", [turn.derivation.strip() for turn in turns]),
    ):
        if any(values):
            facets[name] = join_turn_facet(values)
    return facets


def _pacific_turn(turn: pacific.Question) -> Turn:
    question, alone = turn.question.strip(), turn.original_question.strip()
    expansions = {STANDALONE: alone} if alone and alone != question else {}
    return Turn(question, turn.answers, (), expansions)


def _uhgeval(file: Path) -> Iterator[_Entry]:
    """UHGEval's texts as items of CRUD-RAG's task of correcting a hallucination.

    The question is the beginning with the made-up continuation, the golden answer the corrected
    text where the file has it, else what the news said in truth, and the evidence the article. The
    item hides the article: a system that finds it has only to copy.
    """
    for place, text in uhgeval.read_texts(file):
        article = text.news_remainder or text.real_continuation
        if not article.strip():
            raise InputError(
                f"{place}: neither `newsRemainder` nor `realContinuation` holds the article.",
                "Remove that line.",
            )
        question = f"{text.news_beginning.strip()}\n{text.hallucinated_continuation.strip()}"
        truth = text.real_continuation.strip()
        golden = (text.hallucinated_mod or text.real_continuation).strip()
        facets: dict[str, Facet] = {
            "type": text.type,
            "generated_by": text.generated_by,
            "wrong_keywords": len(text.wrong_keywords),
        }
        name = str(text.id)
        yield _Entry(
            file,
            place,
            name,
            Source(str(file), text.head_line, name, name),
            article,
            ((Turn(question, (golden,) if golden else ()), (truth,) if truth else ()),),
            HALLUCINATION_FIX,
            {facet: value for facet, value in facets.items() if value != ""},
            article,
        )


def _check_keys(entries: Sequence[_Entry]) -> None:
    seen: dict[str, str] = {}
    for entry in entries:
        if entry.key in seen:
            raise InputError(
                f"{entry.place}: {entry.key!r} stands in {seen[entry.key]} already.",
                "Give every entry an id of its own.",
            )
        seen[entry.key] = entry.place


def _with_own_names(entries: Sequence[_Entry]) -> list[_Entry]:
    """Two texts of one name get their entries' names, so that neither supersedes the other."""
    texts: dict[str, str] = {}
    out = []
    for entry in entries:
        text = normalise(entry.text)
        source = entry.source
        if texts.setdefault(source.external_id, text) != text:
            source = Source(source.path, source.title, entry.key, entry.key)
        out.append(replace(entry, source=source, text=text))
    return out


def _documents(entries: Sequence[_Entry]) -> Iterator[ReadDocument]:
    seen: set[str] = set()
    for entry in entries:
        if entry.text and entry.source.external_id not in seen:
            seen.add(entry.source.external_id)
            yield ReadDocument(entry.text, entry.source)


def _item(
    entry: _Entry, topics: dict[str, str], tasks: set[str], lost: Callable[[str], None]
) -> NewItem:
    document = text_id(entry.text)
    turns = tuple(
        Turn(
            turn.question,
            turn.golden_answers,
            _evidence(document, entry.text, passages, lost),
            turn.expansions,
        )
        for turn, passages in entry.turns
    )
    content = ItemContent(
        turns,
        topics.get(document, UNASSIGNED),
        entry.task if entry.task in tasks else UNASSIGNED,
        detect_lang(entry.language_of),
        entry.facets,
        (document,) if entry.task == HALLUCINATION_FIX else (),
    )
    return NewItem(entry.place, entry.key, content, f"imported from {path_text(entry.file.name)}")


def _evidence(
    document: str, text: str, passages: Sequence[str], lost: Callable[[str], None]
) -> tuple[Evidence, ...]:
    """Each passage where it stands; the whole document where none does or none is marked."""
    quotes = []
    for passage in dict.fromkeys(map(normalise, passages)):
        quote = quote_in(document, text, passage)
        if quote is not None:
            quotes.append(quote)
        elif passage:
            lost(passage)
    return tuple(quotes) or (Evidence(document),)


QUESTION_SETS: dict[str, Callable[[Path], Iterator[_Entry]]] = {
    "convfinqa": _convfinqa,
    "pacific": _pacific,
    "uhgeval": _uhgeval,
}
"""What reads a file's entries, by the name of the command."""
