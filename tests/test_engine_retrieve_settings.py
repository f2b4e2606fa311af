"""Embeddings and rerankers are read from ragdesk.toml with every mistake named."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.evaluate.systems import find_system, systems
from engine.retrieve.settings import find_retrieval, neural_settings
from store.errors import InputError, UsageError
from store.systems import EmbeddingConfig, RerankerConfig, RerankStage, Retrieval

WHOLE = """
[providers.jina]
base_url = "https://api.jina.ai/v1/"
model = "jina-embeddings-v3"
api_key_env = "JINA_KEY"

[embeddings.e5]
model = "intfloat/multilingual-e5-base"
revision = "d13f1b27"
query_instruction = "query: "
document_instruction = "passage: "
max_length = 512
dtype = "float32"
storage = "float16"

[embeddings.local]
model = "models/minilm"

[embeddings.remote]
provider = "jina"
normalise = false
document_instruction = ""

[rerankers.bge]
model = "BAAI/bge-reranker-base"
batch = 8

[rerankers.small]
model = "models/minilm"

[systems.both]
retriever = "hybrid:bm25*0.5+e5"
reranker = ["bge", "small"]
rerank_depth = [200, 20]
top_k = 8

[systems.plain]
retriever = "local"
reranker = "bge"
rerank_depth = 30
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "models" / "minilm").mkdir(parents=True)
    (tmp_path / "ragdesk.toml").write_text(WHOLE, encoding="utf-8")
    return tmp_path


