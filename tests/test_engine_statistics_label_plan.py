"""Plans keep what they promise."""

from __future__ import annotations

import numpy as np

from engine.statistics.draws import all_alike
from engine.statistics.label_plan import labels_needed
from engine.statistics.linearised import linear
from engine.statistics.prediction_powered import powered_mean


def test_a_planned_number_of_labels_mostly_reaches_its_precision() -> None:
    """From a pilot of 30; with the pilot's own deviation only half of the plans would."""
    reached = 0
    for repetition in range(120):
        rng = np.random.default_rng(repetition)
        people = rng.choice([0.0, 0.5, 1.0], 1000, p=[0.2, 0.2, 0.6])
        judge = np.where(rng.random(1000) < 0.2, 1 - people, people)
        order, groups = rng.permutation(1000), np.arange(1000)
        pilot = all_alike(order[:30], people[order[:30]], 1000)
        run, new = labels_needed(
            linear(judge, groups, pilot),
            linear(None, groups, pilot),
            answers=1000,
            groups=1000,
            asked=0.06,
            is_difference=False,
        )
        assert run.needed is not None
        assert new.needed is None or new.needed >= run.needed
        at = order[: run.needed]
        half = powered_mean(judge, groups, all_alike(at, people[at], 1000)).run.half
        assert half is not None
        reached += half <= 0.06
    assert reached / 120 >= 0.7


def test_few_groups_never_suffice_for_questions_like_these() -> None:
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(12), 50)
    level = rng.choice([0.0, 1.0], 12)
    people = (rng.random(600) < 0.2 + 0.6 * level[groups]).astype(float)
    judge = np.where(rng.random(600) < 0.1, 1 - people, people)
    at = rng.choice(600, 60, replace=False)
    labels = all_alike(at, people[at], 600)
    run, new = labels_needed(
        linear(judge, groups, labels),
        linear(None, groups, labels),
        answers=600,
        groups=12,
        asked=0.05,
        is_difference=False,
    )
    assert run.needed is not None
    assert new.needed is None
    assert new.questions is not None
    assert new.questions > 100
