"""`tcpsweep one`: tables, JSON, meter and trace of one replication, and that they agree with each other."""
import csv
import json
import os
import subprocess

import h5py
import pytest

TCPSWEEP = os.path.abspath(os.environ.get("TCPSWEEP", "./tcpsweep"))

SWEEP = """
name: one
seed: 7
duration: 20 s
replications: 3
path:
  - {name: in, rate: 10 Mbit/s, delay: 100 us}
  - {name: backbone, rate: 5 Mbit/s, delay: 20 ms, ber: 2e-7, errors: both, queue: 20 packets}
  - {name: out, rate: 10 Mbit/s, delay: 100 us}
tcp: {dialect: rfc, algorithm: newreno, receive_window: 200 segments}
app: {kind: bulk}
"""
AXES = """
axes:
  tcp.algorithm: [tahoe, newreno]
  tcp.mss: [500 B, 1460 B]
"""
TWO_FLOWS = """
name: two
duration: 20 s
replications: 1
links:
  access: {rate: 100 Mbit/s, delay: 1 ms}
  backbone: {rate: 10 Mbit/s, delay: 20 ms, queue: 30 packets}
flows:
  - {name: early, via: [access*, backbone]}
  - {name: late, via: [access*, backbone], start: 5 s, tcp: {algorithm: sack}}
tcp: {receive_window: 300 segments}
app: {kind: bulk}
"""


@pytest.fixture
def sweep(tmp_path):
    def write(text=SWEEP):
        path = tmp_path / "one.yaml"
        path.write_text(text)
        return str(path)
    return write


def run(*arguments, status=0):
    done = subprocess.run([TCPSWEEP, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done


def run_json(*arguments):
    return json.loads(run("one", *arguments, "--json").stdout)


def read_trace(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_tables(sweep):
    text = run("one", sweep()).stdout
    for word in ("Application", "TCP", "Links", "goodput", "retransmitted", "timeouts_tail", "cwnd_mean", "rtt_mean",
                 "backbone", "forward", "reverse", "drops error", "utilisation", "bulk", "newreno"):
        assert word in text


def test_tables_of_two_flows(sweep):
    text = run("one", sweep(TWO_FLOWS)).stdout
    header = next(line for line in text.splitlines() if line.startswith("Application"))
    assert header.split() == ["Application", "early", "late", "all"]
    assert "jain" in text


def test_json_is_consistent(sweep):
    result = run_json(sweep())
    flow = result["flows"][0]
    assert result["goodput"] == flow["goodput"] > 0
    assert flow["sent"] == result["packets"]
    links = {(link["name"], link["direction"]): link for link in result["links"]}
    assert len(links) == 6
    assert links["in", "forward"]["packets"] == flow["sent"]
    drops = sum(link["drops_queue"] + link["drops_error"] + link["drops_down"] for link in links.values())
    assert drops == flow["drops_queue"] + flow["drops_error"] > 0
    first, second = links["backbone", "forward"], links["out", "forward"]
    assert second["packets"] == first["packets"] - first["drops_queue"] - first["drops_error"]


def test_meter_sums_to_goodput(sweep):
    path = sweep()
    result = run_json(path, "--meter", "700ms")  # the last interval is shorter
    lines = result["meter"]
    assert lines[0]["from"] == 0 and lines[-1]["to"] == 20
    assert all(a["to"] == b["from"] for a, b in zip(lines, lines[1:]))
    total = sum(line["bit_s"] * (line["to"] - line["from"]) for line in lines)
    assert total / 20 == pytest.approx(result["goodput"], rel=1e-9)
    assert result["meter_average"] == pytest.approx(result["goodput"], rel=1e-9)
    assert lines[-1]["retransmissions"] == result["retransmitted"]
    retransmissions = [line["retransmissions"] for line in lines]
    assert retransmissions == sorted(retransmissions)


def test_meter_on_the_terminal(sweep):
    lines = run("one", sweep(), "--meter", "1s").stdout.splitlines()
    assert lines[0].split() == ["time", "s", "Mbit/s", "cwnd", "ssthresh", "rtt", "ms", "retrans"]
    rates = [float(line.split()[1]) for line in lines[1:-1]]
    assert len(rates) == 20
    assert lines[-1].startswith("average ")
    assert float(lines[-1].split()[1]) == pytest.approx(sum(rates) / 20, abs=0.001)


def test_meter_of_two_flows(sweep):
    result = run_json(sweep(TWO_FLOWS), "--meter", "1s")
    late = [line for line in result["meter"] if line["flow"] == 1]
    assert len(late) == 20
    assert all(line["bit_s"] == 0 for line in late[:5]) and late[-1]["bit_s"] > 0


def test_trace(sweep, tmp_path):
    path, trace = sweep(), tmp_path / "trace.csv"
    result = run_json(path, "--trace", trace)
    rows = read_trace(trace)
    assert list(rows[0]) == ["t_s", "flow", "event", "link", "direction", "a", "b", "x"]
    times = [float(row["t_s"]) for row in rows]
    assert times == sorted(times)
    assert times[-1] <= 20
    sent = [row for row in rows if row["event"] == "send"]
    assert len(sent) == result["sent"]
    assert sum(row["b"] == "1" for row in sent) == result["retransmitted"]
    assert sum(float(row["x"]) for row in rows if row["event"] == "app") * 8 / 20 == pytest.approx(result["goodput"])
    assert sum(row["event"] == "timeout" for row in rows) == result["timeouts"]
    assert sum(row["event"] == "fast_retransmit" for row in rows) == result["fast_retransmits"]
    drops = [row for row in rows if row["event"] in ("drop", "ack_drop")]
    assert drops and all(row["link"] == "backbone" and row["b"] in ("queue", "error") for row in drops)
    assert all(row["link"] == "" for row in sent)


def test_same_key_same_run(sweep):
    path = sweep()
    assert run("one", path, "--json").stdout == run("one", path, "--json").stdout
    values = {run_json(path)["goodput"], run_json(path, "--replication", 1)["goodput"],
              run_json(path, "--seed", 8)["goodput"]}
    assert len(values) == 3


def test_is_the_replication_of_a_run(sweep, tmp_path):
    path, out = sweep(), tmp_path / "out.h5"
    run("run", path, "-o", out)
    with h5py.File(out) as file:
        goodput = file["replications/goodput"][:]
        replication = file["replications/replication"][:]
    assert list(replication) == [0, 1, 2]
    for k in range(3):
        assert run_json(path, "--replication", k)["goodput"] == goodput[k]


def test_first_of_several_points(sweep):
    path = sweep(SWEEP + AXES)
    done = run("one", path, "--json")
    assert done.stderr.count("\n") == 1 and "4 points" in done.stderr and "tahoe" in done.stderr
    chosen = run("one", path, "--json", "--set", "tcp.algorithm=newreno", "--set", "tcp.mss=1460 B")
    assert "points" not in chosen.stderr
    assert json.loads(chosen.stdout)["goodput"] == run_json(sweep())["goodput"]


@pytest.mark.parametrize("arguments", [
    ["absent.yaml"], ["SWEEP", "--meter", "1"], ["SWEEP", "--meter", "0 s"], ["SWEEP", "--replication", "-1"],
    ["SWEEP", "--seed", "x"], ["SWEEP", "--trace", "/nowhere/trace.csv"], ["SWEEP", "--nonsense"], ["SWEEP", "SWEEP"], []])
def test_bad_input(sweep, arguments):
    path = sweep()
    done = run("one", *[path if a == "SWEEP" else a for a in arguments], status=2)
    assert done.stdout == "" and done.stderr.count("\n") == 1
