"""Variants differ: for each pair of algorithm presets there is a scene in which their results differ significantly.

A known failure of simulators is that variants all behave alike. Every preset that dialects.def has runs through a few
scenes with the same random numbers; for a pair, the mean difference of some result must be more than LIMIT of its
standard errors. Pairs that are the same by construction are listed here with the reason, and must be the same to the
last bit.
"""
import itertools
import pathlib
import re

import numpy
import pytest
from conftest import datasets, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRESETS = re.findall(r"^ALGORITHM\((\w+),", (ROOT / "src/dialects.def").read_text(), re.M)

REPLICATIONS = 16
# Student's t with 15 degrees of freedom is beyond 6 with probability 2.4e-5: of the about 100 comparisons of a pair
# (scenes x metrics) one is by chance in 0.3 % of all pairs that do not differ.
LIMIT = 6
METRICS = ["goodput", "sent", "retransmitted", "timeouts", "fast_retransmits", "cwnd_mean", "rtt_mean", "queue_mean",
           "time_recovery", "jain"]

# Pair -> why they are the same.
SAME = {}

# Many blocks in one window, whose ACKs are lost: more than a plain SACK option names. The rate keeps the point random.
BLOCKS = ", ".join([f"{{segment: {segment}, transmission: 1}}" for segment in range(100, 126, 2)] +
                   [f"{{ack: {ack}}}" for ack in range(52, 60)])
REROUTE = "[{at: 7 s, delay: 70 ms}, {at: 14 s, delay: 20 ms}]"
# Scene -> delay, queue, packet error rate forward and of ACKs, queue from which on packets are marked, schedule, drops,
# error rate of segments sent again.
SCENES = {
    "loss, short RTT": ("5 ms", "30 packets", "1e-2", "0", "off", "[]", "[]", "0"),
    "loss, long RTT": ("150 ms", "100 packets", "1e-3", "0", "off", "[]", "[]", "0"),
    "small buffer": ("20 ms", "6 packets", "1e-4", "0", "off", "[]", "[]", "0"),
    "large buffer": ("20 ms", "100 packets", "1e-4", "0", "off", "[]", "[]", "0"),
    "marks": ("20 ms", "50 packets", "1e-3", "0", "0.3", "[]", "[]", "0"),
    "other route": ("20 ms", "50 packets", "1e-3", "0", "off", REROUTE, "[]", "0"),
    "lost ACKs": ("20 ms", "50 packets", "2e-3", "0.2", "off", "[]", "[]", "0"),
    "unnamed blocks": ("10 ms", "200 packets", "1e-7", "0", "off", "[]", f"[{BLOCKS}]", "0"),
    "lost copies": ("20 ms", "50 packets", "3e-2", "0", "off", "[]", "[]", "0.2"),
}
# aimd with its defaults is newreno: here it has others.
SETTINGS = f"""
duration: 20 s
replications: {REPLICATIONS}
common_random_numbers: true
tcp: {{receive_window: 1 MiB, aimd_a: 0.5, aimd_b: 0.75}}
app: {{kind: bulk}}
"""


def column(i):
    return "[" + ", ".join(scene[i] for scene in SCENES.values()) + "]"


def one_flow():
    return SETTINGS + f"""
path:
  - {{name: link, rate: 5 Mbit/s, delay: 1 ms, errors: forward}}
axes:
  tcp.algorithm: [{", ".join(PRESETS)}]
zip:
  - path.link.delay: {column(0)}
    path.link.queue: {column(1)}
    path.link.per: {column(2)}
    path.link.reverse.per: {column(3)}
    path.link.mark_threshold: {column(4)}
    path.link.schedule: {column(5)}
    path.link.drops: {column(6)}
    path.link.per_retransmission: {column(7)}
    as: scene
"""


def two_flows():
    """Beside newreno, over a buffer that both may fill."""
    return SETTINGS + f"""
links:
  link: {{rate: 5 Mbit/s, delay: 20 ms, queue: 40 packets}}
flows:
  - {{name: it, via: [link], start: {{uniform: [0 s, 1 s]}}}}
  - {{name: newreno, via: [link], tcp: {{algorithm: newreno}}}}
axes:
  flows.it.tcp.algorithm: [{", ".join(PRESETS)}]
"""


def results_of(path):
    """Metric -> array over preset, scene, replication."""
    columns = datasets(path)
    shape = (len(PRESETS), -1, REPLICATIONS)
    order = numpy.lexsort((columns["replications/replication"], columns["replications/point"]))
    found = {metric: columns[f"replications/{metric}"][order].reshape(shape) for metric in METRICS}
    assert found["sent"].mean(axis=2).reshape(columns["sent"].shape) == pytest.approx(columns["sent"])
    return found


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("variants")
    parts = []
    for name, text in (("one", one_flow()), ("two", two_flows())):
        (folder / f"{name}.yaml").write_text(text)
        run("run", folder / f"{name}.yaml", "-o", folder / f"{name}.h5", "--quiet")
        parts.append(results_of(folder / f"{name}.h5"))
    return {metric: numpy.nan_to_num(numpy.concatenate([part[metric] for part in parts], axis=1)) for metric in METRICS}


def differences(results, a, b):
    """|mean difference| over its standard error: metric -> array over the scenes."""
    found = {}
    for metric, values in results.items():
        difference = values[a] - values[b]
        mean = numpy.abs(difference.mean(axis=1))
        error = difference.std(axis=1, ddof=1) / REPLICATIONS**0.5
        found[metric] = numpy.divide(mean, error, out=numpy.where(mean > 0, numpy.inf, 0), where=error > 0)
    return found


def test_there_are_scenes(results):
    assert len(PRESETS) > 30
    assert all(values.shape == (len(PRESETS), len(SCENES) + 1, REPLICATIONS) for values in results.values())


def test_each_pair_differs_somewhere(results):
    alike = []
    for a, b in itertools.combinations(range(len(PRESETS)), 2):
        if (PRESETS[a], PRESETS[b]) in SAME:
            continue
        strongest = max(values.max() for values in differences(results, a, b).values())
        if strongest <= LIMIT:
            alike.append(f"{PRESETS[a]} and {PRESETS[b]}: {strongest:.1f} standard errors")
    assert not alike, "\n".join(alike)


def test_pairs_listed_as_the_same_are(results):
    for first, second in SAME:
        a, b = PRESETS.index(first), PRESETS.index(second)
        for metric, values in results.items():
            assert (values[a] == values[b]).all(), (first, second, metric)


def test_a_preset_does_not_differ_from_itself(results):
    assert all((values == 0).all() for values in differences(results, 0, 0).values())
