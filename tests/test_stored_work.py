"""A workspace, exports and a backup that version 0.1.0 wrote are found whole by the present one.

What is compared is what the command line says and what stands in the file, never how it is done.
"""

from __future__ import annotations

import json
import lzma
import shutil
from collections.abc import Iterator
from itertools import compress
from pathlib import Path
from typing import Any

import pytest
import stored_models
from scripted_server import ScriptedServer
from stored_work import (
    DATA,
    DATABASE,
    KEY_VARIABLE,
    backup_figures,
    call,
    change,
    end_worker,
    figures,
    indexes,
    place_here,
    results_of_jobs,
    resume_all,
    rows,
    scores,
    shipped,
    told,
    unpack,
    wait,
)

from store.verify import _LAWS

EXPECTED = json.loads(lzma.decompress((DATA / "expected.json.xz").read_bytes()))
ROOT = Path(__file__).parents[1]
EXPORTS = ("items", "judge", "beir", "omnieval", "parquet")
KEY = "sk-stored-0123456789abcdefghij"
ANSWERED = (
    "early",
    "bm25-gold@1",
    "lsa-gold@1",
    "bm25-model-gold@1",
    "moody",
    "fine",
    "closed-book-written@1",
    "theirs",
)
"""The runs that were done when they were stored."""


@pytest.fixture(scope="module", autouse=True)
def key() -> Iterator[None]:
    """The key that the stored settings name, for the worker too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY_VARIABLE, KEY)
        yield


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stored folder, whose workspace is only read."""
    return unpack(tmp_path_factory.mktemp("stored"), "workspace", "indexes")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the workspace was exported to, and the backup of an earlier day."""
    return unpack(tmp_path_factory.mktemp("written"), "written")


@pytest.fixture(scope="module")
def at_work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A stored workspace to work in, without its unfinished jobs; no model can be asked."""
    folder = unpack(tmp_path_factory.mktemp("work"), "workspace", "indexes") / "workspace"
    change(
        folder,
        "UPDATE job SET state = 'cancelled', pause_reason = NULL, claimed_by = NULL,"
        " lease_until = NULL WHERE state <> 'done'",
    )
    yield folder
    end_worker(folder)


