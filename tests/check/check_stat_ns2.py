#!/usr/bin/python3
"""check_stat_ns2.py - mean goodput under random loss against ns-2.

  check_stat_ns2.py REFDIR        environment TCPSWEEP: the program, TCPSWEEP_LONG: more replications

REFDIR/random_loss.csv has a mean per agent and loss rate; agents without an equal here yet are skipped by name.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stat_rule  # noqa: E402

SIGNED_LIMIT = 0.01
AGENTS = {  # one-way agents: algorithm in dialect ns2, tolerance of a cell
    "Tahoe": ("tahoe", 0.02), "Reno": ("reno", 0.02), "Newreno": ("newreno", 0.02), "Sack1": ("sack", 0.02),
    "Vegas": ("vegas", 0.05), "Fack": ("fack", 0.05),
}
VARIANTS = {  # label behind the agent's name: what differs from the plain settings
    "": {},
    "minrto1": {"min_rto": "1 s"},
    "delack": {"delayed_ack": "true"},
    "nolimtx": {"limited_transmit": "false"},
}
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
  - {{name: middle, rate: 10 Mbit/s, delay: 48 ms, queue: 99 packets, per: {per}, errors: forward}}
  - {{name: out, rate: 100 Mbit/s, delay: 1 ms}}
tcp: {{dialect: ns2, mss: 1460 B, header: 40 B, ack_size: 40 B, receive_window: 14600000 B,
  window_scaling: true, initial_window: 2 segments, initial_ssthresh: 10000 segments, rto_granularity: 1 ms,
  delayed_ack_timeout: 100 ms, {settings}}}
axes:
  tcp.algorithm: [{algorithms}]
"""


def parse(agent):
    """(algorithm, variant) of a label in random_loss.csv, or None."""
    name, _, variant = agent.partition("-")
    if name in ALGORITHMS and variant in VARIANTS:
        return ALGORITHMS[name], variant
    return None


def make_cells(rows):
    """[(variant, loss rate, algorithm, cell)]; cells of one loss rate with ACKs of the same kind are neighbours."""
    cells = []
    for row in rows:
        algorithm, variant = parse(row["agent"])
        kind = "delack" if variant == "delack" else "each"
        cell = stat_rule.Cell(f"{row['agent']} {row['per']}", (row["per"], kind), float(row["goodput_50_500_mean_bps"]),
                              float(row["sd_bps"]), int(row["n"]))
        cells.append((variant, row["per"], algorithm, cell))
    return cells


def run_group(variant, per, group, neighbours):
    """One sweep for the algorithms of one variant at one loss rate."""
    settings = {"min_rto": "0.2 s", "delayed_ack": "false", "limited_transmit": "true", **VARIANTS[variant]}
    dataset = stat_rule.run_sweep(SWEEP.format(
        replications=stat_rule.replications(neighbours), per=per,
        settings=", ".join(f"{key}: {value}" for key, value in settings.items()),
        algorithms=", ".join(algorithm for _, _, algorithm, _ in group)))
    for _, _, algorithm, cell in group:
        stat_rule.fill(cell, dataset, algorithm=algorithm)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_stat_ns2.py REFDIR")
    rows = stat_rule.read_rows(sys.argv[1], "random_loss.csv")
    known = [row for row in rows if parse(row["agent"])]
    skipped = sorted({row["agent"] for row in rows if not parse(row["agent"])})
    if skipped:
        print(f"skipped, later issues: {', '.join(skipped)}")
    entries = make_cells(known)
    cells = [cell for *_, cell in entries]
    neighbours = stat_rule.by_neighbourhood(cells, lambda cell: cell.neighbours)
    for (variant, per), group in stat_rule.by_neighbourhood(entries, lambda entry: entry[:2]).items():
        run_group(variant, per, group, neighbours[group[0][-1].neighbours])
    verdicts, signed, passed = stat_rule.judge(cells, TOLERANCE, SIGNED_LIMIT)
    return stat_rule.report("goodput under random loss against ns-2, 50-500 s", verdicts, signed, SIGNED_LIMIT, passed)


if __name__ == "__main__":
    sys.exit(main())
