"""The words by which a question shows what it asks for, in Chinese and English."""

from __future__ import annotations

import re
from enum import StrEnum

from engine.text.numbers import Kind


class Operation(StrEnum):
    """A computation that a question names."""

    DIFFERENCE = "difference"
    GROWTH = "growth"
    RATIO = "ratio"
    TOTAL = "total"
    AVERAGE = "average"
    COUNT_ABOVE = "count_above"
    LARGEST = "largest"
    SMALLEST = "smallest"


def _cue(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


LONG = _cue(
    r"如何|怎样|怎么|为什么|为何|哪些|哪几|什么要求|什么情况|各有|有何|简述|说明|阐述|介绍|分析|概括|总结|原因|影响|措施|推断",
    r"^how (?!much|many|long|old|often|far|high|large)|^why|\bdescribe|\bexplain|\bsummari[sz]e",
    r"\boutline|\bdiscuss|^in what way|\bwhat steps",
    r"\bwhat (?:are|were) the (?!respective|amount)",
)
"""Asks for several sentences."""

COMPARISON = _cue(
    r"对比|相比之?下|比较|区别|不同|差异|异同|各自|孰|谁更|哪家|哪个更|哪一.{0,6}更",
    r"[两二].{0,12}(?:分别|各|什么不)|\beach of the\b|\bin each\b|\bfor each\b",
    r"\bcompar|\bdiffer(?:s|ent)?\b|\bcontrast|\bversus\b|\bvs\b|\bboth\b|\bwhich of the two",
)
"""Asks about two things side by side."""

YES_NO = _cue(
    r"是否|能否|可否|有无|吗[？?]?\s*$",
    r"^(?:is|are|was|were|do|does|did|can|could|must|should|may|has|have|will)\b",
)

LEANS_BACK = _cue(
    r"^(?:那|那么|这|其|它|该|此|还有|另外|另一)|呢[？?]?\s*$|其中|它|该(?:行|公司|基金|产品|政策)|上述",
    r"\b(?:it|its|they|their|that|those|this|these|he|she|his|her|the (?:same|other))\b",
    r"^(?:and|what about|how about)",
)
"""Refers to what was asked before."""

KINDS: tuple[tuple[re.Pattern[str], tuple[Kind, ...]], ...] = (
    (
        _cue(
            r"什么时候|何时|哪一?年|哪一?天|哪一?个?月|几月|日期|什么时间|年份|什么时期|哪些?年间",
            r"^when|\b(?:what|which|in what) (?:year|date|day|quarter|month)|\bdate\b",
        ),
        (Kind.DATE,),
    ),
    (
        _cue(
            r"多久|多长|宽限|多长时间|几年|多少年|几个?月|多少个月|几天|多少天|多少日|几日|期限|工作日内",
            r"\bhow long",
        ),
        (Kind.DURATION,),
    ),
    (_cue(r"几倍|多少倍|倍数|\bhow many times"), (Kind.TIMES,)),
    (_cue(r"百分点|基点|percentage points?|basis points?"), (Kind.POINTS, Kind.PERCENT)),
    (
        _cue(
            r"百分之|百分比|比例|占比|[率幅][^，,]{0,8}(?:多少|几|多高|多大)|比[例率重].{0,3}多|几成",
            r"\bpercent|\bper cent|\brate\b|\bproportion|\bshare of",
        ),
        (Kind.PERCENT, Kind.POINTS),
    ),
    (
        _cue(
            r"多少[万亿千]?(?:美|欧|港|日)?元|多少钱|金额|多大规模",
            r"\bhow much|\bamounts?\b|\bcosts?\b|\brevenue|\bincome|\bexpense|\bprofit|\bprice",
            r"\bfees?\b|\bpremium",
        ),
        (Kind.AMOUNT, Kind.PLAIN, Kind.PERCENT),
    ),
    (_cue(r"第几|第多少"), (Kind.ORDINAL, Kind.PLAIN)),
    (
        _cue(r"多少|几[^何乎]|\bhow many|\bnumber of|\bwhat (?:is|was|were|are) the total"),
        (Kind.PLAIN, Kind.AMOUNT, Kind.PERCENT, Kind.TIMES, Kind.DURATION),
    ),
)
"""Kinds of number a question may ask for, best first; the first cue that is found decides."""

OPERATIONS: tuple[tuple[Operation, re.Pattern[str]], ...] = (
    (
        Operation.COUNT_ABOVE,
        _cue(r"\bhow many \w+ did .*\b(?:exceed|surpass)", r"(?:几|多少)[年个].*(?:超过|高于)"),
    ),
    (
        Operation.GROWTH,
        _cue(
            r"增长率|增速|增幅|降幅|同比(?:增长|下降|变动|变化)",
            r"growth rate|rate of (?:growth|change)",
            r"percent(?:age)? (?:change|increase|decrease|difference|growth)",
        ),
    ),
    (Operation.AVERAGE, _cue(r"平均|均值|\baverage\b|\bmean\b")),
    (
        Operation.RATIO,
        _cue(r"几倍|多少倍|\bratio of\b|as a (?:percentage|proportion|share) of"),
    ),
    (
        Operation.TOTAL,
        _cue(
            r"合计|总计|之和|总和|总共|一共|加起来|\bsum of|altogether|combined",
            r"\btotal .*\b(?:and|for|over)\b.*\d",
        ),
    ),
    (
        Operation.DIFFERENCE,
        _cue(
            r"相差|差额|差距|之差|[多少高低]多少|变化额",
            r"(?:增加|减少|增长|下降|变动|变化|提高|上升)了?多少",
            r"\bdifference\b|\bchange\b|\bthe (?:increase|decrease)\b",
            r"how (?:much|many) (?:more|less|higher|lower|fewer)",
            r"how much did .*(?:increase|decrease|change|grow|fall|rise)",
        ),
    ),
    (
        Operation.LARGEST,
        _cue(
            r"哪一?年.*(?:最高|最大|最多|更高|更大|较高)",
            r"\b(?:which|what) (?:year|period)\b.*\b(?:higher|highest|larger|largest|greater)\b",
            r"\b(?:which|what) (?:year|period)\b.*\b(?:greatest|more|most)\b",
        ),
    ),
    (
        Operation.SMALLEST,
        _cue(
            r"哪一?年.*(?:最低|最小|最少|更低|更小|较低)",
            r"\b(?:which|what) (?:year|period)\b.*\b(?:lower|lowest|smaller|smallest|least|less)\b",
        ),
    ),
)
