"""Reports of several papers on made-up events, in Chinese and English: a corpus for CRUD tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from store.workspace import open_workspace

_EVENTS: dict[str, tuple[str, str, str, str, str, str, str]] = {
    "白鹭湖大桥": (
        "云帆市的白鹭湖大桥于2031年5月10日正式通车，总投资37亿元。",
        "大桥主跨618米，采用双塔斜拉结构，双向六车道。",
        "总工程师陆行舟说，湖底软土厚达40米，桩基打了214根。",
        "通车后，湖东到湖西的车程由50分钟缩短到12分钟。",
        "大桥不收通行费，货车在早晚高峰禁止上桥。",
        "云帆市还将沿湖修建28公里绿道，计划明年完工。",
        "首日通过大桥的车辆达到3.6万辆，交警增派了90名警力。",
    ),
    "丹枫博物馆": (
        "丹枫博物馆2031年6月2日在临江市开馆，首批展出文物5800件。",
        "馆长沈若溪介绍，镇馆之宝是一件出土于丹枫遗址的玉琮。",
        "展厅分为史前、青铜、瓷器三个单元，参观需提前三天预约。",
        "开馆首周，每天限流6000人，学生凭证免费。",
        "博物馆的恒温库房由旧粮仓改建，历时四年。",
        "一批唐代写经因保存条件尚未达标，推迟到秋天展出。",
        "临江市为博物馆开通了两条公交专线，末班车延长到晚上九点。",
    ),
    "望海风电场": (
        "望海风电场2031年7月18日在安澜市外海并网发电，装机容量48万千瓦。",
        "风电场共有60台风机，叶片长103米，单机可抗17级台风。",
        "项目经理贺长风说，海底电缆全长71公里，敷设用了五个月。",
        "预计每年发电15亿千瓦时，可供60万户家庭使用。",
        "渔民担心航道受影响，安澜市划出了两条捕捞通道。",
        "风电场每年可减少二氧化碳排放120万吨。",
        "二期工程已经获批，2033年动工，将增加32台风机。",
    ),
    "云岭脐橙": (
        "青川县的云岭脐橙2031年11月5日开园采摘，今年产量预计9.4万吨。",
        "果农方知远种了30亩，他说今年糖度平均达到14度。",
        "春季的倒春寒使低海拔果园减产两成，县里发放补助460万元。",
        "合作社统一分拣，特级果每公斤卖到16元。",
        "首批200吨脐橙已经装上冷链专列，运往沿海城市。",
        "青川县去年注册了地理标志，今年查处假冒果品11起。",
        "直播间开园当天卖出8万单，快递公司增设了三个揽收点。",
    ),
    "Larkfield tram": (
        "The Larkfield tram opened in Heronport on 10 May 2031 after six years of works. ",
        "Its twelve kilometres of track link the harbour with the university hospital. ",
        "Chief engineer Ada Quill said that rails were laid on rubber to keep houses quiet. ",
        "A single fare costs 2.40, and children under ten ride free. ",
        "Shopkeepers on Mill Street lost a fifth of their sales while the road was closed. ",
        "Heronport will pay them 1.8 million in compensation by autumn. ",
        "On the first day 31,000 passengers rode the trams, twice the forecast. ",
    ),
    "Copperhill reservoir": (
        "The Copperhill reservoir above Eastmere was filled on 19 August 2031. ",
        "Its dam is 74 metres high and holds back 55 million cubic metres of water. ",
        "Hydrologist Ben Marsh warned that silt could halve its depth in forty years. ",
        "Three villages with 640 inhabitants were moved to the valley of Ashby. ",
        "Farmers downstream get water by a rota of four days from September on. ",
        "A fish ladder of 92 pools lets salmon pass the dam. ",
        "Eastmere expects to cut its purchases of water by two thirds. ",
    ),
}
NAMES = tuple(_EVENTS)
"""What each event is about; no report on another event has it."""

_TOLD = ((0, 1, 2, 3, 5), (0, 2, 3, 4, 1), (0, 6, 1, 2, 3))
"""Which facts of an event each of its three reports tells, in its order."""
_FRAMES = {
    "zh": (
        ("本报记者在现场看到，前来的人很多。", "编辑部将继续关注。"),
        ("消息传出后，各方反应不一。", "有读者来信询问详情。"),
        ("昨天下午，有关方面作了说明。", "具体安排以公告为准。"),
    ),
    "en": (
        ("Our correspondent saw a large crowd. ", "This paper will follow the story. "),
        ("Opinions on the news were divided. ", "Readers wrote to ask for more. "),
        ("Officials explained matters yesterday. ", "Details are to be announced. "),
    ),
}
"""What each paper writes after the first fact, whatever the event."""


def reports() -> Iterator[str]:
    """Three reports on each event, those on one after the other."""
    for name, facts in _EVENTS.items():
        frames = _FRAMES["en" if name.isascii() else "zh"]
        for told, frame in zip(_TOLD, frames, strict=True):
            first, *others = (facts[number] for number in told)
            yield "".join((first, *frame, *others))


def make_news(folder: Path) -> Path:
    """A workspace in `folder` with the reports as corpus `news`, without topics."""
    files = folder / "reports"
    files.mkdir(parents=True)
    for number, text in enumerate(reports()):
        (files / f"{number:02}.txt").write_text(text, "utf-8")
    with open_workspace(folder / "workspace", create=True) as workspace:
        ingest(workspace, "news", read_paths([files]))
    return folder / "workspace"
