"""A provider's `/embeddings` serves as an embedding like any other."""

from __future__ import annotations

import pytest
import scripted_server as scripted
from scripted_server import ScriptedServer

from engine.retrieve.pipeline import open_retriever
from engine.retrieve.settings import find_retrieval, neural_settings
from store.errors import Conflict

SETTINGS = """
[providers.local]
base_url = "{url}"
model = "{model}"
limits = {{ batch = 2 }}
extra = {{ dimensions = 3 }}

[embeddings.remote]
provider = "local"
query_instruction = "query: "
document_instruction = "文: "
"""


def by_characters(request):
    """Vectors of three counts: how much a text speaks of rates, bonds and funds."""
    counts = [
        [float(text.count(word) + 0.01) for word in ("rate", "ond", "基金")]
        for text in request.body["input"]
    ]
    return scripted.embeddings(counts)


def write(workspace, server, model="embedder"):
    text = SETTINGS.format(url=server.base_url, model=model)
    (workspace.folder / "ragdesk.toml").write_text(text, encoding="utf-8")


def test_an_endpoint_embeds_chunks_and_queries(workspace, corpus):
    with ScriptedServer(reply=by_characters) as server:
        write(workspace, server)
        retrieval = find_retrieval(neural_settings(workspace.folder), "remote")
        retriever = open_retriever(workspace, corpus, retrieval)
        found = retriever.search(["基金"], 2)[0]
        sent = [text for request in server.requests for text in request.body["input"]]
        built = server.count
        again = open_retriever(workspace, corpus, retrieval).search(["基金"], 2)[0]
        assert again == found
        assert server.count == built + 1  # the query: the index was there
    assert sent[-1] == "query: 基金"
    assert sent[:-1]
    assert all(text.startswith("文: ") and text.count("文: ") == 1 for text in sent[:-1])
    assert all(len(request.body["input"]) <= 2 for request in server.requests)
    assert server.requests[0].body["dimensions"] == 3
    texts = {
        f"{row[0]}:{row[1]}-{row[2]}": row[3]
        for row in workspace.db.execute(
            "SELECT document_id, start, end, text FROM chunk JOIN document"
            " ON document.id = chunk.document"
        )
    }
    assert "基金" in texts[found[0].chunk_id]


def test_a_provider_that_has_become_another_model_is_refused(workspace, corpus):
    with ScriptedServer(reply=by_characters) as server:
        write(workspace, server)
        retrieval = find_retrieval(neural_settings(workspace.folder), "remote")
        write(workspace, server, model="another")
        with pytest.raises(Conflict, match=r"is another at .* now, and embedder at"):
            open_retriever(workspace, corpus, retrieval)
