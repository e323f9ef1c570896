"""A link written as a line for tc: the keys that it stands for, and what is not understood."""
import json
import re
import subprocess

import pytest

from conftest import command, environment

SWEEP = """name: s
duration: 5 s
path: [{name: l, %s}]
"""

SAME = [
    ("netem: delay 25ms rate 20mbit loss 2% limit 100", "delay: 25 ms, rate: 20 Mbit/s, per: 2 %, queue: 99 packets"),
    ("netem: rate 100kbps latency 500", "delay: 500 us, rate: 800 kbit/s, queue: 999 packets"),
    ("rate: 2 Mbit/s, netem: loss random 1% limit 20", "rate: 2 Mbit/s, per: 1 %, queue: 19 packets"),
    ("netem: rate 2mbit loss gemodel 1% 25% 90% 1%",
     "rate: 2 Mbit/s, gilbert: {p: 0.01, r: 0.25, loss_bad: 0.9, loss_good: 0.01}, queue: 999 packets"),
    ("netem: rate 1mbit loss 2% 25%", "rate: 1 Mbit/s, per: 2 %, per_correlation: 0.25, queue: 999 packets"),
    ("netem: delay 25ms 2ms 25% distribution normal rate 1mbit",
     "delay: 25 ms, jitter: 2 ms, jitter_correlation: 0.25, jitter_law: normal, rate: 1 Mbit/s, queue: 999 packets"),
    ("netem: delay 25ms reorder 25% gap 5 rate 1mbit",
     "delay: 25 ms, reorder: 0.25, reorder_gap: 5, rate: 1 Mbit/s, queue: 999 packets"),
    ("netem: rate 2mbit loss gemodel 1%", "rate: 2 Mbit/s, gilbert: {p: 0.01, r: 0.99}, queue: 999 packets"),
]
BAD = [
    ("netem: delay 25ms distribution pareto rate 1mbit", r"s\.yaml:3: path\.l\.netem: `distribution`: expected uniform or normal"),
    ("netem: delay 25ms reorder rate 1mbit", r"netem: `reorder`: expected a share behind it"),
    ("netem: delay rate 1mbit", r"netem: `delay`: expected a time behind it"),
    ("netem: rate fast", r"netem: `rate`: expected a rate behind it, such as `rate 20mbit`"),
    ("netem: rate 1mbit duplicate 1%", r"netem: `duplicate`: not known, expected delay, distribution, rate, loss, reorder, gap or limit"),
    ("netem: rate 1mbit limit 0", r"netem: `limit`: expected a number of packets"),
    ("netem: [rate, 1mbit]", r"path\.l\.netem: a list, expected a text such as"),
    ("netem: rate 1mbit loss 200%", r"path\.l\.per: `200 %` is out of range"),
    ("netem: rate 1mbit rate 2mbit", r"path\.l\.rate: set twice"),
    ("rate: 1 Mbit/s, netem: rate 1mbit", r"path\.l\.rate: set twice"),
]


def one(folder, link):
    (folder / "s.yaml").write_text(SWEEP % link)
    return subprocess.run(command("one", folder / "s.yaml", "--json"), env=environment(), text=True, capture_output=True, check=False)


@pytest.mark.parametrize("line,keys", SAME)
def test_stands_for_keys(tmp_path, line, keys):
    """The same scenario: the same random numbers, and so the same run."""
    runs = [one(tmp_path, link) for link in (line, keys)]
    assert runs[0].returncode == runs[1].returncode == 0, runs[0].stderr + runs[1].stderr
    assert json.loads(runs[0].stdout) == json.loads(runs[1].stdout)


@pytest.mark.parametrize("link,message", BAD)
def test_bad(tmp_path, link, message):
    done = one(tmp_path, link)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and re.search(message, done.stderr), done.stderr
