"""Models at endpoints from the command line: what is said, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    ENVIRON,
    KEY,
    VARIABLE,
    files_holding,
    make_workspace,
    provider_table,
    questions,
    system_table,
    write_settings,
)
from scripted_server import Reply, Request, ScriptedServer

from store.jobs import jobs
from store.workspace import open_workspace

ITEMS = 12


class Desk:
    """A workspace, its endpoints, and every word that the command line has said about them."""

    def __init__(self, folder: Path) -> None:
        self.refusing = True
        self.server = ScriptedServer(reply=self.reply)
        self.folder = make_workspace(folder, questions(ITEMS))
        self.said = ""

    def reply(self, request: Request) -> Reply | None:
        mood = request.path.split("/")[1]
        if mood == "key":
            return scripted.refused_key(request.headers["authorization"])
        if mood == "html" and self.refusing:
            return scripted.html()
        if mood == "long":
            return scripted.context_length_exceeded()
        return scripted.answer("3.5 percent", tokens_in=100, tokens_out=10)

    def configure(self) -> None:
        tables = []
        models = {"other": "asked-for"}
        for mood in ("good", "key", "html", "other", "long"):
            url = f"http://127.0.0.1:{self.server.port}/{mood}/v1"
            tables.append(
                provider_table(f"p-{mood}", url, model=models.get(mood, "scripted"), max_tokens=20)
            )
            tables.append(system_table(mood, f"p-{mood}"))
        tables.append('[judges.j-long]\nmodel = "p-long"\n')
        write_settings(self.folder, *tables)

    def __call__(self, *arguments: str, key: bool = True) -> subprocess.CompletedProcess[str]:
        environ = {name: value for name, value in os.environ.items() if name != VARIABLE}
        done = subprocess.run(
            [sys.executable, "-c", "from tui.cli import entry; entry()", *arguments],
            env={**environ, **(ENVIRON if key else {}), "RAGDESK_WORKSPACE": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.said += done.stdout + done.stderr
        return done

    def json(self, *arguments: str):
        return json.loads(self(*arguments, "--json").stdout)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("cli") / "workspace")
    with made.server:
        made.configure()
        yield made


def test_a_key_that_is_not_set_is_named_before_anything_is_queued(desk: Desk):
    done = desk("run", "--system", "good", "--dataset", "gold", key=False)
    assert done.returncode == 1
    assert f"the environment variable {VARIABLE} is not set" in done.stderr
    with open_workspace(desk.folder) as workspace:
        assert jobs.listing(workspace.db) == []


def test_a_bound_on_money_without_prices_is_wrong_use(desk: Desk):
    done = desk("run", "--system", "good", "--dataset", "gold", "--max-cost", "1")
    assert done.returncode == 2
    assert "[providers.p-good.prices]" in done.stderr


def test_a_dry_run_tells_calls_and_tokens_and_asks_nobody(desk: Desk):
    asked = desk.server.count
    told = desk.json("run", "--system", "good", "--dataset", "gold", "--dry-run")
    assert (told["predictions"], told["calls"], told["cached"]) == (ITEMS, ITEMS, 0)
    text = desk("run", "--system", "good", "--dataset", "gold", "--dry-run").stdout
    assert f"model calls {ITEMS}, of which 0 are in the cache" in text
    assert "cost unknown" in text
    assert desk.server.count == asked


def test_a_budget_pauses_with_exit_code_3_and_resume_finishes(desk: Desk):
    paused = desk(
        "run", "--system", "good", "--dataset", "gold", "--name", "bounded", "--max-tokens", "600"
    )
    assert paused.returncode == 3
    assert "budget of 600 tokens is used up" in paused.stderr
    job = next(one for one in desk.json("jobs", "list")["jobs"] if one["run"] == "bounded")
    assert (job["status"], job["pause_reason"]) == ("paused (budget)", "budget")
    assert job["remedy"] == "Resume with more tokens."
    assert 0 < job["finished"] < ITEMS
    done = desk("jobs", "resume", str(job["id"]), "--max-tokens", "100000")
    assert done.returncode == 0
    assert f"job {job['id']} is done" in done.stdout


def test_a_refused_key_fails_the_run_and_is_not_repeated(desk: Desk):
    done = desk("run", "--system", "key", "--dataset", "gold", "--name", "refused", "--json")
    assert done.returncode == 1
    assert "the key is refused (HTTP 401)" in done.stderr
    assert json.loads(done.stdout)["state"] == "failed"


def test_an_endpoint_that_refuses_everything_pauses_and_is_asked_again(desk: Desk):
    done = desk("run", "--system", "html", "--dataset", "gold", "--name", "portal")
    assert done.returncode == 3
    assert "8 calls in a row failed alike; the last: " in done.stderr
    desk.refusing = False
    number = done.stderr.rpartition("jobs resume ")[2].split()[0]
    assert desk("jobs", "resume", number, "--retry-failed").returncode == 0
    run = next(one for one in desk.json("runs")["runs"] if one["name"] == "portal")
    assert (run["finished"], run["failed"]) == (ITEMS, 0)


def test_a_run_of_which_nothing_was_answered_has_failed(desk: Desk):
    done = desk("run", "--system", "long", "--dataset", "gold", "--name", "none")
    assert done.returncode == 1
    assert f"Run none has no answer: all {ITEMS} predictions failed." in done.stderr
    assert "resume the job" in done.stderr
    job = next(one for one in desk.json("jobs", "list")["jobs"] if one["run"] == "none")
    assert desk("jobs", "resume", str(job["id"]), "--retry-failed").returncode == 1


def test_a_judge_that_gave_no_score_has_failed(desk: Desk):
    assert desk("run", "--system", "good", "--dataset", "gold", "--name", "judged").returncode == 0
    done = desk("judge", "judged", "--judge", "j-long", "--metrics", "accuracy")
    assert done.returncode == 1
    assert f"{ITEMS} failed; again: ragdesk jobs resume" in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--max-cost", "inf", "is no number"),
        ("--max-cost", "nan", "is no number"),
        ("--max-cost", "1e300", "which bounds nothing"),
        ("--max-tokens", "9" * 24, "is out of range"),
        ("--max-tokens", "9" * 15, "which bounds nothing"),
        ("--max-tokens", "0", "Use a number above 0"),
        ("--seed", "9" * 24, "is out of range"),
    ],
)
def test_a_bound_that_bounds_nothing_is_wrong_use(desk: Desk, option: str, value: str, said: str):
    done = desk("run", "--system", "good", "--dataset", "gold", option, value)
    assert done.returncode == 2
    assert said in done.stderr


def test_another_model_that_answers_is_told_and_kept(desk: Desk):
    done = desk("run", "--system", "other", "--dataset", "gold", "--name", "another")
    assert done.returncode == 0
    assert "warning: Provider p-other (asked-for at " in done.stderr
    assert "the server says that 'scripted' answered" in done.stderr
    with open_workspace(desk.folder) as workspace:
        kept = workspace.db.execute("SELECT DISTINCT model, reply_model FROM model_call ORDER BY 1")
        assert kept.fetchall() == [("asked-for", "scripted"), ("scripted", "scripted")]


def test_providers_are_listed_and_tested(desk: Desk):
    listed = {one["name"]: one for one in desk.json("providers", "list")["providers"]}
    assert set(listed) == {"offline", "p-good", "p-key", "p-html", "p-other", "p-long"}
    assert listed["p-good"]["key_is_set"] is True
    assert "(not set)" in desk("providers", "list", key=False).stdout
    good = desk("providers", "test", "p-good")
    assert good.returncode == 0
    assert "gave an answer" in good.stdout
    refused = desk("providers", "test", "p-key", "--json")
    assert (refused.returncode, json.loads(refused.stdout)["key_accepted"]) == (1, False)
    assert desk("providers", "test", "nobody").returncode == 2


def test_the_doctor_asks_endpoints_only_when_told_to(desk: Desk):
    asked = desk.server.count
    told = desk("doctor", "--json")
    assert (told.returncode, json.loads(told.stdout)["ok"]) == (0, True)
    assert desk.server.count == asked
    probed = desk("doctor", "--probe")
    assert probed.returncode == 1
    assert "FAIL  p-key" in probed.stdout
    assert "ok    p-good" in probed.stdout


def test_the_key_is_nowhere_in_what_was_said_or_kept(desk: Desk):
    for command in ("jobs list", "runs", "systems", "providers list", "doctor"):
        desk(*command.split(), "--json")
    for number in range(1, 4):
        desk("jobs", "show", str(number), "--json")
    assert len(desk.said) > 2000
    assert KEY not in desk.said
    assert files_holding(desk.folder, KEY) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[systems.x\n", "ragdesk.toml: "),
        ('[systems.x]\nretriever = "bm52"\n', "systems.x: There is no retriever 'bm52'"),
        ('[systems.x]\nretriver = "bm25"\n', "retriver"),
        ('[systems.x]\ngenerator = "gpt"\n', "systems.x.generator is 'gpt'"),
        ('[systems.x]\nretriever = "bm25"\ntop_k = 0\n', "systems.x.top_k is 0"),
        ('[systems.x]\nretriever = "bm25"\ntop_k = "five"\n', "top_k"),
        ('[systems.x]\nretriever = "bm25"\nhistory = "all"\n', "history"),
        ("[systems.x]\n", "systems.x extracts answers but retrieves nothing"),
        ('[providers.p]\nbase_url = "h"\nmodel = "m"\n', "providers.p.base_url is 'h'"),
        (f'[providers.p]\nbase_url = "http://h/v1"\nmodel = "m"\napi_key_env = "{KEY}"\n',
         "providers.p.api_key_env does not name an environment variable"),
        ('[providers.p]\nbase_url = "http://h/v1"\nmodel = "m"\nlimits.rpm = 0\n', "limits.rpm"),
    ],
)  # fmt: skip
def test_an_error_in_the_settings_is_named_with_file_and_field(
    desk: Desk, tmp_path: Path, text: str, message: str
):
    (tmp_path / "ragdesk.toml").write_text(text, "utf-8")
    done = desk("systems", "--workspace", str(tmp_path))
    assert done.returncode == 1
    assert str(tmp_path / "ragdesk.toml") in done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert KEY not in done.stderr
