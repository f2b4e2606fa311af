"""A form of one's own about answers, in Chinese first, written into a workspace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TONE: dict[str, Any] = {
    "key": "口吻",
    "zh": "口吻与礼貌",
    "en": "Tone",
    "subject_kind": "prediction",
    "fields": [
        {
            "key": "politeness",
            "zh": "礼貌",
            "en": "politeness",
            "kind": "scale",
            "choices": [
                {"value": 0, "zh": "不礼貌", "en": "rude"},
                {"value": 1, "zh": "一般", "en": "plain"},
                {"value": 2, "zh": "礼貌", "en": "polite"},
            ],
        },
        {
            "key": "register",
            "zh": "语体",
            "en": "register",
            "kind": "choice",
            "na": True,
            "choices": [
                {"value": "formal", "zh": "正式", "en": "formal", "key": "1"},
                {"value": "casual", "zh": "口语", "en": "casual", "key": "2"},
            ],
        },
    ],
    "complete": [{"field": "politeness"}, {"field": "register"}],
    "hidden": ["system_name", "other_raters"],
    "exclude_reasons": [{"value": "broken", "zh": "损坏", "en": "broken", "key": "1"}],
}


def changed(**parts: Any) -> dict[str, Any]:
    """The form with other parts; the original stays as it is."""
    return {**json.loads(json.dumps(TONE)), **parts}


def write_form(folder: Path, form: dict[str, Any], name: str = "口吻") -> Path:
    """Writes a form into the workspace in `folder`."""
    file = folder / "forms" / f"{name}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(form, ensure_ascii=False), "utf-8")
    return file
