"""One table is written into ragdesk.toml while every other line stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.settings import find_provider
from engine.settings.file import put_table, snapshot, users
from store.errors import Conflict, InputError

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


A = {"model": "one", "base_url": "http://h/v1", "timeout_s": 120.0, "seed": 1, "limits": {"rpm": 5}}
"""Provider a as it stands in the file."""


def put(folder, name="a", kind="providers", **fields):
    """Writes a table with some fields changed, those that are None left out."""
    table = {**(A if name == "a" else {"base_url": "http://h/v1", "model": "one"}), **fields}
    put_table(snapshot(folder), kind, name, {k: v for k, v in table.items() if v is not None})


def test_a_file_is_begun(tmp_path):
    table = {"model": "one", "prices": {"input": 1, "output": 2}, "extra": {"k": [1, "zwei"]}}
    put_table(snapshot(tmp_path), "providers", "a", table)
    assert read(tmp_path) == (
        '[providers.a]\nmodel = "one"\n\n'
        "[providers.a.prices]\ninput = 1\noutput = 2\n\n"
        '[providers.a.extra]\nk = [1, "zwei"]\n'
    )
    assert (tmp_path / "ragdesk.toml").stat().st_mode & 0o777 == 0o600


def test_an_unchanged_table_leaves_the_file_as_it_is(tmp_path):
    write(tmp_path)
    put(tmp_path)
    assert read(tmp_path) == FILE


def test_a_changed_field_changes_its_line_only(tmp_path):
    write(tmp_path)
    put(tmp_path, seed=2, max_tokens=99)
    assert read(tmp_path) == FILE.replace("seed = 1\n", "seed = 2\nmax_tokens = 99\n")


def test_a_field_that_is_left_out_loses_its_line_only(tmp_path):
    write(tmp_path)
    put(tmp_path, seed=None)
    assert read(tmp_path) == FILE.replace("seed = 1\n", "")


def test_stages_are_written_as_lists_with_their_options(tmp_path):
    write(tmp_path)
    stages = ["rewriting", {"stage": "hyde", "alpha": 0.3}]
    put(tmp_path, "mine", "systems", base_url=None, model=None, top_k=3, query=stages)
    assert 'top_k = 3   # few\nquery = ["rewriting", { stage = "hyde", alpha = 0.3 }]\n' in read(
        tmp_path
    )


def test_a_table_below_that_stays_keeps_its_text(tmp_path):
    text = "[systems.d]\nurl = 'u'\n\n[systems.d.request.deep]  # as asked\nq = 1\n"
    write(tmp_path, text)
    table = {"url": "v", "request": {"deep": {"q": 1}}}
    put_table(snapshot(tmp_path), "systems", "d", table)
    assert read(tmp_path) == text.replace("'u'", '"v"')


def test_a_new_table_is_put_at_the_end(tmp_path):
    write(tmp_path)
    put(tmp_path, "新 c")
    assert read(tmp_path) == (
        FILE + '\n[providers."新 c"]\nbase_url = "http://h/v1"\nmodel = "one"\n'
    )
    assert find_provider(tmp_path, "新 c").model == "one"


def test_a_removed_table_takes_its_own_lines_only(tmp_path):
    write(tmp_path)
    put_table(snapshot(tmp_path), "providers", "a", None)
    before, after = FILE.split("[providers.a]\n")
    assert read(tmp_path) == before + after[after.index("# the other") :]


def test_line_ends_of_windows_stay(tmp_path):
    write(tmp_path, FILE.replace("\n", "\r\n"))
    put(tmp_path, seed=2)
    assert "\n" not in read(tmp_path).replace("\r\n", "")


def test_inline_tables_stay_inline(tmp_path):
    write(tmp_path, '[providers.a]\nmodel = "one"\nlimits.rpm = 5\nlimits.tpm = 7\n')
    table = {"model": "one", "limits": {"rpm": 6, "tpm": 7}}
    put_table(snapshot(tmp_path), "providers", "a", table)
    assert read(tmp_path) == '[providers.a]\nmodel = "one"\nlimits = { rpm = 6, tpm = 7 }\n'


def test_a_table_within_an_inline_table_is_refused_and_nothing_written(tmp_path):
    text = '[providers]\na = { model = "one", base_url = "http://h/v1" }\n'
    write(tmp_path, text)
    with pytest.raises(InputError, match="by hand"):
        put(tmp_path, seed=2)
    assert read(tmp_path) == text


def test_a_file_that_has_changed_meanwhile_is_left_alone(tmp_path):
    write(tmp_path)
    seen = snapshot(tmp_path)
    changed = FILE + "# by somebody else\n"
    write(tmp_path, changed)
    with pytest.raises(Conflict, match="has changed since it was read"):
        put_table(seen, "providers", "a", {"model": "two"})
    assert read(tmp_path) == changed


def test_no_partial_file_is_left_and_the_mode_stays(tmp_path):
    write(tmp_path)
    (tmp_path / "ragdesk.toml").chmod(0o600)
    put(tmp_path, seed=2)
    assert [file.name for file in tmp_path.iterdir()] == ["ragdesk.toml"]
    assert (tmp_path / "ragdesk.toml").stat().st_mode & 0o777 == 0o600


def test_who_names_a_table_is_known(tmp_path):
    write(
        tmp_path,
        "[systems.s]\nretriever = 'hybrid:bm25+e'\ngenerator = 'p'\n"
        "[systems.t]\nquery = [{ stage = 'hyde', provider = 'p' }]\n"
        "[judges.j]\nmodel = 'p'\n[judges.k]\nmethod = 'jury'\nmembers = ['j', 'rules']\n",
    )
    seen = snapshot(tmp_path)
    assert users(seen, "providers", "p") == ["systems.s", "systems.t", "judges.j"]
    assert users(seen, "embeddings", "e") == ["systems.s"]
    assert users(seen, "judges", "j") == ["judges.k"]
    assert users(seen, "systems", "s") == []


words = st.text(max_size=20).filter(lambda text: "\r" not in text)
names = st.text(min_size=1, max_size=12).filter(lambda text: text == text.strip())


@given(
    name=names,
    extra=st.dictionaries(words, st.one_of(words, st.booleans(), st.integers(0, 9)), max_size=3),
    seed=st.none() | st.integers(0, 2**31),
)
def test_what_is_written_is_read_back(tmp_path_factory, name, extra, seed):
    folder = tmp_path_factory.mktemp("settings")
    write(folder)
    wanted = {"model": "m", "extra": extra} | ({"seed": seed} if seed is not None else {})
    after = put_table(snapshot(folder), "providers", name, wanted)
    assert after == snapshot(folder)
    assert after.tables("providers")[name] == wanted
    assert {"a", "b"} <= after.tables("providers").keys()
    assert read(folder).startswith(FILE[: FILE.index("[providers.a]")])
    put_table(after, "providers", name, None)
    assert name not in snapshot(folder).tables("providers")
