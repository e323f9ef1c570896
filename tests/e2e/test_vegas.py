"""Vegas and its relatives on whole paths: the rerouting and sharing experiments of seed 001, against ns-2.35 (figures in
tests/reference/ns2/README.md) and against the reference model of Vegas-A."""
import csv
import json
import pathlib

import pytest
from conftest import run

VARIANTS = pathlib.Path(__file__).resolve().parents[1] / "reference/vegas-a-variants.csv"

REROUTE = """
name: reroute
measure: {from: 20 s, to: 200 s}
start_jitter: 0 s
path:
  - {name: in, rate: 1 Mbit/s, delay: 10 ms, schedule: [{at: 20 s, delay: 100 ms}]}
  - {name: mid, rate: 1 Mbit/s, delay: 5 ms}
  - {name: out, rate: 1 Mbit/s, delay: 5 ms}
tcp: {dialect: ns2, algorithm: ALGORITHM, mss: 960 B, header: 40 B, receive_window: 960000 B}
app: {kind: bulk}
"""

ONE = """
name: one
duration: 200 s
path:
  - {name: in, rate: 1 Mbit/s, delay: 22.5 ms}
  - {name: mid, rate: 250 kbit/s, delay: 22.5 ms}
  - {name: out, rate: 1 Mbit/s, delay: 5 ms}
tcp: {dialect: ns2, algorithm: ALGORITHM, mss: 960 B, header: 40 B, receive_window: 960000 B}
app: {kind: bulk}
"""

SHARE = """
name: share
measure: {from: 50 s, to: 200 s}
start_jitter: 0 s
links:
  a: {rate: 8 Mbit/s, delay: 10 ms}
  mid: {rate: 800 kbit/s, delay: 40 ms, queue: QUEUE packets}
  z: {rate: 8 Mbit/s, delay: 10 ms}
tcp: {dialect: ns2, mss: 960 B, header: 40 B, receive_window: 960000 B}
app: {kind: bulk}
flows:
  - {name: v, via: [a*, mid, z*], tcp: {algorithm: vegas_ns2}}
  - {name: n, via: [a*, mid, z*], tcp: {algorithm: newreno}, start: 10.5 s}
"""


def goodputs_kbps(tmp_path, text, *sets):
    """Of each flow."""
    file = tmp_path / "sweep.yaml"
    file.write_text(text)
    options = [word for setting in sets for word in ("--set", setting)]
    done = run("one", file, "--json", *options)
    return [flow["goodput"] / 1000 for flow in json.loads(done.stdout)["flows"]]


@pytest.mark.parametrize("algorithm, sets, kbps, tolerance", [
    ("vegas_ns2", [], 126.55, 0.5),  # ns-2: keeps the old base RTT
    ("vegas", ["tcp.cc=vegas"], 88, 45),  # one to three packets queued by the old base RTT: 44 to 133
    ("vegas", ["tcp.cc=vegas", "tcp.vegas_reroute_fix=true"], 955, 10),
    ("vegas_a", [], 959, 2),
    ("vegas_a", ["tcp.vegas_a_diff=real"], 926, 10),
    ("vegas_a", ["tcp.vegas_a_eps=0.01"], 126.6, 0.5),  # without the noise there is no way up
    ("vegas_a", ["tcp.vegas_a_jitter=0 s"], 126.6, 0.5),
])
def test_reroute(tmp_path, algorithm, sets, kbps, tolerance):
    goodput, = goodputs_kbps(tmp_path, REROUTE.replace("ALGORITHM", algorithm), *sets)
    assert abs(goodput - kbps) < tolerance


def cwnd_at(tmp_path, text, seconds, *sets):
    """The congestion window then."""
    file, trace = tmp_path / "sweep.yaml", tmp_path / "trace.csv"
    file.write_text(text)
    run("one", file, "--trace", trace, *(word for setting in sets for word in ("--set", setting)))
    with open(trace, newline="", encoding="utf-8") as rows:
        return [float(row["x"]) for row in csv.DictReader(rows)
                if row["event"] == "cwnd" and float(row["t_s"]) <= seconds][-1]


def variants():
    """Rows of the reference model with the band that we have (open), with the smallest noise that it was run with."""
    with open(VARIANTS, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["band"] == "open"]
    return [row for row in rows if row["algorithm"] == "vegas" or row["ack_jitter_s"] == "1e-05"]


@pytest.mark.parametrize("row", variants(), ids=lambda row: f"{row['algorithm']}-{row['diff']}-{row['eps']}")
def test_variants(tmp_path, row):
    """Goodput to 1 %. Windows to 10 %: while Vegas-A's throughput stands still, noise decides which round grows."""
    algorithm = {"vegas": "vegas_ns2"}.get(row["algorithm"], row["algorithm"])
    sets = [f"tcp.vegas_a_diff={row['diff']}", f"tcp.vegas_a_eps={row['eps']}"]
    reroute, one = (text.replace("ALGORITHM", algorithm) for text in (REROUTE, ONE))
    for begin, end in ((0, 20), (20, 200), (200, 400)):
        got, = goodputs_kbps(tmp_path, reroute, f"measure.from={begin} s", f"measure.to={end} s", *sets)
        assert got == pytest.approx(float(row[f"reroute_kbps_{begin}_{end}"]), rel=0.01)
    window = cwnd_at(tmp_path, reroute, 20, "measure.from=0 s", "measure.to=20 s", *sets)
    assert window == pytest.approx(float(row["cwnd_at_20s"]), rel=0.1)
    got, = goodputs_kbps(tmp_path, one, *sets)
    assert got == pytest.approx(float(row["one_flow_kbps"]), rel=0.01)
    assert cwnd_at(tmp_path, one, 200, *sets) == pytest.approx(float(row["one_flow_cwnd_200s"]), rel=0.1)


@pytest.mark.parametrize("queue, vegas, newreno", [(9, 322, 446), (19, 148, 620), (29, 114, 654), (49, 64, 704)])
def test_share(tmp_path, queue, vegas, newreno):
    """queue: waiting packets, one less than ns-2's limit."""
    got = goodputs_kbps(tmp_path, SHARE.replace("QUEUE", str(queue)))
    assert abs(got[0] - vegas) < 6 and abs(got[1] - newreno) < 6
