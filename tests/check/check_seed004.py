#!/usr/bin/python3
"""check_seed004.py - what seed 004 says about the order of algorithms, by its own sweep files.

  check_seed004.py        environment TCPSWEEP: the program, TCPSWEEP_LONG: all experiments

An ordering is decided with 99 % confidence (Welch): shown, refuted, alike (accuracies less than 15 points apart, as the
paper's 75 % and 60 % are), or open. It fails where the verdict is not the one
noted here. Our gains are printed beside the paper's (Sreekumari et al., IJDSN 2013, 592502). Experiments over the 802.11
chain (4.2, 4.10 to 4.13) need links that are not built.
"""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy
from scipy.stats import ttest_ind

PROGRAM = os.environ.get("TCPSWEEP", "./tcpsweep")
LONG = bool(os.environ.get("TCPSWEEP_LONG"))
SWEEPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../sweeps/seed004")
ERROR, NORMAL_99 = 0.01, 2.326
REPLICATIONS, DURATION, ALIKE = 20, "60 s", 15  # ALIKE: percentage points


def run(name, *sets, more=1):
    """Values by replication of a sweep's single point, for each flow and all together."""
    path = next(entry.path for entry in os.scandir(SWEEPS) if entry.name.startswith(name + "-"))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.h5")
        command = [PROGRAM, "run", path, "-o", out, "--quiet", "--replications", str(more * REPLICATIONS), "--set",
                   f"duration={DURATION}"]
        for one in sets:
            command += ["--set", one]
        subprocess.run(command, check=True)
        with h5py.File(out) as file:
            axes = {key: [v.decode() for v in file[key][...]]
                    for key in ("algorithm", "flow/flow") if key in file}
            rows = {key: file["replications"][key][...] for key in file["replications"]
                    if file["replications"][key].ndim == 1}
            flows = numpy.ravel(file["flow/goodput"][...]) if "flow/flow" in axes else None
    return axes, rows, flows


def by_algorithm(metric, name, *sets, rates=1, more=1):
    """Of several rates the last."""
    axes, rows, _ = run(name, *sets, more=more)
    names = axes["algorithm"]
    values = {}
    for i, algorithm in enumerate(names):
        one = rows[metric][rows["point"] == (i + 1) * rates - 1].astype(float)
        values[algorithm] = one[numpy.isfinite(one)]
    return values


def verdict(above, below):
    """Whether the first is above the second."""
    if min(len(above), len(below)) < 2:
        return "open"
    if numpy.ptp(above) == 0 and numpy.ptp(below) == 0:
        return "shown" if above[0] > below[0] else "refuted" if above[0] < below[0] else "open"
    if ttest_ind(above, below, equal_var=False, alternative="greater").pvalue < ERROR:
        return "shown"
    return "refuted" if ttest_ind(above, below, equal_var=False, alternative="less").pvalue < ERROR else "open"


def accuracy(name, kinds, *sets):
    """By algorithm: pooled share of right classifications, averaged over kinds, and its standard error (rare events: the
    mean of each run's own share would weigh few losses as much as many)."""
    axes, rows, _ = run(name, *sets, more=10)
    result = {}
    for i, algorithm in enumerate(axes["algorithm"]):
        shares = []
        for kind in kinds:
            right, total = (rows[f"{kind}_{what}"][rows["point"] == i].sum() for what in ("right", "total"))
            guess = (right + 1) / (total + 2)  # keeps the error of 0 or 100 % above 0
            shares.append((right / total, guess * (1 - guess) / total))
        result[algorithm] = (100 * numpy.mean([share for share, _ in shares]),
                             100 * numpy.sqrt(sum(error for _, error in shares)) / len(shares))
    return result


