"""The sample corpus, evaluated by three systems, to look around in."""

from __future__ import annotations

from msgspec import Struct

from store.workspace import Workspace
from tui.language import tr
from tui.screens.confirm import confirm
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.screens.workspace import make_workspace


class SampleQuery(Struct, frozen=True):
    def answer(self, workspace: Workspace) -> str:
        """Loads the sample and queues three systems over it; says so. Raises what `load_sample`
        raises."""
        from engine.evaluate.new_run import NewRun
        from engine.evaluate.run_job import Evaluate
        from engine.evaluate.systems import DEMO_SYSTEMS
        from engine.importers.sample import load_sample
        from engine.jobs.start import start

        release = load_sample(workspace)
        for system in DEMO_SYSTEMS:
            start(workspace, Evaluate(NewRun(system, release.label)))
        return tr(
            "{label} is there; {demo_systems} are evaluated over it now.",
            label=release.label,
            demo_systems=", ".join(DEMO_SYSTEMS),
        )


def ask_sample_corpus(screen: PlaceScreen) -> None:
    """Loads the sample, into an empty workspace at once, else after a question."""
    host = screen.host
    if host.facts.is_empty:
        _load(host)
        return
    confirm(
        host,
        tr("Bring in the sample corpus?"),
        tr("It is made for looking around; this workspace holds other things already."),
        tr("bring it in"),
        lambda: _load(host),
    )


def _load(host: Host) -> None:
    if make_workspace(host):
        host.ask_apart(
            "loading the sample",
            SampleQuery(),
            host.advise,
        )
