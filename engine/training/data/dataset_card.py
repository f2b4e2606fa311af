"""The card of exported judge data: who labelled, how far they agree, what is in it, what is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.labelling.figures.agreement_records import POOLED, Agreement
from engine.statistics.agreement.statistic import Statistic
from engine.training.data.bundle import SIDES, Bundle
from engine.training.data.judge_records import JudgeRecord
from store.labels.forms import NA

_RARE = 5
"""Fewer training labels of a value are named as a gap."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**9, "n>100K"))
_STATISTICS = ("raw", "kappa_plain", "kappa_quadratic", "alpha_ordinal", "ac1")


def write_card(
    bundle: Bundle,
    agreement: Sequence[Agreement],
    configs: Sequence[tuple[str, Sequence[tuple[str, str]]]],
    guidelines: Sequence[str],
) -> str:
    """The README.md of the bundle, with the front matter that dataset hubs read.

    `configs` are the data files, by config and side; `guidelines` are versions in force.
    """
    records = bundle.all
    raters = Counter(rater for record in records for rater in record.raters)
    sections = [
        front_matter(
            (record.lang for record in records), len(records), "text-classification", configs
        ),
        "# Human labels of RAG answers, for judges",
        f"{len(records):,} labels of {len({one.response_id for one in records}):,} answers to"
        f" {len({one.group_id for one in records}):,} questions, on"
        f" {len({one.metric for one in records})} metrics. A row asks for one metric of one answer;"
        " the reply is the label that people gave.",
        "## Sides",
        "Questions, not answers, are divided, so that no question is on two sides; questions that"
        " are nearly the same stay together. What is on a side stays there in later exports.",
        _sides(bundle),
        "## Labels",
        _distribution(records),
        "## Raters and agreement",
        f"{len(raters)} {'rater' if len(raters) == 1 else 'raters'}: "
        + ", ".join(f"{name} ({count:,} labels)" for name, count in sorted(raters.items()))
        + ".",
        _sources(records),
        agreement_text(agreement),
        "Guideline versions in force: " + (", ".join(guidelines) or "none was written") + ".",
        "## Known gaps",
        _gaps(bundle),
        "## Provenance",
        _provenance(records),
    ]
    return "\n\n".join(sections) + "\n"


def front_matter(
    langs: Iterable[str],
    rows: int,
    category: str,
    configs: Sequence[tuple[str, Sequence[tuple[str, str]]]],
) -> str:
    """What dataset hubs read of a card; `category` is their name of the task."""
    size = next(name for most, name in _SIZES if rows < most)
    lines = ["---", "license: other", "language:"]
    lines += [f"- {lang}" for lang in sorted(set(langs))]
    lines += ["task_categories:", f"- {category}", "size_categories:", f"- {size}"]
    lines.append("configs:")
    for at, (name, files) in enumerate(configs):
        lines.append(f"- config_name: {name}")
        lines += ["  default: true"] if at == 0 else []
        lines.append("  data_files:")
        for side, file in files:
            lines += [f"  - split: {side}", f"    path: {file}"]
    return "\n".join([*lines, "---"])


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _sides(bundle: Bundle) -> str:
    rows = []
    for side in SIDES:
        of_side = bundle.records[side]
        answers = len({record.response_id for record in of_side})
        questions = len({record.group_id for record in of_side})
        rows.append((side, f"{answers:,}", f"{questions:,}", f"{len(of_side):,}"))
    return table(("side", "answers", "questions", "labels"), rows)


def _distribution(records: Sequence[JudgeRecord]) -> str:
    counts = Counter((one.metric, one.split, _value(one)) for one in records)
    values = sorted({value for *_, value in counts}, key=lambda value: (value == NA, value))
    rows = [
        (metric, side, *(f"{counts[metric, side, value]:,}" for value in values))
        for metric in dict.fromkeys(record.metric for record in records)
        for side in SIDES
    ]
    return table(("metric", "side", *values), rows)


def _value(record: JudgeRecord) -> str:
    return NA if record.label is None else str(record.label)


def _sources(records: Sequence[JudgeRecord]) -> str:
    counted = Counter(record.source for record in records)
    sources = ", ".join(f"{count:,} {source}" for source, count in sorted(counted.items()))
    more = ""
    if revealed := sum(record.revealed_before for record in records):
        more += f" {revealed:,} were given after a rater had looked at what is hidden."
    if aided := sum(record.aids_before for record in records):
        more += (
            f" {aided:,} were given with aids: the rater could see, by the rules of the judge"
            " `rules`, how the answer compares with the golden one."
        )
    return f"How the labels came about: {sources}.{more}"


def agreement_text(rows: Sequence[Agreement], subject: str = "answer") -> str:
    """How far raters agree, as a table, or that no subject of theirs was labelled by two."""
    shown = [row for row in rows if row.n]
    if not shown:
        return f"No {subject} was labelled by two raters, so nothing is known of their agreement."
    return table(
        ("field", "about", "n", "agreement", "kappa", "kappa, quadratic", "alpha, ordinal", "AC1"),
        [
            (
                "all, pooled" if row.field == POOLED else row.field,
                row.part,
                f"{row.n:,}",
                *(_figure(row.statistics.get(name)) for name in _STATISTICS),
            )
            for row in shown
        ],
    )


def _figure(statistic: Statistic | None) -> str:
    if statistic is None:
        return "-"
    if statistic.value is None:
        return "undefined"
    if statistic.low is None or statistic.high is None:
        return f"{statistic.value:.3f}"
    return f"{statistic.value:.3f} ({statistic.low:.3f} to {statistic.high:.3f})"


def _gaps(bundle: Bundle) -> str:
    lines = [f"{count:,} left out: {reason}." for reason, count in sorted(bundle.left_out.items())]
    lines += [f"The {side} side is empty." for side in SIDES if not bundle.records[side]]
    training = Counter((record.metric, _value(record)) for record in bundle.records["train"])
    lines += [
        f"{metric}: only {count} training label{'s' if count > 1 else ''} of {value}."
        for (metric, value), count in sorted(training.items())
        if count < _RARE
    ]
    thin = Counter((record.topic, record.task) for record in bundle.all)
    lines += [f"No label in {topic} x {task}." for topic, task in sorted(bundle.cells - set(thin))]
    return "\n".join(f"- {line}" for line in lines) or "None that are known."


def _provenance(records: Sequence[JudgeRecord]) -> str:
    runs = Counter((record.run, record.system_id) for record in records)
    templates = sorted({(record.template_id, record.template_sha256) for record in records})
    return "\n\n".join(
        [
            table(
                ("run", "system", "labels"),
                [(run, system, f"{count:,}") for (run, system), count in sorted(runs.items())],
            ),
            table(("template", "SHA-256"), [(template, digest) for template, digest in templates]),
        ]
    )
