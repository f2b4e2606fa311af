"""Brings the catalogue of translations up to date: `python docs/languages/update.py`.

Adds what the source says and the catalogue lacks (with an empty translation), drops what is said no
longer, and compiles the catalogue into what the program reads. A part of a sentence of the store or
the engine, such as a reason, is in the catalogue where it was put there by hand. `--missing` lists
what has no translation yet, one entry a block.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence, Set
from io import BytesIO
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from tui.language import use_language

ROOT = Path(__file__).parents[2]
CATALOGUE = ROOT / "tui/language/zh.po"
COMPILED = CATALOGUE.with_suffix(".mo")
MARKED: dict[str, tuple[int | str, ...]] = {
    "tr": (0,),
    "later": (0,),
    "option": (1,),
    "titled": (0, 1),
    "no_such": (0, 3),
    "choices": (2,),
    "print_line": (0,),
    "tell": (0,),
    "show_problem": (0,),
    "advise": (0,),
    "print_table": (0,),
    "show_table": (2,),
    "print_list": (3,),
    "model_option": (0,),
    "detach_option": (0,),
    "Finding": (0, 1),
    "SystemConfig": ("description",),
    "Layout": (1, 2, "note"),
    "RunLayout": (1, 2, "note"),
    "Command": (1,),
    "command": (1,),
    "imports": (2,),
    "Group": (1,),
    # the app: keys and places
    "act": (2, 3),
    "asked": (1, 2),
    "Place": (1, 4, "values"),
    "Sign": (0, 1),
    "KeyLabel": (1,),
    "joint": (2,),
    # its widgets
    "Column": (0,),
    "SectionLine": (0, 1),
    "PressLine": (0, 1),
    "Block": (0,),
    "Rows": ("empty", "loading"),
    "Sheet": (0, 1, "title", "empty", "loading"),
    "Passage": ("title", "empty", "loading"),
    "HeatMap": ("empty", "loading"),
    # its questions
    "Pick": (1,),
    "Line": (1, 3, "hint"),
    "Form": (0, 2, "note"),
    "Choose": (0,),
    "Format": (1,),
    "SheetScreen": (0,),
    "show_report": (1,),
    "Table": (0,),
    "copyable": (0,),
    "table": (0,),
    # what it waits for
    "in_thread": (0,),
    "ask": (0,),
    "ask_apart": (0,),
    # what a job does meanwhile
    "enter": (0,),
}
"""The arguments of these functions, by position or name, are texts that are translated where they
are shown."""
SHOWN = (
    *("JobState", "PauseReason", "status", "state_without_job", "OPENING", "PHASES"),
    *("ItemState", "Role", "TWO_KEYS", "header", "today_text"),
)
"""Classes, functions and constants of store and engine whose words the app shows as they are."""
SPEAKING = ("store", "engine")
"""Packages whose sentences are recognised when they are read."""
SILENT = (
    *("migrations", "prompts", "vocabulary", "rules"),
    *("articles.py", "replies.py", "operations.py", "check_reasons.py", "blame.py", "page"),
    *("card.py", "dataset_card.py", "painting"),
)
"""Rooms and modules within them that speak to models and databases only, in the language of an item
or of a report, or in files."""
CLAUSES = ("doctor", "verify.py", "work.py")
"""Rooms and modules whose clauses are said too."""
HEADINGS = "verify.py"
"""The module the keys of whose tables are headings."""
_SENTENCE = re.compile(r"[A-Z{'].*[.?!:]$", re.DOTALL)
_STATEMENT = re.compile(
    r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|PRAGMA|WHERE|AND|ORDER BY)\b|^\^"
)
_BEFORE = re.compile(r"^\{\w+\} (?=[A-Z][a-z]+ )")
"""A sentence that another begins with, as in `{remedy} Then resume it.`: each is read by itself."""
_COMMAND = re.compile(r"(or |without )?(ragdesk\b|--).*[^.?!:]$", re.DOTALL)
_COLUMNS = re.compile(r"[a-z_]+(, [a-z_]+)+")


def said(root: Path = ROOT) -> tuple[dict[str, list[str]], set[str]]:
    """Returns every text that the source says to people, with the modules that say it; and every
    other text of the packages that speak: parts of sentences, help of fields, and much that nobody
    is shown."""
    found: dict[str, list[str]] = {}
    phrases: set[str] = set()
    for package in ("store", "engine", "tui"):
        for file in sorted((root / package).rglob("*.py")):
            module = file.relative_to(root)
            nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
            for text in _texts(nodes, module):
                modules = found.setdefault(text, [])
                if module.as_posix() not in modules:
                    modules.append(module.as_posix())
            if package in SPEAKING:
                texts = {template(node).strip() for node in nodes}
                phrases |= texts | {" ".join(text.split()) for text in texts}
    for text in _of_keys():
        found.setdefault(text, ["tui/keymap.py"])
    return found, phrases


def _of_keys() -> Iterator[str]:
    """What keys are called and said to do, and the values of places: some rooms make them of
    parts."""
    use_language("en")
    from tui.keymap import REGISTRY

    for action in REGISTRY.actions:
        yield from filter(_has_words, (action.label, action.help))
    for place in REGISTRY.places:
        yield from filter(_has_words, (place.title, place.values))


def _texts(nodes: Sequence[ast.AST], module: Path) -> Iterator[str]:
    is_silent = bool(set(module.parts) & set(SILENT))
    is_speaking = module.parts[0] in SPEAKING and not is_silent
    has_clauses = bool(set(module.parts) & set(CLAUSES))
    silent = _documentation(nodes)
    for node in nodes:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            texts = _constants(_given(node, MARKED.get(name, ())))
            yield from texts if name in ("tr", "later") else filter(_has_words, texts)
            if name == "plural":
                yield from _nouns(node)
            if not is_silent and _is_failure(name):
                # clauses too: a failure is said to a person, whole or within a sentence
                for argument in node.args:
                    text = template(argument)
                    if " " in text and _has_words(text) and not _COMMAND.match(text):
                        yield text
        if is_speaking and _defined(node) in SHOWN:
            yield from _words(node, silent)
        if is_speaking and node not in silent and (text := _BEFORE.sub("", template(node)).strip()):
            is_said = " " in text and not _STATEMENT.search(text) and not _COLUMNS.fullmatch(text)
            is_said = is_said and (has_clauses or bool(_SENTENCE.match(text)))
            if is_said and _has_words(text) and not _is_chinese(text):
                yield text
        if is_speaking and isinstance(node, ast.ClassDef):
            # the kinds of jobs
            yield from _constants(one.value for one in node.keywords if one.arg == "tag")
        if HEADINGS in module.parts and isinstance(node, ast.Dict):
            yield from _constants(key for key in node.keys if key is not None)
        if isinstance(node, ast.JoinedStr):
            silent.update(node.values)


def template(node: ast.AST) -> str:
    """Returns the text of a string, with a placeholder for each value that a formatted string fills
    in; empty for any other expression."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts: list[str] = []
    names: dict[str, int] = {}
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            name = _name(value.value)
            names[name] = names.get(name, 0) + 1
            parts.append("{" + (f"{name}{names[name]}" if names[name] > 1 else name) + "}")
        elif isinstance(value, ast.Constant):
            parts.append(str(value.value).replace("{", "{{").replace("}", "}}"))
    return "".join(parts)


