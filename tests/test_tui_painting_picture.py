"""What is written instead of a picture leads to that picture, in fewer bytes."""

from __future__ import annotations

import random

import pyte
import pytest
from terminal import Screen
from wcwidth import wcwidth

from tui.painting import cells
from tui.painting.picture import Picture

WIDTH, HEIGHT = 24, 12
STYLES = ("", "1", "38;2;1;2;3;48;2;4;5;6", "1;38;2;1;2;3;48;2;4;5;6", "7;31", "48;2;9;9;9")
SURE = "ab0- .中文，。国"
UNSURE = ("e\u0301", "👍🏽", "👨\u200d👩", "✅", "☎\ufe0f", "🇨🇳", "か\u3099")

Canvas = list[list[tuple[str, str]]]
"""Text and style of each cell; the second of a wide character has an empty text."""


def styled(run: list[tuple[str, str]]) -> str:
    """Cells as Textual writes them: a style, its text, a reset."""
    out, at = "", 0
    while at < len(run):
        style, text = run[at][1], ""
        while at < len(run) and run[at][1] == style:
            text += run[at][0]
            at += 1
        out += f"\x1b[{style}m{text}\x1b[0m" if style else text
    return out


def whole(canvas: Canvas) -> str:
    """A whole picture, and the cursor in a corner of it."""
    lines = (f"\x1b[{y};1H{styled(row)}" for y, row in enumerate(canvas, 1))
    return "\n".join(lines) + "\x1b[1;1H"


def part(canvas: Canvas, y: int, start: int, end: int) -> str:
    return f"\x1b[{y + 1};{start + 1}H{styled(canvas[y][start:end])}\x1b[{y + 1};{start + 1}H"


def blank() -> Canvas:
    return [[(" ", "")] * WIDTH for _ in range(HEIGHT)]


def random_row(rng: random.Random, alphabet: str = SURE) -> list[tuple[str, str]]:
    row: list[tuple[str, str]] = []
    style = rng.choice(STYLES)
    while len(row) < WIDTH:
        if rng.random() < 0.2:
            style = rng.choice(STYLES)
        text = rng.choice(alphabet)
        row.append((text, style))
        if wcwidth(text) == 2:
            row.append(("", style))
    return row if len(row) == WIDTH else [*row[: WIDTH - 1], (" ", style)]


class Both:
    """A terminal that gets everything, and one that gets what `Picture` makes of it."""

    def __init__(self) -> None:
        self.picture = Picture()
        self.all, self.ours = Screen(WIDTH, HEIGHT), Screen(WIDTH, HEIGHT)
        self._streams = pyte.Stream(self.all), pyte.Stream(self.ours)
        self.said = ""
        for stream in self._streams:
            stream.feed("\x1b[?7l")

    def draw(self, data: str) -> int:
        """Draw it on both; how many bytes ours got."""
        self.said = self.picture.draw(data, (WIDTH, HEIGHT))
        for stream, text in zip(self._streams, (data, self.said), strict=True):
            stream.feed(text)
        return len(self.said.encode())

    def check(self) -> None:
        for y in range(HEIGHT):
            for x in range(WIDTH):
                assert self.ours.buffer[y][x] == self.all.buffer[y][x], (y, x, self.said)
                known = self.picture.rows[y][x][0]
                is_known = self.picture._rows[y][x] != cells.UNKNOWN
                assert not is_known or known == self.ours.buffer[y][x].data, (y, x, self.said)
        assert (self.ours.cursor.x, self.ours.cursor.y) == (self.all.cursor.x, self.all.cursor.y)


