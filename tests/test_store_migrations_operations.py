"""What jobs stored before operations were defined is read as operations afterwards."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from stored_work import rows, unpack
from tiny_workspaces import Released

from engine.corpus.ingest_job import Ingest
from engine.evaluate.run_job import Evaluate
from engine.generate.filling.generate_job import Generate
from engine.generate.inspection.inspect_job import Inspect
from engine.jobs.operation import Budget, Operation, stored_operation
from engine.models.settings import Limits, Prices, Provider
from engine.taxonomy.classify_job import Classify
from engine.taxonomy.topics_job import ProposeTopics
from store.corpora import corpora
from store.datasets import generations
from store.datasets.generations import GenerationSettings
from store.errors import Conflict
from store.jobs import jobs
from store.migrations import m0007_operations, statements
from store.records import ChunkingSettings, ItemState
from store.runs import stages
from store.runs.runs import Run
from store.workspace import Workspace, open_workspace

PROVIDER = Provider(
    name="local",
    base_url="http://127.0.0.1:1/v1",
    model="scripted",
    api_key_env="KEY",
    prices=Prices(2.0, 8.0, "CNY"),
    limits=Limits(4, rpm=60000),
    temperature=0.2,
    extra={"user": "研究", "stop": None},
)
STORED_PROVIDER = (
    '"provider":{"api_key_env":"KEY","base_url":"http://127.0.0.1:1/v1",'
    '"extra":{"stop":null,"user":"研究"},"limits":{"max_in_flight":4,"rpm":60000},'
    '"model":"scripted","name":"local","prices":{"currency":"CNY","input":2.0,"output":8.0},'
    '"temperature":0.2}'
)
PROMPTS = {"en": "b2:01", "zh": "b2:02"}
STORED_PROMPTS = '"prompts":{"en":"b2:01","zh":"b2:02"}'


def store(workspace: Workspace, kind: str, params: str, run_id: int | None = None) -> int:
    """A job as versions before stored it, in the state in which it may go on."""
    with workspace.write() as db:
        made = db.execute(
            "INSERT INTO job (kind, title, run_id, params, state, pause_reason, created_at)"
            " VALUES (?, 'old', ?, ?, 'paused', 'user', 'now')",
            (kind, run_id, params),
        ).lastrowid
    assert made is not None
    return made


def migrate(workspace: Workspace) -> None:
    with workspace.write() as db:
        for statement in statements(m0007_operations.SQL):
            db.execute(statement)


def migrated(workspace: Workspace, kind: str, params: str, run_id: int | None = None) -> Operation:
    job = store(workspace, kind, params, run_id)
    migrate(workspace)
    return stored_operation(jobs.get(workspace.db, job))


@pytest.mark.parametrize(
    ("kind", "params", "operation"),
    [
        ("ingest", '{"corpus":"news","paths":["/a","/b"]}', Ingest("news", ("/a", "/b"))),
        (
            "ingest",
            '{"chunking":{"overlap":15,"size":90,"unit":"chars"},"corpus":"news","paths":["/a"]}',
            Ingest("news", ("/a",), ChunkingSettings(90, 15, "chars")),
        ),
        ("classify", '{"again":true,"corpus":"news","taxonomy_id":1}', Classify("news", 1, True)),
        (
            "classify",
            f'{{"corpus":"news","max_tokens":900,{STORED_PROMPTS},{STORED_PROVIDER},'
            '"taxonomy_id":4}',
            Classify(
                "news", 4, model="local", provider=PROVIDER, prompts=PROMPTS, budget=Budget(900)
            ),
        ),
        (
            "topics",
            '{"corpus":"news","count":4,"domain":"银行","lang":"zh","name":"own",'
            '"tasks_from":"crud"}',
            ProposeTopics("news", "own", "银行", "zh", "crud", 4),
        ),
        (
            "topics",
            f'{{"corpus":"news","domain":"d","lang":"en","max_cost":4.5,"max_tokens":60000,'
            f'"name":"own",{STORED_PROMPTS},{STORED_PROVIDER},"sample":6,"seed":9}}',
            ProposeTopics(
                "news",
                "own",
                "d",
                "en",
                sample=6,
                seed=9,
                model="local",
                provider=PROVIDER,
                prompts=PROMPTS,
                budget=Budget(60000, 4.5),
            ),
        ),
        ("inspect", '{"dataset":"gold","states":["drafted"]}', Inspect("gold")),
        (
            "inspect",
            f'{{"dataset":"gold","max_cost":5.0,{STORED_PROMPTS},{STORED_PROVIDER},'
            '"states":["accepted","drafted"]}',
            Inspect(
                "gold",
                (ItemState.ACCEPTED, ItemState.DRAFTED),
                model="local",
                provider=PROVIDER,
                prompts=PROMPTS,
                budget=Budget(max_cost=5.0),
            ),
        ),
    ],
)
def test_parameters_become_the_operation(
    workspace: Workspace, kind: str, params: str, operation: Operation
) -> None:
    assert migrated(workspace, kind, params) == operation


@pytest.mark.parametrize(
    ("params", "budget"),
    [
        ("{}", Budget()),
        ('{"max_tokens":2500}', Budget(2500)),
        ('{"max_cost":0.002,"max_tokens":90000}', Budget(90000, 0.002)),
    ],
)
def test_a_run_is_known_by_its_number(
    workspace: Workspace, run: Run, params: str, budget: Budget
) -> None:
    assert migrated(workspace, "run", params, run.id) == Evaluate(run.id, budget=budget)


def test_a_judge_gets_its_name(workspace: Workspace, run: Run) -> None:
    with workspace.write() as db:
        judge = stages.put_judge(db, "strict", {"judge": "strict"})
    params = (
        f'{{"judge_id":{judge},"kind":"model","max_cost":50.0,"metrics":["accuracy"],'
        f'{STORED_PROVIDER},"repeats":2,"run":{run.id}}}'
    )
    operation = msgspec.to_builtins(migrated(workspace, "judge", params))
    assert operation == {
        "operation": "judge",
        "run": run.id,
        "judge": "strict",
        "judge_id": judge,
        "kind": "model",
        "metrics": ("accuracy",),
        "repeats": 2,
        "provider": msgspec.to_builtins(PROVIDER),
        "budget": {"max_cost": 50.0},
    }


def test_a_generation_is_asked_for_as_its_cells_are(
    workspace: Workspace, released: Released
) -> None:
    provider = msgspec.to_builtins(PROVIDER)
    settings = GenerationSettings(3, 7, "scripted", provider, {"en/extractive": "b2:01"})
    cells = [(("funds", "extractive"), 3), (("funds", "contrast"), 1), (("rates", "contrast"), 3)]
    params = '{"inspect_by":"local","inspection":5,"max_cost":9.0,"max_tokens":100000}'
    job = store(workspace, "generate", params)
    plain = store(workspace, "generate", "{}")
    with workspace.write() as db:
        generations.create(db, job, released.dataset.id, settings, cells)
        generations.create(db, plain, released.dataset.id, GenerationSettings(2), cells[:1])
    migrate(workspace)
    corpus = corpora.get_by_id(workspace.db, released.dataset.corpus_id).name
    name = released.dataset.name
    assert stored_operation(jobs.get(workspace.db, job)) == Generate(
        corpus,
        name,
        3,
        ("funds", "rates"),
        ("extractive", "contrast"),
        "",
        "local",
        7,
        (("funds", "contrast", 1), ("rates", "extractive", 0)),
        inspect_by="local",
        inspection=5,
        budget=Budget(100000, 9.0),
    )
    assert stored_operation(jobs.get(workspace.db, plain)) == Generate(
        corpus, name, 2, ("funds",), ("extractive",), targets=(("funds", "extractive", 3),)
    )


def test_a_job_that_came_with_an_archive_has_nothing_to_do_again(workspace: Workspace) -> None:
    job = store(workspace, "inspect", "{}")
    migrate(workspace)
    assert jobs.get(workspace.db, job).params == {}
    with pytest.raises(Conflict, match="came with an archive"):
        stored_operation(jobs.get(workspace.db, job))


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A workspace of version 0.1.0 with jobs of every kind in every state."""
    return unpack(tmp_path, "workspace") / "workspace"


def test_every_job_of_an_earlier_version_is_an_operation(stored: Path) -> None:
    states = rows(stored, "SELECT DISTINCT kind, state FROM job")
    assert {kind for kind, _ in states} == {
        "classify", "generate", "ingest", "inspect", "judge", "run", "topics",
    }  # fmt: skip
    before = rows(stored, "SELECT id, kind, params FROM job ORDER BY id")
    with open_workspace(stored) as workspace:
        for number, kind, params in before:
            operation = stored_operation(jobs.get(workspace.db, number))
            assert operation.kind == kind
            old = msgspec.json.decode(params)
            assert operation.budget == Budget(old.get("max_tokens"), old.get("max_cost"))
