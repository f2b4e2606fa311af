"""No module imports itself by way of others, whenever and wherever its imports stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("store", "engine", "tui")


def modules(root: Path) -> dict[str, Path]:
    """Every module of the packages by its dotted name."""
    files = (file for package in PACKAGES for file in (root / package).rglob("*.py"))
    return {
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
    }


def imported(source: str, known: set[str]) -> Iterator[str]:
    """Modules that a source names in any import: at its head, in a function, for types alone."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module


def circle(root: Path) -> list[str]:
    """The modules of a circle, the first one again at the end; empty where there is none."""
    files = modules(root)
    known = set(files)
    graph = {
        name: {other for other in imported(file.read_text("utf-8"), known) if other in known}
        - {name}
        for name, file in files.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_circle_not_even_of_two() -> None:
    assert circle(ROOT) == []


@pytest.mark.parametrize(
    "back",
    [
        "from store.a import b",
        "def f():\n    import store.a.b",
        "if 0:\n    from store.a.b import x",
    ],
)
def test_a_circle_is_found_wherever_its_imports_stand(tmp_path: Path, back: str) -> None:
    folder = tmp_path / "store" / "a"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "b.py").write_text("from store.a.c import y\n")
    (folder / "c.py").write_text(back + "\n")
    assert set(circle(tmp_path)) == {"store.a.b", "store.a.c"}
