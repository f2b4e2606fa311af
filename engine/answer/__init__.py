"""The offline generators: answering by extraction, and answering without documents."""

from __future__ import annotations

from engine.answer.closed_book import closed_book_answer
from engine.answer.extractive import extract_answer
from engine.answer.records import Answer, Passage

__all__ = ["Answer", "Passage", "closed_book_answer", "extract_answer"]
