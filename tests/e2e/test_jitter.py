"""Delays that vary: their law, what overtakes, and what goes without delay."""
import csv
import json
import math
import subprocess

import numpy
import pytest

from conftest import command, environment

SWEEP = """name: jitter
seed: 5
duration: 21 s
path: [{name: l, rate: 100 Mbit/s, delay: 50 ms, errors: forward, %s}]
app: {kind: udp_cbr, packet: 100 B, interval: 1 ms}
"""
PACKETS, BASE_MS = 20000, 50 + 128 * 8 / 1e5


def delays(folder, keys):
    """Delay in ms of each packet, in the order in which they were sent."""
    (folder / "s.yaml").write_text(SWEEP % keys)
    done = subprocess.run(command("one", folder / "s.yaml", "--trace", folder / "t.csv"), env=environment(), text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    with open(folder / "t.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sent = {row["a"]: float(row["t_s"]) for row in rows if row["event"] == "send"}
    came = {row["a"]: float(row["t_s"]) for row in rows if row["event"] == "deliver"}
    return numpy.array([1e3 * (came[a] - sent[a]) for a in list(sent)[:PACKETS]])


def overtakes(values):
    """Packets that arrive before one that was sent earlier."""
    arrivals = numpy.arange(len(values)) + values
    return int((arrivals < numpy.maximum.accumulate(arrivals) - 1e-9).sum())


@pytest.mark.parametrize("law,deviation,kurtosis", [("uniform", 10 / math.sqrt(3), 1.8), ("normal", 10, 3)])
def test_law(tmp_path, law, deviation, kurtosis):
    """Mean, deviation and shape within 4 standard errors of 20,000 independent packets (5 deviations keep it above 0)."""
    x = delays(tmp_path, f"jitter: 10 ms, jitter_law: {law}") - BASE_MS
    assert abs(x.mean()) < 4 * deviation / math.sqrt(PACKETS)
    assert abs(x.std() / deviation - 1) < 4 * math.sqrt((kurtosis - 1) / 4 / PACKETS)
    assert abs((x**4).mean() / x.std()**4 - kurtosis) < 4 * math.sqrt(24 / PACKETS)
    assert abs(numpy.corrcoef(x[1:], x[:-1])[0, 1]) < 4 / math.sqrt(PACKETS)
    assert overtakes(x) > PACKETS / 4


@pytest.mark.parametrize("law", ["uniform", "normal"])
def test_correlation(tmp_path, law):
    x = delays(tmp_path, f"jitter: 10 ms, jitter_law: {law}, jitter_correlation: 0.5") - BASE_MS
    assert abs(numpy.corrcoef(x[1:], x[:-1])[0, 1] - 0.5) < 4 * math.sqrt((1 - 0.25) / PACKETS)
    narrow = math.sqrt((1 - 0.5) / (1 + 0.5)) if law == "uniform" else 1  # netem's uniform numbers lie closer together
    assert abs(x.std() / (narrow * (10 / math.sqrt(3) if law == "uniform" else 10)) - 1) < 0.03


def test_order_is_kept(tmp_path):
    x = delays(tmp_path, "jitter: 10 ms, jitter_order: keep")
    assert overtakes(x) == 0 and x.std() > 0.5


def test_reorder(tmp_path):
    """A quarter goes at once; with a gap each fifth packet at most, and nothing else is disturbed."""
    at_once = delays(tmp_path, "reorder: 0.25") < 1
    assert abs(at_once.mean() - 0.25) < 4 * math.sqrt(0.25 * 0.75 / PACKETS)
    places = numpy.flatnonzero(delays(tmp_path, "reorder: 1, reorder_gap: 5") < 1)
    assert (numpy.diff(places) == 5).all() and places[0] == 4


def test_tcp_sees_reordering_as_loss(tmp_path):
    """Reno takes late packets for lost ones; nothing is lost, and all arrives."""
    (tmp_path / "s.yaml").write_text("name: s\nduration: 30 s\npath: [{name: l, rate: 10 Mbit/s, delay: 20 ms, jitter: 5 ms}]\n")
    text = subprocess.run(command("one", tmp_path / "s.yaml", "--json"), env=environment(), text=True, capture_output=True,
                          check=True).stdout
    result = json.loads(text)
    assert result["fast_retransmits"] > 20 and result["drops_error"] == result["drops_queue"] == 0
    assert result["spurious_retransmits"] > 0


@pytest.mark.parametrize("keys,message", [
    ("jitter: 60 ms", "jitter is above delay, expected at most that"),
    ("jitter: -1 ms", "path.l.jitter"),
    ("jitter_law: cauchy", "expected one of uniform, normal"),
    ("jitter: 1 ms, jitter_correlation: 2", "path.l.jitter_correlation: `2` is out of range"),
    ("reorder: 1.5", "path.l.reorder: `1.5` is out of range"),
    ("reorder: 0.5, reorder_gap: 0", "path.l.reorder_gap: `0` is out of range"),
    ("jitter: 1 ms, jitter_order: any", "expected one of allow, keep"),
])
def test_bad(tmp_path, keys, message):
    (tmp_path / "s.yaml").write_text(SWEEP % keys)
    done = subprocess.run(command("one", tmp_path / "s.yaml"), env=environment(), text=True, capture_output=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and message in done.stderr, done.stderr
