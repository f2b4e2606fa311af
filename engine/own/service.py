"""A system of one's own as `ragdesk.toml` describes it: a `[systems.NAME]` table with a `kind`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct, convert
from msgspec.structs import replace

from engine.models.keys import is_variable_name, looks_like_key, names_with_keys
from engine.models.settings import Limits, Prices, Provider, check_provider_ranges
from engine.own.pointers import check_pointer
from engine.own.template import check_template
from engine.settings.fields import Variant, about
from engine.settings.reader import SETTINGS_FILE, check_ranges, convert_table, read_settings
from store.errors import InputError
from store.hashing import content_hash
from store.messages import choices
from store.records import HistoryMode
from store.sharing.modes import is_shared
from store.sharing.rights import check_rights, code_folder, readable_text

KINDS = ("http", "command", "python")
_ONLY_OF = {
    "url": ("http",),
    "command": ("command",),
    "function": ("python",),
    "python": ("python",),
    "api_key_env": ("http",),
    "env": ("command", "python"),
    "memory_mb": ("command", "python"),
    "start_s": ("command", "python"),
}
"""The kinds that a key goes with; one that is not here goes with all."""
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Service(Provider, frozen=True):
    """The system as a run freezes it: a provider of answers with what it retrieved for them.

    `base_url` is its address: a URL, a command line or MODULE:FUNCTION; `model` its version.
    """

    command: tuple[str, ...] = ()
    python: str = ""
    """The interpreter of a function; empty for the one that runs ragdesk."""
    file_hash: str = ""
    """Of the function's module, where that is a file of the workspace."""
    env: tuple[str, ...] = ()
    """Variables of the environment that its process is given."""
    request: dict[str, Any] | None = None
    """The template of the request; null for everything that there is to say."""
    answer: str | None = "/answer"
    """Where the answer stands in a reply; null for a system that only retrieves."""
    passages: str | None = "/passages"
    usage: str | None = "/usage"
    passage_id: str | None = None
    """Where a passage has its document's name; null where its own fields say it."""
    passage_text: str | None = None
    attempts: int = 1
    memory_mb: int = 8192
    start_s: float = 120.0


class _File(Struct):
    systems: dict[str, dict[str, Any]] = {}


class OwnTable(Struct):
    """A `[systems.NAME]` table with a `kind`."""

    kind: Literal["http", "command", "python"]
    url: Annotated[
        str, about("where questions are posted", example="http://127.0.0.1:9000/ask")
    ] = ""
    command: Annotated[
        tuple[str, ...],
        about("program and arguments: ./rag --serve", written="command", example="./rag"),
    ] = ()
    function: Annotated[
        str,
        about("MODULE:FUNCTION, in the workspace's folder or installed", example="mine:answer"),
    ] = ""
    python: Annotated[str, about("its interpreter: rag-env/bin/python; empty: that of ragdesk")] = (
        ""
    )
    api_key_env: Annotated[
        str, about("name of the environment variable with the key; empty: no key")
    ] = ""
    env: Annotated[
        tuple[str, ...], about("names of environment variables that its process is given")
    ] = ()
    request: Annotated[
        dict[str, Any] | None,
        about('what is sent: { query = "{question}", k = "{top_k}" }; empty: all there is to say'),
    ] = None
    answer: Annotated[
        str | Literal[False],
        about("JSON pointer to the answer in a reply; false: it only retrieves"),
    ] = "/answer"
    passages: Annotated[
        str | Literal[False], about("JSON pointer to the passages; false: it is closed-book")
    ] = "/passages"
    usage: Annotated[str | Literal[False], about("JSON pointer to the counts of tokens")] = "/usage"
    passage_id: Annotated[
        str | None, about("JSON pointer to the document's name in a passage; empty: its own fields")
    ] = None
    passage_text: Annotated[
        str | None, about("JSON pointer to the text of a passage; empty: its own fields")
    ] = None
    version: Annotated[
        str, about("runs of an equal version share answers; empty: they never do")
    ] = ""
    top_k: Annotated[int, about("passages that it is asked for, 1 to 1000")] = 5
    history: Annotated[HistoryMode, about("what it sees of a conversation's earlier turns")] = (
        HistoryMode.GOLD
    )
    timeout_s: Annotated[float, about("seconds for one answer")] = 120.0
    attempts: Annotated[
        int | None, about("how often a question is asked; empty: 3 by HTTP, 1 of a process")
    ] = None
    """What hangs once hangs again."""
    memory_mb: Annotated[int, about("address space of a process, in MB")] = 8192
    start_s: Annotated[float, about("seconds to start and load")] = 120.0
    limits: Annotated[Limits | None, about("all empty: 4 at once by HTTP, 1 of a process")] = None
    """Each further call at once is a further process."""
    prices: Prices | None = None
    description: Annotated[str, about("shown in lists")] = ""


VARIANTS = tuple(
    Variant(
        kind,
        what,
        OwnTable,
        {"kind": kind},
        frozenset(key for key, kinds in _ONLY_OF.items() if kind not in kinds),
    )
    for kind, what in (
        ("http", "a service of your own, asked by HTTP"),
        ("python", "a function of your own"),
        ("command", "a program of your own"),
    )
)
"""The tables of systems of one's own, by kind."""


