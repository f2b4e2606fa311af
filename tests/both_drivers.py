"""The app's driver, and beside it what Textual's own would have written.

`TEXTUAL_DRIVER=both_drivers:BothDrivers` with the name of a file in `BOTH_DRIVERS_LOG`.
"""

from __future__ import annotations

import os
from pathlib import Path

from tui.painting.driver import ChangesDriver


class BothDrivers(ChangesDriver):
    """Appends to a file whatever it is told to write, before it does."""

    def write(self, data: str) -> None:
        with Path(os.environ["BOTH_DRIVERS_LOG"]).open("ab") as log:
            log.write(data.encode())
        super().write(data)
