"""A process that has imported everything and forks itself, in place of starting Python anew.

Most processes of the tests are workers, their children, the app and those that run the tests, and
most of what they compute is importing. One template for all tests imports once; a child that it
forks is a process like any other, with its own session, terminal, pipes and pid, and can be killed
at any moment. It has no database, thread or event loop of its own that a child could inherit.

`use_template` makes `subprocess.Popen` and multiprocessing take their Python processes from it;
`real_python` turns that off, for tests of how a process starts.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import multiprocessing.util
import os
import pkgutil
import runpy
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NoReturn

from execnet.gateway_io import popen_bootstrapline

SOCKET_VARIABLE = "RAGDESK_TEST_TEMPLATE"
"""Where the template of this run of the tests listens; set for everything that the tests start."""

_ROOT = Path(__file__).parents[1]
_PACKAGES = (
    "aiohttp",
    "bm25s",
    "docx",
    "faiss",
    "hypothesis.strategies",
    "lxml.html",
    "openai",
    "runpy",
    "scipy.stats",
    "sklearn.metrics",
    "textual.pilot",
    "textual.widgets",
)
"""What modules or tests import where they need it."""
_MODULES = ("engine.jobs.worker", "tui.calculator_process")
_APP = "from tui.cli import entry; entry()"
_READ_AT_IMPORT = ("NO_COLOR", "RAGDESK_ASCII", "RAGDESK_FULL_REDRAW", "TEXTUAL_")
"""Variables, or their beginnings, that modules read while they are imported."""
_MOST_DESCRIPTORS = 4096
_REAL_POPEN = subprocess.Popen
_REAL_SPAWN = multiprocessing.util.spawnv_passfds


class ForkedProcess:
    """What `subprocess.Popen` gives, as far as commands, workers and the calculator need it."""

    def __init__(self, argv: Sequence[str], pid: int, answers: socket.socket) -> None:
        self.args = argv
        self.pid = pid
        self.returncode: int | None = None
        self.stdin: IO[Any] | None = None
        self.stdout: IO[Any] | None = None
        self.stderr: IO[Any] | None = None
        self._answers = answers
        self._lock = threading.Lock()

    def __enter__(self) -> ForkedProcess:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()

    def communicate(self, input: None = None, timeout: float | None = None) -> tuple[Any, Any]:
        """What it writes until it ends, None where that goes elsewhere."""
        with ThreadPoolExecutor(2) as reading:
            texts = [
                None if stream is None else reading.submit(stream.read)
                for stream in (self.stdout, self.stderr)
            ]
            try:
                self.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            written, complained = (None if text is None else text.result() for text in texts)
        return written, complained

    def poll(self) -> int | None:
        return self._ended(0.0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        with self._lock:
            if self.returncode is None:
                self._answers.settimeout(timeout)
                with suppress(BlockingIOError, TimeoutError):
                    answer = self._answers.recv(4)
                    status = struct.unpack("i", answer)[0] if answer else signal.SIGKILL
                    self.returncode = os.waitstatus_to_exitcode(status)
                    self._answers.close()
        return self.returncode


def fork(
    argv: Sequence[str],
    fds: Mapping[int, int],
    *,
    environ: Mapping[str, str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    new_session: bool = False,
    terminal: bool = False,
) -> ForkedProcess:
    """A process from the template that runs `argv` as Python would.

    `fds` says which of our descriptors it has as which of its own; with `terminal` its standard
    input becomes the terminal that controls it.
    """
    answers = _connected()
    request = {
        "argv": [os.fspath(word) for word in argv],
        "fds": list(fds),
        "environ": dict(os.environ if environ is None else environ),
        "folder": os.fspath(folder or Path.cwd()),
        "new_session": new_session,
        "terminal": terminal,
    }
    body = json.dumps(request).encode("utf-8", "surrogateescape")
    socket.send_fds(answers, [struct.pack("I", len(body))], list(fds.values()))
    answers.sendall(body)
    (pid,) = struct.unpack("i", answers.recv(4))
    return ForkedProcess(argv, pid, answers)


def can_fork(argv: Sequence[Any], environ: Mapping[str, str] | None) -> bool:
    """Whether the template can stand in for Python: it runs what it knows, and it is there."""
    if SOCKET_VARIABLE not in os.environ or not argv or argv[0] != sys.executable:
        return False
    match _without_flags([str(word) for word in argv[1:]]):
        case ["-m", module, *_]:
            return module in _MODULES
        case ["-c", code, *options]:
            given = os.environ if environ is None else environ
            return code == popen_bootstrapline or (
                code == _APP
                and not {"--ascii", "--full-redraw", "--lang"} & {*options}
                and given.get("RAGDESK_LANG") == os.environ["RAGDESK_LANG"]
                and not any(name.startswith(_READ_AT_IMPORT) for name in given)
            )
        case [script, *_]:
            return Path(script).parent == Path(__file__).parent
    return False


def _without_flags(words: Sequence[str]) -> list[str]:
    """What Python is to run, without how it is to run it."""
    left = list(words)
    while left and left[0] in ("-P", "-E", "-s", "-S", "-B", "-I", "-u", "-W"):
        left = left[2 if left[0] == "-W" else 1 :]
    return left


def popen(args: Any, **options: Any) -> Any:
    """`subprocess.Popen`, from the template where that can be."""
    known = {"stdin", "stdout", "stderr", "env", "cwd", "start_new_session", "text"}
    if isinstance(args, str) or not can_fork(args, options.get("env")) or {*options} - known:
        return _REAL_POPEN(args, **options)
    fds: dict[int, int] = {}
    ours: dict[str, IO[Any]] = {}
    to_close: list[int] = []
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        given = options.get(name)
        if given is subprocess.PIPE:
            reading, writing = os.pipe()
            theirs, kept = (reading, writing) if name == "stdin" else (writing, reading)
            mode = ("w" if name == "stdin" else "r") + ("" if options.get("text") else "b")
            ours[name] = os.fdopen(kept, mode)
            fds[number] = theirs
            to_close.append(theirs)
        elif given is subprocess.DEVNULL:
            fds[number] = os.open(os.devnull, os.O_RDWR)
            to_close.append(fds[number])
        elif given is subprocess.STDOUT:
            fds[number] = fds[1]
        else:
            fds[number] = (
                number if given is None else given if isinstance(given, int) else given.fileno()
            )
    try:
        process = fork(
            args,
            fds,
            environ=options.get("env"),
            folder=options.get("cwd"),
            new_session=options.get("start_new_session", False),
        )
    finally:
        for fd in to_close:
            os.close(fd)
    process.stdin, process.stdout = ours.get("stdin"), ours.get("stdout")
    process.stderr = ours.get("stderr")
    return process


def _spawn(path: Any, args: Sequence[Any], passfds: Sequence[int]) -> int:
    """`multiprocessing.util.spawnv_passfds`, from the template."""
    if SOCKET_VARIABLE not in os.environ:
        return _REAL_SPAWN(path, args, passfds)
    words = [os.fsdecode(word) for word in args]
    fds = {fd: fd for fd in {0, 1, 2, *map(int, passfds)}}
    return fork(words, fds).pid


def use_template() -> None:
    """Makes this process, and what it forks, start Python processes from the template."""
    subprocess.Popen = popen  # type: ignore[assignment, misc]
    multiprocessing.util.spawnv_passfds = _spawn


@contextmanager
def real_python() -> Iterator[None]:
    """Python is started anew, as on a person's machine."""
    listening = os.environ.pop(SOCKET_VARIABLE, None)
    try:
        yield
    finally:
        if listening is not None:
            os.environ[SOCKET_VARIABLE] = listening


