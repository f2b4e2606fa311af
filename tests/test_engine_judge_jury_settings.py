"""Tables of juries that are refused, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from endpoint_workspaces import provider_table, write_settings

from engine.judge.registry import judges
from store.errors import InputError

TABLES = (
    provider_table("p", "http://127.0.0.1:9/v1"),
    '[judges.a]\nmodel = "p"\nmetrics = ["accuracy"]\n',
    '[judges.b]\nmodel = "p"\nmetrics = ["utilization"]\n',
    '[judges.quest]\nmethod = "ragquesteval"\nmodel = "p"\n',
)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('members = ["a"]', "needs 2 judges or more"),
        ('members = ["a", "a"]', "each once"),
        ('members = ["a", "nobody"]', "'nobody', which is no judge"),
        ('members = ["a", "other"]', "'other', which is no judge"),
        ('members = ["a", "b"]', "share no metric"),
        ('members = ["a", "quest"]', "in variant crud"),
        ('members = ["a", "rules"]\nmetrics = ["utilization"]', "utilization"),
        ('members = ["a", "rules"]\nquorum = 3', "quorum is 3"),
        ('members = ["a", "rules"]\nmodel = "p"', "model"),
    ],
)
def test_a_table_that_makes_no_jury_is_refused(tmp_path: Path, table: str, words: str) -> None:
    other = '[judges.other]\nmethod = "jury"\nmembers = ["a", "rules"]\n'
    write_settings(tmp_path, *TABLES, other, f'[judges.jury]\nmethod = "jury"\n{table}\n')
    with pytest.raises(InputError, match=words):
        judges(tmp_path)
