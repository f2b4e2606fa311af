"""The plan as the workspace has it now, with its figures: read in a thread."""

from __future__ import annotations

import sqlite3

from store.errors import RagdeskError
from store.workspace import FILE_NAME, Workspace, explain
from tui.building.figures import (
    NOTHING,
    Figures,
    first_plan,
    make_plan,
    read_figures,
    read_taxonomy,
    taxonomy_names,
)
from tui.building.plan import Plan

Read = tuple[Plan | None, Figures, dict[str, str]]
"""The plan, its figures, and where each taxonomy comes from, by name."""


def read(workspace: Workspace, plan: Plan | None, awaited: str) -> Read | Exception:
    """`plan` as it is now, or one to begin with; over the taxonomy called `awaited` once that is
    there. What went wrong is returned, so that the next look is not waited for in vain."""
    try:
        return _read(workspace.db, plan, awaited)
    except sqlite3.Error as error:
        return explain(error, workspace.folder / FILE_NAME)
    except RagdeskError as error:
        return error


def _read(db: sqlite3.Connection, plan: Plan | None, awaited: str) -> Read:
    names = taxonomy_names(db)
    plan = first_plan(db) if plan is None else plan
    if plan is None:
        return None, NOTHING, names
    held = make_plan(db, plan.corpus, plan.dataset, plan.taxonomy.key)
    if plan.is_new != held.is_new:
        # made meanwhile, or gone
        plan = held
    wanted = awaited if awaited in names and plan.is_new else held.taxonomy.key
    taxonomy = read_taxonomy(db, wanted) if plan.is_new else held.taxonomy
    if taxonomy != plan.taxonomy:
        plan = plan.with_taxonomy(taxonomy)
    return plan, read_figures(db, plan), names