# The template itself


def offer_template() -> None:
    """Says where the template of these tests listens; it starts when the first process is asked
    for, and ends with this process."""
    place = Path(tempfile.mkdtemp(prefix="ragdesk-template-")) / f"{os.getpid()}"
    os.environ[SOCKET_VARIABLE] = str(place)
    # the template removes the folder too, since tests that are killed leave it behind
    atexit.register(shutil.rmtree, place.parent, ignore_errors=True)


def _connected() -> socket.socket:
    """A connection to the template, which is started unless it runs."""
    place = Path(os.environ[SOCKET_VARIABLE])
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            _start(place)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(str(place))
    return connection


def _start(place: Path) -> None:
    process = _REAL_POPEN(
        [sys.executable, "-P", __file__, str(place)],
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT), str(Path(__file__).parent)])},
        start_new_session=True,
    )
    while not place.exists():
        if process.poll() is not None:
            raise RuntimeError("the template of the tests' processes did not start")
        time.sleep(0.01)


def _import_all() -> None:
    from tui.shell.terminal import prepare

    prepare()
    for name in ("store", "engine", "tui"):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            importlib.import_module(module.name)
    for name in _PACKAGES:
        importlib.import_module(name)
    from hypothesis.configuration import notice_initialization_restarted
    from hypothesis.internal.conjecture.providers import _get_local_constants

    from engine.evaluate.scoring_code import scoring_code
    from engine.text.segmentation import jieba_cut, terms

    scoring_code()  # reads every module that computes
    _get_local_constants()  # reads all of them, as each process that runs tests would do
    notice_initialization_restarted(warn=False)  # it is early for that
    for cut in (jieba_cut, terms):
        cut("银行的不良贷款率")  # loads the dictionary


