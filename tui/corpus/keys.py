"""The keys of the Corpus screen and of a document."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked
from tui.shell.signs import WORK, Sign

CORPUS: tuple[Action, ...] = (
    asked(
        "tui.corpus.add_paths:ask_documents",
        "add documents",
        "Read (ingest) files or a folder into a corpus.",
    ),
    asked(
        "tui.corpus.graphs:ask_graph",
        "build a graph",
        "Link the documents of a corpus by the entities that they share.",
    ),
    act(
        "corpus.propose",
        "*",
        "new topics",
        "Build a taxonomy for the corpus, where its documents fit no topic.",
        in_footer=True,
    ),
    act(
        "corpus.find",
        "/",
        "find",
        "Find documents by their text, from one character up.",
        in_footer=True,
    ),
    act(
        "corpus.add",
        "+",
        "add",
        "Read files or a folder into a corpus.",
        sense="new",
        in_footer=True,
    ),
    act(
        "corpus.entities",
        "~",
        "entities",
        "The entities of the corpus, with their passages and the items that name them.",
        in_footer=True,
    ),
    act(
        "corpus.refused",
        "R",
        "refused",
        "The files that could not be read, with the reasons.",
        in_footer=True,
    ),
)

DOCUMENT: tuple[Action, ...] = (
    act("document.next", "]", "document", "The next document of the list.", in_footer=True),
    act("document.previous", "[", "document before", "The document before, in the list."),
    act(
        "document.find",
        "/",
        "find",
        "Find in the text, from one character up.",
        in_footer=True,
    ),
    act("document.next_mark", "n", "chunk or match", "The next chunk or match.", in_footer=True),
    act("document.previous_mark", "N", "previous mark", "The chunk or match before."),
    act(
        "document.whole",
        "w",
        "one pane",
        "The text alone, or with what is known of it.",
        in_footer=True,
    ),
)

ENTITIES: tuple[Action, ...] = (
    act("entities.whole", "w", "one pane", "The list alone, or with the entity.", in_footer=True),
)

ACTIONS: tuple[Action, ...] = (*CORPUS, *DOCUMENT, *ENTITIES)

PLACES: tuple[Place, ...] = (
    Place(
        "corpus",
        "Corpus",
        2,
        ("rows",),
        signs=(Sign("!", "Files or parts that could not be read.", "warn"), *WORK),
    ),
    Place(
        "document",
        "Document",
        0,
        ("sheet", "passage"),
        signs=(Sign("[", "A chunk begins here; shaded: text in two chunks.", "chunk"),),
    ),
    Place("entities", "Entities", 0, ("rows", "sheet")),
)
