"""Ranking metrics by pytrec_eval, which is trec_eval: of the passages as `export run --as trec`
writes them.

OmniEval's average precision is over the relevant documents found: trec_eval's, where these alone
are judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.exporters.run_trec import ranking
from engine.exporters.runs import RunExport
from engine.metrics.spec import cutoff
from engine.retrieve.hidden import findable_evidence
from engine.second_opinion.opinions import Value
from engine.second_opinion.sample import Sampled

_FAMILIES = {
    "ndcg": "ndcg_cut",
    "recall": "recall",
    "precision": "P",
    "hit": "success",
    "map": "map",
    "mrr": "recip_rank",
}
"""trec_eval's names."""
_FIRST_ONLY = ("mrr", "hit")
"""What asks for nothing but where the first relevant passage stands."""
_SHARED = (
    "a passage holds several pieces of evidence: here each counts, and they share a rank; there the"
    " passage counts once"
)


def values(one: RunExport, sample: Iterable[Sampled]) -> Iterator[Value]:
    """The values of the sample beside the library's."""
    for sampled in sample:
        names = {
            variant: [name for of, name in sampled.scores if of == variant and _base(name)]
            for variant in ("standard", "omnieval")
        }
        if sampled.row["retrieved"] is None or not any(names.values()):
            continue
        found = ranking(one, sampled.item, sampled.row)
        judged = {"standard": found.judged, "omnieval": _by_document(one, sampled, found.scores)}
        for variant, asked in names.items():
            theirs = _evaluated(judged[variant], found.scores, asked)
            for name in asked:
                ours = sampled.scores[variant, name]
                if variant == "standard" and found.shared and _base(name) not in _FIRST_ONLY:
                    yield Value(name, variant, sampled.place, ours, None, _SHARED)
                else:
                    yield Value(name, variant, sampled.place, ours, theirs[name])


def _base(name: str) -> str:
    """The name of a ranking metric without its cut-off; empty for another metric."""
    base = cutoff(name)[0]
    return base if base in _FAMILIES else ""


def _by_document(one: RunExport, sampled: Sampled, names: Mapping[str, float]) -> dict[str, int]:
    """The passages that are of a document with evidence."""
    content, turn = sampled.item.content, sampled.row["turn"]
    evidence = findable_evidence(one.db, one.corpus, content, turn)
    documents = {unit.document_id for unit in evidence}
    hits = sampled.row["retrieved"]
    return {
        name: int(hit["document_id"] in documents) for name, hit in zip(names, hits, strict=True)
    }


def _evaluated(
    judged: Mapping[str, int], scores: Mapping[str, float], names: Sequence[str]
) -> dict[str, float]:
    """By name the library's values for one ranking."""
    import pytrec_eval

    cuts = [(name, *cutoff(name)) for name in names]
    asked = {f"{_FAMILIES[base]}.{k}" if k else _FAMILIES[base] for _, base, k in cuts}
    if not judged:  # nothing was found that could be judged
        return dict.fromkeys(names, 0.0)
    found = pytrec_eval.RelevanceEvaluator({"q": dict(judged)}, asked).evaluate({"q": dict(scores)})
    return {
        name: found["q"][f"{_FAMILIES[base]}_{k}" if k else _FAMILIES[base]]
        for name, base, k in cuts
    }
