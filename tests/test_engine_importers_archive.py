"""What `export items` wrote comes back whole: texts, verdicts, labels, states, releases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from history_workspaces import make_history
from labelling_workspaces import corrected, make_drafts, register, score

from engine.exporters.writing import export_dataset, verify_export
from engine.importers.archive import ArchiveReport, import_archive
from engine.labelling.session import LabelSession
from store.datasets import datasets, generations, question_sets
from store.datasets.question_sets import ItemSet, QuestionSet
from store.errors import InputError, UsageError
from store.formats import manifest
from store.history import archive
from store.labels import forms
from store.labels.log import log, reading
from store.labels.log.events import EventKind, Subject
from store.sharing.accounts import account
from store.sharing.modes import members_of, share
from store.verify import verify
from store.workspace import Workspace, open_workspace


@pytest.fixture
def history(workspace: Workspace) -> Workspace:
    make_history(workspace)
    return workspace


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Workspace]:
    """A fresh workspace to import into."""
    with open_workspace(tmp_path / "other", create=True) as opened:
        yield opened


def exported(workspace: Workspace, out: Path, label: str = "drafts") -> Path:
    export_dataset(workspace, "items", label, out)
    return out


def bring_in(workspace: Workspace, folder: Path, name: str = "drafts") -> ArchiveReport:
    return import_archive(workspace, folder, corpus_name="c", dataset_name=name)


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_an_archive_comes_back_whole(history: Workspace, other: Workspace, tmp_path: Path):
    folder = exported(history, tmp_path / "out")
    report = bring_in(other, folder)
    assert (report.items, report.revisions, report.verdicts) == (8, 10, 3)
    assert report.events == 13
    assert report.releases == ("drafts@1",)
    again = exported(other, tmp_path / "again")
    for name in (archive.ITEMS, archive.DOCUMENTS):
        assert (again / name).read_bytes() == (folder / name).read_bytes()
    before, after = lines(folder / archive.EVENTS), lines(again / archive.EVENTS)
    assert {event["origin"] for event in before} == {"human"}
    assert after == [{**event, "origin": "import"} for event in before]
    about, there = (archive.read_dataset(place) for place in (folder, again))
    assert there == about.__class__(**{**_fields(about), "corpus": "c"})
    assert verify(other.db).ok


def test_who_labelled_in_the_name_of_a_rater_comes_back(
    history: Workspace, other: Workspace, tmp_path: Path
):
    share(history.folder, members_of(history.folder)[1])
    (revision,) = history.db.execute("SELECT min(id) FROM revision").fetchone()
    LabelSession(history, "inspection", "li").flag(Subject("revision", str(revision)))
    folder = exported(history, tmp_path / "out")
    acted = lines(folder / archive.EVENTS)[-1]
    assert (acted["rater"], acted["account"]) == ("li", account())
    report = bring_in(other, folder)
    assert reading.accounts(other.db) == {report.events: account()}
    again = exported(other, tmp_path / "again")
    assert lines(again / archive.EVENTS)[-1]["account"] == account()
    assert verify(other.db).ok
    export_dataset(history, "items", "drafts", tmp_path / "hidden", anonymous=True)
    names = {line["account"] for line in lines(tmp_path / "hidden" / archive.EVENTS)}
    assert "" in names
    assert [name[:7] for name in names if name] == ["author-"]


def test_question_sets_come_back_under_their_names(
    history: Workspace, other: Workspace, tmp_path: Path
):
    sets = QuestionSet(("How much?", "多少？"), ("5 %", "无法推断"), ("share",))
    with history.write() as db:
        (item,) = db.execute("SELECT max(id) FROM item").fetchone()
        question_sets.put(db, "crud", [ItemSet(item, "g1", sets)])
    bring_in(other, exported(history, tmp_path / "out"))
    (there,), (here,) = (question_sets.listing(one.db) for one in (history, other))
    assert here == there
    assert here.content == sets
    assert question_sets.hash_of(other.db, "crud") == question_sets.hash_of(history.db, "crud")


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__struct_fields__}  # type: ignore[attr-defined]


def test_a_release_is_whole_though_a_clock_was_ahead_before_it(
    workspace: Workspace, other: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with workspace.write(durable=True) as db:
        drafts, form = make_drafts(db), register(db)
        with monkeypatch.context() as ahead:
            for module in (log, datasets):
                ahead.setattr(module, "now_text", lambda: "2099-01-01T00:00:00.000Z")
            score(db, form, "li", drafts.subject(1), 3)
            proposal = datasets.revise(
                db, drafts.items[1], drafts.revisions[1], corrected(1), author="li", reason="unit"
            )
            log.append(db, form, "li", drafts.subject(1), "correction", proposal)
            accept = EventKind.ACCEPT
            log.append(db, form, "li", drafts.subject(1), "correction", proposal, kind=accept)
            log.append(db, form, "li", drafts.subject(1), "", True, kind=EventKind.FLAG)
        log.undo(db, "li", "inspection")
        datasets.release(db, datasets.get(db, "drafts"))
    folder = exported(workspace, tmp_path / "out", "drafts@1")
    assert not verify_export(folder).problems
    assert len(lines(folder / archive.EVENTS)) == 5
    assert bring_in(other, folder).revisions == 2
    assert verify(other.db).ok


def test_what_came_after_a_release_is_left_out_though_the_clock_was_set_back(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with workspace.write(durable=True) as db:
        drafts, form = make_drafts(db), register(db)
        score(db, form, "li", drafts.subject(1), 4)
        datasets.release(db, datasets.get(db, "drafts"))
    expected = exported(workspace, tmp_path / "before", "drafts@1")
    for module in (log, datasets):
        monkeypatch.setattr(module, "now_text", lambda: "2001-01-01T00:00:00.000Z")
    with workspace.write(durable=True) as db:
        score(db, form, "wang", drafts.subject(1), 2)
        datasets.revise(
            db, drafts.items[1], drafts.revisions[1], corrected(1), author="wang", reason="unit"
        )
    found = exported(workspace, tmp_path / "after", "drafts@1")
    for name in (archive.ITEMS, archive.EVENTS):
        assert (found / name).read_bytes() == (expected / name).read_bytes()


def test_states_and_heads_follow_the_imported_labels(
    history: Workspace, other: Workspace, tmp_path: Path
):
    bring_in(other, exported(history, tmp_path / "out"))
    query = (
        "SELECT item_key, state, number, author FROM item JOIN revision ON revision.id = head"
        " ORDER BY item.id"
    )
    there = other.db.execute(query).fetchall()
    assert there == history.db.execute(query).fetchall()
    assert ("i2", "accepted", 2, "li") in there
    assert ("i3", "discarded", 1, "model") in there
    assert ("i5", "drafted", 1, "model") in there
    frozen = datasets.released_items(other.db, datasets.find_release(other.db, "drafts@1").id)
    assert [item.item_key for item in frozen] == ["i0", "i1", "i2", "i4"]


def test_undo_does_not_reach_what_was_imported(
    history: Workspace, other: Workspace, tmp_path: Path
):
    bring_in(other, exported(history, tmp_path / "out"))
    form = forms.latest(other.db, "inspection")
    (revision,) = other.db.execute("SELECT head FROM item WHERE item_key = 'i5'").fetchone()
    with other.write(durable=True) as db:
        assert log.undo(db, "li", "inspection") is None
        assert log.redo(db, "li", "inspection") is None
        log.append(db, form, "li", Subject("revision", str(revision)), "score", 4)
        assert log.undo(db, "li", "inspection") is not None
        assert log.undo(db, "li", "inspection") is None
    assert verify(other.db).ok


def test_provenance_stands_in_the_statistics_again(
    history: Workspace, other: Workspace, tmp_path: Path
):
    bring_in(other, exported(history, tmp_path / "out"))
    (job,) = generations.of_dataset(other.db, datasets.get(other.db, "drafts").id)
    assert generations.get(other.db, job).settings.model == "qwen"


def test_a_release_is_exported_as_it_was_frozen(
    history: Workspace, other: Workspace, tmp_path: Path
):
    folder = exported(history, tmp_path / "out", "drafts@1")
    with history.write(durable=True) as db:
        form = forms.latest(db, "inspection")
        (revision,) = db.execute("SELECT head FROM item WHERE item_key = 'i0'").fetchone()
        log.append(db, form, "li", Subject("revision", str(revision)), "score", 1)
    again = exported(history, tmp_path / "again", "drafts@1")
    assert manifest.read(again) == manifest.read(folder)
    said = manifest.read(folder)
    assert said.by_status == {"accepted": 4}
    assert said.by_rater == {"li": 3, "王芳": 3}
    assert said.by_guideline == {"inspection 1": 1, "inspection 2": 5}
    assert bring_in(other, folder).releases == ("drafts@1",)
    assert verify(other.db).ok


def test_importing_twice_adds_nothing(history: Workspace, other: Workspace, tmp_path: Path):
    folder = exported(history, tmp_path / "out")
    bring_in(other, folder)
    before = other.db.execute("SELECT count(*) FROM label_event").fetchone()
    assert bring_in(other, folder).known == 8
    assert other.db.execute("SELECT count(*) FROM label_event").fetchone() == before
    # under another name it is another dataset, beside the first, on the same documents
    assert bring_in(other, folder, "second").documents == 4
    assert other.db.execute("SELECT count(*) FROM document").fetchone() == (4,)
    assert verify(other.db).ok


def test_a_dataset_of_that_name_with_other_labels_is_refused(history: Workspace, tmp_path: Path):
    folder = exported(history, tmp_path / "out")
    with history.write(durable=True) as db:
        log.undo(db, "li", "inspection")
    with pytest.raises(UsageError, match="not the one"):
        import_archive(history, folder, corpus_name="drafted", dataset_name="drafts")


@pytest.mark.parametrize(
    ("name", "old", "new", "word"),
    [
        (archive.ITEMS, '"head":1', '"head":9', "line 1: a revision is named"),
        (archive.ITEMS, '"state":"accepted"', '"state":"gone"', "line 1: Invalid enum value"),
        (archive.EVENTS, '"item":"i0"', '"item":"gone"', "line 1: there is no item 'gone'"),
        (archive.EVENTS, '"form_version":1', '"form_version":7', "has no form 'inspection'"),
        (archive.DOCUMENTS, "Bond prices", "Bond price", "is not the text"),
        (archive.ITEMS, '"parent":null', '"parent":null,"x":1', "line 1: Object contains unknown"),
    ],
)
def test_a_line_that_does_not_fit_imports_nothing(
    history: Workspace,
    other: Workspace,
    tmp_path: Path,
    name: str,
    old: str,
    new: str,
    word: str,
):
    folder = exported(history, tmp_path / "out")
    text = (folder / name).read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(InputError, match="is not what its manifest says"):
        bring_in(other, folder)
    # a manifest that agrees with the damage does not make it fit
    said = json.loads((folder / manifest.NAME).read_text("utf-8"))
    said["files"][name] = _entry(folder / name)
    (folder / manifest.NAME).write_text(json.dumps(said), "utf-8")
    with pytest.raises(InputError, match=word):
        bring_in(other, folder)
    for table in ("dataset", "item", "label_event", "document", "job"):
        assert other.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def _entry(file: Path) -> dict[str, object]:
    from hashlib import sha256

    data = file.read_bytes()
    return {"sha256": sha256(data).hexdigest(), "bytes": len(data), "rows": None}


def test_counts_that_the_manifest_invents_are_found(history: Workspace, tmp_path: Path):
    folder = exported(history, tmp_path / "out")
    assert verify_export(folder).problems == ()
    said = json.loads((folder / manifest.NAME).read_text("utf-8"))
    said["by_status"]["accepted"] += 1
    said["by_rater"]["li"] -= 1
    (folder / manifest.NAME).write_text(json.dumps(said), "utf-8")
    problems = verify_export(folder).problems
    assert [problem.partition(":")[0] for problem in problems] == ["rater li", "status accepted"]
