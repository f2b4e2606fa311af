"""Reads providers from the `[providers.NAME]` tables of a workspace's `ragdesk.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct, structs

from engine.models.keys import is_variable_name, looks_like_key, names_with_keys
from engine.settings.fields import Variant, about
from engine.settings.reader import (
    SETTINGS_FILE,
    check_ranges,
    convert_table,
    read_settings,
)
from store.errors import InputError
from store.messages import no_such
from store.sharing.modes import is_shared

_OWN_BODY_FIELDS = frozenset(
    {"messages", "input", "model", "stream", "n", "temperature", "top_p", "max_tokens", "seed"}
)
_NO_KEYS_HERE = (
    "Keys never stand in the file: put the key into an environment variable and name that"
    " variable in api_key_env."
)


class Prices(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The price of `per_tokens` tokens, in `currency`."""

    input: Annotated[float, about("price of the tokens that are sent")]
    output: Annotated[float, about("price of the tokens that come back")]
    currency: Annotated[str, about("of the prices")] = "USD"
    per_tokens: Annotated[int, about("how many tokens the prices are for")] = 1_000_000

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """The price of one call, in `currency`."""
        return (tokens_in * self.input + tokens_out * self.output) / self.per_tokens


class Limits(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A provider's limits. `rpm` and `tpm` are requests and tokens a minute."""

    max_in_flight: Annotated[int, about("calls at once")] = 64
    rpm: Annotated[int | None, about("calls a minute; empty: no limit")] = None
    tpm: Annotated[int | None, about("tokens a minute; empty: no limit")] = None
    batch: Annotated[int, about("texts in one request for embeddings")] = 64


class Provider(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A model behind an OpenAI-compatible endpoint, or the built-in `offline` one.

    A sampling parameter that is null is not sent, so the server's own default holds.
    """

    name: str
    kind: Literal["openai", "offline", "http", "command", "python"] = "openai"
    """The last three are those of systems of one's own, which no `[providers.NAME]` describes."""
    base_url: Annotated[
        str,
        about(
            "address up to and including the version: http://127.0.0.1:8000/v1",
            example="http://127.0.0.1:8000/v1",
        ),
    ] = ""
    model: Annotated[str, about("the server's name of the model", example="model")] = ""
    api_key_env: Annotated[
        str,
        about("name of the environment variable with the key, as OPENAI_API_KEY; empty: no key"),
    ] = ""
    prices: Prices | None = None
    limits: Limits = Limits()
    timeout_s: Annotated[
        float, about("seconds for one attempt, up to the last byte of the reply")
    ] = 120.0
    temperature: Annotated[
        float | Literal["default"], about("of sampling; default: none is sent, the server's holds")
    ] = 0.0
    top_p: Annotated[float | None, about("of sampling; empty: none is sent")] = None
    max_tokens: Annotated[
        int | None, about("longest reply in tokens; empty: the server's own bound")
    ] = None
    seed: Annotated[int | None, about("of sampling, where the server takes one")] = None
    json_schema: Annotated[
        bool, about("whether the server holds replies to a JSON schema; judges then send one")
    ] = False
    extra: Annotated[
        dict[str, Any], about('further fields of the request: { reasoning_effort = "low" }')
    ] = {}

    @property
    def title(self) -> str:
        """What messages call it: a provider of models, or a system of one's own."""
        return f"{'Provider' if self.kind in ('openai', 'offline') else 'System'} {self.name}"

    @property
    def identity(self) -> str:
        """The parts of a provider that a reply depends on: kind and endpoint, not the name."""
        return f"{self.kind} {self.base_url}".rstrip()

    @property
    def account(self) -> tuple[str, str]:
        """The endpoint and the key, to which the provider's limits apply."""
        return (self.base_url, self.api_key_env)


VARIANT = Variant("openai", "a model behind an OpenAI-compatible endpoint", Provider)
"""The one form of a provider's table."""

OFFLINE = Provider(name="offline", kind="offline")
"""Built in: deterministic, no network, no weights."""


class _File(Struct):
    providers: dict[str, dict[str, Any]] = {}
    systems: dict[str, dict[str, Any]] = {}


def providers(folder: Path) -> dict[str, Provider]:
    """`offline` and the providers of the workspace's `ragdesk.toml`, by name.

    Raises InputError, naming file and field, for a broken file, an unknown field, a value out
    of its range, and a key where the name of a variable belongs.
    """
    file = folder / SETTINGS_FILE
    tables = read_settings(file, _File).providers
    given = {
        name: read_provider(name, table, f"{file}: providers.{name}")
        for name, table in tables.items()
    }
    return {OFFLINE.name: OFFLINE, **given}


def check_destination(folder: Path, provider: Provider) -> None:
    """Raises InputError where a job of a shared workspace would send a key to another address than
    the settings say now: what a job froze lies in a file that every member can write."""
    if not (provider.api_key_env and is_shared(folder)):
        return
    systems = read_settings(folder / SETTINGS_FILE, _File).systems.values()
    known = {one.account for one in providers(folder).values()}
    known |= {(str(own.get("url", "")).strip(), own.get("api_key_env", "")) for own in systems}
    if provider.account not in known:
        raise InputError(
            f"{folder / SETTINGS_FILE} does not send the key in {provider.api_key_env} to"
            f" {provider.base_url}, as this job asks.",
            "Start a new job, or have the folder's owner put the provider back.",
        )


def find_provider(folder: Path, name: str) -> Provider:
    have = providers(folder)
    if name not in have:
        raise no_such("provider", name, have, "Providers")
    return have[name]


def read_provider(name: str, table: dict[str, Any], place: str) -> Provider:
    """The checked provider; `place` begins the message of the InputError that may be raised."""
    if "name" in table:
        raise InputError(f"{place}.name: the table's header names the provider.", "Remove it.")
    for field in names_with_keys(
        {key: value for key, value in table.items() if key not in ("api_key_env", "model")}
    ):
        raise InputError(f"{place}.{field} seems to hold a key.", _NO_KEYS_HERE)
    return check_provider(convert_table({"name": name, **table}, Provider, place), place)


def check_provider(provider: Provider, place: str) -> Provider:
    """`provider` with a normalised base_url. Raises InputError for impossible settings."""
    if not provider.name or provider.name != provider.name.strip():
        raise InputError(f"{place}: a provider needs a name without spaces around it.")
    if provider.kind == "offline":
        if provider.base_url or provider.model or provider.api_key_env:
            raise InputError(
                f"{place} is offline but names an endpoint.",
                'Set kind = "openai", or remove base_url, model and api_key_env.',
            )
        return provider
    if provider.kind != "openai":
        raise InputError(
            f"{place}.kind is {provider.kind!r}, which is a kind of system.",
            "Describe it under [systems.NAME].",
        )
    if provider.name == OFFLINE.name:
        raise InputError(f"{place}: `offline` is the built-in provider.", "Choose another name.")
    _check_variable(provider.api_key_env, place)
    if not provider.model.strip() or looks_like_key(provider.model):
        raise InputError(f"{place}.model does not name a model.", "Use the server's name of it.")
    check_provider_ranges(provider, place)
    taken = sorted(_OWN_BODY_FIELDS & provider.extra.keys())
    if taken:
        raise InputError(
            f"{place}.extra.{taken[0]} cannot be set there.", "The request sets that field itself."
        )
    return structs.replace(provider, base_url=_checked_url(provider.base_url, place))


def _check_variable(name: str, place: str) -> None:
    # the value is never repeated: it may be a key put into the wrong field
    if name and (looks_like_key(name) or not is_variable_name(name)):
        raise InputError(
            f"{place}.api_key_env does not name an environment variable.", _NO_KEYS_HERE
        )


def _checked_url(url: str, place: str) -> str:
    parts = urlsplit(url.strip())
    if parts.username or parts.password or parts.query:
        raise InputError(f"{place}.base_url carries credentials or a query.", _NO_KEYS_HERE)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"{place}.base_url is {url!r}.", "Use a full address, as http://127.0.0.1:8000/v1."
        )
    cleaned = url.strip().rstrip("/")
    for ending in ("/chat/completions", "/embeddings"):
        cleaned = cleaned.removesuffix(ending)
    return cleaned


def check_provider_ranges(provider: Provider, place: str) -> None:
    """Raises InputError for limits, prices and sampling parameters out of their ranges."""
    limits, prices = provider.limits, provider.prices
    temperature = 0.0 if provider.temperature == "default" else provider.temperature
    ranges: list[tuple[str, float | None, float, float]] = [
        ("timeout_s", provider.timeout_s, 0.1, 86_400),
        ("temperature", temperature, 0, 2),
        ("top_p", provider.top_p, 0, 1),
        ("max_tokens", provider.max_tokens, 1, 10_000_000),
        ("limits.max_in_flight", limits.max_in_flight, 1, 4096),
        ("limits.rpm", limits.rpm, 1, 100_000_000),
        ("limits.tpm", limits.tpm, 1, 1_000_000_000_000),
        ("limits.batch", limits.batch, 1, 4096),
    ]
    if prices is not None:
        ranges += [
            ("prices.input", prices.input, 0, 1_000_000_000),
            ("prices.output", prices.output, 0, 1_000_000_000),
            ("prices.per_tokens", prices.per_tokens, 1, 1_000_000_000),
        ]
        if not prices.currency.strip():
            raise InputError(f"{place}.prices.currency is empty.", "Name it, as USD or CNY.")
    check_ranges(place, ranges)