def differences(found: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Where `found` lacks what is expected, or differs in more than the last digits."""
    if found == expected:
        return
    if isinstance(found, dict) and isinstance(expected, dict):
        for name, value in expected.items():
            if name in found:
                yield from differences(found[name], value, f"{place}/{name}")
            else:
                yield f"{place}/{name} is missing"
    elif (
        isinstance(found, list | tuple)
        and isinstance(expected, list | tuple)
        and len(found) == len(expected)
    ):
        for at, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, other, f"{place}/{at}")
    elif isinstance(found, float) and isinstance(expected, float):
        if found != pytest.approx(expected, rel=1e-5, abs=1e-7):
            yield f"{place}: {found} instead of {expected}"
    else:
        yield f"{place}: {found!r} instead of {expected!r}"


def as_now(figures: dict[str, Any]) -> dict[str, Any]:
    """The stored figures as they are told since then: numbers for the raters of conflicts, since
    who rules is not told their names; Holm's adjustment without the tests that cannot reject
    (Tarone); no intervals of matrices, agreement and joined means, which other methods give
    (`small` marks their n); and no AC1 and AC2 where subjects with one rating now count; a
    comparison says that it counts turns; joined means by another estimator, with the target of
    each interval; no pair of judges without a label in common; and days among the axes of the
    work of raters."""
    for command, said in figures["commands"].items():
        for conflict in said if command.startswith("adjudicate list") else ():
            for number, label in enumerate(conflict["raters"], 1):
                label["rater"] = f"rater {number}"
    for command, said in figures["commands"].items():
        if command.startswith(("matrix", "agree", "calibrate")):
            figures["commands"][command] = without_intervals(said)
        if command.startswith(("agree --form inspection", "agree --form judge_labels")):
            for row in figures["commands"][command]["agreement"]:
                for name in ("ac1", "ac2"):
                    row["statistics"].pop(name, None)
        if command.startswith("labels statistics"):
            said["axes"][4:4] = ["day", "rater_day"]
            del said["today"]  # it was the day on which the work was stored
        if command.startswith("compare"):
            said["sentence"] = said["sentence"].replace(" 题、", " 轮、")
    for judge in figures["commands"]["calibrate"]["judges"]:
        for mean in judge["means"]:
            mean.pop("weighted_by", None)
            mean["powered"] = {name: mean["powered"][name] for name in _SAME_OF_MEANS}
    calibrated = figures["commands"]["calibrate"]
    calibrated["tests"][1]["metrics"]["accuracy"]["p_holm"] = 1 / 256
    calibrated["tests"] = [pair for pair in calibrated["tests"] if pair["pooled"]["items"]]
    return figures


def without_intervals(said: Any) -> Any:
    if isinstance(said, dict):
        left = {name: value for name, value in said.items() if name not in _INTERVALS}
        return {name: without_intervals(value) for name, value in left.items()}
    return [without_intervals(one) for one in said] if isinstance(said, list) else said


_SAME_OF_MEANS = ("n_labelled", "n_judged", "groups_labelled", "judge_mean", "human_mean")
_INTERVALS = {"low", "high", "small", "human_low", "human_high", "worth"}
RULES = {"config/version": 3, "hash": "b2:b357fef14f0accb5c0c9ede1ed100ef6"}
"""The rule judge of today; its version 1 stays the judge of the scores that are stored."""
LIGHT_HASH = "b2:84e7e9f9f5455b84d31433db2e3c24d2"
"""Of the stored light judge with today's rules."""


def with_later_rules(figures: dict[str, Any]) -> dict[str, Any]:
    """The stored figures with today's rules among the judges, and with the light judge that reads
    them; what was said of the earlier rules is stale."""
    judges, compared = (
        {judge["name"]: judge for judge in figures["commands"][command]["judges"]}
        for command in ("judges", "calibrate")
    )
    assert judges["rules"]["config"]["version"] == 1
    judges["rules"]["config"]["version"] = RULES["config/version"]
    judges["rules"]["hash"], judges["ours"]["hash"] = RULES["hash"], LIGHT_HASH
    assert compared["rules"]["standing"] == "current"
    compared["rules"]["standing"] = "stale"
    return figures


def with_later_laws(said: dict[str, Any]) -> dict[str, Any]:
    """What `verify` says, with the laws that workspaces have had to keep since then."""
    checks = said["verify"]["checks"]
    names = [check["name"] for check in checks]
    for name, before in LATER_LAWS.items():
        checks.insert(names.index(before), {"name": name, "ok": True, "detail": _LAWS[name][0]})
    return said


LATER_LAWS = {
    "refinements": "runs",
    "experiments": "runs",
    "known questions": "runs",
    "acts": "runs",
    "draws": "runs",
    "task metrics": "predictions",
    "tallies": "predictions",
}
"""Each with the one before which it is checked."""


def calls(folder: Path) -> int:
    return rows(folder, "SELECT count(*) FROM model_call")[0][0]


def test_every_figure_is_found_again_and_no_index_is_built_again(stored: Path):
    workspace = stored / "workspace"
    before = indexes(workspace)
    found = figures(workspace, stored / "queries.jsonl")
    expected = with_later_rules(as_now(EXPECTED["figures"]))
    with_later_laws(expected["commands"])
    assert list(differences(found, expected)) == []
    # that a file was found whole is noted in one of its own
    now = {name: one for name, one in indexes(workspace).items() if "/verified/" not in name}
    assert now == before
    built = {name: one[0] for name, one in before.items() if "/index/" in name}
    assert built == EXPECTED["index files"]


def test_the_stored_workspace_and_exports_are_whole(stored: Path, written: Path):
    assert told(stored / "workspace", "verify")["ok"]
    for kind in EXPORTS:
        code, out, err = call(written, "verify", "--export", str(written / "exports" / kind))
        assert (kind, code) == (kind, 0), out + err
    damaged = written / "exports" / "beir" / "queries.jsonl"
    text = damaged.read_bytes()
    damaged.write_bytes(text.replace(b"a", b"b", 1))
    assert call(written, "verify", "--export", str(damaged.parent))[0] == 1
    damaged.write_bytes(text)


def test_prompts_forms_and_taxonomies_are_shipped_as_they_were():
    packages = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
    hashes = {value for package in packages for value in shipped(package).values()}
    for kind, files in EXPECTED["shipped"].items():
        assert files
        assert {name for name, value in files.items() if value not in hashes} == set(), kind


def test_an_archive_is_imported_with_equal_history(written: Path, tmp_path: Path):
    archive = written / "exports" / "items"
    again = tmp_path / "again"
    words = ("--corpus", "finance", "--dataset", "made")
    assert told(tmp_path, "import", "items", str(archive), *words)
    code, _, err = call(tmp_path, "export", "items", "--dataset", "made", "--out", str(again))
    assert code == 0, err
    assert told(tmp_path, "verify")["ok"]
    names = {path.name for path in archive.iterdir()} - {"manifest.json"}
    assert names == {"dataset.json", "documents.jsonl", "events.jsonl", "items.jsonl"}
    for name in names:
        old, new = lines(archive / name), lines(again / name)
        if name == "events.jsonl":
            assert {one.pop("origin") for one in new} == {"import"}
            assert {one.pop("origin") for one in old} >= {"human", "human_after_reveal"}
        assert list(differences(new, old)) == [], name


def lines(file: Path) -> list[Any]:
    text = file.read_text("utf-8")
    return (
        [json.loads(text)] if file.suffix == ".json" else list(map(json.loads, text.splitlines()))
    )


@pytest.mark.parametrize("kind", ["beir", "parquet", "omnieval"])
def test_other_exports_are_imported(written: Path, tmp_path: Path, kind: str):
    folder = written / "exports" / kind
    words = ("--corpus", "c", "--dataset", "d")
    code, out, err = call(tmp_path, "import", kind, str(folder), *words)
    assert code == 0, out + err
    questions = json.loads((folder / "manifest.json").read_text("utf-8"))["counts"]["turns"]
    query = "SELECT sum(turns) FROM revision JOIN item ON head = revision.id"
    assert rows(tmp_path, query) == [(questions,)]
    assert told(tmp_path, "verify")["ok"]


def test_the_backup_opens(written: Path, tmp_path: Path):
    shutil.copy(written / "backup.sqlite", tmp_path / DATABASE)
    expected = with_later_laws(without_intervals(EXPECTED["backup"]))
    assert list(differences(backup_figures(tmp_path), expected)) == []


UNUSED = 8
"""Scores that the judge `plain` no longer asks for, as the tasks of the answers do not use the
metric."""


def with_unused(results: dict[str, Any]) -> dict[str, Any]:
    """The results of the resumed jobs, without a value where a task does not use the metric."""
    moved = {"ok": -UNUSED, "na": UNUSED}
    asked = [
        [run, judge, state, n + moved.get(state, 0)]
        if (run, judge) == ("bm25-model-gold@1", "plain")
        else [run, judge, state, n]
        for run, judge, state, n in results["scores"]
    ]
    return results | {"scores": asked}


def test_every_unfinished_job_goes_on_to_its_end(tmp_path: Path):
    stored = unpack(tmp_path, "workspace", "indexes")
    folder = stored / "workspace"
    unfinished = rows(folder, "SELECT DISTINCT kind, state FROM job WHERE state <> 'done'")
    kinds = {"classify", "generate", "ingest", "inspect", "judge", "run", "topics"}
    assert {kind for kind, _ in unfinished} == kinds
    assert {"queued", "paused", "running", "failed", "cancelled"} == {one for _, one in unfinished}
    with ScriptedServer(reply=stored_models.reply) as server:
        place_here(stored, server.port)
        resume_all(folder)
        end_worker(folder)
        assert server.count > 0
    assert list(differences(results_of_jobs(folder), with_unused(EXPECTED["resumed"]))) == []
    assert told(folder, "verify")["ok"]
    for late, done in (("late-bm25", "bm25-gold@1"), ("late-theirs", "theirs")):
        assert scores_of(folder, late, "rules") == scores_of(folder, done, "rules")


def scores_of(folder: Path, run: str, judge: str = "") -> list[Any]:
    """The scores of a run by rule and by one judge, without its name."""
    found = scores(folder, f"run.name = '{run}' AND judge.name IN ('', '{judge}')")
    return [row[1:] for row in found]


def test_every_stored_prediction_is_scored_again_with_equal_scores(at_work: Path):
    # the first run was archived, and comes back
    assert call(at_work, "restore", "run", "first-try")[0] == 0
    names = ", ".join(f"'{name}'" for name in (*ANSWERED, "first-try"))
    chosen = f"run_id IN (SELECT id FROM run WHERE name IN ({names}))"
    predictions = f"prediction_id IN (SELECT id FROM prediction WHERE {chosen})"
    judges = rows(at_work, "SELECT * FROM judge ORDER BY id")
    before = scores(at_work)
    change(
        at_work,
        f"DELETE FROM score WHERE {predictions} AND judge_id IN"
        " (SELECT id FROM judge WHERE name IN ('', 'rules'))",
        f"DELETE FROM stage_result WHERE stage = 'score' AND {predictions}",
        f"UPDATE job SET state = 'paused', pause_reason = 'user' WHERE kind = 'run' AND {chosen}",
    )
    assert len(scores(at_work)) < len(before) / 2
    for (job,) in rows(at_work, "SELECT id FROM job WHERE state = 'paused'"):
        assert call(at_work, "jobs", "resume", str(job), "--detach")[0] == 0
    wait(at_work)
    assert rows(at_work, f"SELECT DISTINCT state FROM job WHERE {chosen}") == [("done",)]
    after = scores(at_work)
    assert list(differences(after, before)) == []
    assert {row[8] for row in after} >= {"ok", "na", "error", "missing", "unparsed"}
    # what was scored again is the later rule judge's, and no other judge is another one
    assert rows(at_work, "SELECT * FROM judge ORDER BY id")[: len(judges)] == judges
    query = "SELECT name, config_hash FROM judge ORDER BY id"
    assert rows(at_work, query)[len(judges) :] == [("rules", RULES["hash"])]


def test_an_equal_run_asks_no_model_and_scores_alike(at_work: Path):
    """Its answers come from the stored replies; what equal code has scored is copied."""
    asked = calls(at_work)
    words = ("--system", "bm25-model", "--dataset", "gold")
    for name in ("again", "once-more"):
        code, out, err = call(at_work, "run", *words, "--name", name)
        assert code == 0, out + err
        assert scores_of(at_work, name, "rules") == scores_of(at_work, "bm25-model-gold@1", "rules")
    assert calls(at_work) == asked
    source, first, second = (
        stages(at_work, name) for name in ("bm25-model-gold@1", "again", "once-more")
    )
    # a copy also says how long the first took; what other code has scored is no copy
    assert second == first
    assert (first == source) == (code_of(first) == code_of(source))


def stages(folder: Path, run: str) -> list[Any]:
    query = (
        "SELECT item_key, turn, stage, elapsed_ms, call_key, json_extract(value, '$.code')"
        " FROM stage_result JOIN prediction ON prediction.id = prediction_id"
        " JOIN run ON run.id = run_id JOIN revision ON revision.id = revision_id"
        " JOIN item ON item.id = item_id"
        " WHERE run.name = ? AND stage IN ('retrieve', 'answer', 'score') ORDER BY 1, 2, 3"
    )
    return rows(folder, query, run)


def code_of(found: list[Any]) -> set[str]:
    """What identifies the code that scored."""
    return {row[5] for row in found if row[2] == "score"}


def without_shares(scored: list[Any]) -> list[Any]:
    """Scores without the probability that begins the reason of a light judge."""
    return [(*row[:10], (row[10] or "").partition(";")[2]) for row in scored]


@pytest.mark.parametrize(
    ("judge", "run"), [("ours", "lsa-gold@1"), ("strict", "bm25-gold@1"), ("plain", "moody")]
)
def test_a_judge_judges_again_with_equal_scores(at_work: Path, judge: str, run: str):
    """The light judge computes them; of a model the stored replies are found again."""
    asked = calls(at_work)
    query = "SELECT id FROM judge WHERE name = ?"
    ((number,),) = rows(at_work, query, judge)
    before = scores(at_work, f"judge.name = '{judge}' AND run.name = '{run}'")
    assert before
    predictions = (
        "prediction_id IN (SELECT prediction.id FROM prediction JOIN run ON run.id = run_id"
        f" WHERE run.name = '{run}')"
    )
    change(
        at_work,
        f"DELETE FROM score WHERE judge_id = {number} AND {predictions}",
        f"DELETE FROM stage_result WHERE stage LIKE 'judge%' AND {predictions}",
    )
    code, out, err = call(at_work, "judge", run, "--judge", judge)
    assert code == 0, out + err
    after = scores(at_work, f"judge.name = '{judge}' AND run.name = '{run}'")
    # what a task does not use is not asked for again
    used = [row[10] != "the task does not use this metric" for row in after]
    assert used.count(False) == (2 if judge == "plain" else 0)
    before, after = (list(compress(of, used)) for of in (before, after))
    # a light judge reads what the rules say, and with later rules it is another of its name
    is_light = judge == "ours"
    assert list(differences(without_shares(after), without_shares(before))) == []
    assert is_light or list(differences(after, before)) == []
    judges = rows(at_work, query, judge)
    assert judges[0] == (number,)
    assert len(judges) == (2 if is_light else 1)
    assert calls(at_work) == asked
