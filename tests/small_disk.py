"""A file system of a few megabytes, which a test can really fill."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


class SmallDisk:
    """A file system of a few megabytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Leave no byte free."""
        with self._filler.open("wb", buffering=0) as file:
            for size in (65536, 1):
                try:
                    while file.write(b"x" * size):
                        pass
                except OSError:
                    pass

    def free(self) -> None:
        self._filler.unlink()


def mounted(point: Path) -> Iterator[SmallDisk]:
    """A small disk at `point`; skips the test where nobody may mount one."""
    mount = shutil.which("mount")
    point.mkdir()
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(point)]
    if mount is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no right to mount a file system")
    yield SmallDisk(point)
    subprocess.run(["umount", "--lazy", str(point)], check=True)