def read_table(folder: Path, name: str, written: dict[str, Any], place: str) -> OwnTable:
    """The checked table; `place`, as `FILE: systems.NAME`, begins the messages of the InputErrors
    that it may raise."""
    kind = written["kind"]
    if kind not in KINDS:
        raise InputError(f"{place}.kind is {kind!r}.", choices(kind, KINDS, "Kinds"))
    table_keys = OwnTable.__struct_fields__
    for key in written:
        if key not in table_keys:
            raise InputError(f"{place} has no key {key!r}.", choices(key, table_keys, "Its keys"))
    for field in names_with_keys({key: written[key] for key in written if key != "api_key_env"}):
        raise InputError(
            f"{place}.{field} seems to hold a key.",
            "Keys never stand in the file: put it into an environment variable, and name that in"
            " api_key_env, or in env for a process.",
        )
    table = convert_table(written, OwnTable, place)
    for key in written:
        if table.kind not in _ONLY_OF.get(key, KINDS):
            raise InputError(f"{place}.{key} does not go with kind {table.kind!r}.", "Remove it.")
    if table.kind == "http":
        _check_url(table.url, place)
    else:
        _check_process(folder, table, place)
    for variable in (*table.env, *([table.api_key_env] if table.api_key_env else [])):
        if looks_like_key(variable) or not is_variable_name(variable):
            raise InputError(
                f"{place}: api_key_env or env names no environment variable.",
                "Name variables there, never what they hold.",
            )
    for field in ("answer", "passages", "usage", "passage_id", "passage_text"):
        check_pointer(getattr(table, field) or "", f"{place}.{field}")
    if table.answer is False and table.passages is False:
        raise InputError(f"{place} has neither answer nor passages.", "Name one of them.")
    if table.request is not None:
        check_template(table.request, f"{place}.request")
    check_ranges(
        place,
        (
            ("timeout_s", table.timeout_s, 0.1, 86_400),
            ("start_s", table.start_s, 0.1, 86_400),
            ("attempts", table.attempts, 1, 20),
            ("memory_mb", table.memory_mb, 64, 10_000_000),
            ("top_k", table.top_k, 1, 1000),
        ),
    )
    return table


def service_of(folder: Path, name: str, table: OwnTable, place: str) -> Service:
    """The service that a checked table describes. Raises InputError for impossible limits and
    prices, and for a module's file that cannot be relied on."""
    is_http = table.kind == "http"
    address = {
        "http": table.url.strip(),
        "command": shlex.join(table.command),
        "python": table.function,
    }[table.kind]
    file_hash = ""
    if table.kind == "python":
        file_hash = module_hash(folder, table.function, place)
    service = Service(
        name=name,
        kind=table.kind,
        base_url=address,
        model=" ".join(filter(None, (table.version, file_hash))) if table.version else "",
        api_key_env=table.api_key_env,
        prices=table.prices,
        limits=table.limits or Limits(max_in_flight=4 if is_http else 1),
        timeout_s=table.timeout_s,
        temperature="default",
        command=table.command,
        python=table.python,
        file_hash=file_hash,
        env=table.env,
        request=table.request,
        answer=table.answer or None,
        passages=table.passages or None,
        usage=table.usage or None,
        passage_id=table.passage_id,
        passage_text=table.passage_text,
        attempts=table.attempts or (3 if is_http else 1),
        memory_mb=table.memory_mb,
        start_s=table.start_s,
    )
    check_provider_ranges(service, place)
    return service


def check_command(folder: Path, service: Service) -> None:
    """Raises InputError where a shared workspace's job would start something else than the settings
    say now: what a job froze lies in a file that every member can write."""
    if not is_shared(folder):
        return
    file = folder / SETTINGS_FILE
    written = read_settings(file, _File).systems.get(service.name, {})
    place = f"{file}: systems.{service.name}"
    if written.get("kind") in KINDS:
        now = service_of(
            folder, service.name, read_table(folder, service.name, written, place), place
        )
        if replace(now, model=service.model) == service:
            return
    raise InputError(
        f"{place} is not what this job froze.",
        "Start a new run, or have the folder's owner put the system back.",
    )


def stored_service(settings: dict[str, Any]) -> Service:
    """The service of settings that a run or a system froze."""
    return convert(settings, Service)


def for_one_run(service: Service, run: str) -> Service:
    """The service as a run asks it: without a version its answers are for that run alone."""
    return service if service.model else replace(service, model=f"only for {run}")


def module_hash(folder: Path, function: str, place: str) -> str:
    """The hash of the file of a function's module; empty where it is none of the workspace. Raises
    InputError for a file and a folder that cannot be relied on."""
    file = (
        code_folder(folder, place)
        .joinpath(*function.partition(":")[0].split("."))
        .with_suffix(".py")
    )
    return content_hash(readable_text(file, place)) if file.is_file() else ""


def _check_url(url: str, place: str) -> None:
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"{place}.url is {url!r}.", "Use a full address, as http://127.0.0.1:9000/ask."
        )
    if parts.username or parts.password:
        raise InputError(
            f"{place}.url carries credentials.", "Name the key's variable in api_key_env."
        )


def _check_process(folder: Path, table: OwnTable, place: str) -> None:
    if table.kind == "command" and not (table.command and table.command[0].strip()):
        raise InputError(
            f"{place}.command is missing.", 'Name program and arguments: ["./rag", "--serve"].'
        )
    if table.kind == "python" and not _FUNCTION.fullmatch(table.function):
        raise InputError(f"{place}.function is {table.function!r}.", 'Write "MODULE:FUNCTION".')
    file = folder / SETTINGS_FILE
    # whoever can write the file decides what is run here
    if file.exists():
        check_rights(file.stat(), file, place)
