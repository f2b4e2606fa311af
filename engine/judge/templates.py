"""The prompt templates of a judge: frozen when it is found, chosen by the language of the item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from engine.prompts.languages import LANGS
from engine.prompts.templates import PromptText, load_prompt, prompt_ids
from store.errors import InputError, NotFound
from store.hashing import content_hash
from store.messages import choices
from store.records import Lang, Passage

PromptLang = Literal["item", "zh", "en"]
"""Of the templates; `item` is the language of each item."""


_DOCUMENT: dict[Lang, str] = {"zh": "[{}] 标题：{}\n内容：{}", "en": "[{}] Title: {}\nContent: {}"}
_NOTHING: dict[Lang, str] = {"zh": "（没有检索到文档）", "en": "(nothing was retrieved)"}


class Templates(Struct, frozen=True):
    """The frozen templates `FOLDER/NAME` of a judge, by `LANG/FOLDER/NAME`."""

    folder: str
    texts: Mapping[str, str]
    lang: PromptLang = "item"

    @classmethod
    def of_config(cls, config: Mapping[str, Any]) -> Templates:
        """Those in a stored configuration."""
        return cls(config["prompt_folder"], config["prompts"], config["lang"])

    def find(self, name: str, lang: Lang) -> PromptText:
        """The template of that name for an item in `lang`."""
        prompt_lang: Lang = lang if self.lang == "item" else self.lang
        id = f"{self.folder}/{name}"
        text = self.texts[f"{prompt_lang}/{id}"]
        return PromptText(id, prompt_lang, text, content_hash(text))


def with_slots(*slots: str, optional: Sequence[str] = ()) -> Callable[[PromptText], object]:
    """What refuses a template that lacks one of the slots, or has one that is in neither list."""
    return lambda prompt: prompt.fill(dict.fromkeys(slots, ""), dict.fromkeys(optional, ""))


def documents_text(passages: Sequence[Passage], lang: Lang) -> str:
    """Passages as prompts show them: numbered from 1, with their titles."""
    return (
        "\n\n".join(
            _DOCUMENT[lang].format(number, passage.title, passage.text)
            for number, passage in enumerate(passages, 1)
        )
        or _NOTHING[lang]
    )


def read_templates(
    workspace: Path,
    folder: str,
    lang: PromptLang,
    checks: Mapping[str, Callable[[PromptText], object]],
) -> dict[str, str]:
    """The templates `FOLDER/NAME` by `LANG/FOLDER/NAME`, from the workspace's `prompts/` where it
    has them. `checks` holds for each name what refuses a template with wrong slots.

    Raises NotFound for one that is nowhere, InputError for one without its parts, and what the
    checks raise.
    """
    texts = {}
    for prompt_lang in _langs(lang):
        for name, check in checks.items():
            prompt = load_prompt(f"{folder}/{name}", prompt_lang, workspace / "prompts")
            check(prompt)
            texts[f"{prompt_lang}/{prompt.id}"] = prompt.text
    return texts


def read_named_templates(
    workspace: Path,
    folder: str,
    lang: PromptLang,
    checks: Mapping[str, Callable[[PromptText], object]],
    place: str,
) -> dict[str, str]:
    """The templates of the folder that `prompts` of the table at `place` names. Raises InputError
    naming the field where one is nowhere: the fault is in the file, whatever was typed."""
    try:
        return read_templates(workspace, folder, lang, checks)
    except NotFound as error:
        known = {
            prompt_id.rpartition("/")[0]
            for prompt_lang in _langs(lang)
            for prompt_id in prompt_ids(prompt_lang, workspace / "prompts")
            if prompt_id.rpartition("/")[2] in checks
        }
        raise InputError(
            f"{place}.prompts is {folder!r}: {error.message[0].lower()}{error.message[1:]}",
            choices(folder, sorted(known), "Folders with templates of judges"),
        ) from error


def _langs(lang: PromptLang) -> tuple[Lang, ...]:
    return LANGS if lang == "item" else (lang,)
