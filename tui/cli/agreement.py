"""The commands `agree` and `adjudicate`: how far raters agree, and ruling where they do not."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.report.agreement_labels import NAMED, figure_text, interval_text, reason_text, shares
from store.errors import NotFound, UsageError
from store.messages import choices, plural
from store.workspace import open_workspace
from tui.cli.arguments import typed
from tui.cli.labelling import assignment, print_shown, session_of, subject_of
from tui.cli.output import print_json, print_table, print_text, rater, say

if TYPE_CHECKING:
    from engine.statistics.agreement.records import Agreement, Statistic
    from store.labels.consensus import Settled

_WITH_INTERVALS = ("kappa", "quadratic", "ordinal", "ac1", "ac2")


def agree(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import load_form
    from engine.statistics.agreement.figures import agreement, rater_names, self_consistency
    from store.labels import agreement as label_agreement

    form = load_form(arguments.form)
    with open_workspace(arguments.workspace) as workspace:
        rated = label_agreement.rated(workspace.db, form, sample=arguments.sample)
    known = rater_names(rated)
    for name in arguments.raters:
        if name not in known:
            raise NotFound(
                f"{name} has no complete labels of form {form.key!r} here.",
                choices(name, known, "These have", none="nobody yet"),
            )
    if len(set(arguments.raters)) != len(arguments.raters) or len(arguments.raters) == 1:
        raise UsageError("Agreement is between two raters or more, each named once.")
    rows = agreement(rated, form, by=arguments.by, raters=arguments.raters, seed=arguments.seed)
    own = [
        one
        for one in self_consistency(rated, form, seed=arguments.seed)
        if not arguments.raters or one.group in arguments.raters
    ]
    names = arguments.raters or known
    looked = len({(one.subject, one.rater) for one in rated if one.origin == "human_after_reveal"})
    if arguments.json:
        print_json(
            {"raters": names, "after_reveal": looked, "agreement": rows, "self_consistency": own}
        )
        return 0
    if len(names) < 2:
        say(f"complete labels of {', '.join(names) or 'nobody'}: agreement needs two raters")
    else:
        print(f"{form.en}: {', '.join(names)}")
        _print(rows, arguments.statistic)
    if own:
        print("\nthe same rater again (hidden repeats)")
        _print(own, arguments.statistic)
    if looked:
        say(f"{plural(looked, 'subject')} labelled after looking at what the form hides")
    return 0


def _print(rows: Sequence[Agreement], chosen: str | None) -> None:
    shown = [one for one in rows if one.n]
    if chosen:
        _print_one(rows, chosen)
    else:
        _print_all(shown, list(NAMED), figure_text)
        if any(_has_interval(one) for one in shown):
            print("\n95 % intervals")
            _print_all(shown, _WITH_INTERVALS, interval_text)
        _print_reasons(shown)
    print("\nhow often each value was given")
    print_table(
        ["", "metric", "of", "n", "rater", "values"],
        [[*_head(one), name, "  ".join(shares(one, name))] for one in shown for name in one.raters],
        keys=3,
        grouped=True,
    )


def _has_interval(one: Agreement) -> bool:
    found = (one.statistics.get(NAMED[name]) for name in _WITH_INTERVALS)
    return any(figure is not None and figure.low is not None for figure in found)


def _print_all(
    rows: Sequence[Agreement], names: Sequence[str], text: Callable[[Statistic | None], str]
) -> None:
    wanted = [name for name in names if any(NAMED[name] in one.statistics for one in rows)]
    print_table(
        ["", "metric", "of", "n", *wanted],
        [
            [*_head(one), *(text(one.statistics.get(NAMED[name])) for name in wanted)]
            for one in rows
        ],
        keys=4,
        grouped=True,
    )


def _print_reasons(rows: Sequence[Agreement]) -> None:
    """Each reason once, with the rows and the figures that it is about; the table's dashes say
    which figure of which row."""
    reasons: dict[str, tuple[list[str], list[str]]] = {}
    for one in rows:
        where = " ".join(filter(None, (one.group, one.field, one.part)))
        for name in NAMED:
            found = one.statistics.get(NAMED[name])
            if found is not None and reason_text(found):
                places, names = reasons.setdefault(reason_text(found), ([], []))
                places += [where] if where not in places else []
                names += [name] if name not in names else []
    if reasons:
        print()
    for text, (places, names) in reasons.items():
        about = "all of these" if 1 < len(places) == len(rows) else ", ".join(places)
        print_text(f"{about}: {text} ({', '.join(names)})")


def _print_one(rows: Sequence[Agreement], name: str) -> None:
    print_table(
        ["", "metric", "of", "n", "groups", name, "95 % interval", ""],
        [
            [
                *_head(one),
                str(one.groups),
                figure_text(found),
                interval_text(found),
                reason_text(found),
            ]
            for one in rows
            if (found := one.statistics.get(NAMED[name])) is not None
        ],
        keys=4,
        grouped=True,
    )


def _head(one: Agreement) -> list[str]:
    return [one.group, one.field, one.part, str(one.n)]


def list_conflicts(arguments: argparse.Namespace) -> int:
    from store.labels import consensus

    who = rater(arguments)
    with open_workspace(arguments.workspace) as workspace:
        session = session_of(workspace, arguments)
        found = consensus.conflicts(workspace.db, session.form)
    mine = [one for one in found if who in {given.rater for given in one.raters}]
    if not arguments.allow_own:
        found = [one for one in found if one not in mine]
    if arguments.no_majority:
        found = [one for one in found if consensus.majority(one.raters) is None]
        mine = [one for one in mine if consensus.majority(one.raters) is None]
    if arguments.json:
        print_json(found)
        return 0
    if found:
        print_table(["subject", "field", "values"], [_conflict(one) for one in found], keys=2)
    else:
        say("nothing is left to rule on")
    if mine and not arguments.allow_own:
        say(f"{len(mine)} more are your own to differ on; a third person rules (--allow-own)")
    return 0


def _conflict(one: Settled) -> list[str]:
    return [
        one.subject.id,
        one.field,
        ", ".join(f"{given.rater} {given.value}" for given in one.raters),
    ]


def show_conflict(arguments: argparse.Namespace) -> int:
    from engine.labelling.shown import shown_of
    from store.labels import consensus, queue

    with open_workspace(arguments.workspace) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        shown = shown_of(workspace.db, session.form, subject)
        found = consensus.settled(workspace.db, session.form, subject=subject)
        notes = queue.comments(workspace.db, session.form.key, subject)
    if arguments.json:
        comments = [
            {"rater": who, "field": field, "comment": text} for (who, field), text in notes.items()
        ]
        print_json({"shown": shown, "fields": found, "comments": comments})
        return 0
    print_shown(shown)
    print()
    print_table(
        ["field", "rater", "value", "stands", "comment"],
        [
            [
                one.field,
                given.rater,
                str(given.value),
                _stands(one),
                notes.get((given.rater, one.field), notes.get((given.rater, ""), "")),
            ]
            for one in found
            for given in one.raters
        ],
        keys=2,
    )
    return 0


def _stands(one: Settled) -> str:
    if one.source == "conflict":
        return "conflict"
    by = f" by {one.adjudicator}" if one.adjudicator else ""
    return f"{one.value} ({one.source}{by})"


def rule(arguments: argparse.Namespace) -> int:
    with open_workspace(arguments.workspace) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        said = [assignment(session, text) for text in arguments.values]
        seqs = [
            session.adjudicate(subject, field, value, allow_own=arguments.allow_own)
            for field, value in said
        ]
    if arguments.json:
        print_json({"seqs": seqs})
    else:
        print(f"saved {', '.join(f'#{seq}' for seq in seqs)}")
    return 0
