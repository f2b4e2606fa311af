"""What a prediction calls false: it says the opposite of what it quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.text.refusals import negates
from engine.text.sentences import sentences
from engine.text.word_lists import word_list


def _any(heading: str) -> str:
    return f"(?:{'|'.join(word_list('engine.judge.rules', heading))})"


_CALLED, _STATEMENT = _any("calling false"), _any("a statement")
_FALSE = re.compile(_CALLED, re.IGNORECASE)
_RIGHT = re.compile(_any("setting right"), re.IGNORECASE)
_ADVERB = r"(?:(?!not |never )\w+ )?"
_QUOTING = re.compile(
    rf"(?:\bthe following|\bwhat follows) ?{_STATEMENT}? (?:is|are|was|were) {_ADVERB}{_CALLED}"
    rf"(?: {_STATEMENT})? ?[:：.,]"
    rf"|(?:以下|下面|下列|下述|如下)的?{_STATEMENT}?[都均完全]*[是为]?{_CALLED}的?{_STATEMENT}?[：:，,。]"
    rf"|^ ?{_CALLED}(?: {_STATEMENT}|的?{_STATEMENT})? ?[:：]",
    re.IGNORECASE,
)
"""Before what is called false, all that follows."""
_THAT = re.compile(
    rf"\bit(?: is|'s|’s| was| would be) {_CALLED}(?: to \w+)? that\b|\bit(?: is|'s|’s| was|"
    rf" would be) {_CALLED} to (?:say|claim|state|assume|believe|think)\b",
    re.IGNORECASE,
)
"""Before what is called false, to the end of the clause."""
_CLAUSE_END = re.compile(r"[;；]|,? but\b|，而是|，但")
_BEHIND = re.compile(
    rf"(?:\b(?:this|that|it|which|the above)(?: {_STATEMENT})?(?: is|'s|’s| was|, however, is)"
    rf" {_ADVERB}{_CALLED}"
    rf"|(?:(?:这|那|上述|以上|此|该)[种一个项]*|的){_STATEMENT}?[都均完全]*[是为]?{_CALLED}的?{_STATEMENT}?)"
    r" ?[。.!！]?$",
    re.IGNORECASE,
)
"""At the end of a sentence: what stands before it there, or else the sentence before, is called
false."""
_QUOTED = re.compile(
    r"[\"“「『](?P<quoted>[^\"”」』]+)[\"”」』]"
    rf"(?: (?:is|was) {_ADVERB}|(?:这[一种个]{_STATEMENT})?[是为]){_CALLED}"
    rf"|(?:^|[,，])(?:说|称|认为)(?P<said>.+)[是为]{_CALLED}的",
    re.IGNORECASE,
)
"""A quotation with what it is called behind it."""


def split_false(prediction: str, golden: Sequence[str], asked: str) -> tuple[str, str]:
    """The prediction with what it calls false blanked out, so that places stay; and that part.

    Nothing is where the question or a golden answer speaks of what is false, and where only one of
    golden answer and quoted text denies something: a denial of the opposite says the same.
    """
    if not _FALSE.search(prediction) or any(_FALSE.search(text) for text in (asked, *golden)):
        return prediction, ""
    text, false = prediction, []
    for start, end in _spans(prediction):
        quoted = prediction[start:end]
        if any(negates(answer) == negates(quoted) for answer in golden):
            text = text[:start] + " " * (end - start) + text[end:]
            false.append(quoted.strip())
    return text, "\n".join(false)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """The parts of a text that it calls false."""
    before: tuple[int, int] | None = None
    for start, end in sentences(text):
        sentence = text[start:end]
        if match := _QUOTED.search(sentence):
            group = "quoted" if match["quoted"] else "said"
            yield start + match.start(group), start + match.end(group)
        elif match := _QUOTING.search(sentence):
            at = start + match.end()
            right = _RIGHT.search(text, at)
            yield at, right.start() if right else len(text)
            return
        elif match := _THAT.search(sentence):
            at = start + match.end()
            clause = _CLAUSE_END.search(text, at, end)
            yield at, clause.start() if clause else end
        elif match := _BEHIND.search(sentence.rstrip()):
            if sentence[: match.start()].strip(" ,，"):
                yield start, start + match.start()
            elif before is not None:
                yield before
        before = start, end
