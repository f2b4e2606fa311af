"""No two modules need each other, so that each can be read, changed and tested alone."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_no_module_imports_in_a_circle() -> None:
    graph = grimp.build_graph("store", "engine", "tui", cache_dir=None)
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    # raises CycleError, which lists the modules of a circle
    TopologicalSorter(imported).prepare()
