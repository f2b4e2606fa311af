"""The languages of items, prompts and names, and the choice between two texts by language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from store.records import Lang

LANGS: tuple[Lang, ...] = ("zh", "en")

T = TypeVar("T")


class Named(Protocol):
    """Something with a name in either language."""

    @property
    def zh(self) -> str: ...

    @property
    def en(self) -> str: ...


def by_lang(lang: str, zh: T, en: T) -> T:
    """The Chinese one for `zh`, the English one for any other language."""
    return zh if lang == "zh" else en


def name_in(lang: str, named: Named) -> str:
    return by_lang(lang, named.zh, named.en)
