"""The rule judge: five metrics of one prediction, by rules that a person can check.

The golden answer is cut into aspects, the prediction into claims (`claims`). An aspect is held when
the prediction gives all its numbers (`engine.text.numbers.same_number`) and at least half of its
words. Numbers and words of the question do not count, unless the golden answer has no others; but a
number of the golden answer that is changed in its place contradicts, wherever it is known from. Of
several golden answers, which are forms of one answer, the one that fits best is used.

accuracy 0-2            2: the golden answer itself, or at least 3/4 of its aspects held and no
                        contradiction; 1: a third of the aspects or 40 % of the words; else 0. A
                        contradicting number or an opposite yes or no allows 1 at most, and 0 when
                        the golden answer has one aspect.
completeness 0-2        2: at least 85 % of the aspects held; 1: at least a third; else 0. Does not
                        apply when the golden answer has one aspect only.
hallucination 0-1       1: a claim has a number or most of its words outside the retrieved text AND
                        contradicts the golden answer (another number for the same kind of quantity,
                        the opposite, or another short answer altogether). Lower is better.
utilization 0-2         Recall = aspects held among those that the retrieved text supports;
                        precision = share of the prediction's claims found in it. 2: recall >= 3/4
                        and precision >= 1/2; 1: recall above 0, or an accurate answer from text
                        that does not state it; else 0.
numerical_accuracy 0-1  1: every number of the golden answer is stated in the prediction (`stated`),
                        in any notation.
                        Does not apply when the golden answer has no number.

A refusal scores 0 everywhere, except that completeness and numerical_accuracy keep their
applicability. Without golden answers nothing applies; in closed-book, and where it is unknown what
was retrieved, hallucination and utilization do not.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.judge.base import Case
from engine.judge.rules.called_false import split_false
from engine.judge.rules.claims import claim_of
from engine.judge.rules.config import METRICS, THRESHOLDS
from engine.judge.rules.evidence import Retrieved, hallucination, utilization
from engine.judge.rules.golden import Contradiction, Fit, best_fit, numbers_agree
from engine.judge.rules.reasons import between_sentences, listed, quote, say, written
from engine.text.refusals import is_refusal
from store.records import Lang, MetricScore, ScoreState


def judge_case(case: Case) -> tuple[MetricScore, ...]:
    """The five metrics of one answer, in the order of `METRICS`, on the scales as stored.

    Numbers that the earlier questions state count as given, like the question's own. Reasons are in
    the item's language. A metric that does not apply has state na and no value.
    """
    lang = case.lang
    golden = [answer for answer in case.golden_answers if answer.strip()]
    if not golden:
        return tuple(_na(metric, say("no_golden", lang)) for metric in METRICS)
    asked = "\n".join([*(earlier for earlier, _ in case.history), case.question])
    said, false = split_false(case.answer, golden, asked)
    fit = best_fit(golden, said, asked)
    if false and best_fit(golden, false, asked).held:
        fit = replace(fit, equal=False, contradiction=Contradiction(claim_of(false)))
    refused = is_refusal(case.answer)
    if case.closed_book or case.retrieval_unknown:
        why = say("unknown" if case.retrieval_unknown else "closed", lang)
        outside = (_na("hallucination", why), _na("utilization", why))
    elif refused:
        outside = (
            _score("hallucination", 0, say("refusal", lang)),
            _score("utilization", 0, say("refusal", lang)),
        )
    else:
        retrieved = Retrieved.of(case.passages, asked)
        value, reason = hallucination(fit, retrieved, lang)
        used, used_reason = utilization(fit, accuracy_value(fit), retrieved, lang)
        outside = (_score("hallucination", value, reason), _score("utilization", used, used_reason))
    return (
        _accuracy(fit, refused, lang),
        _completeness(fit, refused, lang),
        *outside,
        _numerical(golden, fit, asked, refused, lang),
    )


def accuracy_value(fit: Fit) -> int:
    """0, 1 or 2 by the rule in the module's docstring."""
    if fit.equal:
        return 2
    if fit.contradiction is not None:
        return 0 if len(fit.matches) == 1 else min(1, _agreement(fit))
    return _agreement(fit)


