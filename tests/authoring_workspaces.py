"""Workspaces in which a team authors items: eight short documents, and the team at work."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from engine.generate.commissions import RoundRequest, begin_round
from engine.labelling.session import LabelSession
from store.datasets import revisions
from store.datasets.revisions import RevisionSheet
from store.labels.log import reading
from store.labels.log.authoring import ANSWER, QUESTION, VETTING
from store.labels.log.events import Subject
from store.labels.samples import samples
from store.records import Evidence, ItemContent, ItemState
from store.verify import verify
from store.workspace import Workspace, open_workspace

ZH = "云帆银行2024年净息差为1.92%，同比下降0.05个百分点。"
EN = "Heron Bank's net interest margin was 1.92 percent in 2024."


def make_banks(folder: Path) -> Workspace:
    """A workspace with eight documents in corpus `banks`, Chinese and English; close it."""
    files = folder.parent / "files"
    files.mkdir()
    for at in range(4):
        about = ("零售贷款增长", "不良率下降", "网点撤并", "理财规模扩大")[at]
        text = f"文件{at}。{ZH}" + "".join(f"第{n}季度{about}{n * at}。" for n in range(40))
        (files / f"{at}.txt").write_text(text, encoding="utf-8")
        about = ("Retail loans grew", "Bad loans fell", "Branches closed", "Fees rose")[at]
        text = f"Report {at}. {EN}" + "".join(f" {about} by {n * at + n}." for n in range(40))
        (files / f"en{at}.txt").write_text(text, encoding="utf-8")
    workspace = open_workspace(folder, create=True)
    ingest(workspace, "banks", read_paths([files]))
    return workspace


def begin(workspace: Workspace, **fields: object) -> list[str]:
    """The subjects of a new round."""
    people = {"writers": ("ann", "bo"), "answerers": ("bo", "cy"), "leads": ("lin",)}
    asked = RoundRequest("r", "banks", "team", **({"items": 2, **people} | fields))  # type: ignore[arg-type]
    begin_round(workspace, asked, "lin")
    first = samples.get(workspace.db, "r/question")
    return [subject for subject, _ in samples.subjects(workspace.db, first)]


class Team:
    """Sessions by person and step."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def at(self, rater: str, step: str) -> LabelSession:
        return LabelSession(self.workspace, step, rater)

    def given(self, rater: str, step: str) -> Subject | None:
        queued = self.at(rater, step).next()
        return None if queued is None else queued.subject

    def sheet(self, subject: Subject) -> RevisionSheet:
        db = self.workspace.db
        return revisions.sheet(db, reading.authored(db, subject).standing.head)

    def text(self, subject: Subject, *, task: str = "extractive") -> ItemContent:
        """What a writer types: a question, and a span that answers it."""
        content = self.sheet(subject).content
        (turn,) = content.turns
        document = self.sheet(subject).documents[turn.evidence[0].document_id]
        quote = ZH if content.lang == "zh" else EN
        start = document.text.index(quote)
        marked = Evidence(document.document_id, start, start + len(quote), quote)
        evidence = () if task == "no_answer" else (marked, *turn.evidence[1:])
        asked = "净息差是多少？" if content.lang == "zh" else "What was the margin?"
        turn = replace(turn, question=f"{asked} {subject.id}", evidence=evidence)
        return replace(content, turns=(turn,), task=task)

    def writes(self, rater: str, subject: Subject, **fields: str) -> int:
        return self.at(rater, QUESTION).propose(subject, self.text(subject, **fields), "")

    def answers(self, rater: str, subject: Subject, answer: str = "1.92%") -> int:
        content = self.sheet(subject).content
        turn = replace(content.turns[0], golden_answers=(answer,))
        session = self.at(rater, ANSWER)
        return session.propose(subject, replace(content, turns=(turn,)), "")

    def vets(self, rater: str, subject: Subject, verdict: str, note: str = "") -> None:
        session = self.at(rater, VETTING)
        if note:
            session.comment(subject, note, "vetting")
        session.set(subject, "vetting", verdict)

    def stands(self, subject: Subject) -> tuple[ItemState, str | None, int]:
        now = reading.authored(self.workspace.db, subject)
        assert [one for one in verify(self.workspace.db).checks if not one.ok] == []
        return now.standing.state, now.place.form_key, now.standing.head
