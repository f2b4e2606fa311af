"""The built-in system `bm25` as a system of one's own: a function, a program and a service."""

from __future__ import annotations

import json
import os
import sys
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from engine.answer.offline import extract_answer
from engine.retrieve.hidden import HiddenDocuments, search_visible
from engine.retrieve.passages import passages
from engine.retrieve.pipeline import open_retriever
from store.corpora import corpora
from store.systems import Retrieval
from store.workspace import Workspace, open_workspace

FOLDER = "OWN_BM25_FOLDER"


def answer(case: dict[str, Any], folder: str = "") -> dict[str, Any]:
    """The answer of `bm25`, with its passages and a count of tokens."""
    workspace = _workspace(folder or os.environ[FOLDER])
    corpus = corpora.listing(workspace.db)[0]
    retriever = open_retriever(workspace, corpus, Retrieval("bm25"))
    query = "\n".join([*(turn["question"] for turn in case["history"]), case["question"]])
    named = [names[0] for names in case["hidden"]]
    hides = HiddenDocuments(workspace.db, corpus, named) if named else None
    hits = search_visible(retriever, [query], case["top_k"], hides).hits
    texts = passages(workspace.db, corpus, hits)
    history = [(turn["question"], turn["answer"]) for turn in case["history"]]
    made = extract_answer(case["question"], history, texts)
    shown = [
        {"id": hit.document_id, "start": hit.start, "end": hit.end, "text": text.text}
        for hit, text in zip(hits, texts, strict=True)
    ]
    return {
        "answer": made.text,
        "passages": shown,
        "usage": {"prompt_tokens": 20, "completion_tokens": 4},
    }


@cache
def _workspace(folder: str) -> Workspace:
    return open_workspace(Path(folder))


class Service:
    """The same at an address on loopback, one request at a time."""

    def __init__(self, folder: Path) -> None:
        asked: list[dict[str, Any]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                asked.append({**body, "key": self.headers.get("authorization", "")})
                given = json.dumps({"out": [answer(body, str(folder))]}).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(given)))
                self.end_headers()
                self.wfile.write(given)

            def log_message(self, *_: object) -> None:
                pass

        self.asked = asked
        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/ask?tenant=1"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"id": asked.pop("id"), "result": answer(asked)}), flush=True)