def complaint(folder, text, read=neural_settings):
    (folder / "ragdesk.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(folder)
    assert str(folder / "ragdesk.toml") in caught.value.message
    assert caught.value.remedy
    return str(caught.value)


def test_a_workspace_without_settings_has_no_models(tmp_path):
    assert neural_settings(tmp_path).embeddings == {}
    assert neural_settings(tmp_path).rerankers == {}


def test_tables_are_read_with_their_types(folder):
    found = neural_settings(folder)
    assert found.embeddings["e5"] == EmbeddingConfig(
        name="e5",
        model="intfloat/multilingual-e5-base",
        revision="d13f1b27",
        query_instruction="query: ",
        document_instruction="passage: ",
        max_length=512,
        dtype="float32",
        storage="float16",
    )
    assert found.rerankers["bge"] == RerankerConfig("bge", "BAAI/bge-reranker-base", batch=8)


def test_a_folder_is_seen_from_the_workspace(folder):
    found = neural_settings(folder)
    expected = str((folder / "models" / "minilm").resolve())
    assert found.embeddings["local"].model == found.rerankers["small"].model == expected


def test_an_endpoint_brings_its_model_and_address(folder):
    assert neural_settings(folder).embeddings["remote"] == EmbeddingConfig(
        name="remote",
        model="jina-embeddings-v3",
        provider="jina",
        endpoint="https://api.jina.ai/v1",
        document_instruction="",
        normalise=False,
    )


def test_a_retrieval_carries_the_settings_of_the_models_it_names(folder):
    settings = neural_settings(folder)
    assert find_retrieval(settings, "bm25") == Retrieval("bm25")
    assert find_retrieval(settings, "hybrid:e5+lsa+remote", ["bge"]) == Retrieval(
        "hybrid:e5+lsa+remote",
        (settings.embeddings["e5"], settings.embeddings["remote"]),
        (RerankStage(settings.rerankers["bge"], 50),),
    )


def test_systems_name_fusions_and_rerankers(folder):
    settings, found = neural_settings(folder), systems(folder)
    assert found["both"].embeddings == (settings.embeddings["e5"],)
    assert [(stage.reranker.name, stage.depth) for stage in found["both"].rerank] == [
        ("bge", 200),
        ("small", 20),
    ]
    assert found["plain"].rerank == (RerankStage(settings.rerankers["bge"], 30),)
    assert found["plain"].retrieval == find_retrieval(settings, "local", ["bge"], [30])
    assert find_system(folder, "closed-book").retrieval is None


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[embeddings.a]\nmodel = "nowhere"', "embeddings.a.model is 'nowhere'"),
        ('[embeddings.a]\nmodel = "/no/such/folder"', "there is no folder /no/such/folder"),
        ('[embeddings.a]\nmodel = "./a/b"', "embeddings.a.model is './a/b'"),
        ("[embeddings.a]\nbatch = 4", "missing required field `model`"),
        ('[embeddings.a]\nmodel = "o/m"\nmax_lenght = 9', "a.max_lenght is unknown. Fields: model"),
        ('[embeddings.a]\nmodel = "o/m"\nendpoint = "x"', "a.endpoint is unknown"),
        ('[embeddings.a]\nmodel = "o/m"\nname = "x"', "a.name is unknown"),
        ('[embeddings.a]\nmodel = "o/m"\nbatch = 0', "a.batch is 0. Use 1 to"),
        ('[embeddings.a]\nmodel = "o/m"\nmax_length = 2', "a.max_length is 2. Use 8 to"),
        ('[embeddings.a]\nmodel = "o/m"\ndtype = "int4"', "Invalid enum value 'int4'"),
        (
            '[embeddings.a]\nmodel = "o/m"\nquery_instruction = 3',
            "Expected `str | null`, got `int`",
        ),
        ('[embeddings.bm25]\nmodel = "o/m"', "'bm25' is a built-in retriever"),
        ('[embeddings."a+b"]\nmodel = "o/m"', "the name 'a+b' cannot be written in a fusion"),
        ('[embeddings.a]\nprovider = "none"', "a.provider is 'none'. Providers with an endpoint"),
        ('[embeddings.a]\nprovider = "offline"', "a.provider is 'offline'"),
        ('[embeddings.a]\nprovider = "p"\nmodel = "o/m"', "a.model does not go with a provider"),
        ('[embeddings.a]\nprovider = "p"\ndtype = "auto"', "a.dtype does not go with a provider"),
        ('[rerankers.r]\nmodel = "nowhere"', "rerankers.r.model is 'nowhere'"),
        (
            '[rerankers.r]\nmodel = "o/m"\nprovider = "p"',
            "rerankers.r.provider does not go with kind",
        ),
        ("embeddings = 3", "Expected `object`, got `int`"),
        ("[embeddings.a", "ragdesk.toml"),
    ],
)
def test_a_wrong_table_is_named_with_its_field(tmp_path, table, message):
    assert message in complaint(tmp_path, table)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('retriever = "nope"', "systems.x: There is no retriever 'nope'. Retrievers: bm25"),
        ('retriever = "hybrid:bm25+nope"', "There is no retriever 'nope'"),
        ('retriever = "hybrid:bm25"', "joins only one retriever"),
        ('retriever = "bm25"\nreranker = "nope"', "There is no reranker 'nope'. Known: r"),
        ('retriever = "bm25"\nreranker = "r"\nrerank_depth = [9, 5]', "1 rerankers and 2 depths"),
        ('retriever = "bm25"\nrerank_depth = 9', "0 rerankers and 1 depths"),
        ('retriever = "bm25"\nreranker = ["r", "r"]\nrerank_depth = [9, 10]', "Use 1 to 9"),
        ('retriever = "bm25"\nreranker = "r"\nrerank_depth = 0', "A rerank depth is 0"),
        ('retriever = "bm25"\nreranker = "r"\nrerank_depth = 2', "top_k is 5, and the last"),
        ('generator = "closed-book"\nreranker = "r"', "systems.x.reranker has nothing to rerank"),
        ("topk = 3", "systems.x has no key 'topk'. Did you mean 'top_k'?"),
    ],
)
def test_a_wrong_system_is_named(tmp_path, lines, message):
    text = f'[rerankers.r]\nmodel = "o/m"\n[systems.x]\n{lines}\n'
    assert message in complaint(tmp_path, text, systems)


def test_the_command_line_is_told_what_there_is(folder):
    settings = neural_settings(folder)
    with pytest.raises(UsageError, match="bm25, bm25-okapi, lsa, e5, local, remote"):
        find_retrieval(settings, "minilm")
    with pytest.raises(UsageError, match="Known: bge, small"):
        find_retrieval(settings, "bm25", ["jina"])


def test_reading_the_settings_costs_no_heavy_import():
    code = "import sys, engine.evaluate.systems; print(sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    for heavy in ("numpy", "torch", "sentence_transformers", "transformers", "faiss", "openai"):
        assert f"'{heavy}'" not in loaded
