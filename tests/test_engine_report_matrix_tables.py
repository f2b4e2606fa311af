"""A matrix as CSV, Markdown and LaTeX: exact text and escaping."""

from __future__ import annotations

import csv
import io

import matrix_samples as samples
import pytest
from msgspec.structs import replace

from engine.report import escape
from engine.report.matrix import csv_lines, latex, markdown
from engine.report.matrix.labels import STATES
from engine.report.run_matrix import RENDERERS

NASTY = 'a|b & c_d {x} 50% #1 $2 <b> \\n ~^ "q" 一,二'


def lines_of_csv(matrix, caption=samples.CAPTION):
    return list(csv.DictReader(io.StringIO(csv_lines.render(matrix, caption))))


def test_csv_has_a_line_a_cell_then_the_margins():
    lines = lines_of_csv(samples.sample())
    assert [line["level"] for line in lines] == [
        *["cell"] * 4,
        *["row"] * 2,
        *["col"] * 2,
        "all",
        "macro",
    ]
    assert all(tuple(line) == csv_lines.COLUMNS for line in lines)
    assert {line["run"] for line in lines} == {"demo-bm25"}
    assert (lines[0]["baseline"], lines[0]["direction"]) == ("yes", "higher")


def test_csv_keeps_full_precision_and_leaves_out_what_is_not_there():
    ordinary, small, nothing, na, *_, macro = lines_of_csv(samples.sample())
    assert (ordinary["row_label"], ordinary["col_label"]) == ("零售银行", "抽取类问答")
    assert (ordinary["mean"], ordinary["n_ok"], ordinary["small"]) == ("0.714", "22", "no")
    assert small["small"] == "yes"
    assert (nothing["mean"], nothing["n_ok"], nothing["coverage"]) == ("", "0", "")
    assert (na["mean"], na["n_na"]) == ("", "5")
    assert float(macro["mean"]) == pytest.approx(0.482)


def test_csv_counts_every_state():
    total = next(line for line in lines_of_csv(samples.doubtful()) if line["level"] == "all")
    assert [total[f"n_{state}"] for state in STATES] == ["40", "1", "2", "3", "4", "5", "7"]
    assert float(total["coverage"]) == pytest.approx(40 / 54)


def test_csv_brings_back_any_label():
    label = 'a,b "c"\nd'
    assert lines_of_csv(samples.sample(rows=(label, "x")))[0]["row_label"] == label


def test_markdown_is_this_table():
    text = markdown.render(samples.sample(), samples.CAPTION)
    assert text.startswith(
        "### Run demo-bm25 · system bm25 (baseline) · dataset sample@2"
        " · accuracy, higher is better · judge rules\n\n"
    )
    assert (
        """
|  | 抽取类问答 | Contrast | **all** |
| :-- | --: | --: | --: |
| 零售银行 | .71 (22) | ~.25 (12) | .55 .50–.60 (34) |
| Fund | – | n/a | n/a |
| **all** | .71 .61–.81 (22) | ~.25 .05–.45 (12) | .55 .50–.60 (34) |

- Overall mean .550, 95 % interval .500–.600, n 34 in 34 groups, macro mean .482 (over"""
        in text
    )
    assert "`~` marks fewer than 20 groups" in text


def test_markdown_warns_and_counts_every_state():
    text = markdown.render(samples.doubtful(), samples.CAPTION)
    assert "> ⚠ Coverage is 74.1 %, below 95 %: 14 of 54 scores have no value" in text
    assert "n: ok 40, na 1, unparsed 2, out\\_of\\_range 3, error 4, missing 5, pending 7\n" in text


def test_markdown_escapes_labels():
    assert escape.markdown(NASTY) == (
        'a\\|b &amp; c\\_d {x} 50% \\#1 \\$2 &lt;b&gt; \\\\n \\~^ "q" 一,二'
    )
    assert escape.markdown("1. - x\ny") == "1\\. - x y"
    assert escape.markdown("- x") == "\\- x"
    row = next(
        line
        for line in markdown.render(samples.sample(rows=(NASTY, "x")), samples.CAPTION).splitlines()
        if "50%" in line
    )
    assert row.replace("\\|", "").count("|") == 5


def test_latex_is_a_booktabs_table():
    text = latex.render(samples.sample(), samples.CAPTION)
    assert (
        r"""\begin{tabular}{@{}lrrrr@{}}
\toprule
 & 抽取类问答 & Contrast & all & n \\
\midrule
零售银行 & .71\celln{22} & \smallcell{.25\celln{12}} & .55 .50--.60 & 34 \\
Fund & -- & n/a & n/a & 0 \\
\midrule
all & .71 .61--.81 & \smallcell{.25 .05--.45} & .55 .50--.60 &  \\
n & 22 & 12 & 34 &  \\
\bottomrule
\end{tabular}
"""
        in text
    )
    assert r"\label{tab:demo-bm25-accuracy}" in text
    assert r".71\celln{22}: mean and n" in text
    assert r"$\sim$ marks fewer than 20 groups" in text


def test_latex_escapes_labels():
    assert escape.latex(NASTY) == (
        r"a\textbar{}b \& c\_d \{x\} 50\% \#1 \$2 \textless{}b\textgreater{}"
        r" \textbackslash{}n \textasciitilde{}\textasciicircum{} \textquotedbl{}q\textquotedbl{}"
        " 一,二"
    )
    assert escape.latex("a\n\x01b") == "a b"


def test_latex_breaks_long_headings_and_counts_every_state():
    assert r"\shortstack[r]{Conversa- \\ tional" in latex.render(samples.large(), samples.CAPTION)
    text = latex.render(samples.doubtful(), samples.CAPTION)
    assert r"ok 40, na 1, unparsed 2, out\_of\_range 3, error 4, missing 5, pending 7." in text


@pytest.mark.parametrize("name", RENDERERS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_format_renders_every_matrix(name, lang):
    caption = replace(samples.CAPTION, lang=lang, baseline=False, judge="")
    for matrix in (samples.empty(), samples.doubtful(), samples.large(3, 1, True)):
        text = RENDERERS[name](matrix, caption)
        assert text.endswith("\n")
        assert "baseline)" not in text


@pytest.mark.parametrize("name", ["markdown", "latex", "svg", "html"])
def test_every_format_says_whose_numbers_these_are(name):
    text = RENDERERS[name](replace(samples.sample(), higher_is_better=False), samples.CAPTION)
    for part in ("demo-bm25", "bm25 (baseline)", "sample@2", "lower is better", "judge rules"):
        assert part in text
    assert "95 \\% interval" in text or "95 % interval" in text
    assert "macro mean .482" in text
