"""Taxonomies by name: what comes with ragdesk stays, one's own change while nothing loses them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tiny_workspaces import TAXONOMY, make_corpus, question

from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.stored import find_taxonomy, prune_taxonomy, save_taxonomy, taxonomy_names
from store.corpora import corpora, document_topics, taxonomies
from store.datasets import datasets
from store.errors import Conflict, NotFound, UsageError
from store.records import ItemState
from store.workspace import Workspace


def test_names_are_those_that_ship_and_ones_own(workspace: Workspace):
    with workspace.write() as db:
        save_taxonomy(db, TAXONOMY, "by hand")
        assert taxonomy_names(db) == ("autoevolve", "crud", "ekrag", "omnieval", "tiny")
        assert find_taxonomy(db, "tiny") == TAXONOMY
        assert find_taxonomy(db, "crud") == load_taxonomy("crud")
        with pytest.raises(NotFound, match="crud, ekrag, omnieval, tiny"):
            find_taxonomy(db, "other")


def test_what_ships_is_pruned_as_a_copy_only(workspace: Workspace):
    with workspace.write() as db:
        with pytest.raises(UsageError, match="Prune a copy"):
            prune_taxonomy(db, "omnieval", drop=["fund"])
        made, _ = prune_taxonomy(db, "omnieval", drop=["fund"], new_name="small")
        assert len(made.topics) == 15
        with pytest.raises(UsageError, match="'small' exists already"):
            prune_taxonomy(db, "omnieval", drop=["fund"], new_name="small")
        with pytest.raises(UsageError, match="comes with ragdesk"):
            save_taxonomy(db, load_taxonomy("omnieval"), "x")
        found = taxonomies.find(db, "small")
        assert found is not None
        assert found.origin == "omnieval pruned"


def test_a_dataset_follows_and_keeps_the_topics_its_items_use(workspace: Workspace):
    with workspace.write() as db:
        corpus = make_corpus(db)
        save_taxonomy(db, TAXONOMY, "by hand")
        taxonomy_id = taxonomies.put(db, TAXONOMY)
        made = datasets.create(db, "gold", corpus.id, taxonomy_id)
        item = datasets.add_item(db, made, "q", "g", question(), author="a", reason="r")
        documents = corpora.documents(db, corpus)
        rows = [document.row for document in documents]
        document_topics.put(db, "tiny", [(rows[0], "funds", None), (rows[1], "rates", None)], "m")
        with pytest.raises(Conflict, match="lose its topic 'rates': 1 items of dataset 'gold'"):
            prune_taxonomy(db, "tiny", drop=["rates"])
        with pytest.raises(Conflict, match="lose its task 'extractive'"):
            save_taxonomy(db, replace(TAXONOMY, tasks=TAXONOMY.tasks[1:]), "x")
        pruned, freed = prune_taxonomy(db, "tiny", drop=["funds"])
        assert freed == 1
        assert taxonomies.get(db, datasets.get(db, "gold").taxonomy_id) == pruned
        # a copy may lose what the dataset keeps, and so may the taxonomy once nothing uses it
        prune_taxonomy(db, "tiny", rename={"rates": "Interest"}, new_name="copy")
        datasets.set_state(db, item, ItemState.DRAFTED, ItemState.DISCARDED)
        assert taxonomies.uses(db, "tiny") == []


def test_released_texts_keep_their_topics(workspace: Workspace):
    with workspace.write() as db:
        corpus = make_corpus(db)
        save_taxonomy(db, TAXONOMY, "by hand")
        made = datasets.create(db, "gold", corpus.id, taxonomies.put(db, TAXONOMY))
        datasets.add_item(
            db, made, "q", "g", question(), author="a", reason="r", state=ItemState.ACCEPTED
        )
        datasets.release(db, made)
        db.execute("UPDATE item SET state = 'discarded'")
        with pytest.raises(Conflict, match="'rates'"):
            prune_taxonomy(db, "tiny", drop=["rates"])


def test_an_earlier_content_becomes_current_again(workspace: Workspace):
    with workspace.write() as db:
        save_taxonomy(db, TAXONOMY, "by hand")
        prune_taxonomy(db, "tiny", drop=["funds"])
        save_taxonomy(db, TAXONOMY, "imported")
        assert find_taxonomy(db, "tiny") == TAXONOMY
        assert db.execute("SELECT count(*) FROM taxonomy").fetchone() == (2,)
