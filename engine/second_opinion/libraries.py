"""The libraries that score a sample again, each asked in a child process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module, metadata

from engine.exporters.runs import RunExport
from engine.jobs.context import end_with_job
from engine.jobs.pool import child_workspace
from engine.second_opinion.opinions import LibraryOpinion, NotCheckable, tally
from engine.second_opinion.sample import Sampled, draw

LIBRARIES = {
    "rank_bm25": "rank-bm25",
    "rouge_chinese": "rouge-chinese",
    "sacrebleu": "sacrebleu",
    "pytrec_eval": "pytrec-eval-terrier",
}
"""By the name that is imported, the package to install. `by_NAME` beside this module has the
function `values`, which gives our values beside the library's."""


def library_opinion(run_id: int, library: str, size: int, seed: int) -> LibraryOpinion:
    """What a library makes of a sample of a run; called in a child process."""
    try:
        import_module(library)
    except ImportError:
        package = LIBRARIES[library]
        problem = f"not installed here; `pip install {package}` adds it"
        return LibraryOpinion(library, "", (), {}, problem)
    version = metadata.version(LIBRARIES[library])
    one = RunExport(child_workspace(), run_id)
    values = import_module(f"engine.second_opinion.by_{library}").values
    try:
        return tally(library, version, values(one, _until_stopped(draw(one, size, seed))))
    except NotCheckable as reason:
        return LibraryOpinion(library, version, (), {}, str(reason))


def _until_stopped(sample: Iterable[Sampled]) -> Iterator[Sampled]:
    for sampled in sample:
        end_with_job()
        yield sampled
