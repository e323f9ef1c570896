"""The window of Linux-form congestion controls against Linux 6.1 itself, after one loss on an empty path.

Folder of the traces: environment LINUX_TRACES (t, cwnd ... of one flow, packet 500 dropped, 100 Mbit/s, RTT 100 ms).
Linux leaves recovery by PRR, ours at ssthresh: windows may differ by some segments from then on.
"""
import bisect
import csv
import os
import pathlib

import pytest

from conftest import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = pathlib.Path(os.environ.get("LINUX_TRACES", ROOT / "tests/reference/linux/traces"))

# A packet has 1514 bytes there. The trace's clock begins when the connection is open.
SWEEP = """
name: trace
duration: 20 s
path:
  - {name: in, rate: 1 Gbit/s, delay: 50 ms, drops: [{packet: 500}]}
  - {name: out, rate: 100 Mbit/s, delay: 30 us, queue: 20000 packets}
tcp: {mss: 1448 B, receive_window: 6 MB, delayed_ack_timeout: 40 ms, min_rto: 200 ms, header: 66 B}
app: {kind: bulk}
"""
OPEN_S = 0.1
BEFORE_LOSS_S = [0.15, 0.3, 0.5]


class Steps:
    """A quantity that keeps its value until it changes."""

    def __init__(self, rows):
        self.times, self.values = zip(*rows)

    def at(self, time):
        return self.values[bisect.bisect_right(self.times, time) - 1]


def linux(name):
    with open(TRACES / f"c1_{name}.csv", encoding="ascii") as file:
        return Steps([(float(row["t"]), float(row["cwnd"])) for row in csv.DictReader(file)])


def ours(name, tmp_path):
    (tmp_path / "trace.yaml").write_text(SWEEP)
    run("one", tmp_path / "trace.yaml", "--set", f"tcp.algorithm={name}_linux", "--trace", tmp_path / "trace.csv")
    with open(tmp_path / "trace.csv", encoding="ascii") as file:
        rows = [row for row in csv.DictReader(file) if row["event"] == "cwnd"]
    return Steps([(float(row["t_s"]) - OPEN_S, float(row["x"])) for row in rows])


# Until when: Linux's buffer limits the window from 1565 segments on.
@pytest.mark.parametrize("name, until_s, segments", [("reno", 18, 3), ("cubic", 18, 10), ("bic", 8, 10), ("westwood", 15, 6)])
def test_window_after_one_loss(name, until_s, segments, tmp_path):
    theirs, mine = linux(name), ours(name, tmp_path)
    for time in BEFORE_LOSS_S:
        assert mine.at(time) == pytest.approx(theirs.at(time), abs=2), time
    for time in [0.8 + 0.2 * k for k in range(100)]:
        if time <= until_s:
            assert mine.at(time) == pytest.approx(theirs.at(time), abs=segments), time
