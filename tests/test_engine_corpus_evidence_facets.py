"""Modality and hops of items, by their evidence and by people."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.corpus.evidence_facets import Place, derived_facets, facets_of, with_facets
from engine.corpus.ingest import ingest
from engine.corpus.readers.reading import read_paths
from store.corpora import corpora
from store.records import Evidence, ItemContent, Turn
from store.workspace import Workspace, open_workspace

PROSE = "Net sales rose in March.\n"
TABLE = "| Item | 2023 |\n| --- | --- |\n| Net sales | 82,959 |\n"
FAR = "Nothing of the kind is said here. " * 60
"""More than NEAR tokens."""
TEXT = f"{PROSE}\n{TABLE}\n{FAR}\n净利润增长。\n"


def unit(quote: str, document: str = "d", text: str = TEXT) -> Evidence:
    start = text.index(quote)
    return Evidence(document, start, start + len(quote), quote)


PLACES = {name: Place(TEXT, file) for name, file in (("d", "a"), ("page 2", "a"), ("e", "b"))}


@pytest.mark.parametrize(
    ("evidence", "modality"),
    [
        ([unit("rose in March")], "text"),
        ([unit("82,959")], "table"),
        ([unit("净利润增长"), unit("Net sales | 82,959")], "both"),
        ([unit(f"March.\n\n{TABLE}"[:30])], "both"),
        ([Evidence("d")], "both"),
    ],
)
def test_the_lines_that_evidence_touches_tell_its_modality(
    evidence: list[Evidence], modality: str
) -> None:
    assert facets_of(evidence, PLACES)["modality"] == modality


@pytest.mark.parametrize(
    ("evidence", "hops"),
    [
        ([unit("Net sales rose")], "single"),
        ([unit("82,959"), unit("Net sales rose")], "single"),
        ([unit("净利润增长"), unit("Net sales rose")], "intra"),
        ([unit("Net sales rose"), unit("Net sales rose", "page 2")], "intra"),
        ([unit("Net sales rose"), unit("Net sales rose", "e")], "inter"),
    ],
)
def test_places_of_evidence_tell_the_hops(evidence: list[Evidence], hops: str) -> None:
    assert facets_of(evidence, PLACES)["hops"] == hops


def test_without_evidence_nothing_follows() -> None:
    assert facets_of([], PLACES) == {}


class TestStored:
    @pytest.fixture
    def workspace(self, tmp_path: Path) -> Workspace:
        (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
        (tmp_path / "b.txt").write_text(f"另一家\n{TEXT}", encoding="utf-8")
        workspace = open_workspace(tmp_path / "w", create=True)
        ingest(workspace, "c", read_paths([tmp_path / "a.txt", tmp_path / "b.txt"]))
        return workspace

    def content(self, workspace: Workspace, *quotes: str) -> ItemContent:
        corpus = corpora.get(workspace.db, "c")
        (document, *_) = corpora.documents(workspace.db, corpus)
        units = tuple(unit(quote, document.document_id, document.text) for quote in quotes)
        return ItemContent((Turn("q?", ("a",), units),))

    def test_what_evidence_says_follows_its_changes(self, workspace: Workspace) -> None:
        corpus = corpora.get(workspace.db, "c")
        first = with_facets(workspace.db, corpus, self.content(workspace, "82,959"))
        assert first.facets == {"modality": "table", "hops": "single"}
        other = replace(first, turns=self.content(workspace, "82,959", "净利润增长").turns)
        now = with_facets(workspace.db, corpus, other, first)
        assert now.facets == {"modality": "both", "hops": "intra"}
        empty = replace(now, turns=(Turn("q?"),))
        assert with_facets(workspace.db, corpus, empty, now).facets == {}

    def test_what_a_person_says_is_kept_and_wins(self, workspace: Workspace) -> None:
        corpus = corpora.get(workspace.db, "c")
        first = with_facets(workspace.db, corpus, self.content(workspace, "82,959"))
        said = replace(first, facets={**first.facets, "modality": "text", "kind": "x"})
        corrected = with_facets(workspace.db, corpus, said, first)
        assert corrected.facets == {"modality": "text", "hops": "single", "kind": "x"}
        other = replace(corrected, turns=self.content(workspace, "82,959", "净利润增长").turns)
        now = with_facets(workspace.db, corpus, other, corrected)
        assert now.facets == {"modality": "text", "hops": "intra", "kind": "x"}
        assert derived_facets(workspace.db, corpus, now)["modality"] == "both"
