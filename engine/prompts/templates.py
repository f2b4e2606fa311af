"""Prompt templates: found by language and id, filled by plain substitution.

A template file lies at `<lang>/<id>.txt` here, or in a workspace's `prompts/` folder, which wins.
It has a `[system]` and a `[user]` part, each headed by that line alone. `{name}` is a slot; the
line `{>other/id}` takes in another template file, which has no parts. Any other brace is text, so
JSON examples need no escaping; what fills a slot is never looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from msgspec import Struct

from engine.models.chat import ChatRequest, Message
from store.errors import InputError, NotFound
from store.hashing import content_hash
from store.records import Lang
from store.sharing.rights import read_directing

_SLOT = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_INCLUDE = re.compile(r"^\{>([a-z0-9_/]+)\}[ \t]*$", re.MULTILINE)
_PARTS = re.compile(r"\A\s*\[system\]\n(?P<system>.*?)\n\[user\]\n(?P<user>.*)\Z", re.DOTALL)
_ID = re.compile(r"[a-z0-9_]+(?:/[a-z0-9_]+)*")
_DEEPEST = 4
"""Levels of files taking in files; a circle ends here with an error."""


class PromptedRequest(Struct, frozen=True):
    """A request, and the prompt it was made with."""

    request: ChatRequest
    prompt_id: str
    prompt_hash: str


class PromptText(Struct, frozen=True):
    """A template as it is used now: included files in place, slots still open."""

    id: str
    lang: Lang
    text: str
    hash: str
    """Hash of `text`: two runs with equal hash asked in equal words."""

    @property
    def slots(self) -> frozenset[str]:
        """Names of its slots."""
        return frozenset(_SLOT.findall(self.text))

    def fill(
        self, values: Mapping[str, str], optional: Mapping[str, str] | None = None
    ) -> tuple[Message, Message]:
        """The system and user message with every slot filled; braces in values stay as they are.

        A value of `optional` need not have a slot. Raises InputError when a slot has no value or
        another value no slot: a prompt that silently drops its documents, or asks for something
        unknown, would spoil a whole run.
        """
        given = {**(optional or {}), **values}
        unknown = sorted(self.slots - set(given))
        unused = sorted(set(values) - self.slots)
        if unknown or unused:
            wrong = [f"has the unknown slot {{{name}}}" for name in unknown]
            wrong += [f"lacks the slot {{{name}}}" for name in unused]
            known = ", ".join(f"{{{name}}}" for name in sorted(given))
            raise InputError(
                f"Prompt {self.lang}/{self.id} {' and '.join(wrong)}.",
                f"Its slots are {known}.",
            )
        parts = _PARTS.match(self.text)
        assert parts is not None, "load_prompt lets no text through that lacks a part"
        system, user = (
            _SLOT.sub(lambda slot: given[slot[1]], parts[name]).strip()
            for name in ("system", "user")
        )
        return Message("system", system), Message("user", user)

    def with_rule(self, rule: str) -> str:
        """Its text with a sentence more at the end of the system part."""
        system, header, user = self.text.partition("\n[user]\n")
        return f"{system.rstrip()}\n\n{rule}\n{header}{user}"

    def request(
        self, values: Mapping[str, str], optional: Mapping[str, str] | None = None
    ) -> PromptedRequest:
        """The request of the filled messages. Raises what `fill` raises."""
        return PromptedRequest(ChatRequest(self.fill(values, optional)), self.id, self.hash)


class FrozenPrompts:
    """The texts of templates as they were when something began, by `LANG/ID`."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def has(self, id: str, lang: Lang) -> bool:
        return f"{lang}/{id}" in self._texts

    def find(self, id: str, lang: Lang) -> PromptText:
        text = self._texts[f"{lang}/{id}"]
        return PromptText(id, lang, text, content_hash(text))


def load_prompt(prompt_id: str, lang: Lang, overrides: Path | None = None) -> PromptText:
    """The template `prompt_id` in `lang`, from the folder `overrides` where it has one.

    Raises NotFound naming the prompts that exist, and InputError naming the file when an override
    is not UTF-8, lacks a part, or takes in files without end.
    """
    text = _expanded(prompt_id, lang, overrides, _DEEPEST)
    if _PARTS.match(text) is None:
        raise InputError(
            f"Prompt {_place(prompt_id, lang, overrides)} has no [system] and [user] part.",
            "Head each part with its name in brackets on a line of its own, [system] first.",
        )
    return PromptText(prompt_id, lang, text, content_hash(text))


def prompt_ids(lang: Lang, overrides: Path | None = None) -> tuple[str, ...]:
    """Ids of the prompts in `lang`, shipped and overriding, sorted; without files to take in."""
    shipped = resources.files("engine.prompts").joinpath(lang)
    with resources.as_file(shipped) as folder:
        ids = _ids_in(Path(folder))
    if overrides is not None:
        ids |= _ids_in(overrides / lang)
    return tuple(sorted(ids))


def has_prompt(prompt_id: str, lang: Lang, overrides: Path | None = None) -> bool:
    """Returns whether a template of that id is there."""
    return _read(prompt_id, lang, overrides) is not None


def load_part(part_id: str, lang: Lang, overrides: Path | None = None) -> str | None:
    """The text of a file that templates take in, without white space around it; None where there
    is none."""
    text = _read(part_id, lang, overrides)
    return None if text is None else text.strip()


def _ids_in(folder: Path) -> set[str]:
    return {
        file.relative_to(folder).with_suffix("").as_posix()
        for file in folder.rglob("*.txt")
        if "[system]" in file.read_text(encoding="utf-8", errors="replace")
    }


def _expanded(prompt_id: str, lang: Lang, overrides: Path | None, levels: int) -> str:
    text = _read(prompt_id, lang, overrides)
    if text is None:
        known = ", ".join(prompt_ids(lang, overrides))
        raise NotFound(f"There is no prompt {lang}/{prompt_id}.", f"These exist: {known}.")
    if levels == 0 and _INCLUDE.search(text):
        raise InputError(
            f"Prompt {_place(prompt_id, lang, overrides)} includes files too deeply.",
            "Take out the {>...} line that leads back to the file itself.",
        )
    return _INCLUDE.sub(
        lambda include: _expanded(include[1], lang, overrides, levels - 1).strip(), text
    )


def _read(prompt_id: str, lang: Lang, overrides: Path | None) -> str | None:
    if not _ID.fullmatch(prompt_id):
        return None
    if overrides is not None:
        own = overrides / lang / f"{prompt_id}.txt"
        try:
            return read_directing(own, overrides.parent).decode()
        except FileNotFoundError:
            pass
        except (UnicodeDecodeError, OSError) as error:
            raise InputError(f"{own}: {error}.", "Save the prompt as a UTF-8 text file.") from error
    shipped = resources.files("engine.prompts").joinpath(lang, f"{prompt_id}.txt")
    return shipped.read_text(encoding="utf-8") if shipped.is_file() else None


def _place(prompt_id: str, lang: Lang, overrides: Path | None) -> str:
    own = None if overrides is None else overrides / lang / f"{prompt_id}.txt"
    return str(own) if own is not None and own.is_file() else f"{lang}/{prompt_id}"
