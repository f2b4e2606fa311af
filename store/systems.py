"""The settings of systems under test, as runs freeze them: what retrieves, reranks and answers.

Every type is frozen.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from store.records import ChunkingSettings, HistoryMode


class NeuralModel(Struct, frozen=True, omit_defaults=True):
    """Weights that sentence-transformers loads, and how."""

    name: str
    model: Annotated[
        str, Meta(description="a folder, or ORGANISATION/NAME on the Hugging Face hub")
    ]
    revision: Annotated[
        str, Meta(description="a commit or tag on the hub; empty: the default branch")
    ] = ""
    max_length: Annotated[
        int | None, Meta(description="tokens of a text or pair that are read; empty: the model's")
    ] = None
    dtype: Annotated[
        Literal["auto", "float32", "bfloat16", "float16"],
        Meta(description="auto: bfloat16 where the processor computes with it, else float32"),
    ] = "auto"
    batch: Annotated[int, Meta(description="texts or pairs at once")] = 32
    device: Annotated[str, Meta(description="auto, cpu, cuda, cuda:1 or mps")] = "auto"
    trust_remote_code: Annotated[
        bool, Meta(description="whether Python files that come with the model may run")
    ] = False


class EmbeddingConfig(NeuralModel, frozen=True, omit_defaults=True):
    """A model that turns texts into vectors: weights, or an endpoint's `/embeddings`.

    An instruction stands before every text of its side. Null is what the model itself declares,
    empty is none.
    """

    provider: Annotated[
        str,
        Meta(
            description="whose endpoint gives the vectors",
            extra={"of": "endpoints", "needed": True},
        ),
    ] = ""
    """`model` is then the server's name of the model."""
    endpoint: str = ""
    """The provider's base_url."""
    query_instruction: Annotated[
        str | None, Meta(description="stands before a question; empty: what the model declares")
    ] = None
    document_instruction: Annotated[
        str | None, Meta(description="stands before a chunk; empty: what the model declares")
    ] = None
    normalise: Annotated[
        bool, Meta(description="whether vectors get length 1, so that a score is a cosine")
    ] = True
    storage: Annotated[
        Literal["float32", "float16"], Meta(description="of a number in the index")
    ] = "float32"
    index: Annotated[
        Literal["flat", "hnsw", "ivf"],
        Meta(description="flat: compares all vectors; hnsw, ivf: those near by"),
    ] = "flat"


class RerankerConfig(NeuralModel, frozen=True, omit_defaults=True):
    """A model that reads a query and a text together and gives one score."""

    kind: str = "cross-encoder"
    """One of `engine.retrieve.names.RERANKERS`."""
    instruction: Annotated[
        str | None, Meta(description="for models that take one; empty: what the model declares")
    ] = None
    provider: Annotated[
        str,
        Meta(
            description="the language model that is asked",
            extra={"of": "endpoints", "needed": True},
        ),
    ] = ""
    """`model` is then its name there."""
    window: Annotated[int, Meta(description="passages that are put in order at once")] = 20
    step: Annotated[int, Meta(description="passages from one window to the next")] = 10


class RerankStage(Struct, frozen=True):
    """A stage that reranks the best `depth` chunks so far and drops all others."""

    reranker: RerankerConfig
    depth: int


class StageConfig(Struct, frozen=True, omit_defaults=True):
    """A stage that a system's settings name, one of those in `engine.retrieve.stages`."""

    name: str
    options: dict[str, Any] = {}
    provider: str = ""
    """The model that it asks; empty for the system's own."""
    asked: str = ""
    """Of a stage that has a model change what chunks are indexed by, once a run has frozen it: a
    hash of the model and the prompts, which say what texts it makes."""


class Retrieval(Struct, frozen=True, omit_defaults=True):
    """The way of retrieving chunks, with the settings of every model involved."""

    retriever: str
    """`bm25`, `bm25-okapi`, `lsa`, an embedding's name, or a fusion: `hybrid:bm25+NAME*0.5`."""
    embeddings: tuple[EmbeddingConfig, ...] = ()
    """Those that `retriever` names."""
    rerank: tuple[RerankStage, ...] = ()
    """In the order in which they are applied."""
    chunking: ChunkingSettings | None = None
    """Null for the chunking of the corpus."""
    corpus: tuple[StageConfig, ...] = ()
    """The stages that change what chunks are indexed by, in the order in which they are applied."""


IMPORTED = "imported"
"""The retriever or generator of a system that worked elsewhere, and whose results were imported."""

OWN = "own"
"""The retriever or generator of a system of one's own, which is asked while a run is worked."""

NO_ANSWERS = "none"
"""The generator of a system that only retrieves."""


ContextFormat = Literal["titled", "omnieval", "plain"]


class SystemConfig(Struct, frozen=True, omit_defaults=True):
    """A retriever and a generator, by name. A run freezes one of these."""

    name: str
    retriever: str | None = None
    """As `Retrieval.retriever` has it, `imported` or `own`; null for closed-book."""
    generator: str = "extractive"
    top_k: int = 5
    prompt: Literal["general", "task"] = "general"
    """Whether the model is told the form that an answer has by its task."""
    history: HistoryMode = HistoryMode.GOLD
    expansion: str | None = None
    """The name of the item's given expansion that is searched for beside the question."""
    baseline: bool = False
    """Whether to call the system a baseline wherever it is shown."""
    description: str = ""
    embeddings: tuple[EmbeddingConfig, ...] = ()
    rerank: tuple[RerankStage, ...] = ()
    chunking: ChunkingSettings | None = None
    """Null for the chunking of the corpus; another is cut from the stored texts when it runs."""
    corpus: tuple[StageConfig, ...] = ()
    """The stages that change what chunks are indexed by, in the order in which they are applied."""
    query: tuple[StageConfig, ...] = ()
    """The stages that change the search texts, in the order in which they are applied."""
    context: tuple[StageConfig, ...] = ()
    """The stages that change the passages for the generator, likewise."""
    context_format: ContextFormat = "titled"
    """How passages are written for a model: with number and title, the same as OmniEval's code does
    it, or their texts alone."""
    halve_above: int | None = None
    """Tokens from which a request for an answer is asked in halves; null for never."""
    own: dict[str, Any] = {}
    """The settings of a system of one's own, as `engine.own.service` reads them; else empty."""

    @property
    def is_own(self) -> bool:
        """Whether it is a system of one's own, which retrieves and answers in one."""
        return bool(self.own)

    @property
    def is_imported(self) -> bool:
        """Whether it ran elsewhere, so that nothing can be retrieved or answered with it here."""
        return IMPORTED in (self.retriever, self.generator)

    @property
    def retrieval(self) -> Retrieval | None:
        """The system's retrieval; none if it is closed-book, one's own or ran elsewhere."""
        if self.retriever is None or self.is_imported or self.is_own:
            return None
        return Retrieval(self.retriever, self.embeddings, self.rerank, self.chunking, self.corpus)
