"""Real accounts of this host for tests, which are made where that is allowed and removed again."""

from __future__ import annotations

import os
import pickle
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import account_process
import pytest
from process_template import real_python

MEMBERS = ("lead", "ann", "ben", "cat", "eve")
"""In the group; `dan` is not."""
OPERATORS = ("lead", "eve")
"""In the group of operators too."""
_PATHS = os.pathsep.join(
    (
        str(Path(__file__).parents[1]),
        *(path for path in sys.path if path and not path.startswith(sys.base_prefix)),
    )
)
"""What is imported here but for Python's own library, which each Python brings."""


class Said(NamedTuple):
    code: int
    out: str
    err: str


class Accounts:
    def __init__(self, group: str, folder: Path, python: str) -> None:
        self.group = group
        self.folder = folder
        """Where each of them may look, and `lead` may write."""
        self._python = python
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def operators(self) -> str:
        """The group of operators."""
        return f"{self.group}op"

    def name(self, who: str) -> str:
        return f"{self.group}{who}"

    def start(self, who: str, *argv: str, **options: Any) -> subprocess.Popen[Any]:
        """Starts a Python process of that account."""
        entry = pwd.getpwnam(self.name(who))
        environ = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
        with real_python():
            return subprocess.Popen(
                [self._python, *argv],
                user=entry.pw_uid,
                group=entry.pw_gid,
                extra_groups=os.getgrouplist(entry.pw_name, entry.pw_gid),
                env={**environ, "PYTHONPATH": _PATHS},
                cwd="/",
                umask=0o022,
                **options,
            )

    def call(self, who: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function returns in a process of that account; its exception is raised here."""
        if who not in self._processes:
            self._processes[who] = self.start(
                who, account_process.__file__, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        process = self._processes[who]
        assert process.stdin is not None
        assert process.stdout is not None
        pickle.dump((function.__module__, function.__name__, arguments), process.stdin)
        process.stdin.flush()
        given, error = pickle.load(process.stdout)
        if error is not None:
            raise error
        return given

    def ragdesk(self, who: str, *words: str) -> Said:
        """Runs a command as that account, over the workspace `ws`."""
        return Said(*self.call(who, account_process.ragdesk, self.folder / "ws", words))

    def close(self) -> None:
        for process in self._processes.values():
            process.communicate()


@pytest.fixture(scope="module")
def accounts() -> Iterator[Accounts]:
    """Six accounts, a group that all but `dan` are in, and one of operators."""
    if os.geteuid():
        pytest.skip("only root may make accounts")
    if not all(map(shutil.which, ("useradd", "userdel", "groupadd", "groupdel"))):
        pytest.skip("this host has no useradd and groupadd")
    python = _python_for_all()
    group = f"rd{os.getpid()}"
    operators = f"{group}op"
    made: list[str] = []
    try:
        _run("groupadd", group)
        _run("groupadd", operators)
        for who in (*MEMBERS, "dan"):
            groups = [group] * (who in MEMBERS) + [operators] * (who in OPERATORS)
            words = ("-G", ",".join(groups)) if groups else ()
            _run("useradd", "--no-create-home", "--user-group", *words, f"{group}{who}")
            made.append(f"{group}{who}")
        with tempfile.TemporaryDirectory(prefix="ragdesk-team-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            os.chown(folder, pwd.getpwnam(f"{group}lead").pw_uid, -1)
            found = Accounts(group, folder, python)
            yield found
            found.close()
    finally:
        for account in made:
            _run("userdel", account)
        _run("groupdel", operators)
        _run("groupdel", group)


def _python_for_all() -> str:
    """A Python of this version that every account may start with what is installed here."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{name}", f"/usr/local/bin/{name}"):
        with suppress(OSError), real_python():
            started = subprocess.run(
                [python, "-c", "import sqlite3, msgspec, store.workspace, unix_accounts"],
                user=65534,
                group=65534,
                extra_groups=[],
                cwd="/",
                env={"PYTHONPATH": _PATHS},
                capture_output=True,
            )
            if started.returncode == 0:
                return python
    pytest.skip("other accounts may not start Python with this copy of ragdesk")


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)
