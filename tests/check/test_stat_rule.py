"""Tests of the statistical rule itself: it must let equal things pass and catch what it is meant to catch."""
import math
import os
import random
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stat_rule  # noqa: E402


def cell(reference=100.0, mean=100.0, sd=5.0, n=10, own_sd=5.0, own_n=100, neighbours=0, judged=True):
    return stat_rule.Cell("cell", neighbours, reference, sd, n, mean, own_sd, own_n, judged)


def test_equal_means_pass():
    verdicts, signed, passed = stat_rule.judge([cell(), cell()], 0.02, 0.01)
    assert passed and signed == 0 and all(verdict.text == "pass" for verdict in verdicts)


def test_limit_is_tolerance_when_noise_is_small():
    verdicts, _, _ = stat_rule.judge([cell(sd=0.1, own_sd=0.1)], 0.02, 0.01)
    assert verdicts[0].limit == pytest.approx(0.02)


def test_limit_is_noise_when_noise_is_large():
    verdicts, _, _ = stat_rule.judge([cell(sd=20.0, own_sd=20.0)], 0.02, 0.01)
    se = math.hypot(20 / math.sqrt(10), 20 / math.sqrt(100))
    assert verdicts[0].limit == pytest.approx(3.6896624 * se / 100, rel=1e-5)  # t(9, 0.9975)


def test_more_cells_widen_the_limit():
    one, _, _ = stat_rule.judge([cell(sd=20.0)], 0.02, 0.01)
    many, _, _ = stat_rule.judge([cell(sd=20.0)] * 50, 0.02, 0.01)
    assert many[0].limit > one[0].limit


def test_wrong_cell_fails():
    odd = cell(mean=103.0, sd=0.5, own_sd=0.5, neighbours="other")
    verdicts, _, passed = stat_rule.judge([odd] + [cell()] * 9, 0.02, 0.01)
    assert not passed and verdicts[0].text == "FAIL"


def test_missing_value_fails():
    assert not stat_rule.judge([cell(mean=math.nan)], 0.02, 0.01)[2]


def test_small_bias_of_all_cells_fails():
    cells = [cell(mean=101.5) for _ in range(20)]
    verdicts, signed, passed = stat_rule.judge(cells, 0.02, 0.01)
    assert all(verdict.passed for verdict in verdicts) and signed == pytest.approx(0.015) and not passed


def test_own_noise_must_be_small():
    verdicts, _, passed = stat_rule.judge([cell(own_sd=5.0, own_n=20)], 0.02, 0.01)
    assert not passed and verdicts[0].text == "too few replications"


def test_cells_not_judged_count_for_nothing():
    _, signed, passed = stat_rule.judge([cell(), cell(mean=200.0, judged=False)], 0.02, 0.01)
    assert passed and signed == 0


def test_variation_is_pooled_over_neighbours_only():
    cells = [cell(sd=1.0, neighbours="a"), cell(sd=7.0, neighbours="a"), cell(sd=3.0, neighbours="b")]
    pooled = stat_rule.pooled_variation(cells)
    assert pooled["a"] == pytest.approx(0.05) and pooled["b"] == pytest.approx(0.03)


def test_single_deterministic_run_uses_the_tolerance():
    verdicts, _, _ = stat_rule.judge([cell(sd=0.0, n=1, own_sd=0.0, own_n=1, neighbours="ber 0")], 0.03, 0.015)
    assert verdicts[0].limit == 0.03 and verdicts[0].passed


def test_random_data_of_equal_mean_passes_nearly_always():
    rng = random.Random(1)
    failures = 0
    for _ in range(200):
        cells = []
        for _ in range(10):
            values = [rng.gauss(100, 8) for _ in range(10)]
            ours = stat_rule.from_runs("", 0, [rng.gauss(100, 8) for _ in range(120)])
            cells.append(stat_rule.from_runs("", 0, values, mean=ours.reference, sd=ours.reference_sd, n=120))
        failures += any(verdict.text == "FAIL" for verdict in stat_rule.judge(cells, 0.02, 1.0)[0])
    assert failures <= 2


def test_replications_aim_at_a_third_of_the_reference():
    text = stat_rule.replications([cell(sd=6.0), cell(sd=6.0)])
    assert f"half_width: {1.96 * 6 / math.sqrt(10) / 3:.4g} %" in text


def test_deterministic_cells_need_no_rule():
    assert stat_rule.replications([cell(sd=0.0, n=1)]) == "30"
