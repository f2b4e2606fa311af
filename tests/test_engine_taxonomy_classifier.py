"""Topics by words: every topic is told in both languages, other texts stay unassigned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.corpus.readers import ReadDocument, read_paths
from engine.taxonomy.classifier import THRESHOLD, classify, fold, term_weight
from engine.taxonomy.definitions import load_taxonomy, parse_taxonomy
from store.records import UNASSIGNED

SAMPLE = Path(__file__).parents[1] / "sample_corpus" / "documents"

TEXTS = {
    "retail_banking": (
        "本行推出三年期定期存款，个人客户可通过手机银行办理，提前支取按活期计息，信用卡年费减免。",
        "New cardholders pay no annual fee on the credit card in the first year. The savings "
        "account can be opened through mobile banking.",
    ),
    "commercial_banking": (
        "该行对公贷款增长较快，流动资金贷款和贸易融资占比提高，不良贷款率下降，拨备覆盖率上升。",
        "The borrower may draw on the revolving credit facility for working capital, provided "
        "that the leverage covenant is met.",
    ),
    "investment_banking": (
        "公司聘请的保荐机构和主承销商已完成尽职调查，招股说明书将在询价和路演之前披露。",
        "The bookrunner expects the initial public offering to price next week after a roadshow; "
        "the underwriting fee is 3 percent.",
    ),
    "stock_market": (
        "今日A股成交额放大，上证指数涨幅超过1%，北向资金净流入，换手率较高的股票股价涨停。",
        "The shares closed near their high on the stock exchange; analysts raised the price "
        "target as earnings per share beat forecasts.",
    ),
    "bond_market": (
        "本期公司债券票面利率3.2%，主体评级AAA，付息日为每年六月，信用利差收窄。",
        "The corporate bond pays a coupon of 4.5 percent; its yield to maturity rose by 12 basis "
        "points and credit spreads widened.",
    ),
    "fund": (
        "基金经理在季度报告中披露前十大重仓股，基金份额净值上涨，赎回费和管理费率不变。",
        "The mutual fund lowered its expense ratio. The fund manager reported a net asset value "
        "of 12.40 per share class A unit.",
    ),
    "derivatives_market": (
        "交易所提高股指期货交易保证金，主力合约持仓量下降，期权隐含波动率回落。",
        "The clearing house raised the initial margin on futures contracts; open interest in the "
        "front contract month fell.",
    ),
    "life_insurance": (
        "投保人可指定受益人，终身寿险的身故保险金按基本保险金额给付，退保时领取现金价值。",
        "The life insurer paid the death benefit to the beneficiaries; a whole life policy also "
        "builds a surrender value.",
    ),
    "property_insurance": (
        "车险报案后由公司派员查勘定损，扣除免赔额后理赔，企业财产险综合成本率有所上升。",
        "The loss adjuster accepted the business interruption claim after the deductible; the "
        "property insurer's combined ratio worsened.",
    ),
    "health_insurance": (
        "百万医疗险报销住院医疗费用，重疾险对恶性肿瘤一次性给付，既往症不在保障范围。",
        "The health insurance plan covers inpatient and outpatient treatment with a copayment; "
        "pre-existing conditions are excluded for a year.",
    ),
    "blockchain": (
        "联盟链采用新的共识算法，票据数据上链后由智能合约自动清算，私钥由成员保管。",
        "Settlement runs on a permissioned ledger: a smart contract locks the tokens until every "
        "validator has signed the on-chain record.",
    ),
    "artificial_intelligence": (
        "银行用大语言模型搭建智能客服，模型验证覆盖神经网络的可解释性和训练样本的偏差。",
        "The bank fine-tunes a large language model as a chatbot. Model validation looked at "
        "training data and explainability.",
    ),
    "big_data": (
        "数据治理委员会完善数据标准和元数据管理，湖仓一体平台替代数据仓库，数据质量提升。",
        "The data platform replaced the data warehouse by a lakehouse; data governance names a "
        "data steward for each table and tracks data quality.",
    ),
    "anti_money_laundering": (
        "机构应当开展客户尽职调查，识别受益所有人，发现可疑交易及时提交可疑交易报告。",
        "Transaction monitoring flagged the account; enhanced due diligence on the beneficial "
        "owner led to a suspicious transaction report.",
    ),
    "compliance_audit": (
        "内部审计发现两项重大缺陷：职责分离不到位、授权审批缺失，审计报告要求限期整改措施。",
        "Internal audit found a control weakness in segregation of duties; the audit committee "
        "asked for a remediation plan.",
    ),
    "regulatory_reporting": (
        "银行按季报送监管报表，资本充足率和流动性覆盖率须满足校验规则，迟报漏报将被通报。",
        "Banks file the regulatory return each quarter: the liquidity coverage ratio, the "
        "leverage ratio and risk-weighted assets must pass every validation rule.",
    ),
}
OTHER = [
    "八月八日，湖北省运动员在跳水比赛中夺得金牌，教练表示将继续备战。",
    "今年第五号台风在福建沿海登陆，多地出现暴雨，铁路部门停运列车，应急部门转移群众。",
    "The recipe needs two eggs, flour and a cup of milk. Bake for forty minutes.",
    "The committee met on Tuesday to plan the village fair and the fund for the new roof.",
    "",
]


@pytest.fixture(scope="module")
def taxonomy():
    return load_taxonomy("omnieval")


@pytest.mark.parametrize("key", TEXTS)
@pytest.mark.parametrize("lang", [0, 1], ids=["zh", "en"])
def test_tells_every_topic_in_both_languages(taxonomy, key, lang):
    assert classify(TEXTS[key][lang], "", taxonomy).key == key


@pytest.mark.parametrize("text", OTHER)
def test_other_texts_are_unassigned(taxonomy, text):
    assert classify(text, "", taxonomy).key == UNASSIGNED


def test_at_least_nine_in_ten_sample_documents_get_their_topic(taxonomy):
    documents = [found for found in read_paths([SAMPLE]) if isinstance(found, ReadDocument)]
    right = sum(
        classify(document.text, document.source.title, taxonomy).key
        == Path(document.source.path).parent.name
        for document in documents
    )
    assert len(documents) >= 64
    assert right >= 0.9 * len(documents)


def test_says_what_it_matched_and_what_came_second(taxonomy):
    guess = classify("公司债券的票面利率和信用利差；债券基金的基金经理", "", taxonomy)
    assert guess.key == "bond_market"
    assert guess.runner_up == "fund"
    assert set(guess.matched) == {"公司债券", "票面利率", "信用利差", "债券"}
    assert guess.score >= THRESHOLD


def test_nothing_matched_scores_nothing(taxonomy):
    guess = classify("weather", "", taxonomy)
    assert (guess.key, guess.score, guess.runner_up, guess.matched) == (
        UNASSIGNED,
        0.0,
        UNASSIGNED,
        (),
    )


def test_one_term_alone_never_decides(taxonomy):
    assert classify("区块链" * 50, "", taxonomy).key == UNASSIGNED


def test_a_title_counts_more_than_the_text(taxonomy):
    body = "期权与期货的套期保值和强行平仓。基金经理管理的基金份额。"
    plain = classify(body, "", taxonomy)
    titled = classify(body, "基金份额说明", taxonomy)
    assert plain.key == "derivatives_market"
    assert titled.key == "fund"


def test_a_term_is_worth_less_in_a_longer_text(taxonomy):
    short = classify("公司债券票面利率", "", taxonomy)
    long = classify("公司债券票面利率" + "天气晴朗，" * 500, "", taxonomy)
    assert long.score < short.score


def test_writing_style_does_not_matter(taxonomy):
    plain = classify("A corporate bond with a coupon rate and a credit spread.", "", taxonomy)
    assert plain.key == "bond_market"
    for text in (
        "A CORPORATE BOND with a coupon-rate and a credit\nspread.",
        "Ａ ｃｏｒｐｏｒａｔｅ ｂｏｎｄ with a coupon rate and a credit spread.",
        "Corporate bonds with coupon rates and credit spreads in two of them",
    ):
        assert classify(text, "", taxonomy).matched == plain.matched


def test_english_terms_are_whole_words_and_chinese_ones_need_no_spaces(taxonomy):
    assert classify("refunded, bonded, Napkin, fundamental", "", taxonomy).score == 0
    assert "ETF" in classify("买入ETF基金经理", "", taxonomy).matched


def test_a_shared_term_is_split_and_ties_go_to_the_first_topic():
    topic = {"zh": "", "en": "", "terms": ["alpha beta", "gamma delta"]}
    data = {
        "key": "tie",
        "name": "",
        "tasks": [],
        "topics": [topic | {"key": "one"}, topic | {"key": "two"}],
    }
    tied = parse_taxonomy(json.dumps(data).encode(), "tie.json")
    guess = classify("alpha beta " * 30 + "gamma delta " * 30, "", tied)
    assert (guess.key, guess.runner_up) == ("one", "two")


def test_a_taxonomy_without_terms_assigns_nothing():
    empty = parse_taxonomy(b'{"key": "e", "name": "", "tasks": [], "topics": []}', "e.json")
    assert classify("基金", "基金", empty).key == UNASSIGNED


def test_longer_terms_weigh_more():
    assert term_weight("基金") == 1.0
    assert term_weight("基金经理") == 2.0
    assert term_weight("fund") == 1.0
    assert term_weight("net asset value") > term_weight("fund manager") > term_weight("fund")


def test_folding_joins_lines_and_hyphens():
    assert fold("Over-the\n counter　ＥＴＦ") == "over the counter etf"
