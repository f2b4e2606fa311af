"""Figures over labelling work: acceptance of items, time of labels, by any property."""

from __future__ import annotations

from engine.labelling.figures.statistics import facet_names, figures
from store.labels.log.events import Subject
from store.labels.statistics import Work
from store.records import ItemState


def work(
    subject: str,
    rater: str = "a",
    *,
    state: str = "accepted",
    value: int | None = 4,
    status: str = "complete",
    seconds: float = 10,
    topic: str = "rates",
    at: str = "2026-01-31T12:00:00.000Z",
    **facets: str,
) -> Work:
    return Work(
        Subject("revision", subject),
        rater,
        status,  # type: ignore[arg-type]
        at,
        int(seconds * 1000),
        topic,
        "extractive",
        facets,  # type: ignore[arg-type]
        value,
        ItemState(state),
    )


def test_acceptance_counts_items_once_and_corrected_ones_as_accepted():
    rows = [
        work("1"),
        work("1", "b"),
        work("1#1"),
        work("2", state="discarded", value=1),
        work("3", state="accepted", value=3),
        work("4", state="needs_correction", value=3),
        work("5", status="excluded", value=None),
        work("6", status="postponed", value=None),
    ]
    (found,) = figures(rows)
    assert (found.subjects, found.complete, found.excluded, found.postponed) == (6, 6, 1, 1)
    assert (found.judged, found.accepted, found.acceptance) == (4, 2, 0.5)
    assert found.raters == ("a", "b")


def test_time_is_the_median_of_what_was_measured():
    rows = [work("1", seconds=0), work("2", seconds=5), work("3", seconds=7), work("4", seconds=90)]
    assert figures(rows)[0].median_seconds == 7
    assert figures([work("1", seconds=0)])[0].median_seconds is None


def test_groups_are_places_raters_and_facets():
    rows = [work("1", model="m1"), work("2", "b", topic="funds", state="discarded")]
    for by, expected in (
        ("rater", {"a": 1.0, "b": 0.0}),
        ("topic", {"rates": 1.0, "funds": 0.0}),
        ("task", {"extractive": 0.5}),
        ("cell", {"rates x extractive": 1.0, "funds x extractive": 0.0}),
        ("model", {"m1": 1.0, "unassigned": 0.0}),
    ):
        assert {row.group: row.acceptance for row in figures(rows, by)} == expected
    assert facet_names(rows) == ("model",)


def test_nothing_done_has_no_rate():
    assert figures([]) == []
    assert figures([work("1", status="partial")])[0].acceptance is None


def test_pace_and_agreement_follow_raters_from_day_to_day():
    later = "2026-02-01T12:00:00.000Z"
    rows = [
        work("1", seconds=20),
        work("2", seconds=40),
        work("3", seconds=30, value=1, at=later),
        work("1", "b", seconds=0),
        work("3", "b", seconds=10, value=2, at=later),
        work("3#1", "b", value=1, at=later),
    ]
    days = {row.place: row for row in figures(rows, "day")}
    assert [*days] == [("2026-01-31",), ("2026-02-01",)]
    assert [row.complete for row in days.values()] == [3, 3]
    assert [row.per_hour for row in days.values()] == [120, 3 * 3600 / 50]
    assert [row.agreement for row in days.values()] == [1.0, 0.0]
    own = {row.place: (row.complete, row.agreement) for row in figures(rows, "rater_day")}
    assert own["a", "2026-01-31"] == (2, 1.0)
    assert own["b", "2026-02-01"] == (2, 0.0)
    assert figures([work("9")], "day")[0].agreement is None
