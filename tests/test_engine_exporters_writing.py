"""Each layout that goes out comes in again, equal in the fields that it has."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from history_workspaces import make_history
from sample_workspaces import make_sample_workspace
from tiny_workspaces import TAXONOMY, TEXTS, make_corpus, make_release

from engine.exporters.layouts import LAYOUTS
from engine.exporters.scope import Filters
from engine.exporters.writing import default_states, export_dataset, verify_export
from engine.importers.archive import import_archive
from engine.importers.beir import import_beir
from engine.importers.omnieval_items import import_omnieval_items
from engine.importers.parquet import import_parquet
from engine.taxonomy.definitions import load_taxonomy
from store.datasets import datasets
from store.errors import InputError, NotFound
from store.formats import manifest
from store.formats.parquet import read
from store.hashing import text_id
from store.history import exports
from store.records import UNASSIGNED, Evidence, ItemContent, ItemState, Taxonomy, Turn
from store.verify import verify
from store.workspace import Workspace, open_workspace

Import = Callable[[Workspace, Path, Taxonomy], object]
FACTS = {"corpus_name": "c", "dataset_name": "back"}


def archive(workspace: Workspace, folder: Path, taxonomy: Taxonomy) -> object:
    return import_archive(workspace, folder, **FACTS)


def omnieval(workspace: Workspace, folder: Path, taxonomy: Taxonomy) -> object:
    return import_omnieval_items(
        workspace, [folder], **FACTS, taxonomy=taxonomy, accept=True, author="test"
    )


def beir(workspace: Workspace, folder: Path, taxonomy: Taxonomy) -> object:
    names = {file.stem: file.resolve() for file in folder.glob("expansions/*.jsonl")}
    return import_beir(
        workspace, folder, **FACTS, taxonomy=taxonomy, expansions=names, author="test"
    )


def parquet(workspace: Workspace, folder: Path, taxonomy: Taxonomy) -> object:
    return import_parquet(workspace, folder, **FACTS, taxonomy=taxonomy, author="test")


IMPORTS: dict[str, Import] = {
    "items": archive,
    "omnieval": omnieval,
    "beir": beir,
    "parquet": parquet,
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The sample corpus with its items, Chinese and English, as `sample@1`."""
    folder = make_sample_workspace(tmp_path_factory.mktemp("sample") / "workspace")
    with open_workspace(folder) as opened:
        yield opened


def heads(workspace: Workspace, label: str) -> list[exports.ExportItem]:
    return exports.items(workspace.db, datasets.get(workspace.db, label), None)


def passages(turn: Turn) -> list[tuple[str, str | None]]:
    return sorted((unit.document_id, unit.quote) for unit in turn.evidence)


def told(kind: str, item: exports.ExportItem) -> list[Any]:
    """What a layout says of an item: one entry, or one a query."""
    content = item.content
    if kind in ("items", "parquet"):
        return [(item.key, item.group, item.state, content)]
    if kind == "omnieval":
        said = [(turn.question, turn.golden_answers, passages(turn)) for turn in content.turns]
        return [(said, content.topic, content.task)]
    return [
        (
            turn.question,
            turn.golden_answers,
            content.lang,
            # a query is one turn: that of a conversation comes back without its task
            "" if len(content.turns) > 1 or content.task == UNASSIGNED else content.task,
            turn.expansions,
            sorted({(unit.document_id, unit.grade) for unit in turn.evidence}),
            # the facet `type` comes back as the task, which stands in its place there
            sorted((name, one) for name, one in content.facets.items() if name != "type"),
        )
        for turn in content.turns
    ]


@pytest.mark.parametrize("kind", IMPORTS)
def test_the_sample_comes_back(kind: str, sample: Workspace, tmp_path: Path):
    out = tmp_path / "out"
    said = export_dataset(sample, kind, "sample@1", out)
    assert said.by_status == {"accepted": 206}
    assert (said.counts["items"], said.counts["turns"]) == (206, 272)
    assert verify_export(out).problems == ()
    with open_workspace(tmp_path / "other", create=True) as other:
        IMPORTS[kind](other, out, load_taxonomy("omnieval"))
        before = [fact for item in heads(sample, "sample") for fact in told(kind, item)]
        after = [fact for item in heads(other, "back") for fact in told(kind, item)]
        assert sorted(map(repr, after)) == sorted(map(repr, before))
        assert documents(other, "c") == documents(sample, "sample")
        assert datasets.find_release(other.db, "back").version == 1
        assert verify(other.db).ok


