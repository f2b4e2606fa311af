"""One provider is written into ragdesk.toml while every other line stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.settings import Limits, Prices, Provider, find_provider, providers
from engine.models.settings_file import put_provider
from store.errors import InputError

FILE = """\
# our systems
[systems.mine]
description = \"\"\"
[providers.b] is not a header here
\"\"\"
top_k = 3   # few

[providers.a]
model = "one" # the small one
# where it runs
base_url = "http://h/v1"
timeout_s = 120.0
seed = 1

[providers.a.limits]
rpm = 5

# the other
[providers.b]
base_url = "http://h/v1"
model = "two"
"""


def write(folder, text=FILE):
    (folder / "ragdesk.toml").write_bytes(text.encode())


def read(folder):
    return (folder / "ragdesk.toml").read_bytes().decode()


def provider(**fields):
    given = {"name": "a", "base_url": "http://h/v1", "model": "one", **fields}
    return Provider(**given)


def test_a_file_is_begun(tmp_path):
    put_provider(tmp_path, provider(prices=Prices(1, 2), extra={"k": [1, "zwei"]}))
    assert read(tmp_path) == (
        '[providers.a]\nbase_url = "http://h/v1"\nmodel = "one"\n\n'
        "[providers.a.prices]\ninput = 1\noutput = 2\n\n"
        '[providers.a.extra]\nk = [1, "zwei"]\n'
    )
    assert (tmp_path / "ragdesk.toml").stat().st_mode & 0o777 == 0o600


def test_an_unchanged_provider_leaves_the_file_as_it_is(tmp_path):
    write(tmp_path)
    put_provider(tmp_path, find_provider(tmp_path, "a"))
    assert read(tmp_path) == FILE


def test_a_changed_field_changes_its_line_only(tmp_path):
    write(tmp_path)
    put_provider(tmp_path, provider(seed=2, limits=Limits(rpm=5), max_tokens=99))
    assert read(tmp_path) == FILE.replace("seed = 1\n", "seed = 2\nmax_tokens = 99\n")


def test_a_new_provider_is_put_at_the_end(tmp_path):
    write(tmp_path)
    put_provider(tmp_path, provider(name="新 c"))
    assert read(tmp_path) == (
        FILE + '\n[providers."新 c"]\nbase_url = "http://h/v1"\nmodel = "one"\n'
    )
    assert find_provider(tmp_path, "新 c").model == "one"


def test_line_ends_of_windows_stay(tmp_path):
    write(tmp_path, FILE.replace("\n", "\r\n"))
    put_provider(tmp_path, provider(seed=2))
    assert "\n" not in read(tmp_path).replace("\r\n", "")


def test_inline_tables_stay_inline(tmp_path):
    write(tmp_path, '[providers.a]\nmodel = "one"\nbase_url = "http://h/v1"\nlimits.rpm = 5\n')
    put_provider(tmp_path, provider(limits=Limits(rpm=6)))
    assert "limits = { rpm = 6 }\n" in read(tmp_path)


def test_a_provider_within_an_inline_table_is_refused_and_nothing_written(tmp_path):
    text = '[providers]\na = { model = "one", base_url = "http://h/v1" }\n'
    write(tmp_path, text)
    with pytest.raises(InputError, match="by hand"):
        put_provider(tmp_path, provider(seed=2))
    assert read(tmp_path) == text


@pytest.mark.parametrize("wrong", [{"timeout_s": -1.0}, {"api_key_env": "sk-" + "a1" * 12}])
def test_a_wrong_provider_is_not_written(tmp_path, wrong):
    write(tmp_path)
    with pytest.raises(InputError):
        put_provider(tmp_path, provider(**wrong))
    assert read(tmp_path) == FILE


def test_no_partial_file_is_left_and_the_mode_stays(tmp_path):
    write(tmp_path)
    (tmp_path / "ragdesk.toml").chmod(0o600)
    put_provider(tmp_path, provider(seed=2))
    assert [file.name for file in tmp_path.iterdir()] == ["ragdesk.toml"]
    assert (tmp_path / "ragdesk.toml").stat().st_mode & 0o777 == 0o600


words = st.text(max_size=20).filter(lambda text: "\r" not in text)
names = st.text(min_size=1, max_size=12).filter(lambda text: text == text.strip())


@given(
    name=names.filter(lambda name: name != "offline"),
    extra=st.dictionaries(words, st.one_of(words, st.booleans(), st.integers(0, 9)), max_size=3),
    seed=st.none() | st.integers(0, 2**31),
)
def test_what_is_written_is_read_back(tmp_path_factory, name, extra, seed):
    folder = tmp_path_factory.mktemp("settings")
    write(folder)
    wanted = provider(name=name, extra=extra, seed=seed)
    try:
        put_provider(folder, wanted)
    except InputError:
        return  # an extra field that is one of the request's own, or looks like a key
    assert find_provider(folder, name) == wanted
    assert {"a", "b"} <= providers(folder).keys()
    assert read(folder).startswith(FILE[: FILE.index("[providers.a]")])
