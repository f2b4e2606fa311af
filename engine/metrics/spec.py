"""The register of metrics, with the name, variant, range, applicability and source of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from msgspec import Struct, structs

from store.errors import UsageError
from store.messages import choices
from store.records import MetricScore, ScoreState

Variant = Literal["standard", "omnieval", "crud", "financerag", "multihop", "per_gold", "usage"]
Family = Literal["text", "ranking", "judge", "usage"]
Need = Literal["golden_answer", "golden_number", "evidence", "retrieved", "keypoints"]
"""What a turn, or the system that answers it, must have for a metric to apply."""

VARIANTS: tuple[Variant, ...] = get_args(Variant)
USAGE: Variant = "usage"
"""What an answer takes; known of runs alone."""
DEFAULT_CUTOFFS = (1, 3, 5, 10)
"""The `k` of `ndcg@k`, `recall@k`, `precision@k` and `hit@k` where nobody names another."""

_CUT_NAME = re.compile(r"(?P<base>[^@]+)@(?P<k>[1-9][0-9]*)")


class MetricSpec(Struct, frozen=True):
    """The meaning of a metric's value. The variant is never part of the name."""

    name: str
    """`ndcg@k` stands for every cut-off; a looked-up spec carries the number."""
    variant: Variant
    family: Family
    minimum: float
    maximum: float | None
    """Null for a metric without an upper bound, such as `length`."""
    higher_is_better: bool | None
    """Null for a metric that describes without judging (`length`)."""
    needs: tuple[Need, ...]
    """Without one of these the metric does not apply."""
    description: str
    source: str
    values: tuple[float, ...] = ()
    """The legal values of a stepped scale; empty for a continuous one."""
    allows_na: bool = False
    """Whether a judge may say that the metric does not apply to an answer that has all it needs."""

    @property
    def legal_values(self) -> str:
        """The values of a stepped scale as a judge's reply writes them: `0, 1, 2, null`."""
        return ", ".join([*(f"{value:g}" for value in self.values), *["null"] * self.allows_na])

    def allows(self, value: object) -> bool:
        """Whether a judge may give `value`: one of the stepped scale, or `na` where that is
        allowed."""
        if value == ScoreState.NA:
            return self.allows_na
        return isinstance(value, int) and not isinstance(value, bool) and value in self.values


def _text(variant: Variant, name: str, description: str, source: str) -> MetricSpec:
    return MetricSpec(
        name, variant, "text", 0.0, 1.0, True, ("golden_answer",), description, source
    )


def _ranking(variant: Variant, name: str, description: str, source: str) -> MetricSpec:
    return MetricSpec(
        name, variant, "ranking", 0.0, 1.0, True, ("evidence", "retrieved"), description, source
    )


def _judge(
    name: str,
    maximum: int,
    description: str,
    *needs: Need,
    higher: bool = True,
    allows_na: bool = False,
) -> MetricSpec:
    return MetricSpec(
        name,
        "standard",
        "judge",
        0.0,
        maximum,
        higher,
        ("golden_answer", *needs),
        description,
        "OmniEval, arXiv 2412.13018",
        tuple(float(value) for value in range(maximum + 1)),
        allows_na,
    )


def _of_passages(name: str, description: str) -> MetricSpec:
    """A metric that is the mean of what a judge says of each retrieved passage, 0 to 2."""
    return structs.replace(_judge(name, 2, description, "retrieved"), values=())


def _usage(name: str, description: str) -> MetricSpec:
    return MetricSpec(
        name, USAGE, "usage", 0.0, None, False, (), description, "the run's own record"
    )


def _imported(name: str, description: str) -> MetricSpec:
    """A metric of CRUD-RAG's that takes a model: only their files give it."""
    return MetricSpec(name, "crud", "judge", 0.0, 1.0, True, ("golden_answer",), description, _CRUD)


_TREC = "trec_eval"
_OMNIEVAL = "RUC-NLPIR/OmniEval at b8385be"
_CRUD = "IAAR-Shanghai/CRUD_RAG at 1aace38"
_PER_GOLD = "CRUD-RAG, figures 7 and 8"
_FINANCERAG = "cv-lee/FinanceRAG at a4fc6e9, on trec_eval"
_MULTIHOP = "yixuantt/MultiHop-RAG at 3dd4d4e"

