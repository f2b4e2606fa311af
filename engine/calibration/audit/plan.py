"""What an audit is of, frozen: the judges that are asked, the runs, and what is compared."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from engine.judge.base import JudgeSpec
from engine.models.settings import Provider
from store.runs import judge_scores


class Asked(Struct, frozen=True):
    """A judge whose values are asked for."""

    judge_id: int
    kind: str
    metrics: tuple[str, ...]
    provider: Provider | None
    prompts: str = ""
    """The folder of another wording; empty for the judge as it is configured."""

    def spec(self, db: sqlite3.Connection) -> JudgeSpec:
        """The judge as it was when the audit was asked for."""
        stored = judge_scores.get(db, self.judge_id)
        return JudgeSpec(stored.name, self.kind, self.metrics, stored.config, self.provider)


class AuditPlan(Struct, frozen=True):
    judge_id: int
    run_ids: tuple[int, ...]
    metrics: tuple[str, ...] = ()
    """Empty for all that the judge gives."""
    answers: int = 0
    """That are changed."""
    against_id: int | None = None
    """Another judge that is compared."""
    asked: tuple[Asked, ...] = ()
    """The judge itself first, then other wordings of it; of a jury its members; none where nothing
    is changed."""
    is_jury: bool = False
    not_probed: str = ""
    """Why nothing is changed."""

    @property
    def of_itself(self) -> tuple[Asked, ...]:
        """The judge as it is configured, or the members of the jury; other wordings left out."""
        return tuple(one for one in self.asked if not one.prompts)
