"""The terminal's table of a matrix: exact text, alignment, widths, colour."""

from __future__ import annotations

import re

import matrix_samples as samples
import pytest
from msgspec.structs import replace

from engine.report.matrix.colours import PALE_SHADES, SHADES, luminance
from engine.report.matrix.labels import Labels
from engine.report.matrix.text import MINIMUM_WIDTH, _cube_colour, render
from engine.text.wrapping import cell_width

ESCAPE = re.compile("\x1b\\[[0-9;]*m")
CHINESE_CAPTION = replace(samples.CAPTION, lang="zh")


def test_a_small_matrix_is_this_text():
    assert render(samples.sample(), samples.CAPTION) == (
        """\
Run demo-bm25   system bm25 (baseline)   dataset sample@2
accuracy, higher is better   judge rules

Overall mean .550, 95 % interval .500-.600, n 34 in 34 groups, macro mean .482
(over the means of 2 cells), coverage 100 % of the scores that apply
n: ok 34, na 5, unparsed 0, out_of_range 0, error 0, missing 0, pending 0

           抽取类问答     Contrast           all    n
零售银行     .71 (22)    ~.25 (12)   .55 .50-.60   34
Fund           -          n/a                n/a    0

all               .71         ~.25   .55 .50-.60   34
95 %          .61-.81      .05-.45
n                  22           12

.71 (22): mean and n, the number of values: one for each turn of an item and
repeat.
~ marks fewer than 20 groups, too few to read a difference from.
.67-.75: the 95 % interval over groups (dialogue, source document, question);
none with fewer than 6 groups.
- no item.
n/a the metric does not apply.
"""
    )


def test_an_incomplete_run_warns_and_counts_every_state_in_chinese():
    assert render(samples.doubtful(), CHINESE_CAPTION).startswith(
        """\
运行 demo-bm25   系统 bm25（基线）   数据集 sample@2   accuracy，越高越好
评判器 rules

总体均值 .500，95 % 区间 .400-.600，n 40，40 组，宏平均 .500（1 个单元格均值的平
均），适用评分的覆盖率 74.1 %
n: 有效 40，不适用 1，未能解析 2，超出量程 3，出错 4，缺失 5，待作答 7
! 覆盖率为 74.1 %，低于 95 %：54 个评分中有 14 个没有数值，未计入均值
! 运行尚未完成：7 个预测待作答

        Contrast   Long-form          全部    n
Fund    .50 (40)      ?        .50 .40-.60   40
"""
    )


@pytest.mark.parametrize("words", [Labels("en"), Labels("zh")])
def test_every_state_is_named_with_its_count(words):
    caption = replace(samples.CAPTION, lang=words.lang)
    text = render(samples.doubtful(), caption, width=120)
    expected = dict(
        zip(
            ("ok", "na", "unparsed", "out_of_range", "error", "missing", "pending"),
            (40, 1, 2, 3, 4, 5, 7),
            strict=True,
        )
    )
    for state, count in expected.items():
        assert f"{words.states[state]} {count}" in text


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 200])
@pytest.mark.parametrize("chinese", [False, True])
@pytest.mark.parametrize("tasks", [1, 5, 14])
def test_no_line_is_wider_than_the_terminal(width, chinese, tasks):
    text = render(samples.large(16, tasks, chinese), CHINESE_CAPTION, width=width)
    assert max(map(cell_width, text.splitlines())) <= width


def test_five_tasks_stand_side_by_side_in_80_columns():
    for chinese in (False, True):
        text = render(samples.large(chinese=chinese), samples.CAPTION)
        row = next(line for line in text.splitlines() if line.count("(") == 5)
        assert ".47 .44-.50" in row


def test_columns_end_in_the_same_cell_whatever_the_script_of_the_labels():
    rows = ("零售银行", "Retail Banking", "反洗钱（AML）", "Fund")
    one = samples.cell(0.5, 30, 0.1)
    matrix = samples.matrix(
        rows, ("抽取类问答",), ((one,),) * 4, (one,) * 4, (one,), samples.cell(0.5, 120, 0.1)
    )
    lines = [line for line in render(matrix, samples.CAPTION).splitlines() if ".50 (30)" in line]
    assert len(lines) == 4
    assert len({cell_width(line[: line.index(")")]) for line in lines}) == 1


def test_columns_that_do_not_fit_come_below_with_their_margins():
    text = render(samples.large(2, 12), samples.CAPTION)
    for row in range(2):
        assert len(re.findall(f"^Derivatives Markets {row}", text, re.MULTILINE)) == 3
    assert len(re.findall("^all ", text, re.MULTILINE)) == 3
    assert text.count(".48 .47-.49") == 1


def test_an_empty_matrix_shows_its_axes_and_no_zero_mean():
    text = render(samples.empty(), samples.CAPTION, width=10)
    assert "Fund         -" in text
    assert "Overall mean -, no value yet" in text
    assert ".00" not in text
    assert max(map(cell_width, text.splitlines())) <= MINIMUM_WIDTH


def test_without_colour_there_is_no_escape_sequence():
    assert "\x1b" not in render(samples.large(), samples.CAPTION)


def test_colour_adds_nothing_but_escape_sequences_that_are_all_closed():
    plain = render(samples.large(), samples.CAPTION)
    coloured = render(samples.large(), samples.CAPTION, color=True)
    bare = "\n".join(line.rstrip() for line in ESCAPE.sub("", coloured).split("\n"))
    assert bare == plain
    for line in coloured.splitlines():
        opened = [code for code in ESCAPE.findall(line) if code != "\x1b[0m"]
        assert not opened or line.rindex("\x1b[0m") > line.rindex(opened[-1])


def test_small_cells_have_a_pale_shade_of_their_hue():
    coloured = render(samples.sample(), samples.CAPTION, color=True)
    shaded = re.search("\x1b\\[48;5;([0-9]+)m\x1b\\[38;5;16m *~\\.25 \\(12\\)\x1b\\[0m", coloured)
    assert shaded is not None
    assert int(shaded[1]) == PALE_SHADES[round(0.25 / 0.8 * 8)]
    assert re.search("\x1b\\[48;5;[0-9]+m\x1b\\[38;5;[0-9]+m *\\.71 \\(22\\)", coloured)


def test_pale_shades_darken_no_less_steadily_and_are_paler_than_the_full_ones():
    pale, full = ([luminance(_cube_colour(one)) for one in ones] for ones in (PALE_SHADES, SHADES))
    assert pale == sorted(pale, reverse=True)
    assert all(one > other for one, other in zip(pale, full, strict=True))


def test_a_label_cannot_move_the_cursor():
    text = render(samples.sample(rows=("a\x1b[2J", "b")), samples.CAPTION)
    assert "\x1b" not in text


def test_notes_come_last():
    caption = replace(samples.CAPTION, notes=("Offline systems are baselines.",))
    assert render(samples.sample(), caption).endswith("Offline systems are baselines.\n")