def documents(workspace: Workspace, corpus: str) -> list[tuple[str, str]]:
    from store.corpora import corpora

    found = corpora.documents(workspace.db, corpora.get(workspace.db, corpus))
    return [(document.text, document.title) for document in found]


@pytest.mark.parametrize("kind", IMPORTS)
def test_the_same_state_gives_the_same_bytes(kind: str, sample: Workspace, tmp_path: Path):
    for name in ("one", "two"):
        export_dataset(sample, kind, "sample", tmp_path / name)
    files = [path for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) > 2
    for file in files:
        other = tmp_path / "two" / file.relative_to(tmp_path / "one")
        assert other.read_bytes() == file.read_bytes()


def test_beir_gives_words_to_search_for_back(workspace: Workspace, tmp_path: Path):
    make_history(workspace)
    turn = Turn("涨了多少？", ("2.1%",), (), {"keywords": "基金 净值"})
    with workspace.write(durable=True) as db:
        dataset = datasets.get(db, "drafts")
        content = msgspec.structs.replace(heads(workspace, "drafts")[0].content, turns=(turn,))
        datasets.add_item(
            db, dataset, "k", "g", content, author="a", reason="", state=ItemState.ACCEPTED
        )
    export_dataset(workspace, "beir", "drafts", tmp_path / "out")
    with open_workspace(tmp_path / "other", create=True) as other:
        beir(other, tmp_path / "out", TAXONOMY)
        (found,) = [item for item in heads(other, "back") if item.key == "k"]
        assert found.content.turns == (turn,)


def put_graded(workspace: Workspace, *evidence: Evidence) -> None:
    """The dataset `graded` with one item on that evidence."""
    turn = Turn("What rose?", ("the rate",), evidence)
    with workspace.write() as db:
        contents = {"q": ItemContent((turn,), "rates", "extractive")}
        make_release(db, make_corpus(db), "graded", contents)


RATES = text_id(TEXTS["en/rates.md"])


@pytest.mark.parametrize("kind", ["items", "parquet", "beir"])
def test_grades_come_back(kind: str, workspace: Workspace, tmp_path: Path):
    put_graded(workspace, Evidence(RATES, grade=3))
    export_dataset(workspace, kind, "graded", tmp_path / "out")
    with open_workspace(tmp_path / "other", create=True) as other:
        IMPORTS[kind](other, tmp_path / "out", TAXONOMY)
        (item,) = heads(other, "back")
        assert item.content.turns[0].evidence == (Evidence(RATES, grade=3),)


def test_judgements_stand_where_the_loader_of_beir_looks_for_them(
    workspace: Workspace, tmp_path: Path
):
    put_graded(workspace, Evidence(RATES, 0, 8, "The rate"), Evidence(RATES, grade=2))
    out = tmp_path / "out"
    export_dataset(workspace, "beir", "graded", out)
    # as GenericDataLoader.load(split="test") reads: a header, then three columns, a whole grade
    with (out / "qrels/test.tsv").open(encoding="utf-8", newline="") as lines:
        header, row = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
    assert header == ["query-id", "corpus-id", "score"]
    assert (row[0], int(row[2])) == ("q", 2)
    lines = (out / "corpus.jsonl").read_bytes().splitlines()
    texts = {row["_id"]: row["text"] for row in map(msgspec.json.decode, lines)}
    assert texts[row[1]] == TEXTS["en/rates.md"]


@pytest.mark.parametrize("kind", ["omnieval", "parquet", "beir"])
def test_a_head_gives_its_accepted_items(kind: str, workspace: Workspace, tmp_path: Path):
    make_history(workspace)
    said = export_dataset(workspace, kind, "drafts", tmp_path / "out")
    assert said.by_status == {"accepted": 5}
    assert verify_export(tmp_path / "out").problems == ()
    assert default_states(LAYOUTS[kind]) == (ItemState.ACCEPTED,)


