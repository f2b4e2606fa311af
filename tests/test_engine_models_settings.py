"""Providers are read from ragdesk.toml with every mistake named, and keys are refused there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.models.settings import OFFLINE, Limits, Prices, find_provider, providers
from store.errors import InputError, NotFound

SECRET = "sk-proj-abcdefghijklmnop1234567890"

WHOLE = """
[systems.mine]
top_k = 3

[providers.local]
base_url = "http://127.0.0.1:8000/v1/"
model = "qwen3-8b"
timeout_s = 30
seed = 7
limits = { max_in_flight = 8, rpm = 60, tpm = 100000 }

[providers."通义"]
base_url = "https://dashscope.aliyuncs.com/compatible-mode/v1"
model = "qwen-max"
api_key_env = "DASHSCOPE_API_KEY"
temperature = "default"
prices = { input = 2.4, output = 9.6, currency = "CNY" }
extra = { enable_thinking = false }
"""


def write(folder, text):
    (folder / "ragdesk.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_workspace_without_settings_has_the_offline_provider(tmp_path):
    assert providers(tmp_path) == {"offline": OFFLINE}


def test_providers_are_read_with_their_types(tmp_path):
    found = providers(write(tmp_path, WHOLE))
    assert list(found) == ["offline", "local", "通义"]
    assert found["local"].base_url == "http://127.0.0.1:8000/v1"
    assert found["local"].limits == Limits(max_in_flight=8, rpm=60, tpm=100_000)
    assert found["local"].temperature == 0.0
    assert found["通义"].prices == Prices(2.4, 9.6, "CNY")
    assert found["通义"].extra == {"enable_thinking": False}


def test_prices_are_for_so_many_tokens():
    assert Prices(input=2.0, output=8.0).cost(500_000, 250_000) == pytest.approx(3.0)
    assert Prices(input=2.0, output=8.0, per_tokens=1000).cost(500, 250) == pytest.approx(3.0)


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path):
    with pytest.raises(NotFound, match="offline, local, 通义"):
        find_provider(write(tmp_path, WHOLE), "remote")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('models = "x"', "unknown field `models`"),
        ("limits = { in_flight = 3 }", r"unknown field `in_flight` - at `\$.limits`"),
        ('timeout_s = "long"', "timeout_s"),
        ("timeout_s = 0", "timeout_s is 0"),
        ("temperature = 3", "temperature is 3"),
        ("limits = { max_in_flight = 0 }", "limits.max_in_flight is 0"),
        ("prices = { input = -1, output = 1 }", "prices.input is -1"),
        ("prices = { input = 1 }", "output"),
        ("extra = { temperature = 1 }", "extra.temperature"),
        ('name = "x"', "providers.p.name"),
        ('kind = "azure"', "kind"),
        ('kind = "offline"', "offline but names an endpoint"),
    ],
)
def test_a_mistake_is_named_with_file_and_field(tmp_path, lines, said):
    text = f'[providers.p]\nbase_url = "http://h/v1"\nmodel = "m"\n{lines}\n'
    with pytest.raises(InputError, match=said) as caught:
        providers(write(tmp_path, text))
    assert "ragdesk.toml: providers.p" in str(caught.value)


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000/v1", "ftp://h/v1"])
def test_an_address_that_is_none_is_refused(tmp_path, url):
    with pytest.raises(InputError, match="base_url"):
        providers(write(tmp_path, f'[providers.p]\nmodel = "m"\nbase_url = "{url}"\n'))


def test_an_address_may_be_pasted_with_its_path(tmp_path):
    url = "http://h/v1/chat/completions"
    text = f'[providers.p]\nmodel = "m"\nbase_url = "{url}"\n'
    assert providers(write(tmp_path, text))["p"].base_url == "http://h/v1"


@pytest.mark.parametrize(
    "line",
    [
        f'api_key = "{SECRET}"',
        f'api_key_env = "{SECRET}"',
        'api_key_env = "AIzaSyA1234567890abcdefghijk"',
        'api_key_env = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"',
        f'extra = {{ headers = {{ note = "Bearer {SECRET}" }} }}',
        'extra = { api_key = "hunter" }',
        f'extra = {{ list = ["{SECRET}"] }}',
        f'base_url = "https://{SECRET}@h/v1"',
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path, line):
    field = line.partition(" ")[0]
    given = {"base_url": '"http://h/v1"', "model": '"m"'}
    given.pop(field, None)
    rest = "\n".join(f"{name} = {value}" for name, value in given.items())
    with pytest.raises(InputError) as caught:
        providers(write(tmp_path, f"[providers.p]\n{rest}\n{line}\n"))
    assert "environment variable" in str(caught.value)
    for secret in (SECRET, "AIzaSy", "0a1b2c", "hunter"):
        assert secret not in str(caught.value)


def test_ordinary_names_of_variables_and_models_are_no_keys(tmp_path):
    text = (
        '[providers.p]\nbase_url = "http://h/v1"\nmodel = "gpt-4.1-mini-2025-04-14"\n'
        'api_key_env = "AZURE_OPENAI_API_KEY_EAST2"\n'
    )
    assert providers(write(tmp_path, text))["p"].api_key_env == "AZURE_OPENAI_API_KEY_EAST2"


def test_a_broken_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"ragdesk\.toml.*line 1"):
        providers(write(tmp_path, "[providers.p\n"))


@pytest.mark.parametrize("module", ["endpoints", "cached", "probe", "parse"])
def test_importing_the_package_imports_no_client(module):
    heavy = "{'openai', 'aiohttp', 'httpx2', 'pydantic', 'numpy'}"
    code = f"import sys, engine.models.{module}; print({heavy} & sys.modules.keys())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"
