#!/usr/bin/python3
"""check_stat_ns2.py - mean goodput under random loss against ns-2.

  check_stat_ns2.py REFDIR        environment TCPSWEEP: the program, TCPSWEEP_LONG: more replications, all agents at
                                  all loss rates

REFDIR/random_loss.csv has a mean per agent and loss rate. The one-way agents that differ in loss recovery alone are
judged with a tolerance of 2 %, those with rules of their own and the modules of Linux's agent with 5 %; without
TCPSWEEP_LONG some of the latter, at their cheapest loss rate, where no mean over the grid is judged, and of the former
the plain settings at all loss rates, the variants of settings at one.
"""
import os
import sys
from dataclasses import dataclass, field

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stat_rule  # noqa: E402

SIGNED_LIMIT = 0.01
SHORT_PER, SHORT_AGENTS = "0.05", {"Vegas", "Fack", "linux-reno", "linux-cubic", "linux-htcp", "linux-veno"}
SHORT_VARIANT_PERS = {"0.05"}
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
  {axis}: [{values}]
"""


@dataclass
class Family:
    """Agents that are judged together."""
    title: str
    tolerance: float
    axis: str
    agents: dict  # name in random_loss.csv: value on the axis
    settings: dict = field(default_factory=dict)
    spare: float = 0.93  # where our mean is larger than the reference's


FAMILIES = [
    Family("agents that differ in loss recovery", 0.02, "tcp.algorithm",
           {"Tahoe": "tahoe", "Reno": "reno", "Newreno": "newreno", "Sack1": "sack"}, spare=1.0),
    Family("agents with rules of their own", 0.05, "tcp.algorithm", {"Vegas": "vegas", "Fack": "fack"}),
    Family("modules of Linux's agent", 0.05, "tcp.cc",
           {f"linux-{name}": f"{name}_linux26" for name in (
               "reno", "bic", "cubic", "highspeed", "htcp", "hybla", "scalable", "vegas", "veno", "westwood",
               "compound", "illinois", "yeah")},
           {"algorithm": "ns2_linux", "cwnd_max": "10000 segments"}),
]


def parse(family, agent):
    """(value on the family's axis, variant) of a label in random_loss.csv, or None."""
    if agent in family.agents:
        return family.agents[agent], ""
    name, _, variant = agent.partition("-")
    if name in family.agents and variant in VARIANTS:
        return family.agents[name], variant
    return None


def make_cells(family, rows):
    """[(variant, loss rate, value, cell)]; cells of one loss rate with ACKs of the same kind are neighbours."""
    cells = []
    for row in rows:
        value, variant = parse(family, row["agent"])
        kind = "delack" if variant == "delack" else "each"
        cell = stat_rule.Cell(f"{row['agent']} {row['per']}", (row["per"], kind), float(row["goodput_50_500_mean_bps"]),
                              float(row["sd_bps"]), int(row["n"]))
        cells.append((variant, row["per"], value, cell))
    return cells


def run_group(family, variant, per, group, neighbours):
    """One sweep for the agents of one variant at one loss rate."""
    settings = {"min_rto": "0.2 s", "delayed_ack": "false", "limited_transmit": "true", **family.settings,
                **VARIANTS[variant]}
    dataset = stat_rule.run_sweep(SWEEP.format(
        replications=stat_rule.replications(neighbours, spare=family.spare), per=per, axis=family.axis,
        settings=", ".join(f"{key}: {value}" for key, value in settings.items()),
        values=", ".join(value for _, _, value, _ in group)))
    for _, _, value, cell in group:
        stat_rule.fill(cell, dataset, **{family.axis.rpartition(".")[2]: value})


def check(family, rows):
    entries = make_cells(family, rows)
    cells = [cell for *_, cell in entries]
    neighbours = stat_rule.by_neighbourhood(cells, lambda cell: cell.neighbours)
    for (variant, per), group in stat_rule.by_neighbourhood(entries, lambda entry: entry[:2]).items():
        run_group(family, variant, per, group, neighbours[group[0][-1].neighbours])
    is_grid = len({per for _, per, *_ in entries}) > 1
    limit = SIGNED_LIMIT if is_grid else family.tolerance
    verdicts, signed, passed = stat_rule.judge(cells, family.tolerance, limit)
    title = f"goodput under random loss against ns-2, 50-500 s: {family.title}"
    return stat_rule.report(title, verdicts, signed, limit, passed)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_stat_ns2.py REFDIR")
    rows = stat_rule.read_rows(sys.argv[1], "random_loss.csv")
    status, known = 0, set()
    for family in FAMILIES:
        mine = [row for row in rows if parse(family, row["agent"])]
        known.update(row["agent"] for row in mine)
        if family is not FAMILIES[0] and not stat_rule.LONG:
            mine = [row for row in mine if row["per"] == SHORT_PER and row["agent"] in SHORT_AGENTS]
        elif not stat_rule.LONG:
            mine = [row for row in mine if "-" not in row["agent"] or row["per"] in SHORT_VARIANT_PERS]
        status |= check(family, mine)
    skipped = sorted({row["agent"] for row in rows} - known)
    if skipped:
        print(f"no equal here: {', '.join(skipped)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
