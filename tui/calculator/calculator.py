"""Computing results in a child process, so that the app stays light and its keys quick."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import TypeVar

import msgspec

from engine.calibration.records import Calibration
from engine.exporters.records import Preview, Verified
from engine.labelling.agreement_records import RaterAgreement
from engine.labelling.answer_records import AnswerReading
from engine.labelling.drawing import Plan
from engine.labelling.work_records import JudgedSubject, WorkReport
from engine.results.comparison import Leaderboard, PairedScore, RunComparison
from engine.results.records import RunMatrix, RunTable
from store.errors import RagdeskError
from tui.building.requests import BuildRequest, Built
from tui.calculator_process import (
    AgreementRequest,
    AnswersRequest,
    CalibrationRequest,
    CompareRequest,
    ExportRequest,
    LeaderboardRequest,
    MatrixRequest,
    PairsRequest,
    PreviewRequest,
    Reply,
    Request,
    TableRequest,
    WordsRequest,
    receive,
    send,
)
from tui.statistics.requests import (
    JudgedRequest,
    PlanRequest,
    Progress,
    ProgressRequest,
    ReportRequest,
)

T = TypeVar("T")


class Calculator:
    """Starts its process on first use and again after it has died. For threads, not for the UI."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Start the process, so that the first matrix comes sooner."""
        with self._lock:
            self._running()

    def matrix(self, request: MatrixRequest) -> RunMatrix:
        """The matrix asked for; raises as `_answer` does."""
        return self._answer(request, RunMatrix)

    def comparison(self, request: CompareRequest) -> RunComparison:
        """Two runs compared cell by cell; raises as `_answer` does."""
        return self._answer(request, RunComparison)

    def pairs(self, request: PairsRequest) -> tuple[PairedScore, ...]:
        """The turns behind a cell of a comparison; raises as `_answer` does."""
        return self._answer(request, tuple[PairedScore, ...])

    def leaderboard(self, request: LeaderboardRequest) -> Leaderboard:
        """Runs ranked on a metric; raises as `_answer` does."""
        return self._answer(request, Leaderboard)

    def table(self, request: TableRequest) -> RunTable:
        """Runs with OmniEval's nine measures; raises as `_answer` does."""
        return self._answer(request, RunTable)

    def agreement(self, request: AgreementRequest) -> RaterAgreement:
        """How far raters agree; raises as `_answer` does."""
        return self._answer(request, RaterAgreement)

    def calibration(self, request: CalibrationRequest) -> Calibration:
        """Judges against people; raises as `_answer` does."""
        return self._answer(request, Calibration)

    def preview(self, request: PreviewRequest) -> Preview:
        """What an export would hold; raises as `_answer` does."""
        return self._answer(request, Preview)

    def export(self, request: ExportRequest) -> Verified:
        """Writes an export and checks it; raises as `_answer` does."""
        return self._answer(request, Verified)

    def words(self, text: str) -> tuple[tuple[int, int], ...]:
        """Start and end of each word of a text; raises as `_answer` does."""
        return self._answer(WordsRequest(text), tuple[tuple[int, int], ...])

    def answers(self, predictions: tuple[int, ...]) -> tuple[AnswerReading, ...]:
        """Each answer read beside what was retrieved for it; raises as `_answer` does."""
        return self._answer(AnswersRequest(predictions), tuple[AnswerReading, ...])

    def build(self, request: BuildRequest) -> Built:
        """What a job would take, or the job that is queued now; raises as `_answer` does."""
        return self._answer(request, Built)

    def work_report(self, request: ReportRequest) -> WorkReport:
        """Figures over raters' work; raises as `_answer` does."""
        return self._answer(request, WorkReport)

    def judged(self, request: JudgedRequest) -> tuple[JudgedSubject, ...]:
        """What stands behind a figure of a report; raises as `_answer` does."""
        return self._answer(request, tuple[JudgedSubject, ...])

    def progress(self, request: ProgressRequest) -> Progress:
        """How far a form's samples are; raises as `_answer` does."""
        return self._answer(request, Progress)

    def plan(self, request: PlanRequest) -> Plan:
        """What drawing a sample would do; raises as `_answer` does."""
        return self._answer(request, Plan)

    def _answer(self, request: Request, kind: type[T]) -> T:
        """Raises RagdeskError with what the process says, or when it died."""
        with self._lock:
            reply = self._ask(request)
        if reply is None:
            raise RagdeskError(
                "The process that computes results ended abruptly; memory may be short.",
                "Free some memory and ask for it again.",
            )
        if reply.body is None:
            raise RagdeskError(reply.error, reply.remedy)
        return msgspec.msgpack.decode(reply.body, type=kind)

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.kill()
            process.stdin.close()
            process.wait()

    def _ask(self, request: Request) -> Reply | None:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, request)
        except BrokenPipeError:
            return None
        body = receive(process.stdout)
        return None if body is None else msgspec.msgpack.decode(body, type=Reply)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            # -P: a folder called `store` or `engine` where the operator stands is never imported
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tui.calculator_process", str(self._folder.resolve())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._process
