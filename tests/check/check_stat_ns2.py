#!/usr/bin/python3
"""check_stat_ns2.py - mean goodput under random loss against ns-2 (issue table row 2).

  check_stat_ns2.py REFDIR        environment TCPSWEEP: the program, TCPSWEEP_LONG: more replications

REFDIR/random_loss.csv has a mean per agent and loss rate; agents without an equal here yet are skipped by name.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stat_rule  # noqa: E402

TOLERANCE, SIGNED_LIMIT = 0.02, 0.01
ALGORITHMS = {"Tahoe": "tahoe", "Reno": "reno", "Newreno": "newreno", "Sack1": "sack"}
VARIANTS = {  # label behind the agent's name: what differs from the plain settings
    "": {},
    "minrto1": {"min_rto": "1 s"},
    "delack": {"delayed_ack": "true"},
    "nolimtx": {"limited_transmit": "false"},
}
# Our standard error must be a third of that of 10 runs: 90 runs of the same scatter, and some more to be sure.
REPLICATIONS = 500 if stat_rule.LONG else 130

SWEEP = """
name: ns2-random-loss
seed: 2002
duration: 500 s
warmup: 50 s
replications: {replications}
keep: points
models: []
path:
  - {{name: in, rate: 100 Mbit/s, delay: 1 ms}}
  - {{name: middle, rate: 10 Mbit/s, delay: 48 ms, queue: 99 packets, per: 0.01, errors: forward}}
  - {{name: out, rate: 100 Mbit/s, delay: 1 ms}}
tcp: {{dialect: ns2, mss: 1460 B, header: 40 B, ack_size: 40 B, receive_window: 14600000 B, window_scaling: true, initial_window: 2 segments,
  initial_ssthresh: 10000 segments, rto_granularity: 1 ms, delayed_ack_timeout: 100 ms, {settings}}}
axes:
  tcp.algorithm: [{algorithms}]
  path.middle.per: [{rates}]
"""


def parse(agent):
    """(algorithm, variant) of a label in random_loss.csv, or None."""
    name, _, variant = agent.partition("-")
    if name in ALGORITHMS and variant in VARIANTS:
        return ALGORITHMS[name], variant
    return None


def run_variant(variant, rows):
    """Our figures for all agents of one variant, as cells."""
    settings = {"min_rto": "0.2 s", "delayed_ack": "false", "limited_transmit": "true", **VARIANTS[variant]}
    algorithms = dict.fromkeys(parse(row["agent"])[0] for row in rows)
    dataset = stat_rule.run_sweep(SWEEP.format(
        replications=REPLICATIONS, settings=", ".join(f"{key}: {value}" for key, value in settings.items()),
        algorithms=", ".join(algorithms), rates=", ".join(dict.fromkeys(row["per"] for row in rows))))
    cells = []
    for row in rows:
        cell = stat_rule.Cell(f"{row['agent']} {row['per']}", row["per"], float(row["goodput_50_500_mean_bps"]),
                              float(row["sd_bps"]), int(row["n"]))
        stat_rule.fill(cell, dataset, algorithm=parse(row["agent"])[0], per=float(row["per"]))
        cells.append(cell)
    return cells


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_stat_ns2.py REFDIR")
    rows = stat_rule.read_rows(sys.argv[1], "random_loss.csv")
    known = [row for row in rows if parse(row["agent"])]
    skipped = sorted({row["agent"] for row in rows if not parse(row["agent"])})
    if skipped:
        print(f"skipped, later issues: {', '.join(skipped)}")
    cells = []
    for variant in VARIANTS:
        chosen = [row for row in known if parse(row["agent"])[1] == variant]
        cells += run_variant(variant, chosen) if chosen else []
    verdicts, signed, passed = stat_rule.judge(cells, TOLERANCE, SIGNED_LIMIT)
    return stat_rule.report("goodput under random loss against ns-2, 50-500 s", verdicts, signed, SIGNED_LIMIT, passed)


if __name__ == "__main__":
    sys.exit(main())
