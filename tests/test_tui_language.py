"""The language of the interface: which one is spoken, and how texts are found in the catalogue."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tui.language.translation as translation
from store.errors import NotFound
from store.messages import no_such, plural
from tui.language import choice, later, read, remember, tr, use_language

CATALOGUE = {
    "Save": "保存",
    "{number} item": "{number} 个条目",
    "{number} items": "{number} 个条目",
    "Saved {items} of {dataset}.": "已保存 {dataset} 的 {items}。",
    "There is no {kind} {value}.": "没有名为 {value} 的{kind}。",
    "run": "运行",
    "The share is {share:.0%}.": "占比 {share:.0%}。",
    "Name another.": "请另选一个。",
    'Write {"d2": 1}.': '请写 {"d2": 1}。',
    'Send { query = "{question}" }.': '请发送 { query = "{question}" }。',
    "Job {job} is {status}.": "作业 {job} 的状态为{status}。",
    "failed": "失败",
    "the file is broken;": "文件已损坏；",
    "{name} is {value}.": "{name}={value}",
    "Runs": "运行",
}


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(choice.VARIABLE, "en")
    monkeypatch.setattr(choice, "_chosen", "zh")
    caches = (translation._templates, translation._read)
    for cached in caches:
        cached.cache_clear()
    monkeypatch.setattr(translation, "_entries", lambda: CATALOGUE)
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize(
    ("environ", "kept", "code"),
    [
        ({}, "", "en"),
        ({"LANG": "zh_CN.UTF-8"}, "", "zh"),
        ({"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, "", "en"),
        ({"LANG": "en_GB.UTF-8"}, "zh", "zh"),
        ({"RAGDESK_LANG": "en", "LANG": "zh_CN.UTF-8"}, "zh", "en"),
        ({"RAGDESK_LANG": "fr"}, "", "en"),
        ({"LANG": "zh_CN.UTF-8"}, "nothing", "zh"),
    ],
)
def test_the_variable_comes_before_what_was_kept_and_that_before_the_locale(
    tmp_path: Path, environ: dict[str, str], kept: str, code: str
) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path), **environ}
    if kept:
        remember(kept, environ)
    assert choice.preferred(environ) == code


def test_a_chosen_language_is_that_of_the_processes_started_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(choice.VARIABLE, "en")
    monkeypatch.setattr(choice, "_chosen", "en")
    use_language("zh")
    asked = "from tui.language import language; print(language())"
    said = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True)
    assert said.stdout.strip() == "zh"


def test_english_is_said_as_it_stands() -> None:
    assert tr("Save") == later("Save") == read("Save") == "Save"
    assert tr("Saved {items}.", items=plural(2, "item")) == "Saved 2 items."


@pytest.mark.usefixtures("chinese")
def test_a_marked_text_is_filled_in_chinese() -> None:
    assert tr("Save") == "保存"
    assert tr("Saved {items} of {dataset}.", items=plural(1200, "item"), dataset="gold") == (
        "已保存 gold 的 1,200 个条目。"
    )
    assert tr("The share is {share:.0%}.", share=0.25) == "占比 25%。"
    assert tr("Not in the catalogue: {n}", n=3) == "Not in the catalogue: 3"


@pytest.mark.usefixtures("chinese")
def test_sentences_are_recognised_by_what_they_were_made_from() -> None:
    error = no_such("run", "x", ["a", "b"], "Runs")
    assert isinstance(error, NotFound)
    assert read(str(error)) == "没有名为 'x' 的运行。运行：a, b。"
    assert read("Saved 3 items of gold. Name another.") == "已保存 gold 的 3 个条目。请另选一个。"
    assert read("The share is 25%.") == "占比 25%。"
    assert read("What nobody wrote. Name another.") == "What nobody wrote. 请另选一个。"


@pytest.mark.usefixtures("chinese")
def test_braces_that_a_sentence_speaks_of_are_no_placeholders() -> None:
    assert read('Write {"d2": 1}.') == '请写 {"d2": 1}。'
    assert read('Send { query = "{question}" }.') == '请发送 { query = "{question}" }。'
    assert read("Write it.") == "Write it."


@pytest.mark.usefixtures("chinese")
def test_the_state_of_a_thing_is_said_in_a_word_of_the_interface() -> None:
    assert read("Job failed is failed.") == "作业 failed 的状态为失败。"


@pytest.mark.usefixtures("chinese")
def test_a_sentence_within_another_is_read_without_its_stop() -> None:
    assert read("x.jsonl: Job 3 is failed") == "x.jsonl：作业 3 的状态为失败"
    assert read("the file is broken; Job 3 is failed.") == "文件已损坏；作业 3 的状态为失败。"


@pytest.mark.usefixtures("chinese")
def test_a_text_of_few_words_does_not_make_long_sentences() -> None:
    assert read("It is three.") == "It=three"
    assert read("What nobody wrote is there.") == "What nobody wrote is there."


@pytest.mark.usefixtures("chinese")
def test_names_that_people_gave_are_not_translated() -> None:
    assert tr("Saved {items} of {dataset}.", items=3, dataset="run") == "已保存 run 的 3。"
