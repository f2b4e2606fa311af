"""The style sheet of the HTML report: light, dark and printed."""

from __future__ import annotations

from collections.abc import Sequence

from engine.report.matrix.colours import (
    ON_DARK,
    ON_LIGHT,
    WHITE,
    Colour,
    hex_code,
    ink_on,
    paler,
    shade,
)

STEPS = 20
"""Shades beside the first; a cell's class is `h0` to `h20`, with few groups `p0` to `p20`."""

_PAGE, _DARK_PAGE = WHITE, (20, 23, 28)

_RULES = """
:root {
  color-scheme: light dark;
  --ground: #fff; --ink: #1b1f26; --muted: #5c6470; --rule: #d8dce1;
  --warning: #8f3d00; --warning-ground: #fdf1e3; --accent: #2567a8;
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 68rem;
  background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Helvetica Neue", Arial,
    "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Source Han Sans SC", sans-serif;
}
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0; break-after: avoid; }
section { margin: 0 0 3.5rem; }
section + section { border-top: 1px solid var(--rule); padding-top: 2rem; }
p { margin: .35rem 0; max-width: 48rem; }
a { color: var(--accent); }
.about { color: var(--muted); }
.headline { margin: .75rem 0; }
.headline strong { font-size: 1.15rem; }
.warning {
  background: var(--warning-ground); color: var(--warning); font-weight: 600;
  border-left: 4px solid; padding: .4rem .75rem; max-width: 48rem;
}
.notes { color: var(--muted); font-size: .85rem; }
.scroll { overflow-x: auto; }
table { border-collapse: separate; border-spacing: 2px; font-variant-numeric: tabular-nums; }
th { font-weight: 400; }
.heat { margin: 1rem 0 .5rem; }
.heat thead th {
  vertical-align: bottom; min-width: 6.8rem; max-width: 9rem; padding: 0 .3rem .3rem;
  line-height: 1.25; text-wrap: balance;
}
.heat tbody th, .heat tfoot th { text-align: right; padding: 0 .7rem 0 0; max-width: 14rem; }
.heat td { height: 2.5rem; padding: 0 .3rem; text-align: center; line-height: 1.2; }
.heat td span { display: block; font-size: .78em; }
.heat td.all { padding: 0 .6rem; white-space: nowrap; font-weight: 600; }
.heat td.all span { font-weight: 400; color: var(--muted); }
.heat tfoot td, .heat tfoot th { padding-top: .4rem; }
.heat thead th.all, .heat tfoot th { font-weight: 600; }
.small, .blank, td.all.small { color: var(--muted); }
.bar { display: inline-flex; vertical-align: middle; margin-right: .6rem; }
.bar i { width: 9px; height: 11px; }
.figures { border-collapse: collapse; font-size: .82rem; width: 100%; }
.figures th, .figures td { padding: .2rem .5rem; border-bottom: 1px solid var(--rule); }
.figures td { text-align: right; white-space: nowrap; }
.figures th { text-align: left; }
.figures thead th { vertical-align: bottom; color: var(--muted); }
.figures thead th.number { text-align: right; }
.figures tbody.margins { font-weight: 600; }
.figures td.small { color: var(--muted); }
nav { margin-bottom: 2.5rem; }
.overview { font-size: .92rem; }
.overview th { font-weight: 600; }
.overview .about { font-weight: 400; }
.overview tbody th { min-width: 17rem; }
.interval div {
  position: relative; width: 6rem; height: 12px; border-bottom: 1px solid var(--rule);
}
.interval b, .interval i { position: absolute; background: var(--accent); }
.interval b { height: 3px; top: 5px; min-width: 1px; }
.interval i { width: 3px; height: 11px; top: 1px; margin-left: -1.5px; }
summary { cursor: pointer; color: var(--accent); margin: .75rem 0; }
tr { break-inside: avoid; }
@media screen and (min-width: 64rem) { .interval div { width: 11rem; } }
"""

_DARK = """
  --ground: #14171c; --ink: #dfe3e8; --muted: #98a1ad; --rule: #343a43;
  --warning: #f0b27a; --warning-ground: #2e2318; --accent: #7db4ea;
"""

_PRINT = """
@page { margin: 14mm; }
@media print {
  :root { color-scheme: light; }
  body { padding: 0; max-width: none; font-size: 10.5pt; }
  nav + section, section + section { break-before: page; border: 0; padding: 0; }
  .heat { break-inside: avoid; font-size: 9pt; }
  .heat td { height: 1.75rem; }
  .heat thead th { min-width: 5rem; }
  .heat tbody th, .heat tfoot th { line-height: 1.2; }
  .heat td, .bar i, .interval b, .interval i { print-color-adjust: exact; }
  .scroll { overflow: visible; }
  details:not([open]) { display: none; }
}
"""


def style_sheet() -> str:
    """All rules; the dark ones are for the screen only, so that a print is always light."""
    return (
        f"{_RULES}{_shades(ON_LIGHT, _PAGE)}\n@media screen and (prefers-color-scheme: dark) {{\n"
        f":root {{{_DARK}}}\n{_shades(ON_DARK, _DARK_PAGE)}\n}}\n{_PRINT}"
    )


def _shades(stops: Sequence[Colour], page: Colour) -> str:
    rules = []
    for step in range(STEPS + 1):
        colour = shade(step / STEPS, stops)
        # as specific as the rules of the tables, which come before
        rules.append(f".heat td.h{step}, .bar .h{step} {_colours(colour)}")
        rules.append(f".heat td.p{step} {_colours(paler(colour, page))}")
    return "\n".join(rules)


def _colours(ground: Colour) -> str:
    return f"{{ background: {hex_code(ground)}; color: {hex_code(ink_on(ground))}; }}"
