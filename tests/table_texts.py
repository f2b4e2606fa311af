"""Documents with a table in Chinese and English, wider than half a screen."""

from __future__ import annotations

YEARS = range(2015, 2025)
ITEMS = {"zh": ("营业收入", "归属于母公司股东的净利润"), "en": ("Net sales", "Cost of goods sold")}
PROSE = {"zh": "以下数据单位为万元。", "en": "The amounts are in millions."}


def wide_text(lang: str, rows: int = 2) -> str:
    """Prose, a Markdown table of eleven columns, prose. Values tell their row and year apart."""
    lines = [["", *(f"{year}年" if lang == "zh" else str(year) for year in YEARS)]]
    for row in range(rows):
        name = ITEMS[lang][row % 2] + (str(row) if row > 1 else "")
        lines.append([name, *(f"{row + 1},{year % 100}0.5" for year in YEARS)])
    table = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([PROSE[lang], "", table[0], "|" + "---|" * 11, *table[1:], "", PROSE[lang]])
