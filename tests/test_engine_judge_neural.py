"""Judges that compute with real models: similarity, BERTScore, EKRAG by embedding and reranker."""

from __future__ import annotations

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when the hub's client is imported

import json
from pathlib import Path

import pytest
from asked_judges import item
from endpoint_workspaces import make_workspace, write_settings
from neural_models import make_cross_encoder, minilm_folder
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.judge.base import Case, compute
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import find_judge, open_judge
from store.errors import InputError
from store.records import Lang, MetricScore, Passage, ScoreState
from store.runs import details
from store.workspace import open_workspace

pytestmark = pytest.mark.neural

GOLDEN = "The rate rose to 3.5 percent in March."
NEAR = "In March the rate was raised to 3.5%."
FAR = "Bond prices fell and investors sold their funds."
METRICS = ("ekrag_correctness", "ekrag_relevance", "ekrag_faithfulness")


def case(answer: str, *golden: str, passages: tuple[str, ...] = (), lang: Lang = "en") -> Case:
    texts = tuple(Passage(f"d{at}", "", text) for at, text in enumerate(passages))
    return Case(1, "What rose?", (), golden or (GOLDEN,), answer, texts, lang, evidence=texts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("neural")
    workspace = make_workspace(root / "w", {"q00000": item("What is the rate?", (GOLDEN,))})
    plain = make_cross_encoder(root / "plain")
    own = make_cross_encoder(root / "identity")
    config = json.loads((own / "config.json").read_text("utf-8"))
    config["sentence_transformers"] = {"activation_fn": "torch.nn.modules.linear.Identity"}
    (own / "config.json").write_text(json.dumps(config), "utf-8")
    write_settings(
        workspace,
        f'[embeddings.minilm]\nmodel = "{minilm_folder()}"\ndtype = "float32"\n',
        f'[embeddings.short]\nmodel = "{minilm_folder()}"\ndtype = "float32"\nmax_length = 16\n',
        *(
            f'[rerankers.{path.name}]\nmodel = "{path}"\ndtype = "float32"\n'
            for path in (plain, own)
        ),
        '[judges.similar]\nmethod = "similarity"\nembedding = "minilm"\n',
        '[judges.first]\nmethod = "similarity"\nembedding = "minilm"\nlayer = 0\n'
        'metrics = ["bertscore_f1"]\n',
        '[judges.deep]\nmethod = "similarity"\nembedding = "minilm"\nlayer = 7\n',
        '[judges.brief]\nmethod = "similarity"\nembedding = "short"\n',
        '[judges.em]\nmethod = "ekrag"\nby = "embedding"\nembedding = "minilm"\n',
        '[judges.em-short]\nmethod = "ekrag"\nby = "embedding"\nembedding = "short"\n',
        *(
            f'[judges.rm-{name}]\nmethod = "ekrag"\nby = "reranker"\nreranker = "{name}"\n'
            for name in ("plain", "identity")
        ),
    )
    return workspace


def given(folder: Path, judge: str, *cases: Case) -> list[dict[str, MetricScore]]:
    spec = find_judge(folder, judge)
    made = compute(open_judge(folder, spec), cases, spec.metrics)
    return [{one.score.metric: one.score for one in judgements} for judgements in made]


def by_hand(text: str) -> tuple[object, object]:
    """The model's last hidden states and their mean, each of length 1, by transformers alone."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    place = str(minilm_folder())
    model = AutoModel.from_pretrained(place).eval()
    with torch.no_grad():
        read = AutoTokenizer.from_pretrained(place)(text, return_tensors="pt")
        states = model(**read).last_hidden_state[0]
    norm = torch.nn.functional.normalize
    return norm(states, dim=-1), norm(states.mean(dim=0), dim=0)


def test_similarity_is_the_cosine_and_bertscore_the_greedy_match_of_the_models_vectors(
    folder: Path,
) -> None:
    near, far = given(folder, "similar", case(NEAR), case(FAR))
    (ours, whole), (theirs, golden) = by_hand(NEAR), by_hand(GOLDEN)
    cosines = ours @ theirs.T  # type: ignore[operator, attr-defined]
    precision = float(cosines.max(dim=1).values[1:-1].mean())
    recall = float(cosines.max(dim=0).values[1:-1].mean())
    expected = {
        "sentence_similarity": float(whole @ golden),  # type: ignore[operator]
        "bertscore_precision": precision,
        "bertscore_recall": recall,
        "bertscore_f1": 2 * precision * recall / (precision + recall),
    }
    assert {name: score.value for name, score in near.items()} == pytest.approx(expected, abs=1e-5)
    for name, score in near.items():
        assert (score.value or 0) > (far[name].value or 0)


def test_equal_texts_are_1_the_best_golden_answer_counts_and_what_is_cut_is_said(
    folder: Path,
) -> None:
    same, best = given(folder, "similar", case(GOLDEN), case(NEAR, FAR, GOLDEN))
    assert [score.value for score in same.values()] == pytest.approx([1.0] * 4, abs=1e-5)
    (alone,) = given(folder, "similar", case(NEAR))
    assert best["bertscore_f1"].value == pytest.approx(alone["bertscore_f1"].value, abs=1e-6)
    (cut,) = given(folder, "brief", case(f"{NEAR} {FAR} {FAR}"))
    assert cut["bertscore_f1"].reason == "the model did not read the texts to their end"
    assert alone["bertscore_f1"].reason == ""


def test_a_layer_can_be_chosen_and_one_that_is_not_there_is_named(folder: Path) -> None:
    (first,) = given(folder, "first", case(NEAR))
    (last,) = given(folder, "similar", case(NEAR))
    assert set(first) == {"bertscore_f1"}
    assert abs((first["bertscore_f1"].value or 0) - (last["bertscore_f1"].value or 0)) > 1e-3
    with pytest.raises(InputError, match="has 6 layers, and layer 7 was asked for"):
        given(folder, "deep", case(NEAR))


def test_ekrag_by_embedding_compares_with_gold_evidence_and_what_was_retrieved(
    folder: Path,
) -> None:
    both = (GOLDEN, FAR)
    (one,) = given(folder, "em", case(NEAR, passages=both))
    _, answer = by_hand(NEAR)
    _, joined = by_hand("\n\n".join(both))
    _, golden = by_hand(GOLDEN)
    assert [one[metric].value for metric in METRICS] == pytest.approx(
        [float(answer @ golden), *[float(answer @ joined)] * 2],  # type: ignore[operator]
        abs=1e-5,
    )
    assert one["ekrag_relevance"].reason == ""
    (short,) = given(folder, "em-short", case(NEAR, passages=both))
    assert "the mean of 2 passages" in short["ekrag_relevance"].reason
    assert short["ekrag_relevance"].value != pytest.approx(one["ekrag_relevance"].value, abs=1e-3)


def test_ekrag_by_reranker_is_the_sigmoid_with_the_answer_first_whatever_the_model_gives(
    folder: Path,
) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    texts = ("cash flow", "revenue rose")
    asked = case("the cash rose", "cash flow", passages=texts)
    place = folder.parent / "plain"
    tokenizer = AutoTokenizer.from_pretrained(place)
    model = AutoModelForSequenceClassification.from_pretrained(place).eval()

    def sigmoid(first: str, second: str) -> float:
        with torch.no_grad():
            logit = model(**tokenizer(first, second, return_tensors="pt")).logits
        return float(torch.sigmoid(logit))

    expected = [
        sigmoid("the cash rose", "cash flow"),
        *[sigmoid("the cash rose", "cash flow\n\nrevenue rose")] * 2,
    ]
    for judge in ("rm-plain", "rm-identity"):
        (one,) = given(folder, judge, asked)
        assert [one[metric].value for metric in METRICS] == pytest.approx(expected, abs=1e-5)
    assert sigmoid("cash flow", "the cash rose") != pytest.approx(expected[0], abs=1e-4)


@pytest.mark.parametrize("judge", ["em", "rm-plain"])
def test_what_needs_no_model_has_its_state(folder: Path, judge: str) -> None:
    declined, silent, bare, empty = given(
        folder,
        judge,
        case("抱歉，无法回答。", "文档中没有相关信息。", passages=(GOLDEN,), lang="zh"),
        case("It is 3.5%.", "The documents do not say.", passages=(GOLDEN,)),
        case(NEAR, " "),
        case("", passages=(GOLDEN,)),
    )
    assert declined["ekrag_correctness"].value == 1.0
    assert silent["ekrag_correctness"].value == 0.0
    assert declined["ekrag_faithfulness"].state is ScoreState.NA
    assert [bare[metric].reason for metric in METRICS] == [
        "the item has no golden answer",
        "the item marks no evidence",
        "nothing was retrieved",
    ]
    assert empty["ekrag_correctness"].value == empty["ekrag_relevance"].value == 0.0


def test_a_run_is_judged_in_the_child_processes(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        queue(workspace, Evaluate(NewRun("bm25", "gold", name="a")))
    work_here(folder)
    with open_workspace(folder) as workspace:
        for judge in ("em", "rm-plain", "similar"):
            queue(workspace, JudgeRun("a", judge))
    work_here(folder)
    with open_workspace(folder) as workspace:
        found = {
            (one.judge, one.score.metric): one.score for one in details.scores(workspace.db, 1)
        }
    for judge, metric in (
        ("em", "ekrag_correctness"),
        ("rm-plain", "ekrag_relevance"),
        ("similar", "bertscore_f1"),
    ):
        score = found[judge, metric]
        assert (score.state, score.reason) == (ScoreState.OK, "")
        assert -1 <= (score.value or 0) <= 1
