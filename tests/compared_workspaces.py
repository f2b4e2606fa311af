"""Workspaces in which raters have compared the answers of two runs."""

from __future__ import annotations

from pathlib import Path

from tiny_workspaces import answer_and_score, make_corpus, make_release, make_run, prediction_ids
from tiny_workspaces import question as item

from engine.labelling.session import LabelSession
from store.labels.log.events import Subject
from store.runs import runs
from store.workspace import Workspace, open_workspace

PAIRS = 12
FIELDS = ("correctness", "completeness", "overall")

# by pair: what raters li and wang say of `overall`; below 0 the first run's answer is better
GIVEN = {
    **dict.fromkeys(range(6), (-2, -1)),
    6: (1, 2),
    7: (0, 0),
    8: (-1, 1),
    9: (-1, 0),
    10: (1, 1),
    11: (-1, -1),
}


class Compared:
    """Pairs of answers of the runs `first` and `second`, compared by raters."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        runs_of = [runs.get(workspace.db, name) for name in ("first", "second")]
        both = zip(*(prediction_ids(workspace.db, run) for run in runs_of), strict=True)
        # of the dialogue the second turn is compared
        self.pairs = [pair for at, pair in enumerate(both) if at != 6]

    def subject(self, place: int) -> Subject:
        return Subject("pair", "{}:{}".format(*self.pairs[place]))

    def label(self, rater: str, place: int, value: int) -> None:
        session = LabelSession(self.workspace, "preference", rater)
        for field in FIELDS:
            given = 0 if field == "completeness" else value
            session.set(self.subject(place), field, given, active_ms=1000)


def compared_workspace(place: Path) -> Path:
    """A new workspace in that folder where li and wang have compared the pairs."""
    with open_workspace(place, create=True) as workspace:
        with workspace.write() as db:
            contents = {f"q{at:02}": item(f"Rate {at:02}?") for at in range(PAIRS)}
            contents["q06"] = item("And then?", turns=2)
            release = make_release(db, make_corpus(db), contents=contents)
            for letter, name in zip("ab", ("first", "second"), strict=True):
                for at, number in enumerate(prediction_ids(db, make_run(db, release, name))):
                    # the last answers are equal
                    text = "same" if at == PAIRS else f"answer {letter} {at}"
                    answer_and_score(db, number, [], answer=text)
        made = Compared(workspace)
        for at, given in GIVEN.items():
            for rater, value in zip(("li", "wang"), given, strict=True):
                made.label(rater, at, value)
    return place
