"""`tcpsweep bench`: the standard cases and one for every algorithm preset."""
import json
import pathlib
import re

from conftest import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRESETS = re.findall(r"^ALGORITHM\((\w+),", (ROOT / "src/dialects.def").read_text(), re.M)


def test_every_preset_is_a_case_that_sends():
    """One replication each. The path carries 166,000 in its 200 s; tdlrp, which keeps its window at timeouts where no
    packet is marked, sends least: 9,221."""
    for name in PRESETS:
        assert 5_000 < int(run("bench", "--callgrind", name).stdout) < 170_000, name


def test_cost_relative_to_sack():
    (case,) = json.loads(run("bench", "--case", "cubic", "--repeat", "1", "--json").stdout)
    assert case["case"] == "cubic" and case["ns_per_packet"] > 0 and case["packets"] > 0
    assert 0.2 < case["relative"] < 10  # machines are noisy; bench_instructions.py --algorithms is the exact test


def test_standard_cases_have_no_ratio():
    lines = run("bench", "--case", "sack-1", "--repeat", "1").stdout.splitlines()
    assert lines[0].split()[:2] == ["case", "ns/packet"] and len(lines) == 2
    assert len(lines[1].split()) == 5


def test_unknown_case():
    assert "unknown case `nothing`" in run("bench", "--case", "nothing", status=2).stderr