def serve(place: str) -> None:
    """Forks a process for each request, and tells who asked how it ended, until the tests end."""
    from workspace_template import use_made_workspace

    _import_all()
    use_template()
    use_made_workspace()
    # the modules that are run are there already, and runpy warns of that
    warnings.filterwarnings("ignore", category=RuntimeWarning, module="runpy")
    gc.collect()
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(place + ".new")
    listener.listen(64)
    woken, wake = socket.socketpair()
    woken.setblocking(False)
    wake.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno())
    waiting: dict[int, socket.socket] = {}
    selector = selectors.DefaultSelector()
    tests = os.pidfd_open(int(Path(place).name))
    for source in (listener, woken, tests):
        selector.register(source, selectors.EVENT_READ)
    Path(place + ".new").rename(place)
    while True:
        for key, _ in selector.select():
            if key.fileobj == tests:
                shutil.rmtree(Path(place).parent, ignore_errors=True)
                os._exit(0)
            if key.fileobj is woken:
                with suppress(BlockingIOError):
                    woken.recv(1024)
            else:
                _answer(listener.accept()[0], waiting)
        _tell_of_ended(waiting)


def _answer(asker: socket.socket, waiting: dict[int, socket.socket]) -> None:
    head, fds, _, _ = socket.recv_fds(asker, 4, 32)
    size = struct.unpack("I", head)[0] if head else -1
    with asker.makefile("rb") as stream:
        body = stream.read(max(size, 0))
    if len(body) != size:  # who asked was killed before the end of its question
        for fd in fds:
            os.close(fd)
        asker.close()
        return
    request = json.loads(body.decode("utf-8", "surrogateescape"))
    pid = os.fork()
    if pid == 0:
        _become(request, fds)
    for fd in fds:
        os.close(fd)
    waiting[pid] = asker
    with suppress(OSError):
        asker.sendall(struct.pack("i", pid))


def _tell_of_ended(waiting: dict[int, socket.socket]) -> None:
    while waiting:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        asker = waiting.pop(pid)
        with suppress(OSError):
            asker.sendall(struct.pack("i", status))
        asker.close()


def _become(request: dict[str, Any], fds: Sequence[int]) -> NoReturn:
    """Turns the forked child into what was asked for, and ends with it."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # tests that were started in the background have their Ctrl-C turned off
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if request["new_session"] or request["terminal"]:
            os.setsid()
        _take(dict(zip(request["fds"], fds, strict=True)))
        if request["terminal"]:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environ"])
        for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
            stream = open(  # noqa: SIM115
                number,
                "r" if number == 0 else "w",
                encoding="utf-8",
                errors="surrogateescape" if number < 2 else "backslashreplace",
                closefd=False,
            )
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        code = _run(request["argv"])
    except BaseException:  # noqa: BLE001  a process that fails prints why and ends, as Python does
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _take(wanted: Mapping[int, int]) -> None:
    """Has the descriptors under the numbers asked for, and no others."""
    above = max([*wanted, 63]) + 1
    moved = {number: fcntl.fcntl(fd, fcntl.F_DUPFD, above) for number, fd in wanted.items()}
    for number, fd in moved.items():
        os.dup2(fd, number, inheritable=number <= 2)
    first = 0
    for number in sorted(wanted):
        if number > first:
            os.closerange(first, number)
        first = number + 1
    os.closerange(first, _MOST_DESCRIPTORS)


def _run(argv: Sequence[str]) -> int:
    try:
        match _without_flags(argv[1:]):
            case ["-m", module, *rest]:
                sys.argv = [module, *rest]
                runpy.run_module(module, run_name="__main__", alter_sys=True)
            case ["-c", code, *rest]:
                sys.argv = ["-c", *rest]
                exec(code, {"__name__": "__main__"})
            case [script, *rest]:
                sys.argv = [script, *rest]
                runpy.run_path(script, run_name="__main__")
        code = 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            code = end.code or 0
        else:
            print(end.code, file=sys.stderr)
            code = 1
    except KeyboardInterrupt:
        traceback.print_exc()
        code = 130
    for finish in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]
        try:
            finish()
        except Exception:  # noqa: BLE001  Python prints such an error and keeps the exit status
            traceback.print_exc()
    return code


if __name__ == "__main__":
    sys.modules["process_template"] = sys.modules["__main__"]
    serve(sys.argv[1])
