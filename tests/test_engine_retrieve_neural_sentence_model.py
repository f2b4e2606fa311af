"""A real sentence-transformers model embeds, with instructions once and weights identified."""

from __future__ import annotations

import os
import shutil

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when the hub's client is imported

import numpy as np
import pytest
from neural_models import minilm_copy, minilm_folder

from engine.retrieve.index.artefacts import index_folder, open_or_build
from engine.retrieve.index.base import IndexColumns
from engine.retrieve.index.embedding import EmbeddingIndex
from engine.retrieve.neural.sentence_model import SentenceModel
from engine.retrieve.neural.weights import dtype_of, weights_id
from store.errors import InputError
from store.systems import EmbeddingConfig

pytestmark = pytest.mark.neural

TEXTS = [
    "The central bank raised its key interest rate by half a percentage point.",
    "Bread is baked from flour, water, salt and yeast.",
    "The dog chased the cat across the garden.",
    "Quarterly sales of the software division grew by nine percent.",
]


def config(model=None, **fields):
    fields.setdefault("dtype", "float32")
    return EmbeddingConfig(name="minilm", model=str(model or minilm_folder()), **fields)


def plain(texts):
    from sentence_transformers import SentenceTransformer

    vectors = SentenceTransformer(str(minilm_folder())).encode(texts)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def columns(texts=TEXTS):
    ids = [f"d{row}" for row in range(len(texts))]
    return IndexColumns(ids, [0] * len(texts), [len(text) for text in texts], texts)


def open_index(root, given, texts=TEXTS, notify=print):
    kind = EmbeddingIndex(given, SentenceModel(given), notify)
    return open_or_build(root, kind, str(len(texts)), lambda: columns(texts), notify=notify)


def test_texts_are_found_by_their_meaning(tmp_path):
    retriever = open_index(tmp_path, config())
    found = retriever.search(["monetary policy", "a recipe", "pets", "turnover of a business"], 1)
    assert [hits[0].document_id for hits in found] == ["d0", "d1", "d2", "d3"]


def test_vectors_are_those_of_the_library(tmp_path):
    expected = plain(["monetary policy"]) @ plain(TEXTS).T
    hits = open_index(tmp_path, config()).search(["monetary policy"], 4)[0]
    order = np.argsort(-expected[0])
    assert [hit.document_id for hit in hits] == [f"d{row}" for row in order]
    assert [hit.score for hit in hits] == pytest.approx(expected[0][order], abs=1e-5)


@pytest.mark.parametrize("role", ["query", "document"])
def test_a_text_has_the_vector_that_it_has_alone(role):
    model = SentenceModel(config())
    texts = ["monetary policy", "a recipe", *TEXTS, "pets", "利率上升了多少？", "key rates"]
    alone = np.vstack([model.embed_each([text], role) for text in texts])
    assert np.array_equal(model.embed_each(texts, role), alone)


def test_bfloat16_vectors_are_near_and_of_length_one(tmp_path):
    fine = open_index(tmp_path, config()).search(TEXTS, 4)
    coarse = open_index(tmp_path, config(dtype="bfloat16")).search(TEXTS, 4)
    for one, other in zip(fine, coarse, strict=True):
        assert other[0].score == pytest.approx(1, abs=2e-3)
        scores = {hit.document_id: hit.score for hit in one}
        assert all(hit.score == pytest.approx(scores[hit.document_id], abs=0.02) for hit in other)


def test_auto_takes_a_dtype_and_names_it():
    assert dtype_of(config(dtype="auto")) in ("float32", "bfloat16", "float16")
    assert SentenceModel(config(dtype="auto")).identity()["dtype"] == dtype_of(config(dtype="auto"))


def instructions(given):
    model = SentenceModel(given)
    return model.instruction("query"), model.instruction("document")


def assert_embeds(given, role, text):
    """The vector for TEXTS[0] is the one that the plain library gives for `text`."""
    found = SentenceModel(given).embed(TEXTS[:1], role)
    assert found @ plain([text]).T == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("role", ["query", "document"])
@pytest.mark.parametrize(
    ("query", "document"),
    [("query: ", "passage: "), ("为这个句子生成表示: ", ""), ("", "passage: "), (None, None)],
)
def test_given_instructions_stand_once_before_their_side(role, query, document):
    given = config(query_instruction=query, document_instruction=document)
    own = {"query": query, "document": document}[role] or ""
    assert_embeds(given, role, own + TEXTS[0])


