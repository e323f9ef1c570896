#!/usr/bin/python3
"""check_stat_ns3.py - mean goodput on seed 000's path against ns-3 (issue table row 3).

  check_stat_ns3.py REFDIR        environment TCPSWEEP: the program, TCPSWEEP_LONG: more replications

Reads netsim.csv, durations.csv and mss.csv, one line a run. Cells above BER 5e-7 are printed, not judged: ns-3 recovers
by PRR, which differs from RFC 6582 and RFC 6675 once a window often holds two losses.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stat_rule  # noqa: E402

TOLERANCE, SIGNED_LIMIT = 0.03, 0.015
JUDGED_BER = 5e-7
FILES = ("netsim.csv", "durations.csv", "mss.csv")
SWEEP = """
name: ns3-netsim
seed: 3048
duration: {duration} s
replications: {replications}
keep: points
models: []
path:
  - {{name: in, rate: 10 Mbit/s, delay: 100 us, queue: 1000 packets}}
  - {{name: middle, rate: 10 Mbit/s, delay: 50 ms, queue: 1000 packets, ber: {ber}, errors: both}}
  - {{name: out, rate: 10 Mbit/s, delay: 100 us, queue: 1000 packets}}
tcp: {{dialect: ns3, header: 42 B, receive_window: 65535 B, window_scaling: false, initial_window: 10 segments,
  min_rto: 1 s, limited_transmit: true, delayed_ack: {delayed}, delayed_ack_segments: 2, delayed_ack_timeout: 200 ms}}
app: {app}
axes:
  tcp.algorithm: [{algorithms}]
  tcp.mss: [{mss}]
"""
APPS = {"cbr": "{kind: cbr, packet: 1460 B, interval: 1168 us}", "bulk": "{kind: bulk}"}
ALGORITHMS = {"0": "newreno", "1": "sack"}
DELAYED = {"1": "false", "2": "true"}


def cell_key(row):
    return tuple(row[name] for name in ("tag", "sack", "delack", "mss_B", "ber_up", "app", "duration_s"))


def check_row(row):
    """Refuses a row whose settings the sweep above does not have."""
    same = {"tcp": "TcpNewReno", "access_rate": "10Mbps", "queue_pkts": "1000", "rcvbuf_B": "65535", "iw_segs": "10",
            "minrto_s": "1", "flows": "1"}
    odd = [f"{name} {row[name]}" for name, value in same.items() if row[name] != value]
    if odd or row["ber_up"] != row["ber_down"]:
        sys.exit(f"check_stat_ns3.py: a row with other settings than expected: {', '.join(odd) or 'BER up and down'}")


def make_cells(rows):
    """{key: cell} from the single runs."""
    runs = {}
    for row in rows:
        check_row(row)
        runs.setdefault(cell_key(row), []).append(float(row["goodput_Mbps"]) * 1e6)
    cells = {}
    for key, values in runs.items():
        tag, sack, delack, mss, ber, _, duration = key
        high = float(ber) > JUDGED_BER
        label = f"{tag} {ALGORITHMS[sack]} ack/{delack} mss {mss} ber {ber}"
        cells[key] = stat_rule.from_runs(label, (ber, duration, delack), values, judged=not high,
                                         note="ns-3's PRR" if high else "")
    return cells


def run_group(cells, neighbours):
    """One sweep for cells that differ in algorithm and MSS only: {key: cell}."""
    _, _, delack, _, ber, app, duration = next(iter(cells))
    column = lambda index: list(dict.fromkeys(key[index] for key in cells))
    dataset = stat_rule.run_sweep(SWEEP.format(
        duration=duration, replications=stat_rule.replications(neighbours), app=APPS[app], delayed=DELAYED[delack],
        ber=ber, algorithms=", ".join(ALGORITHMS[sack] for sack in column(1)),
        mss=", ".join(f"{mss} B" for mss in column(3))))
    for (_, sack, _, mss, *_), cell in cells.items():
        stat_rule.fill(cell, dataset, algorithm=ALGORITHMS[sack], mss=float(mss))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_stat_ns3.py REFDIR")
    rows = [row for name in FILES if os.path.exists(os.path.join(sys.argv[1], name))
            for row in stat_rule.read_rows(sys.argv[1], name)]
    cells = make_cells(rows)
    neighbours = stat_rule.by_neighbourhood(cells.values(), lambda cell: cell.neighbours)
    groups = stat_rule.by_neighbourhood(cells, lambda key: (key[2], *key[4:]))
    for keys in groups.values():
        run_group({key: cells[key] for key in keys}, neighbours[cells[keys[0]].neighbours])
    verdicts, signed, passed = stat_rule.judge(list(cells.values()), TOLERANCE, SIGNED_LIMIT)
    return stat_rule.report("goodput on seed 000's path against ns-3", verdicts, signed, SIGNED_LIMIT, passed)


if __name__ == "__main__":
    sys.exit(main())
