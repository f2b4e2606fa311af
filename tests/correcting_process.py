"""The app with a correction open: `python correcting_process.py FOLDER SUBJECT RATER`."""

from __future__ import annotations

import sys
from inspect import getfile
from pathlib import Path

from tui.shell.terminal import prepare

prepare()

from engine.labelling.session import LabelSession  # noqa: E402
from store.labels.log.events import Subject  # noqa: E402
from store.workspace import open_workspace  # noqa: E402
from tui.app import Ragdesk  # noqa: E402
from tui.correction.screen import CorrectionScreen  # noqa: E402
from tui.live.watcher import Watcher  # noqa: E402

FOLDER, SUBJECT, RATER = Path(sys.argv[1]), Subject("revision", sys.argv[2]), sys.argv[3]


class Correcting(Ragdesk):
    CSS_PATH = str(Path(getfile(Ragdesk)).with_name("app.tcss"))

    def on_mount(self) -> None:
        super().on_mount()
        labelling = LabelSession(open_workspace(FOLDER), "inspection", RATER)
        self.push_screen(CorrectionScreen(labelling, SUBJECT), lambda _: self.exit())


def main() -> None:
    watcher = Watcher(FOLDER)
    watcher.start()
    watcher.first_look.wait(60)
    Correcting(watcher, rater=RATER).run(mouse=False)


main()
