"""The command line in Chinese: help of every command, results, and errors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

from store.workspace import Workspace

HELP = """
import argparse, json
from tui.cli.parser import build

def each(parser):
    groups = [text for group in parser._action_groups for text in (group.title, group.description)]
    helps = [one.help for one in parser._actions]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps += [one.help for one in action._choices_actions]
            for command in action.choices.values():
                yield from each(command)
    yield parser.prog, [parser.format_help(), *filter(None, [parser.description, *groups, *helps])]

print(json.dumps(dict(each(build()))))
"""
CALLS = """
import json, sys
from tui.cli import main

for words in json.loads(sys.argv[1]):
    main(words)
    print("\\f", end="", flush=True)
"""
END = "\f"
MATTER = re.compile(r"`[^`]*`|\[[^]]*]|{[^}]*}")
ENGLISH = re.compile(r"\b[a-z]{2,},? [a-z]{2,}\b")


def python(lang: str, code: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        env={"RAGDESK_LANG": lang, "PATH": "", "COLUMNS": "80", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def helps() -> Mapping[str, Mapping[str, list[str]]]:
    """Of each command its whole help, then the texts in it, by language."""
    return {lang: json.loads(python(lang, HELP)) for lang in ("en", "zh")}


def test_no_text_of_a_help_is_left_in_english(
    helps: Mapping[str, Mapping[str, list[str]]],
) -> None:
    texts = {text for _, *said in helps["zh"].values() for text in said}
    assert len(texts) > 400
    plain = {text for text in texts if not re.search("[\u4e00-\u9fff]", text)}
    mixed = {text for text in texts if ENGLISH.search(MATTER.sub("", text))}
    assert plain | mixed == set()


def test_no_line_of_a_help_is_wider_in_chinese(
    helps: Mapping[str, Mapping[str, list[str]]],
) -> None:
    def widest(lang: str, command: str) -> int:
        return max(map(cell_len, helps[lang][command][0].splitlines()))

    wide = [
        command for command in helps["zh"] if widest("zh", command) > max(80, widest("en", command))
    ]
    assert wide == []


def test_results_are_in_chinese(scored: Workspace, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    calls = [
        ["matrix", "first"],
        ["compare", "first", "first"],
        ["leaderboard", "first", "first"],
        ["table", "first"],
        ["runs"],
        ["report", "first", "--out", str(out)],
    ]
    matrix, compared, board, table, runs, report = said(scored, *calls)
    assert matrix.startswith("运行 first   系统 bm25   数据集 gold@1   f1，越高越好\n")
    assert compared.startswith("在 f1 上，first (A) 与 first (B) 无从判断：")
    assert board.startswith("f1   5 轮，3 组\n")
    assert table.startswith("运行   检索器  生成器 ")
    assert re.split(" +", runs.splitlines()[0])[:5] == ["运行", "名称", "系统", "数据集", "状态"]
    assert "已导入" in runs
    assert report.endswith(f"已写入 {out}，0.1 MB。\n")
    assert '<html lang="zh">' in out.read_text("utf-8")
    assert [text for text in (matrix, compared, board, table, runs) if ENGLISH.search(text)] == []


def test_json_and_csv_are_the_same_in_both_languages(scored: Workspace) -> None:
    calls = [
        ["runs", "--json"],
        ["doctor", "--json"],
        ["table", "first", "--format", "csv"],
        ["matrix", "first", "--format", "csv", "--lang", "en"],
    ]
    english, chinese = (said(scored, *calls, lang=lang) for lang in ("en", "zh"))
    assert english[0] == chinese[0]
    assert english[2:] == chinese[2:]
    assert not re.search("[\u4e00-\u9fff]", chinese[1])


def test_errors_are_in_chinese(scored: Workspace, tmp_path: Path) -> None:
    unknown, mistyped, absent = said(
        scored,
        ["matrix", "nope"],
        ["jobs", "show", "x"],
        ["runs", "--workspace", str(tmp_path / "none")],
    )
    assert unknown == "ragdesk: 没有运行 'nope'。这里的运行：first。\n"
    assert mistyped.endswith("ragdesk jobs show: 错误：参数 JOB：无效的 int 值：'x'\n")
    assert absent.startswith(f"ragdesk: {tmp_path / 'none'} 中没有工作区")


def said(scored: Workspace, *calls: Sequence[str], lang: str = "zh") -> list[str]:
    """What each of the calls prints, messages too, from one process."""
    place = ["--workspace", str(scored.folder)]
    words = [[*place, *call] for call in calls]
    return python(lang, CALLS, json.dumps(words)).split(END)[:-1]
