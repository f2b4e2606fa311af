"""Answers whose right labels are known: people here are stricter than the rules of the rule judge.

A golden answer states one to three figures of a company. An answer gives some of them, changes
some, and may add a sentence that nobody asked for. The planted truth: accuracy 2 only where every
figure is right and nothing was added, 0 where a figure is wrong, else 1; hallucination 1 where a
figure was changed or the addition is in no document; completeness by the share of figures given.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from engine.judge.base import Case
from engine.labelling.human_label import HumanLabel
from engine.training.data.cases import LabelledCase
from store.records import Lang, Passage

_COMPANIES = {
    "en": ("Arden", "Brook", "Calder", "Dunmore", "Ellis", "Fenwick", "Garrow", "Hollis"),
    "zh": ("安达", "博远", "成达", "德信", "恩泽", "丰华", "广源", "恒通"),
}
_FACTS = {
    "en": ("revenue was {} million", "net profit was {} million", "staff numbered {}"),
    "zh": ("营业收入为{}万元", "净利润为{}万元", "员工人数为{}人"),
}
_EXTRA = {
    "en": " The outlook is excellent and the shares will surely double.",
    "zh": "公司前景极好，股价必将翻倍。",
}


def planted_cases(count: int, seed: int, *, noise: float = 0.05) -> list[LabelledCase]:
    """`count` answers to as many questions; a share of the labels, `noise`, is drawn at random."""
    draw = random.Random(seed)
    return [_planted(number, draw, noise) for number in range(count)]


def _planted(number: int, draw: random.Random, noise: float) -> LabelledCase:
    lang: Lang = draw.choice(("en", "zh"))
    company = f"{draw.choice(_COMPANIES[lang])}{number}"
    asked = draw.randint(1, 3)
    figures = [draw.randint(100, 9999) for _ in range(asked)]
    facts = draw.sample(_FACTS[lang], asked)
    fates = [draw.choices(("kept", "changed", "left out"), (6, 2, 2))[0] for _ in facts]
    added = draw.random() < 0.4
    stated = [
        fact.format(figure if fate == "kept" else figure + draw.randint(1, 60))
        for fact, figure, fate in zip(facts, figures, fates, strict=True)
        if fate != "left out"
    ]
    join = "，" if lang == "zh" else ", and "
    end = "。" if lang == "zh" else "."
    gold = join.join(fact.format(figure) for fact, figure in zip(facts, figures, strict=True))
    answer = (join.join(stated) + end if stated else "") + (_EXTRA[lang] if added else "")
    answer = answer or ("不知道" if lang == "zh" else "I do not know.")
    question = f"{company}: 各项指标是多少？" if lang == "zh" else f"What are {company}'s figures?"
    case = Case(
        prediction_id=number,
        question=question,
        history=(),
        golden_answers=(gold + end,),
        answer=answer,
        passages=(Passage(f"d{number}", company, f"{company} {gold}{end}"),),
        lang=lang,
    )
    values = _truth(fates, added)
    labels = {
        metric: HumanLabel(_noisy(value, most, noise, draw), "single", ())
        for metric, (value, most) in values.items()
    }
    task = "multi_hop" if asked > 1 else "extractive"
    return LabelledCase(
        case=case,
        labels=labels,
        conflicts=(),
        run_id=1,
        run="planted@1",
        system="planted",
        dataset="planted",
        item_key=f"q{number}",
        turn=0,
        repeat=0,
        topic=f"t{number % 4}",
        task=task,
    )


def _truth(fates: list[str], added: bool) -> dict[str, tuple[int | None, int]]:
    kept, changed = fates.count("kept") / len(fates), "changed" in fates
    accuracy = 0 if changed or not kept else 2 if kept == 1 and not added else 1
    share: Callable[[float], int] = lambda part: 2 if part == 1 else int(part > 0)  # noqa: E731
    return {
        "accuracy": (accuracy, 2),
        "completeness": (None if len(fates) == 1 else share(kept), 2),
        "hallucination": (int(changed or added), 1),
        "utilization": (0 if changed or not kept else 2 if not added else 1, 2),
        "numerical_accuracy": (int(kept == 1), 1),
    }


def _noisy(value: int | None, most: int, noise: float, draw: random.Random) -> int | None:
    if value is None or draw.random() >= noise:
        return value
    return draw.randint(0, most)