def placeholders(text: str) -> set[str]:
    """Returns the names of the text's placeholders; empty where braces mean something else."""
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name}
    except ValueError:
        return set()


def updated(kept: Catalog, found: dict[str, list[str]], phrases: Set[str]) -> Catalog:
    """Returns the catalogue of all texts found, with the translations that there are, and of those
    phrases that somebody has translated."""
    fresh = Catalog(locale="zh", fuzzy=False, header_comment="# What ragdesk says, in Chinese.")
    fresh.mime_headers = [("Content-Type", "text/plain; charset=utf-8")]
    for text in sorted(found, key=lambda one: (found[one][0], one)):
        old = kept.get(text)
        places = [(module, None) for module in found[text]]
        fresh.add(text, old.string if old else "", locations=places)
    for old in kept:
        if old.id in phrases and old.string:
            fresh.add(old.id, old.string)
    return fresh


def compiled(catalogue: Catalog) -> bytes:
    """Returns the catalogue in the form that gettext reads."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def kept() -> Catalog:
    """Returns the catalogue as it is."""
    if not CATALOGUE.exists():
        return Catalog(locale="zh")
    with CATALOGUE.open("rb") as file:
        return read_po(file, locale="zh")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--missing", action="store_true", help="list what has no translation")
    only_missing = parser.parse_args().missing
    catalogue = updated(kept(), *said())
    missing = [message for message in catalogue if message.id and not message.string]
    if only_missing:
        for message in missing:
            print(f"{message.locations[0][0]}: {message.id!r}")
        return 0
    with CATALOGUE.open("wb") as file:
        write_po(file, catalogue, width=100, omit_header=False, include_lineno=False)
    COMPILED.write_bytes(compiled(catalogue))
    print(f"{len(catalogue):,} texts, {len(missing):,} without a translation")
    return 0


def _given(call: ast.Call, positions: Sequence[int | str]) -> list[ast.expr]:
    """The arguments of a call by position or name."""
    placed = [call.args[at] for at in positions if isinstance(at, int) and at < len(call.args)]
    return [*placed, *(one.value for one in call.keywords if one.arg in positions)]


def _defined(node: ast.AST) -> str:
    """The name of what a statement defines; empty for any other."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""


