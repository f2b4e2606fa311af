"""Corpora: texts by content, sources n:1, editing, chunks, topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_workspaces import CHUNKING, TAXONOMY, TEXTS, make_corpus, put_text

from store.corpora import corpora, document_topics, taxonomies
from store.corpora.corpora import Corpus
from store.errors import NotFound, UsageError
from store.hashing import text_id
from store.records import ChunkingSettings
from store.workspace import Workspace, open_workspace


def live(workspace: Workspace, corpus: Corpus) -> dict[tuple[str, str], str]:
    """Text by (path, locator) of every live source."""
    rows = workspace.db.execute(
        "SELECT path, locator, text FROM source JOIN document ON document.id = document"
        " WHERE corpus_id = ? AND superseded_at IS NULL",
        (corpus.id,),
    )
    return {(path, locator): text for path, locator, text in rows}


def table_sizes(workspace: Workspace) -> dict[str, int]:
    tables = ("document", "source", "chunk", "chunking", "corpus")
    count = "SELECT count(*) FROM "
    return {table: workspace.db.execute(count + table).fetchone()[0] for table in tables}


# Corpora by name


def test_a_corpus_keeps_the_chunking_it_was_made_with(workspace: Workspace) -> None:
    with workspace.write() as db:
        made = corpora.create(db, "语料", CHUNKING)
        assert corpora.create(db, "语料", CHUNKING) == made
        assert made.chunking == CHUNKING
        with pytest.raises(UsageError, match="is chunked by 12 chars with overlap 0"):
            corpora.create(db, "语料", ChunkingSettings(size=99))


def test_an_unknown_corpus_is_answered_with_those_that_there_are(workspace: Workspace) -> None:
    with pytest.raises(NotFound, match="Corpora here: none yet"):
        corpora.get(workspace.db, "x")
    with workspace.write() as db:
        make_corpus(db, "one")
        make_corpus(db, "two")
    with pytest.raises(NotFound, match="Corpora here: one, two"):
        corpora.get(workspace.db, "x")
    with pytest.raises(NotFound, match="number 9"):
        corpora.get_by_id(workspace.db, 9)


def test_a_corpus_is_found_by_name_and_number(workspace: Workspace, corpus: Corpus) -> None:
    assert corpora.get(workspace.db, "tiny") == corpora.get_by_id(workspace.db, corpus.id) == corpus
    assert corpora.listing(workspace.db) == [corpus]


# Documents and sources


def test_counts_are_those_of_what_is_live(workspace: Workspace, corpus: Corpus) -> None:
    with workspace.write() as db:
        put_text(db, corpus, "en/rates.md", TEXTS["en/bonds.md"])
    counts = corpora.counts(workspace.db, corpus)
    texts = [text for path, text in TEXTS.items() if path != "en/rates.md"]
    assert (counts.documents, counts.sources) == (3, 4)
    assert counts.characters == sum(map(len, texts))
    assert counts.chunks == sum(-(-len(text) // CHUNKING.size) for text in texts)


def test_two_files_of_one_text_are_one_document(workspace: Workspace, corpus: Corpus) -> None:
    with workspace.write() as db:
        assert put_text(db, corpus, "copy.md", TEXTS["en/rates.md"]) == "added"
    counts = corpora.counts(workspace.db, corpus)
    assert (counts.documents, counts.sources) == (4, 5)


def test_a_text_may_stand_in_several_corpora(workspace: Workspace, corpus: Corpus) -> None:
    with workspace.write() as db:
        other = make_corpus(db, "other", ["en/rates.md"])
    assert table_sizes(workspace)["document"] == 4
    assert corpora.counts(workspace.db, other).documents == 1
    assert corpora.counts(workspace.db, corpus).documents == 4


def test_reading_the_same_again_changes_nothing(workspace: Workspace, corpus: Corpus) -> None:
    before, print_before = table_sizes(workspace), corpora.fingerprint(workspace.db, corpus)
    with workspace.write() as db:
        make_corpus(db)
    assert table_sizes(workspace) == before
    assert corpora.fingerprint(workspace.db, corpus) == print_before


def test_an_edited_file_supersedes_its_old_text_which_stays_readable(
    workspace: Workspace, corpus: Corpus
) -> None:
    old = text_id(TEXTS["en/rates.md"])
    with workspace.write() as db:
        assert put_text(db, corpus, "en/rates.md", "Rates fell.", title="new") == "edited"
    assert live(workspace, corpus)[("en/rates.md", "")] == "Rates fell."
    assert old not in {document.document_id for document in corpora.documents(workspace.db, corpus)}
    found = corpora.documents_by_id(workspace.db, corpus, [old])[old]
    assert (found.text, found.title) == (TEXTS["en/rates.md"], "rates.md")


@pytest.mark.parametrize(
    "change", [{"title": "another"}, {"external_id": "q9"}, {"meta": {"company": "A"}}]
)
def test_a_change_around_the_text_is_an_edit_too(
    workspace: Workspace, corpus: Corpus, change: dict[str, object]
) -> None:
    path = "en/rates.md"
    again = {"title": "rates.md", **change}
    with workspace.write() as db:
        assert put_text(db, corpus, path, TEXTS[path], **again) == "edited"  # type: ignore[arg-type]
        assert put_text(db, corpus, path, TEXTS[path], **again) == "unchanged"  # type: ignore[arg-type]
    assert corpora.counts(workspace.db, corpus).sources == 4


def test_a_superseded_document_comes_with_its_last_source(
    workspace: Workspace, corpus: Corpus
) -> None:
    text = TEXTS["en/rates.md"]
    with workspace.write() as db:
        put_text(db, corpus, "en/rates.md", text, title="renamed")
        db.execute("UPDATE source SET superseded_at = '2000' WHERE title = 'rates.md'")
        put_text(db, corpus, "en/rates.md", "Other text.")
    (found,) = corpora.documents_by_id(workspace.db, corpus, [text_id(text)]).values()
    assert found.title == "renamed"


def test_documents_by_id_prefers_the_corpus_asked(workspace: Workspace, corpus: Corpus) -> None:
    text = TEXTS["en/rates.md"]
    with workspace.write() as db:
        other = corpora.create(db, "other", CHUNKING)
        put_text(db, other, "a.md", text, title="elsewhere")
    wanted = [text_id(text), text_id(text), "d-unknown"]
    assert corpora.documents_by_id(workspace.db, corpus, wanted)[wanted[0]].title == "rates.md"
    assert corpora.documents_by_id(workspace.db, other, wanted)[wanted[0]].title == "elsewhere"
    assert list(corpora.documents_by_id(workspace.db, corpus, wanted)) == [wanted[0]]


def test_what_a_file_no_longer_holds_is_retired(workspace: Workspace, corpus: Corpus) -> None:
    with workspace.write() as db:
        for line in (1, 2, 3):
            put_text(db, corpus, "rows.jsonl", f"row {line}", locator=f"line {line}")
        put_text(db, corpus, "other.jsonl", "row 9", locator="line 1")
    with workspace.write() as db:
        reading = corpora.begin_reading(db, corpus)
        put_text(db, corpus, "rows.jsonl", "row 1", locator="line 1", reading=reading)
        put_text(db, corpus, "rows.jsonl", "row 2, edited", locator="line 2", reading=reading)
        assert corpora.supersede_unseen(db, corpus, "rows.jsonl", reading) == 1
        assert corpora.supersede_unseen(db, corpus, "rows.jsonl", reading) == 0
    held = live(workspace, corpus)
    assert {key: held[key] for key in held if key[0].endswith("jsonl")} == {
        ("rows.jsonl", "line 1"): "row 1",
        ("rows.jsonl", "line 2"): "row 2, edited",
        ("other.jsonl", "line 1"): "row 9",
    }


def test_a_source_that_comes_back_is_live_again(workspace: Workspace, corpus: Corpus) -> None:
    with workspace.write() as db:
        put_text(db, corpus, "a", "first")
        put_text(db, corpus, "a", "second")
        assert put_text(db, corpus, "a", "first") == "edited"
    assert live(workspace, corpus)[("a", "")] == "first"


def test_names_people_know_a_document_by(workspace: Workspace, corpus: Corpus) -> None:
    with workspace.write() as db:
        put_text(db, corpus, "corpus.jsonl", "a BEIR text", locator="q1", external_id="q1")
    names = corpora.source_names(workspace.db, corpus)
    assert names[text_id("a BEIR text")] == "q1"
    assert names[text_id(TEXTS["zh/基金.md"])] == "zh/基金.md"
    by_id = corpora.document_by_external_id(workspace.db, corpus)
    assert by_id == {"q1": (text_id("a BEIR text"), "en")}
    by_path = corpora.document_by_path(workspace.db, corpus)
    assert by_path == {path: text_id(text) for path, text in TEXTS.items()}


# What an index sees


def test_index_rows_are_exact_slices_in_a_fixed_order(workspace: Workspace, corpus: Corpus) -> None:
    by_id = {text_id(text): text for text in TEXTS.values()}
    rows = list(corpora.index_rows(workspace.db, corpus))
    assert all(row.text == by_id[row.document_id][row.start : row.end] for row in rows)
    whole: dict[str, str] = {}
    for row in rows:
        whole[row.document_id] = whole.get(row.document_id, "") + row.text
    assert whole == by_id
    assert rows == sorted(rows, key=lambda row: (row.document_id, row.start))
    titles = {text_id(text): path.split("/")[-1] for path, text in TEXTS.items()}
    assert {row.document_id: row.title for row in rows} == titles


def test_a_document_of_several_sources_is_indexed_once(
    workspace: Workspace, corpus: Corpus
) -> None:
    before = list(corpora.index_rows(workspace.db, corpus))
    with workspace.write() as db:
        put_text(db, corpus, "zz/copy.md", TEXTS["en/rates.md"], title="copy")
    assert list(corpora.index_rows(workspace.db, corpus)) == before


def test_the_fingerprint_ignores_the_order_of_reading(workspace: Workspace) -> None:
    sources = [("b.md", "two"), ("a.md", "one"), ("c.md", "two"), ("d.md", "three")]
    found = []
    for number, order in enumerate((sources, sources[::-1])):
        with workspace.write() as db:
            made = corpora.create(db, f"corpus {number}", CHUNKING)
            for path, text in order:
                put_text(db, made, path, text, title=f"title of {path}")
        found.append(made)
    first, second = (corpora.fingerprint(workspace.db, made) for made in found)
    assert first == second
    rows = [list(corpora.index_rows(workspace.db, made)) for made in found]
    assert rows[0] == rows[1]
    names = [corpora.source_names(workspace.db, made) for made in found]
    assert names[0] == names[1]
    assert names[0][text_id("two")] == "b.md"


@pytest.mark.parametrize(
    "change",
    [
        ("en/rates.md", "Another text.", "rates.md"),
        ("en/rates.md", TEXTS["en/rates.md"], "another title"),
        ("new.md", "One more text.", ""),
    ],
    ids=["text", "title", "document"],
)
def test_the_fingerprint_sees_what_an_index_sees(
    workspace: Workspace, corpus: Corpus, change: tuple[str, str, str]
) -> None:
    before = corpora.fingerprint(workspace.db, corpus)
    path, text, title = change
    with workspace.write() as db:
        put_text(db, corpus, path, text, title=title)
    assert corpora.fingerprint(workspace.db, corpus) != before


def test_the_fingerprint_knows_the_chunking(workspace: Workspace) -> None:
    with workspace.write() as db:
        one = corpora.create(db, "one", CHUNKING)
        two = corpora.create(db, "two", ChunkingSettings(size=99))
        for made in (one, two):
            put_text(db, made, "a", "text")
    prints = {corpora.fingerprint(workspace.db, made) for made in (one, two)}
    assert len(prints) == 2


# Topics


def test_topics_are_kept_per_taxonomy(workspace: Workspace, corpus: Corpus) -> None:
    left = [document.row for document in document_topics.unclassified(workspace.db, corpus, "tiny")]
    assert len(left) == 4
    with workspace.write() as db:
        document_topics.put(
            db, "tiny", [(left[0], "rates", 0.5), (left[1], "unassigned", None)], "m"
        )
    rest = [document.row for document in document_topics.unclassified(workspace.db, corpus, "tiny")]
    assert rest == left[2:]
    assert len(list(document_topics.unclassified(workspace.db, corpus, "other"))) == 4
    assert sorted(document_topics.by_document(workspace.db, corpus, "tiny").values()) == [
        "rates",
        "unassigned",
    ]
    with workspace.write() as db:
        document_topics.put(db, "tiny", [(left[0], "funds", 0.9)], "m")
    assert sorted(document_topics.by_document(workspace.db, corpus, "tiny").values()) == [
        "funds",
        "unassigned",
    ]


def test_a_taxonomy_is_stored_once_by_content(workspace: Workspace) -> None:
    with workspace.write() as db:
        number = taxonomies.put(db, TAXONOMY)
        assert taxonomies.put(db, TAXONOMY) == number
    assert taxonomies.get(workspace.db, number) == TAXONOMY
    with pytest.raises(NotFound):
        taxonomies.get(workspace.db, number + 1)


# A law


@pytest.fixture(scope="module")
def shared() -> Iterator[Workspace]:
    """One workspace for all examples; each makes a corpus of its own."""
    with TemporaryDirectory() as name, open_workspace(Path(name), create=True) as opened:
        yield opened


PLACES = st.tuples(st.sampled_from("abc"), st.sampled_from(["", "line 1", "line 2"]))
STEPS = st.lists(st.tuples(PLACES, st.sampled_from(["one", "two", "三"]), st.sampled_from("xy")))


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_any_sequence_of_sources_replays_to_a_plain_dict(
    shared: Workspace, steps: list[tuple[tuple[str, str], str, str]]
) -> None:
    model: dict[tuple[str, str], tuple[str, str]] = {}
    with shared.write() as db:
        number = len(corpora.listing(db))
        made = corpora.create(db, f"corpus {number}", CHUNKING)
        for place, text, title in steps:
            path, locator = place
            said = put_text(db, made, path, text, title=title, locator=locator)
            known = model.get(place)
            expected = "added" if known is None else "edited"
            assert said == ("unchanged" if known == (text, title) else expected)
            model[place] = (text, title)
    assert live(shared, made) == {place: text for place, (text, _) in model.items()}
    documents = {document.text: document for document in corpora.documents(shared.db, made)}
    assert set(documents) == {text for text, _ in model.values()}
    for text, document in documents.items():
        path, locator = min(place for place in model if model[place][0] == text)
        assert (document.path, document.title) == (path, model[(path, locator)][1])
    counts = corpora.counts(shared.db, made)
    assert (counts.documents, counts.sources) == (len(documents), len(model))
