"""The schema: what a new file holds, and that a released step stays as it was."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from store import migrations
from store.workspace import Workspace

pytestmark = pytest.mark.usefixtures("made_anew")

GOLDEN = Path(__file__).parent / "data" / "schema.sql"

RELEASED = {
    "m0001_foundation": "090511e83657905303c1fced6b29d7874dd43864180c2ddd40f47032c6153887",
    "m0003_job_progress": "859b1788ff4f87bc1de2fd26b6a66b9a547f0247875d092db2cf8b94d43ef607",
    "m0004_generation": "311d0bc28a477cb95da2a678bab0ff6ce3e4d5d5583348a7bcac64467a1ea9d7",
    "m0005_inspection": "f1052a8eaebac7cf842b948b84076e8a330970de49d614134b121843899f3cbc",
    "m0006_open_assignment": "dbe59e379ff2218e6ffff1ddae6091edb7818c03aefbef1642e53136ceda14c0",
    "m0007_operations": "62d16e7c93c746943fc036e27530f6cc0ba19b1930780eb46368cba0c93c9f00",
    "m0008_hidden_documents": "827a5654111d905473ddcd41a1e679a702bfd01dfd7c8601e0b8989b03d6b935",
    "m0009_reply_model": "31b7f26f506db1161d26cd007a425db4eb0c3b71b23d14a99016f50ac7d75101",
    "m0010_trained_judges": "14c7e937620168e4318b5971323620cbd6342ecb6f87da5faf954f2bf78f71b1",
    "m0011_readings": "c2b3a02d4da19ffbc0f73a9f6173e1109e264ddfaf6c97dea7d3445e11b1ff52",
    "m0012_rulings_and_aids": "bbf6b2257d5cd177665eee1cf00d6d83d2ae32dee0c597d180f82b25a18f8967",
    "m0013_checksums": "c7dde75e9d5c3df096b2283f6bdeab03e6bfa1a62c2d065d0a7d6296af038e92",
    "m0014_worker_boot": "0990c0779749e3ef8a8c0b29a677f0d746ef0bba9c37c130eb8621801384002c",
    "m0015_documented_views": "057364a0b5c66952455b886ffd5c57e500bd18b69747ec31557e5a94277dedbf",
    "m0016_score_details": "a7d34176c3cb6e78e463f6e43104da55902f3f2a4c139eab3a0efdb2c27187d9",
    "m0017_pause_reasons": "626a09f33b5f3a9732f75c7049627fbeed273f2fb085a8242fbd3d7f9dcac286",
    "m0018_sequences": "d91a64c04908cc6cc48a9c71472daffcb27ded7826eafdf1013acb04683f7729",
    "m0019_source_counts": "a0d7948159952ef8f39101100801a5b667d96eecc69692b45f1aabf0c20dc0b6",
    "m0021_draws": "1478f350c19810d5269bcc7329928a7ccb61dc1cb90405e53a18535e7c44be12",
    "m0020_question_sets": "50bc5d42156b93634969870cd90e5ba873d07938c1af011ee7d9744c34d43859",
    "m0022_release_ends": "e32879a9d8f97298214e19c37c38a8818e4ff9d52c54044a527577ae6fd4621e",
    "m0023_audits": "7706f4eb4ee946a5acaa65721ed248b1c783f23d551b797ab6aa9cd4f4e0aea2",
    "m0024_side_readings": "eff56bbe3b989248795e65cfa28783bbc66d5adb68482cc029516d95282672d7",
    "m0025_unused_metrics": "027fd492a6558dacc2dd3098bb294f7c7d65b15675fb2913f2d999a4d5b25797",
    "m0026_difficulty": "69faff553bbb26b67b94a0c3f404d861745f08f270bf52509c8194659713935c",
    "m0027_task_metrics": "7af34a83390fe8975b6b33cfcc0f6b1c8644dc907e195a19fa947c952947d50d",
    "m0028_entity_graph": "65fd652b001ad33b11c069da98940b3fe62c11295ed640661d175be016223dc2",
    "m0029_authoring": "1b3dc3c73b3dece2d91d37b7bc3a6526bea857fc8385d26b10403c7a79cf931d",
    "m0031_lineage": "0355817dd2cf4d700fef0d8388b7022ca3e6130f03a694e5fac3441b3e36e86e",
    "m0002_labelling": "43c73d6eb2708daa8811ad2cf06a39d9a6f58b51fbf15736ab4365d8deda103c",
    "m0030_generation_steps": "2a448fe6f5e20782cef1e3890d542126ed93bf38fd9f60cf1a0411e4d9859d22",
    "m0032_experiments": "c79cf4a22eca8a2a1d21bd8a0074ac7a99528ad28c52d89ce1711523069d8092",
    "m0033_label_counts": "0959e4a29e7ef30b4a4db96d8e2adf5b3739697ab4ee950b5e2a1b02ddd8a1bf",
    "m0034_acts": "7deca39d0048e2991480467feece57bdefcb254f273de1311d00de440ada4133",
    "m0035_refinements": "760c6f23ebaec1e21c84e21d5e03518dca10fabb89e970ea24563b4735cd27ca",
    "m0036_tallies": "9b40eb5cd71f05cad7f1ef5b61277dec044e161790614210588aac9c000c9e54",
    "m0037_team": "062b50425b4cd37ca1fb4a9c713f57fc45457dbce30a29b4c5bd3401971f51df",
    "m0038_quotas": "ac6ed716510cd475c8e9c7c22ad0aac6d6d48390a9654d2e1c2cbd5b9ce809f4",
    "m0039_job_phase": "f1169418dde7752e389ed6522282770330dddb444b61c82a8359fc67ff90c4d9",
    "m0040_known_answers": "8c5ccabe6541d525f6bafb35c0fe043834ddc7a461facc2966a49d032f120a08",
}
"""SHA-256 of every step's SQL. A step that workspaces have had is never edited: add another."""