def _words(tree: ast.AST, silent: Set[ast.AST]) -> Iterator[str]:
    """The strings of a definition, but for the keys of what is looked up and parts of others."""
    nodes = list(ast.walk(tree))
    parts = {key for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
    parts |= {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and node not in parts | silent and _has_words(node.value):
            yield node.value


def _constants(nodes: Iterable[ast.expr]) -> Iterator[str]:
    """The texts of those that are strings, and of the strings in those that are tuples or of which
    one is chosen."""
    for node in nodes:
        if isinstance(node, ast.Tuple | ast.List):
            yield from _constants(node.elts)
        elif isinstance(node, ast.IfExp):
            yield from _constants((node.body, node.orelse))
        elif text := template(node):
            yield text


def _documentation(nodes: Sequence[ast.AST]) -> set[ast.AST]:
    """The strings that stand as statements."""
    return {node.value for node in nodes if isinstance(node, ast.Expr)}


def _is_failure(name: str) -> bool:
    return name.endswith(("Error", "NotFound", "Conflict", "Busy", "Problem", "Refused", "Finding"))


def _nouns(call: ast.Call) -> Iterator[str]:
    given = [one.value for one in call.args[1:] if isinstance(one, ast.Constant)]
    if given:
        noun, many = given[0], given[1] if len(given) > 1 else f"{given[0]}s"
        yield f"{{number}} {noun}"
        yield f"{{number}} {many}"


def _name(value: ast.expr) -> str:
    if isinstance(value, ast.Name):
        return value.id.strip("_") or "value"
    if isinstance(value, ast.Attribute):
        return value.attr.strip("_")
    if isinstance(value, ast.Call):
        function = getattr(value.func, "id", getattr(value.func, "attr", "value"))
        if function in ("str", "len", "listed", "repr", "sorted", "plural") and value.args:
            return _name(value.args[0])
        if function == "capitalize" and isinstance(value.func, ast.Attribute):
            return _name(value.func.value)
        return str(function).strip("_")
    if isinstance(value, ast.Subscript):
        return _name(value.value)
    return "value"


def _has_words(text: str) -> bool:
    return bool(re.search(r"[A-Za-z]{2}", re.sub(r"\{\w*\}", "", text)))


def _is_chinese(text: str) -> bool:
    return bool(re.search("[\u4e00-\u9fff]", text))


if __name__ == "__main__":
    sys.exit(main())