SPECS: tuple[MetricSpec, ...] = (
    _text("standard", "em", "1 if the tokens equal those of a golden answer, else 0", "SQuAD"),
    _text("standard", "f1", "F1 of the token multisets, best golden answer", "SQuAD"),
    _text("standard", "rouge1", "F1 of the unigram multisets, best golden answer", "Lin 2004"),
    _text("standard", "rouge2", "F1 of the bigram multisets, best golden answer", "Lin 2004"),
    _text("standard", "rougeL", "F1 of the longest common subsequence, best answer", "Lin 2004"),
    _text(
        "standard",
        "bleu",
        "sentence BLEU-4 against all golden answers, exponential smoothing, effective order, / 100",
        "sacrebleu",
    ),
    _ranking("standard", "map", "average precision over all relevant documents", _TREC),
    _ranking("standard", "mrr", "1 / rank of the first relevant document", _TREC),
    _ranking("standard", "ndcg@k", "linear gain, ideal over all relevant documents", _TREC),
    _ranking("standard", "recall@k", "relevant documents in the first k / all relevant", _TREC),
    _ranking("standard", "precision@k", "relevant documents in the first k / k", _TREC),
    _ranking("standard", "hit@k", "1 if the first k hold a relevant document, else 0", _TREC),
    _judge("accuracy", 2, "agreement with the golden answers"),
    _judge(
        "completeness",
        2,
        "share of the golden answers' aspects that the answer covers",
        allows_na=True,
    ),
    _judge(
        "hallucination",
        1,
        "1 if the answer says what neither documents nor golden answers support",
        "retrieved",
        higher=False,
    ),
    _judge("utilization", 2, "use of what the retrieved documents offer", "retrieved"),
    _judge(
        "numerical_accuracy",
        1,
        "1 if the numbers are exactly right, whatever the notation",
        "golden_number",
        allows_na=True,
    ),
    _of_passages(
        "passage_relevance", "mean over the retrieved passages: how relevant each is, 0 to 2"
    ),
    _of_passages(
        "passage_necessity", "mean over the retrieved passages: how far each is needed, 0 to 2"
    ),
    _text("omnieval", "em", "share of golden answers equal after their normalisation", _OMNIEVAL),
    _text("omnieval", "f1", "F1 of the character multisets of the spaced tokens", _OMNIEVAL),
    _text("omnieval", "rouge1", "F of the unigram sets, best golden answer", _OMNIEVAL),
    _text("omnieval", "rouge2", "F of the bigram sets, best golden answer", _OMNIEVAL),
    _text("omnieval", "rougeL", "F of the longest common subsequence, best answer", _OMNIEVAL),
    _ranking("omnieval", "map", "average precision over the relevant documents found", _OMNIEVAL),
    _ranking("omnieval", "mrr", "1 / rank of the first relevant document", _OMNIEVAL),
    _text("crud", "bleu", "BLEU-4 without smoothing or brevity penalty (bleu-avg)", _CRUD),
    _text("crud", "bleu1", "clipped unigram precision (bleu-1)", _CRUD),
    _text("crud", "bleu2", "clipped bigram precision (bleu-2)", _CRUD),
    _text("crud", "bleu3", "clipped trigram precision (bleu-3)", _CRUD),
    _text("crud", "bleu4", "clipped four-gram precision (bleu-4)", _CRUD),
    _text("crud", "rougeL", "F1 of the longest common subsequence of jieba tokens", _CRUD),
    _text("crud", "f1", "F1 of the jieba token multisets (RAGQuestEval's answer F1)", _CRUD),
    MetricSpec(
        "length", "crud", "text", 0.0, None, None, (), "characters of the prediction", _CRUD
    ),
    _imported(
        "bertScore",
        "sentence similarity: cosine of text2vec-base-chinese vectors, as CRUD-RAG's files give it",
    ),
    _imported(
        "QA_avg_F1",
        "RAGQuestEval precision: mean token F1 over the questions that the text answers",
    ),
    _imported("QA_recall", "RAGQuestEval recall: share of the questions that the text answers"),
    _ranking(
        "financerag", "map", "average precision without the hit of the query's own id", _FINANCERAG
    ),
    _ranking("financerag", "ndcg@k", "nDCG without the hit of the query's own id", _FINANCERAG),
    _ranking("financerag", "recall@k", "recall without the hit of the query's own id", _FINANCERAG),
    _ranking(
        "financerag", "precision@k", "precision without the hit of the query's own id", _FINANCERAG
    ),
    _ranking("multihop", "hit@k", "1 if one of the first k texts holds a golden fact", _MULTIHOP),
    structs.replace(
        _ranking("multihop", "map@k", "facts first found at a rank / rank, summed", _MULTIHOP),
        maximum=None,  # beyond 1 where there are more than ten facts
    ),
    _ranking("multihop", "mrr@k", "1 / first rank up to k that holds a golden fact", _MULTIHOP),
    _ranking("per_gold", "mrr", "1 / rank of each relevant document, averaged", _PER_GOLD),
    _ranking("per_gold", "mrr@k", "1 / rank up to k of each relevant document", _PER_GOLD),
    _usage("latency_ms", "milliseconds for an answer and the stages before it"),
    _usage("tokens", "tokens of the requests and replies that an answer takes"),
    _usage("cost", "money for an answer, in the currency of its provider's prices"),
)

