"""The comparison of two runs as a section of a report: a map of differences."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.comparison import SIGNS
from engine.report.comparison_sentences import (
    left_out_sentence,
    power_sentence,
    verdict_sentence,
)
from engine.report.corrected import corrected_head, corrected_rows, corrected_sentence
from engine.report.escape import html as safe
from engine.report.matrix.colours import difference_scale
from engine.report.matrix.figures import long_value, short_value
from engine.report.page.labels import Labels
from engine.report.page.matrix import axis_head, row_head
from engine.report.page.style import DIFFERENCE_STEPS
from engine.results.comparison import RunComparison
from engine.results.matrix import Axis
from engine.statistics.inference import Difference, Verdict


def comparison_section(view: RunComparison) -> Iterator[str]:
    """Lines of HTML: the verdict, the table of differences and what its signs mean."""
    comparison, lang = view.comparison, view.lang
    labels = Labels(lang)
    names = {"a": f"{view.a.name} (A)", "b": f"{view.b.name} (B)"}
    sentence = verdict_sentence(
        comparison, comparison.overall, metric=view.metric.label, lang=lang, **names
    )
    yield f"<h2>{safe(f'A {view.a.name} · B {view.b.name}')}</h2>"
    yield f'<p class="headline">{safe(sentence)}</p>'
    yield '<div class="scroll"><table class="heat">'
    yield f'<caption class="unseen">{safe(sentence)}</caption>'
    # a taxonomy's rows and columns that neither run has an item of say nothing here
    present = [{place[side] for place in comparison.cells} for side in (0, 1)]
    cols = [one for one in _labelled(view.cols) if one[0] in present[1]]
    yield axis_head(cols)
    yield "<tbody>"
    differences = (one.difference for one in comparison.cells.values())
    scale = difference_scale(
        (value for value in differences if value is not None), comparison.higher_is_better
    )
    for key, label in (one for one in _labelled(view.rows) if one[0] in present[0]):
        cells = (comparison.cells.get((key, col)) for col, _ in cols)
        fields = [_cell(cell, scale, labels) for cell in cells]
        yield f"<tr>{row_head(key, label)}{''.join(fields)}</tr>"
    yield "</tbody></table></div>"
    yield '<div class="notes">'
    better = comparison.higher_is_better is not None
    leads = (labels.a_better, labels.b_better) if better else (labels.a_higher, labels.b_higher)
    for kind, text in zip("ab", leads, strict=True):
        bar = "".join(f'<i class="{kind}{step}"></i>' for step in range(DIFFERENCE_STEPS + 1))
        name = view.a.name if kind == "a" else view.b.name
        bars = f'<span class="bars"><span class="bar">{bar}</span></span>'
        yield f"<p>{bars}{safe(text.format(name))}</p>"
    yield f"<p>{safe(labels.difference_cell)}; {safe(labels.pale_difference)}</p>"
    if power := power_sentence(comparison, lang):
        yield f"<p>{safe(power)}</p>"
    yield f"<p>{safe(left_out_sentence(comparison.left_out, lang=lang, **names))}</p>"
    yield "</div>"
    yield from _corrected(view)


def _corrected(view: RunComparison) -> Iterator[str]:
    """What people's labels make of the difference, where there are enough of them."""
    if sentence := corrected_sentence(view):
        yield f"<p>{safe(sentence)}</p>"
    if rows := corrected_rows(view):
        heads = "".join(f'<th scope="col">{safe(head)}</th>' for head in corrected_head(view.lang))
        yield '<div class="scroll"><table class="figures">'
        yield f"<thead><tr>{heads}</tr></thead><tbody>"
        for row, col, *figures in rows:
            cells = "".join(f"<td>{safe(figure)}</td>" for figure in figures)
            yield f'<tr><th scope="row">{safe(row)}</th><th>{safe(col)}</th>{cells}</tr>'
        yield "</tbody></table></div>"


def _labelled(axis: Axis) -> list[tuple[str, str]]:
    return list(zip(axis.keys, axis.labels, strict=True))


def _cell(cell: Difference | None, scale: float, labels: Labels) -> str:
    if cell is None or cell.difference is None:
        return '<td class="blank">–</td>'
    position = cell.difference / scale
    step = round(min(abs(position), 1.0) * DIFFERENCE_STEPS)
    is_pale = cell.verdict is Verdict.TOO_FEW
    shade = f"{'p' if is_pale else ''}{'a' if position >= 0 else 'b'}{step}"
    on_unit_scale = all(abs(value or 0.0) <= 1 for value in (cell.mean_a, cell.mean_b))
    write = short_value if on_unit_scale else long_value
    sign = "+" if cell.difference > 0 else ""
    mark = SIGNS[cell.verdict]
    means = [write(value) for value in (cell.mean_a, cell.mean_b) if value is not None]
    parts = [f"A {means[0]}, B {means[1]}", f"{cell.wins} : {cell.ties} : {cell.losses}"]
    if cell.low is not None and cell.high is not None:
        parts.insert(1, f"{labels.interval} {write(cell.low)}–{write(cell.high)}")
    if cell.p_holm is not None:
        parts.append(f"p {cell.p_holm:.3f} (Holm)")
    text = f"{sign}{write(cell.difference)}{f' {mark}' if mark else ''}"
    return (
        f'<td class="{shade}" title="{safe("; ".join(parts))}">{safe(text)}'
        f"<span>{cell.items:,}</span></td>"
    )
