"""An embedding index finds by nearness, gives instructions once, and survives interruptions."""

from __future__ import annotations

import numpy as np
import pytest

from engine.retrieve.index import lsa
from engine.retrieve.index.artefacts import index_folder, open_or_build
from engine.retrieve.index.base import IndexColumns, no_progress
from engine.retrieve.index.embedding import (
    EmbeddingIndex,
    Fit,
    PrefixedEmbedder,
    fit_notices,
    sample,
)
from engine.retrieve.index.postings import read_vocabulary
from engine.retrieve.index.ranking import read_array
from store.errors import InputError, RagdeskError
from store.records import MixedQuery
from store.systems import EmbeddingConfig

WORDS = ["利率", "贷款", "存款", "基金", "净值", "股票", "revenue", "income", "cash", "loan"]
WORDS += ["bond", "fund", "risk", "query", "passage"]
TEXTS = [f"{one} {other} {one}" for one in WORDS for other in WORDS if one != other]
CONFIG = EmbeddingConfig(name="vectors", model="projector")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A real embedder without weights: the projection of an LSA index over the same texts."""
    folder = tmp_path_factory.mktemp("lsa")
    lsa.LsaIndex().build(TEXTS, folder, no_progress)
    return lsa.Projector(
        read_vocabulary(folder / "vocabulary.json"),
        read_array(folder / "idf.npy"),
        read_array(folder / "projection.npy"),
    ).embed


class Recorder:
    """Passes texts on to a real embedder and remembers them."""

    def __init__(self, embed):
        self.inner = embed
        self.texts = []

    def __call__(self, texts):
        self.texts += texts
        return self.inner(texts)


def columns(texts=TEXTS):
    ids = [f"d{row:03}" for row in range(len(texts))]
    return IndexColumns(ids, [0] * len(texts), [len(text) for text in texts], texts)


def open_index(root, embed, config=CONFIG, notify=print, part_size=50, progress=no_progress, **own):
    embedder = PrefixedEmbedder(embed, {"model": "projector"}, part_size=part_size, **own)
    kind = EmbeddingIndex(config, embedder, notify)
    return open_or_build(root, kind, "print", columns, notify=notify, progress=progress)


def names(hits):
    return [hit.document_id for hit in hits]


def test_scores_are_cosines_and_every_chunk_has_one(tmp_path, project):
    retriever = open_index(tmp_path, project)
    queries = TEXTS[:3]
    cosines = project(queries) @ project(TEXTS).T
    for expected, hits in zip(cosines, retriever.search(queries, 999), strict=True):
        rows = [int(name[1:]) for name in names(hits)]
        assert sorted(rows) == list(range(len(TEXTS)))
        assert [hit.score for hit in hits] == pytest.approx(expected[rows], abs=2e-6)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.document_id))
    assert retriever.name == "vectors"


def test_a_hypothetical_text_is_mixed_in_by_alpha_as_a_document_is_embedded(tmp_path, project):
    recorder = Recorder(project)
    instructions = {"query_instruction": "query: ", "document_instruction": "passage: "}
    retriever = open_index(tmp_path, recorder, **instructions)
    recorder.texts.clear()
    asked = [MixedQuery("利率 贷款", "fund risk", alpha) for alpha in (0.0, 0.25, 1.0)]
    found = retriever.search([*asked, "cash"], 999)
    questions = ["query: 利率 贷款"] * 3 + ["query: cash"]
    assert recorder.texts == [*questions, *["passage: fund risk"] * 3]

    own, other = project(["query: 利率 贷款", "passage: fund risk"])
    documents = project([f"passage: {text}" for text in TEXTS])
    for query, hits in zip(asked, found, strict=False):
        mix = query.alpha * own + (1 - query.alpha) * other
        cosines = documents @ (mix / np.linalg.norm(mix))
        rows = [int(name[1:]) for name in names(hits)]
        assert [hit.score for hit in hits] == pytest.approx(cosines[rows], abs=2e-6)
    assert found[3] == retriever.search(["cash"], 999)[0]


def test_nearest_chunks_are_averaged_with_the_query_whatever_its_length(tmp_path, project):
    def longer(texts):
        return project(texts) * np.float32(3)

    raw = EmbeddingConfig(name="raw", model="projector", normalise=False)
    for folder, embed, config in (("a", project, CONFIG), ("b", longer, raw)):
        retriever = open_index(tmp_path / folder, embed, config)
        nearest = tuple(retriever.search(["利率 贷款"], 2)[0])
        chunks = [TEXTS[int(hit.document_id[1:])] for hit in nearest]
        mean = project(["利率 贷款", *chunks]).mean(axis=0)
        query, vectors = embed(["利率 贷款"])[0], embed(TEXTS)
        scores = vectors @ (mean / np.linalg.norm(mean) * np.linalg.norm(query))
        found = retriever.search([MixedQuery("利率 贷款", nearest=nearest)], 999)[0]
        rows = [int(name[1:]) for name in names(found)]
        assert [hit.score for hit in found] == pytest.approx(scores[rows], abs=2e-5)


def test_a_blank_query_has_no_hits(tmp_path, project):
    found = open_index(tmp_path, project).search(["", "  \n", "利率"], 2)
    assert [len(hits) for hits in found] == [0, 0, 2]
    assert open_index(tmp_path, project).search([], 2) == []


def test_vectors_are_brought_to_length_one_unless_asked_otherwise(tmp_path, project):
    def longer(texts):
        return project(texts) * np.float32(3)

    assert open_index(tmp_path / "a", longer).search(TEXTS[:1], 1)[0][0].score == pytest.approx(1)
    raw = EmbeddingConfig(name="raw", model="projector", normalise=False)
    assert open_index(tmp_path / "b", longer, raw).search(TEXTS[:1], 1)[0][0].score == (
        pytest.approx(9)
    )


def test_half_precision_halves_the_file_and_keeps_the_order(tmp_path, project):
    half = EmbeddingConfig(name="half", model="projector", storage="float16")
    full = open_index(tmp_path / "a", project).search(TEXTS[:20], 1)
    found = open_index(tmp_path / "b", project, half).search(TEXTS[:20], 1)
    assert [names(hits) for hits in found] == [names(hits) for hits in full]
    sizes = [next((tmp_path / name).rglob("vectors.faiss")).stat().st_size for name in "ab"]
    assert sizes[1] < 0.55 * sizes[0]


def test_instructions_stand_once_and_on_their_side_only(tmp_path, project):
    seen = Recorder(project)
    retriever = open_index(
        tmp_path, seen, query_instruction="query: ", document_instruction="passage: "
    )
    assert sorted(seen.texts) == sorted(f"passage: {text}" for text in TEXTS)
    seen.texts.clear()
    retriever.search(["利率", "query: cash"], 3)
    assert seen.texts == ["query: 利率", "query: query: cash"]


def test_no_instruction_leaves_texts_as_they_are(tmp_path, project):
    seen = Recorder(project)
    open_index(tmp_path, seen).search(["利率"], 3)
    assert sorted(seen.texts) == sorted([*TEXTS, "利率"])


def test_only_what_shapes_the_vectors_makes_another_index(tmp_path, project):
    def index_of(config=CONFIG, **own):
        open_index(tmp_path, project, config, **own)
        return {path.name for path in index_folder(tmp_path).iterdir()}

    first = index_of()
    assert index_of(query_instruction="query: ") == first
    assert index_of(EmbeddingConfig(name="renamed", model="x", batch=7)) == first
    assert len(index_of(document_instruction="passage: ")) == 2
    assert len(index_of(EmbeddingConfig(name="a", model="x", normalise=False))) == 3
    assert len(index_of(EmbeddingConfig(name="a", model="x", storage="float16"))) == 4
    assert index_of() > first


def test_an_index_that_is_there_needs_no_embedding(tmp_path, project):
    open_index(tmp_path, project)
    seen, notices = Recorder(project), []
    again = open_index(tmp_path, seen, notify=notices.append)
    assert seen.texts == []
    assert names(again.search(TEXTS[:1], 1)[0]) == ["d000"]
    assert notices == []


def test_an_interrupted_build_goes_on_where_it_was(tmp_path, project):
    def fails_late(texts):
        if len(seen.texts) >= 150:
            raise RagdeskError("The endpoint is down.")
        return seen(texts)

    seen = Recorder(project)
    with pytest.raises(RagdeskError, match="is down"):
        open_index(tmp_path, fails_late)
    first = list(seen.texts)
    seen = Recorder(project)
    retriever = open_index(tmp_path, seen)
    assert len(first) == 150
    assert sorted(first + seen.texts) == sorted(TEXTS)
    assert not list(index_folder(tmp_path).glob(".*"))
    fresh = open_index(tmp_path / "fresh", project)
    assert retriever.search(TEXTS, 9) == fresh.search(TEXTS, 9)


def test_a_damaged_part_is_embedded_again(tmp_path, project):
    calls = []

    def fails_late(texts):
        calls.append(texts)
        if len(calls) > 2:
            raise RagdeskError("The endpoint is down.")
        return project(texts)

    with pytest.raises(RagdeskError):
        open_index(tmp_path, fails_late)
    first, second = sorted(index_folder(tmp_path).glob(".*/*.npy"))
    first.write_bytes(first.read_bytes()[:100])
    second.write_bytes(b"")
    seen = Recorder(project)
    open_index(tmp_path, seen)
    assert sorted(seen.texts) == sorted(TEXTS)


def test_the_longest_texts_come_first_and_progress_counts_texts(tmp_path, project):
    seen, steps = Recorder(project), []
    open_index(tmp_path, seen, part_size=100, progress=lambda *step: steps.append(step))
    lengths = [len(text) for text in seen.texts]
    assert lengths == sorted(lengths, reverse=True)
    assert steps == [
        ("embed", done, len(TEXTS)) for done in [*range(0, len(TEXTS), 100), len(TEXTS)]
    ]


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_vectors_that_are_no_numbers_are_refused(tmp_path, project, wrong):
    with pytest.raises(RagdeskError, match="not numbers"):
        open_index(tmp_path, lambda texts: project(texts) * np.float32(wrong))


def test_a_corpus_without_text_is_refused(tmp_path, project):
    kind = EmbeddingIndex(CONFIG, PrefixedEmbedder(project, {}), print)
    with pytest.raises(InputError, match="none of 2 chunks holds a word"):
        open_or_build(tmp_path, kind, "print", lambda: columns(["", " \n"]))


def test_a_sample_is_spread_over_all_texts():
    assert sample(TEXTS[:5]) == TEXTS[:5]
    many = [str(number) for number in range(10_000)]
    assert len(sample(many)) == 256
    assert int(sample(many)[-1]) > 9_900


def test_a_model_that_does_not_suit_the_corpus_is_named():
    assert fit_notices("m", None) == []
    assert fit_notices("m", Fit(unknown=0.1, cut=0.1, max_length=256)) == []
    unknown, cut = fit_notices("m", Fit(unknown=0.61, cut=0.4, max_length=256))
    assert "'m' does not know 61% of the corpus' tokens" in unknown
    assert "reads the first 256 tokens" in cut
    assert "leaves out 40%" in cut
