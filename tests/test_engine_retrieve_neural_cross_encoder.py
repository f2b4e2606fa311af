"""A cross-encoder reads the query and a text together and gives one score."""

from __future__ import annotations

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when the hub's client is imported

import pytest
from neural_models import make_cross_encoder

from engine.retrieve.neural.cross_encoder import CrossEncoderReranker
from store.errors import InputError
from store.systems import RerankerConfig

pytestmark = pytest.mark.neural

QUERY = "cash flow"
TEXTS = ["revenue rose", "cash flow rose in the", "利率", "in", "the cash"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_cross_encoder(tmp_path_factory.mktemp("reranker") / "tiny")


def reranker(folder, **fields):
    fields.setdefault("dtype", "float32")
    return CrossEncoderReranker(RerankerConfig(name="tiny", model=str(folder), **fields))


def by_hand(folder, query, text):
    """The model without sentence-transformers: logit of the pair, then the sigmoid."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        logit = model(**tokenizer(query, text, return_tensors="pt")).logits
    return float(torch.sigmoid(logit))


def test_scores_are_those_of_the_pair_query_first(folder):
    expected = [by_hand(folder, QUERY, text) for text in TEXTS]
    assert reranker(folder).score(QUERY, TEXTS) == pytest.approx(expected, abs=1e-5)
    assert len({round(score, 4) for score in expected}) == len(TEXTS)
    turned = by_hand(folder, TEXTS[0], QUERY)
    assert abs(expected[0] - turned) > 1e-4


def test_the_batch_does_not_matter(folder):
    scores = reranker(folder, batch=2).score(QUERY, TEXTS * 5)
    assert scores == pytest.approx(reranker(folder, batch=25).score(QUERY, TEXTS * 5), abs=1e-5)


def test_no_texts_need_no_model(tmp_path):
    assert reranker(tmp_path / "nothing").score(QUERY, []) == []


def test_long_texts_are_cut(folder):
    long = "cash " * 500
    scores = reranker(folder, max_length=16).score(QUERY, [long, "cash " * 50])
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)
    assert 0 < reranker(folder).score(QUERY, [long])[0] < 1


def test_a_model_of_several_scores_is_no_reranker(tmp_path):
    folder = make_cross_encoder(tmp_path / "three", labels=3)
    with pytest.raises(InputError, match="gives 3 scores for a pair, so it is not a reranker"):
        reranker(folder).score(QUERY, TEXTS)


def test_an_embedding_model_is_no_reranker(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"'tiny' .* cannot be loaded"):
        reranker(tmp_path / "empty").score(QUERY, TEXTS)
