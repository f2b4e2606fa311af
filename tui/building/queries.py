"""The queries of the Build screen: the estimate of a generation, and a changed taxonomy."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from engine.generate.filling.asked import GenerationEstimate
from engine.generate.filling.generate_job import Generate
from store.records import Lang
from store.workspace import Workspace
from tui.language import tr


class DraftsQuery(Struct, frozen=True):
    """What a generation would take."""

    operation: Generate

    def answer(self, workspace: Workspace) -> GenerationEstimate:
        """Raises what estimating raises."""
        return self.operation.estimate(workspace)


class PruneQuery(Struct, frozen=True):
    """Have topics taken out of a taxonomy or renamed; of a copy where it has a new name."""

    taxonomy: str
    drop: tuple[str, ...] = ()
    rename: dict[str, str] = {}
    lang: Lang | None = None
    new_name: str = ""

    def answer(self, workspace: Workspace) -> str:
        """The name of the taxonomy that it is now. Raises what `prune_taxonomy` raises."""
        from engine.taxonomy.stored import prune_taxonomy

        with workspace.write() as db:
            made, _ = prune_taxonomy(
                db,
                self.taxonomy,
                drop=self.drop,
                rename=self.rename,
                lang=self.lang,
                new_name=self.new_name,
            )
        return made.key


class TaxonomyFileQuery(Struct, frozen=True):
    """Have a taxonomy read from a file and kept."""

    path: str
    name: str = ""
    tasks_from: str = "omnieval"

    def answer(self, workspace: Workspace) -> str:
        """The name of the taxonomy. Raises InputError for a file that cannot be read, and what
        `taxonomy_of_file` and `save_taxonomy` raise."""
        from engine.taxonomy.stored import save_taxonomy, taxonomy_of_file
        from store.formats.faults import read_bytes

        path = Path(self.path).expanduser()
        data = read_bytes(path)
        made = taxonomy_of_file(
            workspace.db, data, str(path), name=self.name, tasks_from=self.tasks_from
        )
        with workspace.write() as db:
            save_taxonomy(db, made, tr("imported from {name}", name=path.name))
        return made.key
