"""The shapes of Chinese clauses and labels that the fact reader knows."""

from __future__ import annotations

import re

from engine.generate.rules.vocabulary import any_of

CLAUSE = re.compile(r"(?:[^，；,;：。！？\n]|(?<=\d),(?=\d))+")
"""A stretch between commas; a comma within a figure ends none."""

LEAD_IN = re.compile(
    r"^(?:[一二三四五六七八九十]{1,2}[、是]|[（(]?\d{1,2}[）)、.]\s?"
    r"|其中|此外|同时|另外|并且?|而且?|但是?|且|也|还|则|因此|所以|不过|据悉|据了解|数据显示|公开资料显示"
    r"|截至目前|值得一提的是|具体来看|从.{1,8}来看|原标题[：:]?"
    r"|.{1,12}(?:方面|显示|指出|表示|介绍|报道|获悉))[，,：:]?"
)
STAMP = re.compile(
    r"^.{0,40}?正文[：:]|^.{0,30}[（(].{0,30}(?:记者|通讯员).{0,20}[）)]|^.{0,20}讯\s?"
)
IMPRINT = re.compile(r"本网|本站|版权|转载|免责|联系我们|刊发之日")

DEPENDENT = re.compile("^(?:" + any_of("zh", "beginnings of dependent clauses") + ")")
"""A clause without a subject of its own, which the clause before supplies."""

COPULA = re.compile("(?:" + any_of("zh", "before figures") + "){0,2}$")
ABOUT = re.compile(r"(?:大约|将近|近|约|逾)$")
HANGS = re.compile(r"(?:[占和与及、或的一]|一[个家种项]|下|以及|其中)$")
"""A label with one of these at its end leads to no complete question."""
ON_YEAR = rf"(?:同比|按年)(?P<way>{any_of('zh', 'rises')}|{any_of('zh', 'falls')})"
"""A change from the year before."""
NOUN_END = re.compile(r"(?:[率额值价润费款]|收入|占比|比例|成本|规模|产量|销量|总量)$")
"""A label that ends so takes 为 before the figure."""
OPEN_END = re.compile(r"的|(?:时|[内前后中间]|以来|之后|以后|上|以上的?|度|期)$|^[度期]")
"""After a value these make the clause a part of something larger."""
REFERS = re.compile(r"[这该此本我你他她它]|其(?![他余中实])")
THE_COMPANY = re.compile(r"(?:^|[年期度，、])公司|公司公司")

FIGURE = re.compile(
    r"^[-+－]?[\d,.，]+|^[负]?[〇零一二三四五六七八九十百千两几]+(?:点[〇零一二三四五六七八九]+)?"
)
MEASURE = re.compile("[万亿]?(?:" + any_of("zh", "measure words") + ")")

ROLE = re.compile("(?:" + any_of("zh", "roles") + ")$")
ATTRIBUTE = re.compile("(?:" + any_of("zh", "attributes") + ")$")
NAMED = re.compile(r"^(?P<label>[^，。；：]{3,40}?)(?:为|是)(?P<name>[^，。；：]{2,24})$")
BY = re.compile(
    r"^(?P<before>[^，。；：]{0,20}?)由"
    r"(?P<who>[^，。；：由]{2,16}?(?:部|局|公司|银行|委员会|中心|处|所|办公室|小组|经理))"
    r"(?P<verb>(?:负责|填报|复核|审批|承担|管理|发布|主办|牵头|审核|授权|组织|签发)[^，。；：、]{0,20})$"
)
CONDITION = re.compile(
    r"(?:^|(?<=[。；\n、]))(?P<if>(?:如果|若|如|当|遇|凡|一旦)?[^，。；：]{5,48}(?:的|时|后)?)，"
    r"(?P<then>(?:须|应当?|不得|可以?|按|由|仍|将|计入|自动|视为|免收|需|予以)[^。；]{5,90})"
)

_YEAR = r"(?:20|19)\d\d年"
TIME = re.compile(
    rf"{_YEAR}(?:度|末|底|初|第?[一二三四]季度末?|上半年|下半年|前[一二三四五六七八九十]+个月"
    r"|1[-—至]\d{1,2}月|\d{1,2}月(?:末|份|底|\d{1,2}日)?)?"
    r"|上半年|下半年|第?[一二三四]季度末?|截至\d{1,2}月末|期初|期末|报告期内?"
)
FULL_TIME = re.compile(
    rf"{_YEAR}(?:上半年|下半年|第?[一二三四]季度|前[一二三四五六七八九十]+个月"
    r"|\d{1,2}月(?:\d{1,2}日|份|末)?)?"
)
BARE_MONTH = re.compile(r"(?<![年\d\-—至到、])(?P<month>\d{1,2})月(?=\d{1,2}日|份|末|底|[^\d])")
DATE_LEAD = re.compile(r"(?:于|自|从|在|为|至|是)$")
NOT_A_NOUN = re.compile(r"^(?:在|对|按|因|与|和|由|从|自|以|每|同一|除|于|把|将|不)")
"""A label that begins so takes no 的 before it."""


def is_unbalanced(text: str) -> bool:
    """Returns whether a quotation mark or bracket has lost its other half."""
    return any(text.count(pair[0]) != text.count(pair[1]) for pair in ("“”", "（）", "《》"))