@pytest.fixture(scope="module")
def declaring(tmp_path_factory):
    """A model that declares both instructions, and one of them as its default for everything."""
    return minilm_copy(
        tmp_path_factory.mktemp("declaring") / "model",
        prompts={"query": "query: ", "passage": "passage: "},
        default_prompt_name="query",
    )


def test_declared_instructions_hold_unless_others_are_given(declaring):
    assert instructions(config(declaring)) == ("query: ", "passage: ")
    assert_embeds(config(declaring), "query", "query: " + TEXTS[0])
    assert_embeds(config(declaring), "document", "passage: " + TEXTS[0])


def test_given_instructions_replace_declared_ones_and_are_not_added_to_them(declaring):
    given = config(declaring, query_instruction="Q: ", document_instruction="D: ")
    assert instructions(given) == ("Q: ", "D: ")
    assert_embeds(given, "query", "Q: " + TEXTS[0])
    assert_embeds(given, "document", "D: " + TEXTS[0])


def test_empty_instructions_switch_declared_ones_off(declaring):
    given = config(declaring, query_instruction="", document_instruction="")
    assert_embeds(given, "query", TEXTS[0])
    assert_embeds(given, "document", TEXTS[0])


def test_a_default_that_is_for_neither_side_is_for_neither_side(tmp_path):
    model = minilm_copy(tmp_path / "model", prompts={"sts": "Compare: "}, default_prompt_name="sts")
    assert instructions(config(model)) == ("", "")
    assert_embeds(config(model), "document", TEXTS[0])


def test_weights_are_known_by_their_content_and_not_by_their_place(tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    for folder in (first, second):
        shutil.copytree(minilm_folder(), folder)
    assert weights_id(config(first)) == weights_id(config(second))
    (first / "README.md").write_text("other words", encoding="utf-8")
    assert weights_id(config(first)) == weights_id(config(second))
    (second / "1_Pooling" / "config.json").write_text("{}", encoding="utf-8")
    assert weights_id(config(first)) != weights_id(config(second))


def test_an_index_is_built_again_for_other_weights_or_lengths_only(tmp_path):
    def index_of(given):
        open_index(tmp_path, given)
        return len(list(index_folder(tmp_path).iterdir()))

    moved = tmp_path / "moved"
    shutil.copytree(minilm_folder(), moved)
    assert index_of(config()) == 1
    assert index_of(config(moved, batch=4, query_instruction="query: ")) == 1
    assert index_of(config(max_length=16)) == 2
    assert index_of(config(document_instruction="passage: ")) == 3
    (moved / "modules.json").write_bytes((moved / "modules.json").read_bytes() + b"\n")
    assert index_of(config(moved)) == 4


def test_a_longest_input_cuts_texts():
    long = "rate " * 200
    short = SentenceModel(config(max_length=16))
    assert short.embed([long], "document") == pytest.approx(
        short.embed(["rate " * 50], "document"), abs=1e-5
    )


def test_chinese_in_an_english_model_is_noticed(tmp_path):
    notices: list[str] = []
    chinese = ["央行下调贷款市场报价利率十个基点", "该基金净值上涨，规模创下新高"]
    open_index(tmp_path, config(), chinese, notices.append)
    assert len(notices) == 1
    assert "'minilm' does not know" in notices[0]
    open_index(tmp_path, config(), chinese, notices.append)
    assert notices[1:] == notices[:1]  # and said again when the index is opened


def test_english_in_an_english_model_is_not(tmp_path):
    notices: list[str] = []
    open_index(tmp_path, config(), TEXTS, notices.append)
    assert notices == []


def test_texts_longer_than_the_model_reads_are_noticed(tmp_path):
    notices: list[str] = []
    open_index(tmp_path, config(max_length=32), [text * 8 for text in TEXTS], notices.append)
    assert "reads the first 32 tokens" in notices[0]


@pytest.mark.parametrize("broken", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_broken_model_is_one_sentence(tmp_path, broken):
    folder = tmp_path / "model"
    shutil.copytree(minilm_folder(), folder)
    (folder / broken).write_bytes(b"not what it was")
    with pytest.raises(InputError, match=r"'minilm' .* cannot be loaded") as caught:
        open_index(tmp_path, config(folder))
    assert "\n" not in str(caught.value)


def test_a_missing_folder_and_an_unreachable_hub_are_one_sentence(tmp_path):
    with pytest.raises(InputError, match="which is not a folder"):
        open_index(tmp_path, config(tmp_path / "nothing"))
    on_the_hub = EmbeddingConfig(name="far", model="nobody/nothing-of-this-name")
    with pytest.raises(InputError, match=r"'far' .* cannot be loaded.*download it first"):
        open_index(tmp_path, on_the_hub)
