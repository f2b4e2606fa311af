"""A document as models are shown it."""

from __future__ import annotations

from engine.corpus.document import shortened


def test_long_documents_end_with_a_sentence():
    text = "一句话在这里。" * 30
    assert shortened(text, 50) == "一句话在这里。" * 7
    assert shortened("短", 50) == "短"