_BY_KEY = {(spec.variant, spec.name): spec for spec in SPECS}


def cutoff(name: str) -> tuple[str, int | None]:
    """Base name and cut-off: `ndcg@7` is `("ndcg", 7)`, `map` is `("map", None)`."""
    match = _CUT_NAME.fullmatch(name)
    return (match["base"], int(match["k"])) if match else (name, None)


def resolve(name: str, variant: str = "standard") -> MetricSpec:
    """The spec of a metric such as `em` or `ndcg@7`.

    Raises UsageError for an unknown variant or name; the message names the close ones.
    """
    base, k = cutoff(name)
    key = name if k is None else f"{base}@k"
    spec = _BY_KEY.get((_known_variant(variant), key))
    if spec is None or name.endswith("@k"):
        raise UsageError(f"There is no metric {name!r} in variant {variant}.", _hint(name, variant))
    return spec if k is None else structs.replace(spec, name=name)


def metric_names(
    variant: str, family: Family | None = None, cutoffs: Sequence[int] = DEFAULT_CUTOFFS
) -> tuple[str, ...]:
    """Names of a variant's metrics in display order, `@k` written out for each cut-off."""
    known = _known_variant(variant)
    names: list[str] = []
    for spec in SPECS:
        if spec.variant == known and family in (None, spec.family):
            base = spec.name.removesuffix("@k")
            names += [spec.name] if base == spec.name else [f"{base}@{k}" for k in cutoffs]
    return tuple(names)


def without_value(
    variant: str, metrics: Iterable[str], state: ScoreState, reason: str
) -> list[MetricScore]:
    """A score without a value for each of `metrics`, in order."""
    return [MetricScore(name, variant, None, state, reason) for name in metrics]


def normalised(spec: MetricSpec, value: float) -> float:
    """`value` on [0, 1], linear between the scale's ends; the direction stays as it is.

    accuracy, completeness and utilization are halved, hallucination and numerical_accuracy stay.
    Raises ValueError when the value lies outside the scale or the scale has no upper end.
    """
    if spec.maximum is None or not spec.minimum <= value <= spec.maximum:
        raise ValueError(f"{value} is not on the scale of {spec.name}")
    return (value - spec.minimum) / (spec.maximum - spec.minimum)


def _known_variant(variant: str) -> Variant:
    for known in VARIANTS:
        if variant == known:
            return known
    raise UsageError(
        f"There is no metric variant {variant!r}.", choices(variant, VARIANTS, "Variants")
    )


def _hint(name: str, variant: str) -> str:
    base = name.partition("@")[0]
    if (variant, f"{base}@k") in _BY_KEY:
        return f"Write a cut-off of 1 or more, such as {base}@10."
    if (variant, base) in _BY_KEY:
        return f"Write {base}; it has no cut-off in its name."
    others = [v for v in VARIANTS if (v, base) in _BY_KEY or (v, f"{base}@k") in _BY_KEY]
    if others:
        return f"It exists in {', '.join(others)}."
    names = metric_names(variant, cutoffs=(10,))
    return choices(name, names, "Metrics")
