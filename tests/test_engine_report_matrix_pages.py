"""A matrix as SVG, and the colours of all heat maps: readable, nothing on top of another."""

from __future__ import annotations

import re
from colorsys import rgb_to_hsv
from itertools import combinations
from xml.etree import ElementTree

import matrix_samples as samples
import pytest
from msgspec.structs import replace

from engine.report.escape import html as safe
from engine.report.matrix import svg
from engine.report.matrix.colours import (
    ON_DARK,
    ON_LIGHT,
    WHITE,
    contrast,
    hex_code,
    ink_on,
    luminance,
    paler,
    scale_of,
    shade,
)
from engine.report.matrix.line_breaks import break_label, cut, em_width, flow

SVG = "{http://www.w3.org/2000/svg}"


def boxes(drawing: str) -> list[tuple[float, float, float, float, str]]:
    """Left, top, right, bottom of each text, by the widths that the drawing was laid out with."""
    found = []
    for text in ElementTree.fromstring(drawing).iter(f"{SVG}text"):
        size, x, y = (float(text.attrib[name]) for name in ("font-size", "x", "y"))
        width = em_width(text.text or "") * size
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[text.attrib["text-anchor"]]
        found.append((left, y - 0.8 * size, left + width, y + 0.2 * size, text.text or ""))
    return found


@pytest.mark.parametrize("chinese", [False, True])
@pytest.mark.parametrize("tasks", [1, 5, 9])
def test_no_text_of_the_heat_map_lies_on_another_or_outside(chinese, tasks):
    caption = replace(samples.CAPTION, lang="zh" if chinese else "en", run="a-long-name-" * 5)
    drawing = svg.render(samples.large(16, tasks, chinese), caption)
    root = ElementTree.fromstring(drawing)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    texts = boxes(drawing)
    for left, top, right, bottom, text in texts:
        assert left >= 0, text
        assert top >= 0, text
        assert right <= width, text
        assert bottom <= height, text
    for one, other in combinations(texts, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one, other)


def test_svg_prints_every_number_and_marks_small_cells():
    texts = [text for *_, text in boxes(svg.render(samples.sample(), samples.CAPTION))]
    for expected in (".71", "22", "~.25", "12", "–", "n/a", ".55 .50–.60", "34"):
        assert expected in texts
    assert "0" not in texts


def test_svg_escapes_labels_and_drops_what_xml_forbids():
    label = "<script>&\"'\x00\x0b\ufffe"
    drawing = svg.render(samples.sample(rows=(label, "x")), samples.CAPTION)
    ElementTree.fromstring(drawing)
    assert "<script>" not in drawing
    assert safe(label) == "&lt;script&gt;&amp;&quot;&#x27;\ufffd\ufffd\ufffd"


def test_svg_holds_no_reference_but_the_name_of_its_format():
    drawing = svg.render(samples.large(), samples.CAPTION)
    assert re.findall("https?:[^\"' ]*", drawing) == ["http://www.w3.org/2000/svg"]
    assert "href" not in drawing


@pytest.mark.parametrize(("stops", "sign"), [(ON_LIGHT, -1), (ON_DARK, 1)])
def test_shades_change_steadily_in_lightness_and_their_numbers_can_be_read(stops, sign):
    colours = [shade(step / 100, stops) for step in range(101)]
    lightness = [sign * luminance(colour) for colour in colours]
    assert lightness == sorted(lightness)
    assert min(contrast(ink_on(colour), colour) for colour in colours) >= 4.5


@pytest.mark.parametrize(("stops", "page"), [(ON_LIGHT, WHITE), (ON_DARK, (20, 23, 28))])
def test_a_cell_with_few_groups_keeps_its_hue_paler_and_readable(stops, page):
    for step in range(101):
        full = shade(step / 100, stops)
        pale = paler(full, page)
        hues = [rgb_to_hsv(*(part / 255 for part in one))[0] for one in (full, pale)]
        assert contrast(ink_on(pale), pale) >= 4.5
        assert contrast(pale, page) < contrast(full, page)
        if page == WHITE:  # mixed with white a hue stays what it was
            assert hues[1] == pytest.approx(hues[0], abs=0.02)


def test_small_cells_have_colour_in_the_picture_of_a_run_that_has_no_others():
    small = samples.cell(0.4, 5)
    matrix = samples.matrix(("a",), ("b",), ((small,),), (small,), (small,), small)
    drawing = svg.render(matrix, samples.CAPTION)
    expected = hex_code(paler(shade(1.0), WHITE))
    assert f'fill="{expected}"' in drawing
    assert "~.40" in drawing


def test_the_scale_begins_at_zero_and_ends_at_a_round_number():
    assert scale_of([samples.sample()]).top == 0.8
    assert scale_of([samples.large()]).top == 1.0
    assert scale_of([samples.empty()]).top == 1.0
    assert scale_of([samples.sample()]).position(0.4) == 0.5
    assert scale_of([samples.sample()]).position(9.0) == 1.0


@pytest.mark.parametrize(
    ("label", "lines"),
    [
        ("Fund", ["Fund"]),
        ("Multi-hop reasoning", ["Multi-hop", "reasoning"]),
        ("Conversational", ["Conversa-", "tional"]),
        ("多轮对话能力强吗", ["多轮对", "话能力", "强吗"]),
        ("a b c d e f g h i j k l m n o p q r s", ["a b c d e f", "g h i j k l", "m n o p q⋯"]),
        ("", [""]),
    ],
)
def test_labels_break_into_lines_of_like_length(label, lines):
    width = 3.5 if not label.isascii() else 5.8
    assert break_label(label, width, 3) == lines


def test_a_cut_label_says_so_and_parts_flow_without_being_broken():
    assert cut("衍生品市场", 3) == "衍生⋯"
    assert flow(["aa", "bb", "cccccccc"], " ", 5, len) == ["aa bb", "cccccccc"]