def test_filters_choose_by_state_topic_task_and_side(workspace: Workspace, tmp_path: Path):
    make_history(workspace)

    def keys(**chosen: Any) -> list[str]:
        export_dataset(
            workspace, "beir", "drafts", tmp_path / "o", filters=Filters(**chosen), force=True
        )
        rows = (tmp_path / "o/queries.jsonl").read_text("utf-8").splitlines()
        return [msgspec.json.decode(row)["_id"] for row in rows]

    assert keys(states=(ItemState.DISCARDED,)) == ["i3#0", "i3#1"]
    assert keys(topics=("rates",)) == ["i0", "i1#0", "i1#1", "i4"]
    assert keys(tasks=("extractive",)) == ["i0", "i2", "i4", "i6"]
    assert keys(split="train") == ["i0"]
    assert keys(split="drafts:test", states=tuple(ItemState)) == ["i1#0", "i1#1"]
    assert manifest.read(tmp_path / "o").source["split"] == "drafts:test"
    for wrong in (Filters(topics=("gone",)), Filters(tasks=("gone",))):
        with pytest.raises(NotFound):
            export_dataset(workspace, "beir", "drafts", tmp_path / "x", filters=wrong)
    nothing = Filters(split="test", topics=("funds",))
    with pytest.raises(InputError):
        export_dataset(workspace, "beir", "drafts", tmp_path / "x", filters=nothing)
    with pytest.raises(NotFound):
        export_dataset(workspace, "beir", "drafts", tmp_path / "x", filters=Filters(split="dev"))
    with pytest.raises(NotFound):
        export_dataset(workspace, "beir", "drafts@9", tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("kind", IMPORTS)
def test_pseudonyms_hide_people_and_not_models(kind: str, workspace: Workspace, tmp_path: Path):
    make_history(workspace)
    with workspace.write() as db:
        db.execute("UPDATE source SET path = '/home/王芳/en/' || id || '.md'")
    out = tmp_path / "out"
    said = export_dataset(workspace, kind, "drafts", out, anonymous=True)
    assert set(said.by_rater) == {"rater-1", "rater-2"}
    assert said.source["raters"] == "pseudonyms"
    names = "王芳".encode(), b'"li"', b"zhao"
    if kind == "parquet":
        rows = [*read(out / "items.parquet"), *read(out / "documents.parquet")]
        assert not [value for row in rows for value in row.values() if "王芳" in str(value)]
        assert {row["author"] for row in rows if "author" in row} == {"author-1", "rater-2"}
    for file in out.rglob("*"):
        if file.is_file():
            assert not [name for name in names if name in file.read_bytes()], file
    if kind == "items":
        assert b'"qwen"' in (out / "items.jsonl").read_bytes()
        assert b'"rater-3"' in (out / "events.jsonl").read_bytes()
        with open_workspace(tmp_path / "other", create=True) as other:
            archive(other, out, TAXONOMY)
            assert verify(other.db).ok


def test_omnieval_carries_the_last_verdict_and_the_dialogues(workspace: Workspace, tmp_path: Path):
    make_history(workspace)
    filters = Filters(states=tuple(ItemState))
    export_dataset(workspace, "omnieval", "drafts", tmp_path / "out", filters=filters)
    rows = [
        msgspec.json.decode(line)
        for file in sorted((tmp_path / "out").rglob("*.jsonl"))
        if file.name != "corpus.jsonl"
        for line in file.read_text("utf-8").splitlines()
    ]
    first = next(row for row in rows if isinstance(row, dict) and "number 0?" in row["question"])
    assert (first["evaluation"], first["topic_name"], first["task_name"]) == (
        2,
        "Tiny - 利率",
        "抽取",
    )
    assert sum(isinstance(row, list) and len(row) == 2 for row in rows) == 4


def test_parquet_says_what_is_missing(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import sys

    make_history(workspace)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(Exception, match=r"ragdesk\[parquet\]"):
        export_dataset(workspace, "parquet", "drafts", tmp_path / "out")
    assert not (tmp_path / "out").exists()
