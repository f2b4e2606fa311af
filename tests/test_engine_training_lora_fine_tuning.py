"""Fine-tuning proved on a tiny random model: the loss, the resuming, the replies and their use."""

from __future__ import annotations

import shutil

import msgspec
import pytest
from planted_judge_cases import planted_cases

from engine.judge.base import LABELLED
from engine.judge.model.asking import JudgePrompts, judge_prompts
from engine.training.data.judge_records import Template, records_of
from engine.training.data.shapes import asked_and_replied
from engine.training.lora.rows import JudgeData, Row
from engine.training.lora.settings import LoraSettings
from store.errors import Conflict, InputError
from store.records import ScoreState

pytestmark = pytest.mark.neural
pytest.importorskip("trl")

METRIC = ("accuracy", "numerical_accuracy")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    from tiny_language_models import make_language_model

    return make_language_model(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prompts")
    prompts = JudgePrompts("judge", judge_prompts(folder, "judge", LABELLED, "item"))
    sides = {}
    cases = planted_cases(14, seed=5)
    for side, some in (("train", cases[:8]), ("validation", cases[8:10]), ("test", cases[10:])):
        rows = []
        for case in some:
            made = records_of(
                case, side, METRIC, {}, lambda metric, lang: Template("", ""), str, soft=False
            )
            for record in made:
                system, user, reply = asked_and_replied(prompts, record, "value", rationale=False)
                asked = [{"role": one.role, "content": one.content[-30:]} for one in (system, user)]
                rows.append(Row(record, tuple(asked), ({"role": "assistant", "content": reply},)))
        sides[side] = tuple(rows)
    source = {"metrics": "accuracy,numerical_accuracy", "sample": "all", "runs": "all"}
    return JudgeData(sides, "value", {**source, "split": "judge data", "state": "b2:1"})


@pytest.fixture
def train(monkeypatch, base, data, tmp_path):
    """Trains on the planted rows; the export is read elsewhere."""
    from engine.training.lora import fine_tuning

    monkeypatch.setattr(fine_tuning, "read_judge_data", lambda folder: data)

    def run(settings: LoraSettings | None = None, say=lambda text: None, name="tiny"):
        wanted = settings or settings_for(base)
        return fine_tuning.train_lora(name, tmp_path / "data", tmp_path / name, wanted, say)

    return run


def settings_for(base, **changes) -> LoraSettings:
    given = {"rank": 4, "epochs": 2.0, "batch_size": 4, "accumulate": 1, "learning_rate": 1e-2}
    return LoraSettings(base=str(base), **{**given, "max_length": 1500, **changes})


def test_the_loss_is_on_replies_alone(base, data, tmp_path):
    from engine.training.lora.base_model import load_base
    from engine.training.lora.trainer import make_trainer

    model, tokenizer = load_base(str(base))
    rows = list(data.sides["train"])
    trainer = make_trainer(model, tokenizer, rows, settings_for(base), tmp_path)
    batch = next(iter(trainer.get_train_dataloader()))
    replies = {row.completion[0]["content"] for row in rows}
    for ids, labels in zip(batch["input_ids"], batch["labels"], strict=True):
        taught = tokenizer.decode([int(one) for one in labels if one != -100])
        assert taught.replace("<|assistant|>", "").removesuffix("<|end|>") in replies
        assert len(taught) < len(tokenizer.decode(ids)) / 2


def test_it_learns_replies_and_measures_them_against_people(train, base, tmp_path):
    said: list[str] = []
    settings = settings_for(base, epochs=5.0, rank=16, alpha=64, learning_rate=3e-2)
    report = train(settings, said.append)
    losses = [float(text.rpartition(" ")[2]) for text in said if text.startswith("step ")]
    assert losses[-1] < losses[0] / 2
    assert report.trained == 16
    assert report.tokens_per_second > 0
    assert set(report.evaluated) == {"validation", "test"}
    pooled = report.evaluated["test"][0]
    assert pooled.n + sum(pooled.left_out.values()) == 8
    # a random model says little that can be read, and what cannot is not taken for n/a
    assert pooled.left_out[ScoreState.UNPARSED] > 0
    folder = tmp_path / "tiny"
    assert (folder / "adapter/adapter_config.json").is_file()
    card = (folder / "README.md").read_text()
    assert "--enable-lora" in card
    assert "[judges.tiny]" in card
    assert train(settings) == report


class Killed(Exception):
    pass


def test_a_training_that_was_stopped_goes_on_to_the_same_adapter(train, base, tmp_path):
    from safetensors.torch import load_file

    whole = train(name="whole")

    def stop_at_the_fifth(text: str) -> None:
        if text.startswith("step 5 "):
            raise Killed

    with pytest.raises(Killed):
        train(say=stop_at_the_fifth)
    said: list[str] = []
    report = train(say=said.append)
    assert any(text.startswith("going on from checkpoint-") for text in said)
    assert not any(text.startswith("step 1 ") for text in said)
    assert report.steps == whole.steps
    one, other = (
        load_file(tmp_path / name / "adapter/adapter_model.safetensors")
        for name in ("whole", "tiny")
    )
    assert all((one[key] - other[key]).abs().max() < 1e-4 for key in one)


def test_other_labels_or_settings_are_another_judge(train, base, data, monkeypatch):
    train(settings_for(base, epochs=0.5))
    with pytest.raises(Conflict, match="other settings"):
        train(settings_for(base, epochs=1.0))
    changed = msgspec.structs.replace(data, source={**data.source, "state": "b2:2"})
    from engine.training.lora import fine_tuning

    monkeypatch.setattr(fine_tuning, "read_judge_data", lambda folder: changed)
    with pytest.raises(Conflict, match="other labels"):
        train(settings_for(base, epochs=0.5))


def test_replies_that_were_written_are_not_asked_for_again(train, base, tmp_path, monkeypatch):
    from engine.training.lora import replying

    settings = settings_for(base, epochs=0.5)
    train(settings)
    folder = tmp_path / "tiny"
    (folder / "report.json").unlink()
    file = folder / "replies-test.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:5]) + lines[5][:7])
    asked: list[int] = []
    generate = replying.greedy_replies

    def counted(model, tokenizer, rows):
        asked.append(len(rows))
        return generate(model, tokenizer, rows)

    monkeypatch.setattr(replying, "greedy_replies", counted)
    train(settings)
    assert sum(asked) == len(lines) - 5


def test_replies_are_measured_as_a_model_judges_are(data):
    from engine.training.lora.replying import evaluate

    rows = data.sides["test"]
    right = {row.record.id: row.completion[0]["content"] for row in rows}
    assert evaluate(rows, right)[0].accuracy.value == 1.0
    wrong = {**right, rows[0].record.id: "no idea"}
    pooled = evaluate(rows, wrong)[0]
    assert (pooled.n, pooled.left_out) == (len(rows) - 1, {ScoreState.UNPARSED: 1})


def test_rows_that_are_too_long_are_counted_and_never_cut(train, base):
    with pytest.raises(InputError, match="longer than 20 tokens"):
        train(settings_for(base, max_length=20))


def test_a_model_without_a_chat_template_and_no_model_are_refused(tmp_path, base):
    from tiny_language_models import make_language_model

    from engine.training.lora.base_model import load_base

    plain = make_language_model(tmp_path / "plain", chat_template=False)
    with pytest.raises(InputError, match="no chat template"):
        load_base(str(plain))
    with pytest.raises(InputError, match="cannot be loaded as a language model"):
        load_base(str(tmp_path / "nothing"))
    shutil.rmtree(plain)
