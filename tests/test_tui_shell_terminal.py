"""The process's set-up, and keys pressed while an input method is on."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest
from textual.keys import _character_to_key

from engine.text.signs import draws_ascii
from tui.shell.terminal import normalise_key, prepare, settle_memory


def test_the_kitty_protocol_is_off_unless_the_person_chose() -> None:
    environ: dict[str, str] = {}
    prepare(environ)
    assert environ == {"TEXTUAL_DISABLE_KITTY_KEY": "1", "TEXTUAL_ANIMATIONS": "none"}
    environ["TEXTUAL_DISABLE_KITTY_KEY"] = "0"
    prepare(environ)
    assert environ["TEXTUAL_DISABLE_KITTY_KEY"] == "0"


def test_preparing_imports_no_textual() -> None:
    code = (
        "import sys, tui.shell.terminal; "
        "sys.exit('textual' in sys.modules or 'rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("value", "expected"), [(None, False), ("", False), ("0", False), ("1", True)]
)
def test_ascii_is_chosen_by_the_environment(value: str | None, expected: bool) -> None:
    assert draws_ascii({} if value is None else {"RAGDESK_ASCII": value}) is expected


def test_the_console_of_linux_gets_ascii_unless_it_is_refused() -> None:
    assert draws_ascii({"TERM": "linux"})
    assert not draws_ascii({"TERM": "linux", "RAGDESK_ASCII": "0"})
    assert not draws_ascii({"TERM": "xterm-256color"})


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *zip("１５ａＺ？／，－＋＿＠＼", "15aZ?/,-+_@\\", strict=True),
        ("。", "."),
        ("、", "/"),
        ("￥", "$"),
        ("　", " "),
    ],
)
def test_a_full_width_key_finds_the_binding_of_its_ascii_key(typed: str, meant: str) -> None:
    assert normalise_key(_character_to_key(typed), typed) == (_character_to_key(meant), meant)


@pytest.mark.parametrize("character", [chr(code) for code in range(33, 127)])
def test_every_full_width_form_names_its_key_as_textual_does(character: str) -> None:
    wide = chr(ord(character) + 0xFEE0)
    assert normalise_key("ignored", wide) == (_character_to_key(character), character)


@pytest.mark.parametrize(
    ("key", "character"), [("enter", "\r"), ("f1", None), ("中", "中"), ("a", "a"), ("⁉", "⁉")]
)
def test_other_keys_come_back_as_they_were(key: str, character: str | None) -> None:
    assert normalise_key(key, character) == (key, character)


def test_settled_memory_is_left_alone_by_the_collector() -> None:
    thresholds = gc.get_threshold()
    try:
        settle_memory()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)


_WITHOUT_OPENSSL = """
import sys, tui.cli.app
from pathlib import Path
from tui.shell.terminal import leave_out_openssl
leave_out_openssl()
import hashlib, tui.app
assert hashlib.sha256(b"a").hexdigest().startswith("ca978112ca1bbdca")
print("libcrypto" in Path("/proc/self/maps").read_text())
import ssl
print(ssl.OPENSSL_VERSION)
"""


def test_the_app_is_imported_without_openssl_which_a_later_import_finds() -> None:
    child = subprocess.run(
        [sys.executable, "-c", _WITHOUT_OPENSSL], capture_output=True, text=True, check=True
    )
    brought, version = child.stdout.splitlines()
    assert brought == "False"
    assert "SSL" in version