def schema(db: sqlite3.Connection) -> str:
    """The file's schema as text; to accept a change, write it to `tests/data/schema.sql` by

    RAGDESK_REFRESH=1 python -m pytest tests/test_store_migrations.py
    """
    rows = db.execute(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        " AND tbl_name <> '_sqlite_migrations' ORDER BY tbl_name, type = 'table' DESC, name"
    )
    return "".join(f"{sql};\n\n" for (sql,) in rows)


def test_a_new_file_has_the_golden_schema(workspace: Workspace) -> None:
    found = schema(workspace.db)
    if os.environ.get("RAGDESK_REFRESH"):
        GOLDEN.write_text(found, "utf-8")
    assert found == GOLDEN.read_text("utf-8")


def test_a_released_step_is_never_edited() -> None:
    assert {name: sha256(sql.encode()).hexdigest() for name, sql in migrations.STEPS} == RELEASED


def test_steps_are_named_in_their_order() -> None:
    names = [name for name, _ in migrations.STEPS]
    assert names == sorted(set(names))


def test_every_step_is_executed_to_its_end() -> None:
    for _, sql in migrations.STEPS:
        assert "".join(migrations.statements(sql)).strip() == sql.strip()


def test_a_semicolon_inside_a_trigger_or_a_text_ends_no_statement() -> None:
    sql = (
        "CREATE TABLE a (b TEXT DEFAULT ';') STRICT;\n"
        "CREATE TRIGGER c BEFORE UPDATE ON a\nBEGIN\nSELECT 1;\nSELECT 2;\nEND;\n"
    )
    assert len(list(migrations.statements(sql))) == 2


def test_every_table_is_strict(workspace: Workspace) -> None:
    tables = workspace.db.execute(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        " AND name NOT LIKE 'sqlite_%' AND name <> '_sqlite_migrations'"
    ).fetchall()
    assert len(tables) > 20
    assert [name for name, strict in tables if not strict] == []


def test_applying_again_changes_nothing(workspace: Workspace) -> None:
    before = schema(workspace.db)
    with workspace.write() as db:
        migrations.apply(db)
    assert schema(workspace.db) == before


def test_a_file_without_migrations_has_had_none() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        assert migrations.applied(db) == []
