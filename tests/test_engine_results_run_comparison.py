"""Two runs are compared fairly: what is planted is found, what is not there is not."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from msgspec import structs

from engine.report.comparison_sentences import power_sentence
from engine.results.comparison import LeftOut
from engine.results.run_comparison import compare
from engine.statistics.difference import difference
from engine.statistics.inference import MIN_GROUPS, Settings, TurnState, Verdict
from engine.statistics.pairing import common_set
from store.records import ScoreRow, ScoreState

QUICK = Settings(resamples=499)


def rows(values, *, group=1, cells=1):
    """One row a value; `group` items share a group, items go to the cells in turn."""
    return [
        ScoreRow(
            item_key=f"q{place:05}",
            revision_id=1,
            turn=0,
            repeat=0,
            group_key=f"g{place // group:05}",
            row=f"t{place // group % cells}",
            col="qa",
            state=ScoreState.OK,
            value=float(value),
        )
        for place, value in enumerate(values)
    ]


def two_runs(items, gain=0.0, seed=0):
    """Values of two runs that share how hard each item is, half of them equal."""
    random = np.random.default_rng(seed)
    hard = random.random(items)
    noise = random.uniform(-0.3, 0.3, size=(2, items)) * (random.random(items) < 0.5)
    return hard + noise[0] + gain, hard + noise[1]


def test_a_planted_difference_is_found_with_its_size():
    a, b = two_runs(400, gain=0.05)
    found = compare(rows(a), rows(b), settings=QUICK).overall
    assert found.verdict is Verdict.A_BETTER
    assert found.p <= 0.01
    assert found.low < 0.05 < found.high
    assert found.low > 0
    np.testing.assert_allclose(
        (found.mean_a, found.mean_b, found.difference),
        (a.mean(), b.mean(), a.mean() - b.mean()),
    )


@pytest.mark.parametrize(
    ("times", "off"), [(800, 0.025), pytest.param(4_000, 0.01, marks=pytest.mark.slow)]
)
def test_chance_alone_is_called_a_difference_in_five_of_a_hundred(times: int, off: float):
    verdicts, covered = Counter(), 0
    for seed in range(times):
        a, b = two_runs(40, seed=seed)
        common = common_set((rows(a, group=2), rows(b, group=2)))
        one = difference(common, True, Settings(resamples=199, seed=seed))
        verdicts[one.verdict] += 1
        covered += one.low <= 0 <= one.high
    false = verdicts[Verdict.A_BETTER] + verdicts[Verdict.B_BETTER]
    assert abs(false / times - 0.05) <= off
    assert abs(covered / times - 0.95) <= 2 * off


def test_among_many_cells_chance_alone_is_rarely_called_a_difference():
    wrong = 0
    for seed in range(60):
        a, b = two_runs(160, seed=seed)
        found = compare(
            rows(a, cells=10), rows(b, cells=10), settings=Settings(resamples=999, seed=seed)
        )
        wrong += any(one.verdict is not Verdict.NO_DIFFERENCE for one in found.cells.values())
    assert wrong / 60 <= 0.10


def test_a_difference_planted_in_one_cell_is_found_there_alone():
    a, b = two_runs(200)
    a[::10] += 0.4
    found = compare(rows(a, cells=10), rows(b, cells=10))
    named = {cell for cell, one in found.cells.items() if one.verdict is Verdict.A_BETTER}
    assert named == {("t0", "qa")}
    assert all(one.p <= one.p_holm <= 1 for one in found.cells.values())


def test_swapping_the_runs_negates_the_result():
    a, b = two_runs(90, gain=0.05, seed=1)
    forth = compare(rows(a, group=3, cells=3), rows(b, group=3, cells=3), settings=QUICK)
    back = compare(rows(b, group=3, cells=3), rows(a, group=3, cells=3), settings=QUICK)
    swapped = {Verdict.A_BETTER: Verdict.B_BETTER, Verdict.B_BETTER: Verdict.A_BETTER}
    for one, other in [
        (forth.overall, back.overall),
        *zip(forth.cells.values(), back.cells.values(), strict=True),
    ]:
        assert other == structs.replace(
            one,
            mean_a=one.mean_b,
            mean_b=one.mean_a,
            difference=-one.difference,
            low=-one.high,
            high=-one.low,
            wins=one.losses,
            losses=one.wins,
            verdict=swapped.get(one.verdict, one.verdict),
        )


def test_the_order_of_rows_does_not_matter_and_a_seed_repeats():
    a, b = two_runs(60, gain=0.03, seed=2)
    first = compare(rows(a, group=2, cells=2), rows(b, group=2, cells=2), settings=QUICK)
    random = np.random.default_rng(0)
    shuffled = [
        [given[place] for place in random.permutation(60)]
        for given in (rows(a, group=2, cells=2), rows(b, group=2, cells=2))
    ]
    assert compare(*shuffled, settings=QUICK) == first


def test_a_cell_has_the_figures_that_it_has_alone():
    a, b = two_runs(80, gain=0.05, seed=3)
    whole = compare(rows(a, cells=4), rows(b, cells=4), settings=QUICK)
    alone = compare(
        [row for row in rows(a, cells=4) if row.row == "t2"],
        [row for row in rows(b, cells=4) if row.row == "t2"],
        settings=QUICK,
    )
    in_matrix = whole.cells["t2", "qa"]
    assert (
        structs.replace(in_matrix, p_holm=None, least_p_holm=None, verdict=alone.overall.verdict)
        == alone.overall
    )
    assert alone.cells["t2", "qa"].p_holm == alone.overall.p


@pytest.mark.parametrize(
    ("higher_is_better", "verdict", "wins"),
    [(True, Verdict.A_BETTER, 20), (False, Verdict.B_BETTER, 0), (None, Verdict.A_HIGHER, 20)],
)
def test_the_direction_of_the_metric_decides_who_is_better(higher_is_better, verdict, wins):
    a, b = rows(np.full(20, 0.9)), rows(np.full(20, 0.4))
    one = compare(a, b, higher_is_better=higher_is_better, settings=QUICK).overall
    assert (one.verdict, one.wins, one.losses) == (verdict, wins, 20 - wins)
    np.testing.assert_allclose(one.difference, 0.5)


def test_few_groups_are_too_few_however_many_items_they_hold():
    a, b = rows(np.ones(500), group=100), rows(np.zeros(500), group=100)
    one = compare(a, b, settings=QUICK).overall
    assert (one.items, one.groups, one.verdict) == (500, MIN_GROUPS - 1, Verdict.TOO_FEW)
    assert (one.low, one.high, one.difference) == (None, None, 1.0)


def test_cells_with_too_few_groups_do_not_burden_the_others():
    a, b = two_runs(60, seed=4)
    extra = [structs.replace(row, item_key="x" + row.item_key, row="few") for row in rows(a)[:5]]
    plain = compare(rows(a, cells=3), rows(b, cells=3), settings=QUICK)
    burdened = compare(rows(a, cells=3) + extra, rows(b, cells=3) + extra, settings=QUICK)
    assert burdened.cells["few", "qa"].p_holm is None
    assert burdened.cells["few", "qa"].verdict is Verdict.TOO_FEW
    assert {cell: burdened.cells[cell] for cell in plain.cells} == plain.cells


def test_eighty_cells_of_ten_groups_say_that_none_can_be_told_apart():
    a, b = rows(np.full(800, 1.0), cells=80), rows(np.full(800, 0.0), cells=80)
    found = compare(a, b)
    assert found.overall.verdict is Verdict.A_BETTER
    assert {cell.verdict for cell in found.cells.values()} == {Verdict.NO_DIFFERENCE}
    assert power_sentence(found, "en") == (
        "None of the 80 cells tested can reach 5 %, whatever it shows: at most 10 groups differ in"
        " a cell. Look at all together, or at fewer and larger cells."
    )
    assert "80 个单元格" in power_sentence(found, "zh")


def test_cells_whose_groups_suffice_are_told_apart_beside_those_that_cannot_be():
    """Nine cells of ten groups and one of fifty; only those that differ in enough groups count."""
    values = np.concatenate([np.where(np.arange(90) % 10 < 4, 1.0, 0.0), np.ones(50)])
    cell = [f"t{at // 10}" if at < 90 else "large" for at in range(140)]
    a, b = (
        [structs.replace(row, row=name) for row, name in zip(rows(side), cell, strict=True)]
        for side in (values, np.zeros(140))
    )
    found = compare(a, b)
    assert found.cells["large", "qa"].verdict is Verdict.A_BETTER
    assert found.cells["large", "qa"].p_holm == found.cells["large", "qa"].p
    assert power_sentence(found, "en") == (
        "Of the 10 cells tested only 1 can reach 5 %; in the others too few groups differ."
    )
    assert power_sentence(found, "zh") == (
        "检验的 10 个单元格中只有 1 个可能达到 5 %，其余有差异的组太少。"
    )


def test_grouped_items_are_weaker_evidence_than_independent_ones():
    gains = np.repeat(np.random.default_rng(5).normal(0.1, 0.3, size=20), 10)
    base = np.full(200, 0.5)
    alone = compare(rows(base + gains), rows(base), settings=QUICK).overall
    grouped = compare(rows(base + gains, group=10), rows(base, group=10), settings=QUICK).overall
    assert alone.difference == grouped.difference
    assert grouped.p > alone.p
    assert grouped.high - grouped.low > 2 * (alone.high - alone.low)


def test_wins_ties_and_losses_count_items_and_forgive_rounding():
    one = compare(
        rows([0.1 + 0.2, 1, 0, 0.5, 0.5, 0.5]), rows([0.3, 0, 1, 0, 0.5, 0]), settings=QUICK
    ).overall
    assert (one.wins, one.ties, one.losses) == (3, 2, 1)


def test_zero_one_metrics_carry_mcnemars_test_when_items_are_independent():
    a, b = rows([1] * 12 + [0] * 3 + [1] * 10), rows([0] * 12 + [1] * 3 + [1] * 10)
    np.testing.assert_allclose(compare(a, b).overall.mcnemar, 0.03515625)
    assert compare(rows([1] * 20, group=2), rows([0] * 20, group=2)).overall.mcnemar is None
    assert compare(rows([0.5] * 20), rows([0] * 20)).overall.mcnemar is None


def test_nothing_in_common_is_too_few_to_tell():
    found = compare(rows([1, 1]), [], settings=QUICK)
    assert found.overall.verdict is Verdict.TOO_FEW
    assert (found.overall.items, found.overall.mean_a, found.overall.p) == (0, None, None)
    assert found.cells == {}
    assert found.left_out == {LeftOut(TurnState.OK, TurnState.ABSENT): 2}


def test_identical_runs_show_no_difference():
    a = rows(two_runs(50)[0], cells=2)
    found = compare(a, a, settings=QUICK)
    assert found.overall.verdict is Verdict.NO_DIFFERENCE
    assert (found.overall.p, found.overall.low, found.overall.high) == (1.0, 0.0, 0.0)
    assert found.overall.ties == 50
