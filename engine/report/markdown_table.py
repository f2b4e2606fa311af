"""A matrix as a Markdown pipe table with its title, totals and legend."""

from __future__ import annotations

import re

from engine.report.caption import Caption
from engine.report.figures import (
    SMALL_SIGN,
    TYPOGRAPHIC,
    FormatValue,
    interval_text,
    mean_text,
    value_format,
)
from engine.report.statements import legend, overall, sentences, states, title_parts, warnings
from engine.report.wording import words
from engine.results.matrix import Matrix, MatrixCell

_MARKUP = re.compile(r"([\\`*_\[\]|#~$])|^([+-])|^(\d+)([.)])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def render(matrix: Matrix, caption: Caption) -> str:
    """GitHub-flavoured Markdown; every label is escaped."""
    say = words(caption.lang)
    write = value_format(matrix)
    form = f"{write(0.71)} (22)"
    explained = legend(matrix, caption, TYPOGRAPHIC, form, f"`{SMALL_SIGN}`")
    blocks = [
        f"### {' · '.join(escape(part) for part in title_parts(matrix, caption))}",
        *(f"> ⚠ {text}" for text in warnings(matrix, caption)),
        "\n".join(_table(matrix, say.all, write)),
        "\n".join(
            f"- {line}"
            for line in (
                say.separator.join(overall(matrix, caption, TYPOGRAPHIC)),
                f"n: {say.separator.join(escape(part) for part in states(matrix, caption))}",
                *map(escape, caption.notes),
            )
        ),
        sentences(explained, caption),
    ]
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """The text as Markdown that shows it as it is, on one line."""
    line = " ".join(text.split())
    return _MARKUP.sub(_escaped, line).translate(_ENTITIES)


def _escaped(match: re.Match[str]) -> str:
    if match[3]:
        return f"{match[3]}\\{match[4]}"
    return f"\\{match[0]}"


def _table(matrix: Matrix, all_label: str, write: FormatValue) -> list[str]:
    head = ["", *map(escape, matrix.cols.labels), f"**{all_label}**"]
    rules = [":--", *("--:" for _ in head[1:])]
    lines = [_line(head), _line(rules)]
    body = zip(matrix.rows.labels, matrix.cells, matrix.row_totals, strict=True)
    for label, cells, total in body:
        lines.append(
            _line([escape(label), *(_cell(cell, write) for cell in cells), _margin(total, write)])
        )
    totals = [*matrix.col_totals, matrix.total]
    return [*lines, _line([f"**{all_label}**", *(_margin(cell, write) for cell in totals)])]


def _line(fields: list[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _cell(cell: MatrixCell | None, write: FormatValue) -> str:
    mean = mean_text(cell, write, TYPOGRAPHIC)
    return mean if cell is None or cell.summary.mean is None else f"{mean} ({cell.n})"


def _margin(cell: MatrixCell, write: FormatValue) -> str:
    interval = interval_text(cell, write, TYPOGRAPHIC)
    return _cell(cell, write).replace(" (", f" {interval} (" if interval else " (", 1)