class Judge:
    def __init__(self):
        self.passed = self.failed = 0

    def order(self, label, above, below, expected, paper=""):
        got = verdict(above, below)
        gain = 100 * (above.mean() / below.mean() - 1) if below.mean() else float("nan")
        good = got == expected
        self.passed += good
        self.failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {label}: {got}, {above.mean():.6g} against {below.mean():.6g}, "
              f"gain {gain:+.0f} %{', paper ' + paper if paper else ''}")

    def accuracy(self, label, above, below, expected, paper):
        distance = (above[0] - below[0]) / numpy.hypot(above[1], below[1])
        apart = abs(above[0] - below[0]) + NORMAL_99 * numpy.hypot(above[1], below[1])
        got = ("shown" if distance > NORMAL_99 else "refuted" if distance < -NORMAL_99 else
               "alike" if apart < ALIKE else "open")
        self.passed += got == expected
        self.failed += got != expected
        print(f"{'ok  ' if got == expected else 'FAIL'} {label}: {got}, {above[0]:.1f} +- {above[1]:.1f} % against "
              f"{below[0]:.1f} +- {below[1]:.1f} %, paper {paper}")


def main():
    judge = Judge()
    others = ["newreno", "vegas", "veno", "cerl", "newjersey", "dac"]
    papers = {("4.6", "newreno"): "over +50 %", ("4.6", "newjersey"): "over +20 %", ("4.8", "newreno"): "+70 %",
              ("4.8", "dac"): "+75 %", ("4.8", "newjersey"): "over +40 %"}
    cases = [("4.6", ["path.w.per=5 %"]), ("4.7", ["flows.t.count=5"]), ("4.8", [])]
    for name, sets in cases if LONG else cases[:1]:
        values = by_algorithm("goodput", name, *sets, rates=3 if name == "4.8" else 1)
        for other in others:
            judge.order(f"{name} goodput, tdlrp above {other}", values["tdlrp"], values[other],
                        EXPECTED.get((name, other), "shown"), papers.get((name, other), ""))
    newreno, tdlrp = (run(name)[1]["timeouts_lost_retransmission"] for name in ("4.4", "4.5"))
    judge.order("4.4, 4.5 timeouts by lost retransmissions, newreno above tdlrp", newreno, tdlrp,
                "shown", "4 against 0")
    values = by_algorithm("cwnd_mean", "4.9")
    judge.order("4.9 window, tdlrp above dac", values["tdlrp"], values["dac"], "shown")
    cases = [
        ("4.14", ["rlc"], "flows.t.count=10", "DAC below 60 %, T-DLRP over 75 %"),
        ("4.15", ["rlw"], "links.w.per=5 %", "DAC 0 %"),
        ("4.16", ["rlc", "rlw"], "links.w.per_retransmission=0.6 %", "T-DLRP over 70 %"),
    ]
    for name, kinds, point, paper in cases if LONG else cases[1:2]:
        shares = accuracy(name, kinds, point)
        judge.accuracy(f"{name} accuracy of {', '.join(kinds)}, tdlrp above dac", shares["tdlrp"], shares["dac"],
                       EXPECTED.get(name, "shown"), paper)
    if LONG:
        judge_rest(judge)
    print(f"{judge.passed} passed, {judge.failed} failed")
    return judge.failed > 0


def judge_rest(judge):
    """Fairness, thresholds, and what the paper's headline says."""
    values = by_algorithm("jain", "4.17", "links.w.per=5 %", more=5)
    judge.order("4.17 fairness at 5 %, tdlrp above newreno", values["tdlrp"], values["newreno"],
                EXPECTED.get("4.17", "shown"), "0.9994 against 0.9986")
    for algorithm in ("newjersey", "tdlrp"):
        low, high = (by_algorithm("accuracy_first", "4.19", f"links.r.mark_threshold={threshold}")[algorithm]
                     for threshold in ("0.3", "0.9"))
        judge.order(f"4.19 accuracy, {algorithm} marked at 90 % above 30 %", high, low,
                    EXPECTED.get(("4.19", algorithm), "shown"))
    axes, _, flows = run("4.18")
    for other, paper in (("newreno", "over +86 %"), ("dac", "+72 %"), ("newjersey", "+40 %")):
        ours, theirs = (float(flows[axes["flow/flow"].index(one)]) for one in ("tdlrp", other))
        print(f"     4.18 tdlrp beside {other}: gain {100 * (ours / theirs - 1):+.0f} %, paper {paper}")


# Verdicts other than shown. 4.14: DAC takes every loss for congestion, so that each of these that it finds is right.
EXPECTED = {"4.14": "alike"}

if __name__ == "__main__":
    sys.exit(main())