def change(rng: random.Random, canvas: Canvas) -> str:
    """Change the canvas as an app does; what Textual writes for it."""
    kind = rng.choice(("row", "part", "scroll", "scroll", "whole", "same", "cut"))
    y = rng.randrange(HEIGHT)
    if kind == "row":
        canvas[y] = random_row(rng)
        return part(canvas, y, 0, WIDTH)
    if kind == "part":
        new = random_row(rng)
        cuts = [x for x in range(WIDTH) if new[x][0] and canvas[y][x][0]]
        start, end = sorted((rng.choice(cuts), rng.choice((*cuts, WIDTH))))
        canvas[y][start:end] = new[start:end]
        return part(canvas, y, start, end) if start < end else ""
    if kind == "scroll":
        bottom, by = rng.randrange(y, HEIGHT) + 1, rng.choice((1, 1, 2, 5))
        moved = canvas[y:bottom]
        fresh = [random_row(rng) for _ in range(by)]
        moved = [*moved, *fresh][by:] if rng.random() < 0.5 else [*fresh, *moved][:-by]
        canvas[y:bottom] = moved[: bottom - y]
        if rng.random() < 0.5:
            canvas[rng.randrange(HEIGHT)] = random_row(rng)
        return whole(canvas)
    if kind == "whole":
        canvas[:] = [random_row(rng) for _ in range(HEIGHT)]
    if kind == "cut":
        # something is laid over the row from a column on, through wide characters too
        start = rng.randrange(WIDTH - 4)
        return f"\x1b[{y + 1};{start + 1}H\x1b[7mabc\x1b[0m\x1b[1;1H"
    return whole(canvas)


@pytest.mark.parametrize(
    "seed",
    [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 100))],
)
def test_random_pictures_are_the_same_to_the_cell(seed: int) -> None:
    rng = random.Random(seed)
    both, canvas = Both(), blank()
    for _ in range(30):
        if data := change(rng, canvas):
            both.draw(data)
            both.check()


def test_what_is_written_costs_no_more_than_what_was_drawn() -> None:
    rng = random.Random(1)
    picture, canvas = Picture(), blank()
    for _ in range(300):
        if data := change(rng, canvas):
            said = picture.draw(data, (WIDTH, HEIGHT))
            # half of a wide character that is laid over is cleared: a style and a space
            assert len(said.encode()) <= len(data.encode()) + 2 * 32, (data, said)


def test_the_same_picture_costs_nothing() -> None:
    both, canvas = Both(), [random_row(random.Random(1)) for _ in range(HEIGHT)]
    both.draw(whole(canvas))
    assert both.draw(whole(canvas)) == 0


def test_one_cell_costs_a_move_and_a_character() -> None:
    both, canvas = Both(), blank()
    both.draw(whole(canvas))
    canvas[5][7] = ("x", "")
    assert both.draw(whole(canvas)) > 0
    assert both.said == "\x1b[6;8Hx\x1b[H"
    canvas[5][9] = ("y", "")
    both.draw(whole(canvas))
    assert both.said == "\x1b[6;10Hy\x1b[H"


def test_a_few_unchanged_characters_are_written_again_rather_than_jumped_over() -> None:
    both, canvas = Both(), blank()
    canvas[0][:5] = [(letter, "") for letter in "abcde"]
    both.draw(whole(canvas))
    canvas[0][1], canvas[0][3] = ("1", ""), ("3", "")
    both.draw(whole(canvas))
    assert both.said == "a1c3\r"
    both.check()


@pytest.mark.parametrize("by", [1, -1, 3, -3])
def test_rows_that_have_moved_are_moved_by_the_terminal(by: int) -> None:
    rng = random.Random(by)
    both, canvas = Both(), [random_row(rng) for _ in range(HEIGHT)]
    both.draw(whole(canvas))
    fresh = [random_row(rng) for _ in range(abs(by))]
    body = canvas[1:-1]
    canvas[1:-1] = [*body[by:], *fresh] if by > 0 else [*fresh, *body[:by]]
    both.draw(whole(canvas))
    assert both.said.startswith("\x1b[2;11r")
    assert both.said.count("\x1b[r") == 1
    both.check()
    assert len(both.said.encode()) < 30 + len("".join(map(styled, fresh)).encode())


def test_what_is_not_known_is_never_scrolled() -> None:
    """The header was drawn before the size was known again: it is still there afterwards."""
    rng = random.Random(3)
    both, canvas = Both(), [random_row(rng) for _ in range(HEIGHT)]
    both.draw(whole(canvas))
    both.picture.forget()
    for y in range(2, HEIGHT):
        both.draw(part(canvas, y, 0, WIDTH - 1 - (not canvas[y][-1][0])))
    canvas[2:] = [*canvas[3:], random_row(rng)]
    both.draw(whole(canvas))
    both.check()


