"""What a screen or a table in Chinese still says in English, and which labels are cut."""

from __future__ import annotations

import functools
import gettext
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from engine.judge.registry import judged_names
from engine.labelling.forms import shipped_forms
from engine.metrics.spec import SPECS, VARIANTS
from engine.retrieve.names import RETRIEVERS
from engine.text.wrapping import cell_width
from store.workspace import open_workspace

CATALOGUE = Path(__file__).parents[1] / "tui" / "language" / "zh.mo"
COMMAND = re.compile(r"(ragdesk|--)[\w -]*")
"""A command, or an option of one."""
RUN = re.compile(r"(?<!\w)[A-Za-z][A-Za-z0-9'_@.:/=-]*(?: [A-Za-z0-9'_@.:/=-]+)*")
WORD = re.compile(r"(?<!\w)(?![0-9a-f]{8}\b)[A-Za-z]\w+")
"""A word; eight digits of a hash are none."""
CHINESE = re.compile("[\u4e00-\u9fff]")
CUT = re.compile(r"(\S*\w{2}\S*?)⋯")
KEPT = {
    *(
        "ragdesk",
        "demo",
        "ann",
        "drafts",
        "offline",
        "omnieval",
        "token",
        "tokens",
        "id",
        "toml",
        "md",
        "jsonl",
    ),
    *("Enter", "Esc", "Tab", "Space", "Shift", "ctrl", *(f"F{number}" for number in range(1, 10))),
    # methods, statistics and measures
    *("Lucene", "Okapi", "BM25Okapi", "rank_bm25", "faiss", "TF", "IDF", "SVD", "LSA", "jieba"),
    *(
        "BM25",
        "BLEU",
        "avg",
        "ROUGE",
        "AC1",
        "AC2",
        "Spearman",
        "Spear",
        "Holm",
        "Brier",
        "PPI",
        "RGD",
        "RD",
        "GD",
        "Rouge",
    ),
    *("MAP", "MRR", "ACC", "HAL", "COM", "UTL", "NAC", "UTC", "ms", "top", "front", "cost"),
    # values that are typed, as in a file or a command
    *("cells", "precision", "comparison", "agreement", "gold", "general", "titled", "null"),
    *(
        "value",
        "yes",
        "no",
        "applicable",
        "grid",
        "trl",
        "openai",
        "alpaca",
        "sharegpt",
        "train",
        "test",
        "mine",
    ),
    *("en", "zh", "English", "compare", "leaderboard"),
}
"""What Chinese texts say in Latin letters, beside the names of the product and of the workspace."""
COLUMNS = {
    *("name", "key", "rater", "model", "metric", "external_id", "source", "item_key"),
    *("path", "author", "adjudicator", "hash"),
}
"""Columns of the database with what people or their data call things."""
TEXTS = {
    *("document", "source", "revision", "prediction", "stage_result", "guideline", "draft"),
    *("entity", "qra", "taxonomy", "team_message"),
}
"""Tables with what people or their data say; others hold sentences of the program, too."""
LEAST_WORDS, LEAST_LETTERS = 3, 2
"""Words, and letters before a cut, that must stand so in a text of the workspace to be excused."""
SURELY = 24
"""Characters of a text that is excused by its beginning."""
LABEL = 20
"""Cells of a label at most; what is longer is a sentence, which a list may cut."""


@functools.cache
def product_names() -> frozenset[str]:
    """The words of names that are the same in every language: metrics, retrievers, forms."""
    metrics = {*judged_names(), *(spec.name for spec in SPECS)}
    parts = {part for name in metrics for part in name.split("_")}
    names = {*VARIANTS, *RETRIEVERS, *shipped_forms(), *metrics}
    return frozenset(parts.union(*map(WORD.findall, names)))


class Held:
    """What a workspace holds: the words of names, and all text on one line."""

    def __init__(self, workspace: Path) -> None:
        texts: list[str] = [str(workspace)]
        self.names = set(KEPT) | product_names() | {workspace.name}
        with open_workspace(workspace) as opened:
            tables = opened.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in tables.fetchall():
                rows = opened.db.execute(f'SELECT * FROM "{table}"')
                columns = [described[0] for described in rows.description]
                for row in rows:
                    for column, value in zip(columns, row, strict=True):
                        if isinstance(value, str):
                            if table in TEXTS and column != "reason":
                                texts.append(value)
                            if column in COLUMNS and " " not in value:
                                self.names.update(WORD.findall(value), [value])
                            elif column in COLUMNS:
                                self.names.add(value)
        self.text = " ".join(" ".join(texts).split())

    def has(self, line: str, start: int, end: int) -> bool:
        """Whether what stands there in a line is its text: several words, the beginning of a
        longer text, a part of a Chinese one, or the beginning of one that is cut."""
        run = line[start:end].strip("'")
        if run in self.names:
            return True
        if len(run.split()) >= LEAST_WORDS and run in self.text:
            return True
        if line[end : end + 1] == "⋯" and len(run) >= LEAST_LETTERS:
            begun = run.split()[-1]
            return begun in self.text or any(name.startswith(begun) for name in self.names)
        whole = line[line.rfind(" ", 0, start) + 1 : (line + " ").index(" ", end)].strip("⋯")
        begun = line[start : start + SURELY]
        if (len(begun) == SURELY and begun in self.text) or line.strip() in self.text:
            return True
        is_path = whole.startswith("/")
        return is_path or (bool(CHINESE.search(whole)) and whole in self.text)


def english(lines: Iterable[str], held: Held, names: Collection[str] = ()) -> Iterator[str]:
    """The words in Latin letters that are neither text of the workspace nor names, which `names`
    adds to."""
    known = held.names.union(names)
    for line in (COMMAND.sub("", line) for line in lines):
        for run in RUN.finditer(line):
            words = [word for word in WORD.findall(run[0]) if word not in known]
            if words and not held.has(line, *run.span()):
                yield f"{' '.join(words)!r} in {line.strip()!r}"


def cut(lines: Iterable[str], held: Held, lang: str) -> Iterator[str]:
    """The labels of the interface that end before their end; what the workspace holds may."""
    labels = _labels()[lang]
    for line in lines:
        for start in CUT.findall(line):
            if start in held.text or start in labels:
                continue
            if any(label.startswith(start) for label in labels):
                yield f"{start!r} in {line.strip()!r}"


@functools.cache
def _labels() -> dict[str, set[str]]:
    with CATALOGUE.open("rb") as file:
        entries = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    said = {"en": entries.keys(), "zh": entries.values()}
    return {lang: {one for one in said[lang] if cell_width(one) <= LABEL} for lang in said}
