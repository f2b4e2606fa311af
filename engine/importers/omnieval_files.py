"""Gathering OmniEval's files: which of the paths given are predictions, results and the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from store.errors import InputError
from store.formats import omnieval
from store.formats.omnieval import PredictionRow, ResultBlock


class PredictionFile(Struct, frozen=True):
    path: Path
    rows: tuple[PredictionRow, ...]

    def groups(self) -> list[list[PredictionRow]]:
        """The rows by item: those that share an id are the turns of one conversation."""
        by_id: dict[str, list[PredictionRow]] = {}
        for row in self.rows:
            by_id.setdefault(row.id, []).append(row)
        return list(by_id.values())

    def place(self, row: PredictionRow) -> str:
        return f"{self.path}, line {row.line}"


class ResultFile(Struct, frozen=True):
    path: Path
    blocks: tuple[ResultBlock, ...]


class OmniFiles(Struct, frozen=True):
    predictions: tuple[PredictionFile, ...]
    results: tuple[ResultFile, ...]
    corpus: Path | None

    @property
    def closed_book(self) -> bool:
        """Their closed-book files hold no list of retrieved documents at all."""
        return all(row.retrieved is None for file in self.predictions for row in file.rows)


def gather(paths: Sequence[Path]) -> OmniFiles:
    """Reads the files given, and in a folder those whose names say what they are.

    Raises InputError for a file of another name, no predictions at all, and two prediction files
    of one name, which results could not be told apart by.
    """
    predictions: dict[str, Path] = {}
    results: dict[Path, None] = {}
    corpus = None
    for path in _expanded(paths):
        if path.name.endswith(omnieval.PREDICTIONS):
            earlier = predictions.setdefault(path.name, path)
            if earlier != path:
                raise InputError(
                    f"{path} and {earlier} have one name.", "Import each system as its own run."
                )
        elif path.name.startswith(omnieval.RESULTS):
            results[path] = None
        elif path.name == omnieval.CORPUS:
            corpus = path
        else:
            raise InputError(
                f"{path}: the name is not one of OmniEval's.",
                f"Expected `GROUP - TOPIC - TASK{omnieval.PREDICTIONS}`,"
                f" `{omnieval.RESULTS}*.jsonl` or `{omnieval.CORPUS}`.",
            )
    files = [
        PredictionFile(path, tuple(omnieval.read_predictions(path)))
        for path in predictions.values()
    ]
    if not any(file.rows for file in files):
        raise InputError(
            "There is no prediction in what was given.",
            f"Name files that end in {omnieval.PREDICTIONS}, or their folder.",
        )
    return OmniFiles(
        tuple(files),
        tuple(ResultFile(path, tuple(omnieval.read_results(path))) for path in results),
        corpus,
    )


def _expanded(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.glob("*" + omnieval.PREDICTIONS))
            yield from sorted(path.glob(omnieval.RESULTS + "*.jsonl"))
            yield from sorted(path.glob(omnieval.CORPUS))
        else:
            yield path
