"""The words around an answer and its scores, in the language of the interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.prompts.languages import by_lang


class Labels(NamedTuple):
    """Labels of parts, and sentences with `{}` where something is filled in."""

    question: str
    golden: str
    answer: str
    why: str
    evidence: str
    earlier: str
    query: str
    read: str
    blame: str

    no_golden: str
    pending: str
    failed: str
    declined: str
    empty: str

    after: str
    after_same: str
    unusable: str
    hypothetical: str
    averaged: str
    amount: str
    """What there was to read after a stage, in passages and tokens."""
    halves: str

    no_evidence: str
    closed_book: str
    at_rank: str
    hidden: str
    not_found: str

    people: str
    by_raters: str
    sources: Mapping[str, str]
    between: str
    """Between the values that raters differ on."""

    judge: str
    groups: Mapping[str, str]
    """Families of metrics, where they are not called by their own names."""
    variant: str

    details: Mapping[str, str]
    """Members of a judge's details, where they are not called by their own names."""
    worded: Mapping[str, str]
    """Values of the members that hold one of a few words, and no text of answers."""


ENGLISH = Labels(
    question="question",
    golden="golden",
    answer="answer",
    why="why",
    evidence="evidence",
    earlier="turn {}",
    query="searched",
    read="read",
    blame="blame",
    no_golden="none: retrieval alone is judged",
    pending="not answered yet",
    failed="failed",
    declined="the system declined to answer:",
    empty="(nothing)",
    after="after {}:",
    after_same="after {}: the same",
    unusable="a model gave no usable reply, twice: searched as it was",
    hypothetical="with a text that may answer it, share {:.2g}: {}",
    averaged="averaged with the nearest chunks: {}",
    amount="after {}: passages {:,}, tokens {:,}",
    halves="in halves: {} requests",
    no_evidence="the item names none",
    closed_book="nothing was retrieved (closed-book)",
    at_rank="{} at rank {}",
    hidden="{} hidden from the system",
    not_found="{} not in the first {}",
    people="people",
    by_raters="{}, {} raters",
    sources={},
    between=" or ",
    judge="judge {}",
    groups={},
    variant="as {} computes them",
    details={},
    worded={},
)
CHINESE = Labels(
    question="问题",
    golden="标准答案",
    answer="回答",
    why="理由",
    evidence="证据",
    earlier="第{}轮",
    query="检索词",
    read="阅读",
    blame="归因",
    no_golden="无：只评检索",
    pending="尚未回答",
    failed="出错",
    declined="系统拒绝回答：",
    empty="（空）",
    after="{}之后：",
    after_same="{}之后：不变",
    unusable="模型两次都没有给出可用的回复，按原样检索",
    hypothetical="并用一段可能的答案，占{:.2g}：{}",
    averaged="与最近的片段平均：{}",
    amount="{}之后：{:,}段，{:,}个词元",
    halves="分半阅读：{}次请求",
    no_evidence="题目没有指明证据",
    closed_book="没有检索（闭卷）",
    at_rank="第{}条排在第{}位",
    hidden="第{}条对系统隐藏",
    not_found="第{}条不在前{}位",
    people="人工标注",
    by_raters="{}，{}人",
    sources={
        "adjudicated": "裁决",
        "unanimous": "一致",
        "majority": "多数",
        "single": "单人",
        "conflict": "有分歧",
        "not_applicable": "不适用",
    },
    between="或",
    judge="评判 {}",
    groups={"text": "文本指标", "ranking": "排序指标"},
    variant="按 {} 的算法",
    details={
        "answer_claims": "回答的断言",
        "golden_claims": "标准答案的断言",
        "keypoints": "要点",
        "by_golden_answer": "标准答案",
        "by_answer": "回答",
        "entailed_by_passages": "蕴含它的段落",
        "contradicted_by_passages": "与它矛盾的段落",
        "stand_in": "代替模型的办法",
        "members": "成员",
        "quorum": "法定人数",
        "value": "分值",
        "state": "状态",
        "reason": "理由",
        "passages": "段落",
        "questions": "问题",
        "questions_from": "问题来源",
        "answer": "回答",
        "golden": "标准答案",
        "probability": "概率",
        "documents": "文档",
        "whole": "完整",
        "cut": "截短",
        "left_out": "略去",
        "tokens": "词元",
        "limit": "上限",
        "none": "无",
        "yes": "是",
        "no": "否",
    },
    worded={
        "entailed": "蕴含",
        "contradicted": "矛盾",
        "neutral": "无关",
        "the judge's model": "评判所用的模型",
        "rules, in the place of a model": "规则，代替模型",
    },
)


def labels_of(lang: str) -> Labels:
    """Returns the labels in that language."""
    return by_lang(lang, CHINESE, ENGLISH)
