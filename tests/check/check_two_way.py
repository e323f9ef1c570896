#!/usr/bin/python3
"""check_two_way.py - data in both directions of a bottleneck against ns-2: ACKs wait behind data and come in clumps.

  check_two_way.py REFDIR        environment TCPSWEEP: the program, TCPSWEEP_LONG: ns-2 itself runs again, if it is there

REFDIR/two_way.csv was made by REFDIR/two_way.tcl (ns-2 2.35): goodput of each of two flows for eight starts of the second,
150 s of 200. The access links have 12.5 Mbit/s, so that no packet reaches the bottleneck just as one leaves it. In a third of
its cases both simulators agree to 0.1 %; the rest are chaotic, so means over starts are compared, both flows together, by the
statistical rule, r = 5 %.
"""
import os
import shutil
import subprocess
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../..")]
import stat_rule  # noqa: E402

TOLERANCE, SIGNED_LIMIT = 0.05, 0.01
ALGORITHMS = {"Reno": "reno", "Newreno": "newreno", "Sack1": "sack"}
SWEEP = """
name: two-way
measure: {{from: 50 s, to: 200 s}}
replications: {replications}
start_jitter: 0 s
models: []
links:
  left: {{rate: 12.5 Mbit/s, delay: 100 us}}
  middle: {{rate: 800 kbit/s}}
  right: {{rate: 12.5 Mbit/s, delay: 100 us}}
flows:
  - {{name: forward, via: [left, middle, right]}}
  - {{name: back, via: [right.reverse, middle.reverse, left.reverse], start: {{uniform: [0.5 s, 6 s]}}}}
tcp: {{dialect: ns2, mss: 1000 B, header: 0 B, ack_size: 40 B, receive_window: 1000 segments, initial_ssthresh: 1000 segments,
      initial_window: 2 segments, limited_transmit: true, handshake: false}}
axes:
  tcp.algorithm: [{algorithms}]
  links.middle.delay: [{delays}]
  links.middle.queue: [{queues}]
"""


def values(rows, name):
    """The values of a column in the order in which they come first."""
    return list(dict.fromkeys(row[name] for row in rows))


def simulate(rows):
    """Dataset over agents, delays and queues; the second flow starts anywhere in the range of the reference's starts."""
    agents, delays, queues = (values(rows, name) for name in ("agent", "delay_ms", "queue"))
    return stat_rule.run_sweep(SWEEP.format(
        replications=2400 if stat_rule.LONG else 150, algorithms=", ".join(ALGORITHMS[agent] for agent in agents),
        delays=", ".join(f"{delay} ms" for delay in delays), queues=", ".join(f"{int(queue) - 1} packets" for queue in queues)))


def check_reference(directory, rows):
    """Whether ns-2 as it is installed still gives the stored figures (some rows of each agent)."""
    if not stat_rule.LONG or not shutil.which("ns"):
        return 0
    failed = 0
    for row in rows[::7]:
        words = [row["delay_ms"], row["queue"], row["start2_s"], row["agent"]]
        done = subprocess.run(["ns", os.path.join(directory, "two_way.tcl"), *words], capture_output=True, text=True, check=True)
        wanted = [row[name] for name in ("agent", "delay_ms", "queue", "start2_s", "forward_bps", "back_bps")]
        failed += done.stdout.strip().split(",") != wanted
    print(f"ns-2 run again: {len(rows[::7]) - failed} of {len(rows[::7])} rows as stored")
    return failed


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_two_way.py REFDIR")
    rows = [row for row in stat_rule.read_rows(sys.argv[1], "two_way.csv")
            if stat_rule.LONG or (row["agent"] == "Newreno" and row["delay_ms"] == "100")]
    ours = simulate(rows)
    cells = []
    for key in dict.fromkeys((row["agent"], row["delay_ms"], row["queue"]) for row in rows):
        agent, delay, queue = key
        theirs = [float(row["forward_bps"]) + float(row["back_bps"]) for row in rows
                  if (row["agent"], row["delay_ms"], row["queue"]) == key]
        cell = stat_rule.Cell(f"{agent}, delay {delay} ms, queue {queue}", (agent, delay), numpy.mean(theirs),
                              numpy.std(theirs, ddof=1), len(theirs))
        stat_rule.fill(cell, ours, algorithm=ALGORITHMS[agent], delay=float(delay) / 1e3, queue=float(queue) - 1)
        cells.append(cell)
    failed = check_reference(sys.argv[1], rows)
    verdicts, signed, passed = stat_rule.judge(cells, TOLERANCE, SIGNED_LIMIT)
    status = stat_rule.report("two-way traffic, goodput against ns-2", verdicts, signed, SIGNED_LIMIT, passed, 1e3, "kbit/s")
    return 1 if failed else status


if __name__ == "__main__":
    sys.exit(main())
