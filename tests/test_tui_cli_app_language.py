"""The language of the app: kept for the account, and turned from within."""

from __future__ import annotations

from pathlib import Path

from terminal import open_app

from tui.shell.own_keys import person_file


def test_the_app_starts_anew_in_the_other_language_and_keeps_it(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    kept = person_file(environ).with_name("language")
    options = ("--lang", "zh", "--rater", "li")
    with open_app(tmp_path / "workspace", *options, environ=environ) as terminal:
        terminal.wait_for("F2")
        assert kept.read_text("utf-8").strip() == "zh"
        terminal.press("ctrl+p")
        terminal.wait_for("中文/English")
        terminal.press(*"English")
        terminal.wait_for(lambda text: "中文/English" in text and "Freeze" not in text)
        terminal.press("\r")
        terminal.wait_for(lambda _: kept.read_text("utf-8") == "en\n")
        terminal.clear()
        terminal.wait_for("rater li")
        terminal.press("ctrl+q")
        assert terminal.wait() == 0