def test_after_forgetting_all_that_is_drawn_is_written() -> None:
    both, canvas = Both(), [random_row(random.Random(4)) for _ in range(HEIGHT)]
    both.draw(whole(canvas))
    both.ours.reset()
    both.all.reset()
    both.picture.forget()
    both.draw(whole(canvas))
    both.check()


@pytest.mark.parametrize(
    "data",
    [
        "\x1b[1;1Hab\x1b]8;;http://example.org\x1b\\cd\x1b]8;;\x1b\\",
        "\x1b[1;1H\x1b[1mbold\x1b[31mred\x1b[0m",
        "\x1b[1;1H\x1b[1mleft on",
        "\x1b[2J",
        "\x1b[1;1Htab\there",
        "\x1b[1;23Htoo long",
        "\x1b[13;1Hbelow",
        "no place",
    ],
)
def test_what_is_not_understood_is_written_as_it_is(data: str) -> None:
    picture = Picture()
    picture.draw(whole(blank()), (WIDTH, HEIGHT))
    assert picture.draw(data, (WIDTH, HEIGHT)) == data
    canvas = blank()
    canvas[3] = [("x", "")] * WIDTH
    assert "xxx" in picture.draw(whole(canvas), (WIDTH, HEIGHT))


def test_another_size_begins_anew() -> None:
    picture = Picture()
    picture.draw(whole(blank()), (WIDTH, HEIGHT))
    assert len(picture.draw(whole(blank()), (WIDTH + 1, HEIGHT))) > WIDTH * HEIGHT


class OldScreen(Screen):
    """A terminal that knows no joiners and no modifiers, and draws pictographs narrow."""

    def draw(self, data: str) -> None:
        for character in data:
            if character == "\ufe0f" or ord(character) >= 0x1F000 or character == "✅":
                super().draw("?")
            else:
                super().draw(character)


class JoiningScreen(Screen):
    """A terminal that draws whatever is joined in two cells, and marks nowhere."""

    def draw(self, data: str) -> None:
        for cluster, width in (("👨\u200d👩", 2), ("👍🏽", 2), ("☎\ufe0f", 2), ("🇨🇳", 2)):
            data = data.replace(cluster, "＃" if width == 2 else "#")
        super().draw(data)


@pytest.mark.parametrize("kind", [OldScreen, JoiningScreen, Screen])
@pytest.mark.parametrize("seed", range(3))
def test_where_terminals_disagree_about_widths_the_rest_stays_in_its_place(
    kind: type[Screen], seed: int
) -> None:
    rng = random.Random(seed)
    picture, screen = Picture(), kind(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    stream.feed("\x1b[?7l")
    canvas: list[str] = ["." * WIDTH] * HEIGHT
    for _ in range(40):
        y = rng.randrange(HEIGHT)
        texts = "".join(rng.choice((*SURE, *UNSURE)) for _ in range(8))
        canvas[y] = cells_cut(texts)
        if rng.random() < 0.3:
            canvas = [*canvas[1:], "." * WIDTH]
        data = "\n".join(f"\x1b[{y};1H{row}" for y, row in enumerate(canvas, 1))
        stream.feed(picture.draw(data, (WIDTH, HEIGHT)))
        for y, row in enumerate(picture.rows):
            for x, (text, _) in enumerate(row):
                if text in SURE and text:
                    assert screen.buffer[y][x].data == text, (y, x, canvas[y])


def test_after_a_doubtful_character_the_cursor_is_wherever_the_terminal_says() -> None:
    picture, screen = Picture(), Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    for text in ("-----------", "e\u0301[利率an"):
        row = cells_cut(text)
        stream.feed(picture.draw(f"\x1b[1;1H{row}\x1b[1;1H", (WIDTH, HEIGHT)))
    assert screen.display[0].startswith(text)


def cells_cut(text: str) -> str:
    """The text in exactly the width of the screen, as Textual measures it."""
    from rich.cells import set_cell_size

    return set_cell_size(text, WIDTH)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "CELLS_KEPT", 50)
    rng = random.Random(7)
    both, canvas = Both(), blank()
    for _ in range(30):
        for y in range(HEIGHT):
            canvas[y] = random_row(rng, "".join(map(chr, range(0x4E00, 0x4E40))))
        both.draw(whole(canvas))
        both.check()
    assert len(both.picture._cells.texts) < 50 + WIDTH * HEIGHT