def _agreement(fit: Fit) -> int:
    if fit.held_share >= THRESHOLDS["accuracy_full"]:
        return 2
    partly = fit.held_share >= THRESHOLDS["accuracy_part"]
    return int(partly or (fit.word_share >= THRESHOLDS["accuracy_words"] and not fit.all_missing))


def _accuracy(fit: Fit, refused: bool, lang: Lang) -> MetricScore:
    if refused:
        return _score("accuracy", 0, say("refusal", lang))
    value = accuracy_value(fit)
    if fit.equal:
        return _score("accuracy", value, say("equal", lang, gold=quote(fit.golden)))
    return _score("accuracy", value, _why_accuracy(fit, value, lang))


def _why_accuracy(fit: Fit, value: int, lang: Lang) -> str:
    conflict = between_sentences(lang) + fit.contradiction.say(lang) if fit.contradiction else ""
    held = [match.claim.text for match in fit.held]
    missing = [match.claim.text for match in fit.not_held]
    matched = listed(held, lang)
    if not held:
        share = round(100 * fit.word_share)
        key = "acc_words" if value else "acc_none"
        return say(key, lang, gold=quote(fit.golden), share=share) + conflict
    if not missing:
        return say("acc_all", lang, total=len(held), matched=matched) + conflict
    return (
        say(
            "acc_some",
            lang,
            total=len(fit.matches),
            held=len(held),
            matched=matched,
            missing=listed(missing, lang),
        )
        + conflict
    )


def _completeness(fit: Fit, refused: bool, lang: Lang) -> MetricScore:
    if len(fit.matches) < 2:
        return _na("completeness", say("com_one", lang))
    if refused:
        return _score("completeness", 0, say("refusal", lang))
    held = len(fit.held)
    reason = say("com", lang, held=held, total=len(fit.matches))
    if fit.not_held:
        missing = listed([match.claim.text for match in fit.not_held], lang)
        reason += between_sentences(lang) + say("com_missing", lang, missing=missing)
    if fit.equal or fit.held_share >= THRESHOLDS["completeness_full"]:
        return _score("completeness", 2, reason)
    return _score("completeness", int(fit.held_share >= THRESHOLDS["completeness_part"]), reason)


def _numerical(
    golden: Sequence[str], fit: Fit, asked: str, refused: bool, lang: Lang
) -> MetricScore:
    prediction = fit.prediction
    agreement = numbers_agree(golden, prediction, asked)
    if agreement is None:
        return _na("numerical_accuracy", say("nac_none", lang))
    if refused:
        return _score("numerical_accuracy", 0, say("refusal", lang))
    if agreement.missing and fit.equal:
        # another form of the same answer, which writes the number as words
        return _score("numerical_accuracy", 1, say("equal", lang, gold=quote(fit.golden)))
    if agreement.missing:
        missing = listed([written(n, agreement.golden) for n in agreement.missing], lang)
        stated = listed([written(n, prediction) for n in agreement.stated], lang)
        reason = say("nac_missing", lang, missing=missing, stated=stated)
        return _score("numerical_accuracy", 0, reason)
    pairs = [
        f"{written(gold, agreement.golden)} = {written(given, prediction)}"
        for gold, given in agreement.same
    ]
    return _score("numerical_accuracy", 1, say("nac_all", lang, pairs=listed(pairs, lang)))


def _score(metric: str, value: float, reason: str) -> MetricScore:
    return MetricScore(metric, "standard", float(value), ScoreState.OK, reason)


def _na(metric: str, reason: str) -> MetricScore:
    return MetricScore(metric, "standard", None, ScoreState.NA, reason)
