#!/usr/bin/python3
"""check_netsim.py - seed 000: the lossless rate and its Table 2 (issue table rows 4 and 5).

  check_netsim.py        environment TCPSWEEP: the program

Row 4: 44 segments per store-and-forward round trip, to 0.1 %. Row 5: where the published values of single runs of 20 s
lie among 10,000 of ours (expected within 0.5-99.5 %). If one lies outside, the check says at which BER it would be the
median, since the document leaves most settings open; that is reported, not failed. That NewReno beats both Tahoes must
hold.
"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stat_rule  # noqa: E402

PUBLISHED = {"old_tahoe": 2.98e6, "tahoe": 2.62e6, "newreno": 4.12e6}
RUNS = 10000
WINDOW_SEGMENTS, MSS_BITS, RTT_S = 44, 1460 * 8, 0.1041
SEARCH = (1e-8, 2e-8, 3e-8, 5e-8, 7e-8, 1e-7, 1.5e-7, 2e-7, 3e-7)

SWEEP = """
name: netsim-table-2
seed: 2000
duration: {duration} s
warmup: {warmup} s
replications: {replications}
models: []
path:
  - {{name: in, rate: 10 Mbit/s, delay: 100 us}}
  - {{name: backbone, rate: 10 Mbit/s, delay: 50 ms, ber: 1e-7, errors: both}}
  - {{name: out, rate: 10 Mbit/s, delay: 100 us}}
tcp: {{dialect: netsim, mss: 1460 B, receive_window: 65535 B, window_scaling: false}}
app: {{kind: cbr, packet: 1460 B, interval: 1168 us}}
axes:
  tcp.algorithm: [{algorithms}]
  path.backbone.ber: [{ber}]
"""


def run(algorithms, ber, replications, duration=20, warmup=0):
    """{(algorithm, ber): list of goodputs}"""
    table = stat_rule.run_sweep(SWEEP.format(
        duration=duration, warmup=warmup, replications=replications, algorithms=", ".join(algorithms),
        ber=", ".join(map(str, ber))), group="replications")
    points = [(algorithm, rate) for algorithm in algorithms for rate in ber]  # row-major, as the grid is numbered
    values = {point: [] for point in points}
    for point, goodput in zip(table["point"].values, table["goodput"].values):
        values[points[int(point)]].append(float(goodput))
    return values


def check_lossless():
    expected = WINDOW_SEGMENTS * MSS_BITS / RTT_S
    got = run(["newreno"], [0], 1, duration=100, warmup=10)["newreno", 0][0]
    passed = abs(got / expected - 1) <= 1e-3
    print(f"lossless: expected {expected / 1e6:.4f} Mbit/s, got {got / 1e6:.4f} ({100 * (got / expected - 1):+.3f} %, "
          f"limit 0.1 %): {'pass' if passed else 'FAIL'}")
    return passed


def quantile(values, value):
    return sum(one < value for one in values) / len(values)


def median_ber(algorithm, value):
    """BER at which `value` would be the median of our runs (logarithmic interpolation), as text."""
    runs = run([algorithm], SEARCH, 300)
    medians = [sorted(runs[algorithm, rate])[150] for rate in SEARCH]
    for (low, upper), (rate, next_rate) in zip(zip(medians, medians[1:]), zip(SEARCH, SEARCH[1:])):
        if low >= value >= upper:
            share = (low - value) / (low - upper) if low > upper else 0
            return f"the median at BER {math.exp(math.log(rate) + share * math.log(next_rate / rate)):.2g}"
    return f"not the median at any BER from {SEARCH[0]:g} to {SEARCH[-1]:g}"


def mean_and_se(values):
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((one - mean)**2 for one in values) / (len(values) - 1) / len(values))


def check_table_2():
    runs = run(list(PUBLISHED), [1e-7], RUNS)
    print(f"Table 2, {RUNS} runs of 20 s at BER 1e-7, Mbit/s\n"
          f"{'algorithm':10} {'published':>9} {'quantile %':>10} {'mean':>7} {'0.5 %':>7} {'99.5 %':>7}")
    means = {}
    for name, value in PUBLISHED.items():
        values = sorted(runs[name, 1e-7])
        means[name] = mean_and_se(values)
        place = quantile(values, value)
        inside = 0.005 <= place <= 0.995
        print(f"{name:10} {value / 1e6:9.2f} {100 * place:10.2f} {means[name][0] / 1e6:7.3f} "
              f"{values[RUNS // 200] / 1e6:7.3f} {values[-RUNS // 200] / 1e6:7.3f}"
              f"{'' if inside else '   outside: would be ' + median_ber(name, value)}")
    best, best_se = means.pop("newreno")
    passed = True
    for name, (mean, se) in means.items():
        z = (best - mean) / math.hypot(best_se, se)
        passed = passed and z > 2.326  # 99 %, one-sided
        print(f"newreno above {name}: {(best - mean) / 1e6:+.3f} Mbit/s, z {z:.1f}: {'pass' if z > 2.326 else 'FAIL'}")
    return passed


def main():
    results = [check_lossless(), check_table_2()]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
