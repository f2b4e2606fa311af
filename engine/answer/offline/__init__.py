"""The offline generators answer by extraction, or without documents."""

from __future__ import annotations

from engine.answer.offline.closed_book import closed_book_answer
from engine.answer.offline.extractive import extract_answer
from engine.answer.offline.replies import Answer

__all__ = ["Answer", "closed_book_answer", "extract_answer"]
