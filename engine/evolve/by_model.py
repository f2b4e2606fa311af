"""Questions of an evolution by a model: each step of writing one is a request of its own (§3.3)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from engine.corpus.chunk_texts import chunk_documents
from engine.corpus.document import SourceDocument, shown_document
from engine.evolve.asked import EvolutionAsked
from engine.evolve.operations import Step, applicable
from engine.evolve.qra import ENTITY, INITIAL, OPERATIONS, Qra, Rejected, child_fault, fault, golden
from engine.evolve.scope import EvolveScope, ItemsByChunk
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.model_choice import frozen_prompts
from engine.models.budget import Spending
from engine.models.errors import ModelError
from engine.models.parse import parse_json
from engine.models.settings import Provider
from engine.prompts.templates import PromptText
from engine.text.quotes import locate
from store.datasets import lineages
from store.records import Evidence, Lang, Span

REFERENCES, ANSWER, SHORT_ANSWER, KEYPOINTS, REWRITING = (
    f"evolve/{name}" for name in ("references", "answer", "short_answer", "keypoints", "rewriting")
)
PROMPTS = (
    *(f"evolve/{name}" for name in (*INITIAL, *OPERATIONS)),
    REFERENCES,
    ANSWER,
    SHORT_ANSWER,
    KEYPOINTS,
    REWRITING,
)
MOST_SHOWN = 8
"""Candidate references that a model is shown with a question."""
_MOST_ASKED_FROM = 3
"""Chunks that an initial question is written from."""
_ANSWER_KIND = "entity"
_CALLS = 2
"""Requests for one reply, if the first cannot be read."""


class _NoReply(Exception):
    """A step has no reply that can be used."""


def make_model_author(
    context: JobContext,
    asked: EvolutionAsked,
    provider: Provider,
    scope: EvolveScope,
    commits: GroupCommit,
    items: ItemsByChunk | None,
) -> ModelAuthor:
    db = context.workspace.db
    spent = Spending(*lineages.spent(db, context.job.id))
    chat = JobChat(context, provider, asked.budget, commits, spent)
    prompts = frozen_prompts(db, asked.prompts)
    return ModelAuthor(context, scope, chat, commits, prompts, items, rewrite=asked.rewrite)


class ModelAuthor:
    """Asks for a question, its golden references, its answer with key sentences, and keypoints."""

    def __init__(
        self,
        context: JobContext,
        scope: EvolveScope,
        chat: JobChat,
        commits: GroupCommit,
        prompts: Mapping[str, PromptText],
        items: ItemsByChunk | None,
        *,
        rewrite: bool,
    ) -> None:
        self.in_flight = chat.in_flight
        self.most_families = len(scope.sources) * len(INITIAL)
        self._context = context
        self._scope = scope
        self._chat = chat
        self._commits = commits
        self._prompts = prompts
        self._items = items
        self._rewrite = rewrite

    async def initial(self, family: int, drawn: random.Random) -> tuple[str, Qra | Rejected]:
        """A question of the type whose turn it is, from the chunk whose turn it is; or the item of
        a dataset that there is for the chunk."""
        sources = self._scope.sources
        chunk = sources[family % len(sources)]
        if self._items is not None:
            items = self._items.get(chunk, ())
            turn = family // len(sources)
            if turn >= len(items):
                return "", Rejected("the dataset has no more items on this chunk")
            return "", items[turn]
        kind = INITIAL[(family + family // len(sources)) % len(INITIAL)]
        return await self._from(chunk, self._scope.shared_entities(chunk), kind, drawn)

    async def partner(self, qra: Qra, drawn: random.Random) -> tuple[str, Qra | Rejected]:
        chunks = self._scope.candidates(qra)
        if not chunks:
            return "", Rejected("no other chunk names an entity of it")
        chunk = drawn.choice(chunks)
        shared = self._scope.shared_with(qra, chunk)
        numbers = shared or self._scope.shared_entities(chunk)
        kind = ENTITY if qra.answer_kind else drawn.choice(INITIAL)
        return await self._from(chunk, numbers, kind, drawn)

    def steps(self, qra: Qra, other: Qra) -> Sequence[Step]:
        return list(applicable(qra, other, self._scope.graph))

    async def child(self, step: Step) -> Qra | Rejected:
        first, second = step.first, step.second
        values = {"entity": step.entity, "first": first.question, "second": second.question}
        if step.operation == "entity_judgement":
            values = {**values, "entity": first.answer, "second_entity": second.answer}
        if step.operation == "information_integration":
            claims = ("\n".join(f"- {one}" for one in qra.keypoints) for qra in (first, second))
            values = dict(zip(("first", "second"), claims, strict=True), entity=step.entity)
        try:
            question = await self._question(step.operation, values, first.lang)
            child = await self._answered(question, step.operation, first.lang, self._union(step))
        except _NoReply as error:
            return Rejected(str(error))
        found = child_fault(child, (first, second), self._scope.places)
        return Rejected(found) if found else child

    async def rewritten(self, qra: Qra) -> Qra | Rejected | None:
        if not self._rewrite:
            return None
        try:
            values = {"question": qra.question, "answer": qra.answer}
            question = await self._question("rewriting", values, qra.lang)
        except _NoReply as error:
            return Rejected(str(error))
        return Qra(
            question,
            qra.answers,
            qra.key_sentences,
            qra.lang,
            qra.kind,
            qra.keypoints,
            qra.answer_kind,
        )

    async def measure(self, qra: Qra) -> tuple[float, float]:
        return await self._scope.measure(self._context, qra)

    async def _from(
        self, chunk: Span, entities: Sequence[int], kind: str, drawn: random.Random
    ) -> tuple[str, Qra | Rejected]:
        """A question on one of some entities from a chunk and others that name it."""
        if not entities:
            return "", Rejected("the chunk names no entity that another does")
        number = drawn.choice(entities)
        entity = self._scope.graph.entities[number].name
        others = [one for one in self._scope.graph.chunks[number] if one != chunk]
        beside = drawn.sample(others, min(MOST_SHOWN - 1, len(others)))
        asked_from = [chunk, *beside[: _MOST_ASKED_FROM - 1]]
        (text,) = self._texts([chunk])
        try:
            values = {"entity": entity, "documents": self._shown(asked_from, text.lang)}
            question = await self._question(kind, values, text.lang)
            qra = await self._answered(question, kind, text.lang, [chunk, *beside])
        except _NoReply as error:
            return entity, Rejected(str(error))
        found = fault(qra, [chunk, *beside], self._scope.places)
        return entity, Rejected(found) if found else qra

    async def _answered(
        self, question: str, kind: str, lang: Lang, candidates: Sequence[Span]
    ) -> Qra:
        """The QRA of a question: golden references among the candidates, then the answer with its
        key sentences, then keypoints."""
        shown = self._shown(candidates, lang)
        reply = await self._ask(REFERENCES, {"question": question, "documents": shown}, lang)
        numbers = reply.get("references")
        listed = numbers if isinstance(numbers, list) else []
        chosen = [
            candidates[number - 1]
            for number in dict.fromkeys(listed)
            if isinstance(number, int) and 1 <= number <= len(candidates)
        ]
        if not chosen:
            raise _NoReply("the model found no golden reference")
        values = {"question": question, "documents": self._shown(chosen, lang)}
        template = SHORT_ANSWER if kind == ENTITY else ANSWER
        reply = await self._ask(template, values, lang)
        answer = _text(reply, "answer")
        sentences = self._located(reply.get("key_sentences"), chosen)
        values = {**values, "answer": answer, "key_sentences": _lines(sentences)}
        keypoints = (await self._ask(KEYPOINTS, values, lang)).get("keypoints")
        points = tuple(
            point.strip()
            for point in (keypoints if isinstance(keypoints, list) else ())
            if isinstance(point, str) and point.strip()
        )
        if not points:
            raise _NoReply("the model gave no keypoint")
        answer_kind = _ANSWER_KIND if kind == ENTITY else ""
        return Qra(question, (answer,), sentences, lang, kind, points, answer_kind)

    def _located(self, given: Any, chunks: Sequence[Span]) -> tuple[Evidence, ...]:
        """Key sentences where they stand; raises where one stands in none of the chunks."""
        found: list[Evidence] = []
        texts = self._texts(chunks)
        for quote in given if isinstance(given, list) else ():
            places = [
                (chunk, place)
                for chunk, text in zip(chunks, texts, strict=True)
                if isinstance(quote, str) and (place := locate(quote, text.text)) is not None
            ]
            if not places:
                raise _NoReply(f"a key sentence is not verbatim: {str(quote)[:80]}")
            chunk, place = min(places, key=lambda one: not one[1].is_exact)
            at = chunk.start or 0
            unit = Evidence(chunk.document_id, place.start + at, place.end + at, place.quote)
            if unit not in found:
                found.append(unit)
        return tuple(found)

    async def _question(self, name: str, values: Mapping[str, str], lang: Lang) -> str:
        question = _text(await self._ask(f"evolve/{name}", values, lang), "question", may_lack=True)
        if not question:
            raise _NoReply("the model found nothing to ask")
        return question

    async def _ask(self, name: str, values: Mapping[str, str], lang: Lang) -> dict[str, Any]:
        """The object of a reply; raises where there is none, or none that can be read."""
        request = self._prompts[f"{lang}/{name}"].request(values).request
        for repeat in range(_CALLS):
            try:
                reply = await self._chat.complete(request, repeat)
            except ModelError as error:
                raise _NoReply(f"no reply: {error}") from error
            key, cached = reply.key, reply.cached
            await self._commits.write(
                lambda db, key=key, cached=cached: lineages.put_call(  # type: ignore[misc]
                    db, self._context.job.id, key, cached=cached
                )
            )
            parsed = parse_json(reply.text, "object")
            if isinstance(parsed.value, dict):
                return parsed.value
        raise _NoReply(f"the reply cannot be read: {parsed.problem}")

    def _union(self, step: Step) -> list[Span]:
        """The golden references of both parents."""
        both = (golden(qra, self._scope.places) for qra in (step.first, step.second))
        return list(dict.fromkeys(chunk for chunks in both for chunk in chunks))

    def _texts(self, chunks: Sequence[Span]) -> list[SourceDocument]:
        return list(chunk_documents(self._scope.db, self._scope.corpus, chunks))

    def _shown(self, chunks: Sequence[Span], lang: Lang) -> str:
        texts = self._texts(chunks)
        return "\n\n".join(shown_document(text, lang, at) for at, text in enumerate(texts, 1))


def _text(reply: Mapping[str, Any], field: str, *, may_lack: bool = False) -> str:
    value = reply.get(field)
    if isinstance(value, str) and (value.strip() or may_lack):
        return value.strip()
    raise _NoReply(f"the reply has no {field}")


def _lines(sentences: Sequence[Evidence]) -> str:
    return "\n".join(f"- {unit.quote}" for unit in sentences)
