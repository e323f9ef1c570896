"""Every key with a range, or with names to choose from, refuses what is outside: read from src/params.def itself.

In test-long all of them, otherwise each fourth."""
import os
import pathlib
import re
import subprocess

import pytest
from conftest import command, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
SWEEP = """name: ranges
duration: 1 s
replications: 1
links:
  l: {rate: 10 Mbit/s, delay: 10 ms}
flows:
  - {name: f, via: [l]}
"""
PREFIX = {"TOP": "", "CHANNEL": "links.l.", "LINK": "links.l.", "FLOW": "flows.f.", "TCP": "tcp.", "APP": "app."}
UNIT = {"TIME": " s", "RATE": " bit/s", "BYTES32": " B", "BYTES64": " B", "SEGMENTS": " segments", "REAL": "", "COUNT32": "", "COUNT64": ""}
NAMED = ("BOOL", "CHOICE", "ITEM", "DIALECT", "ALGORITHM")


def keys():
    """(key, type, least, most) of every row that is a value of a scenario."""
    section = None
    for line in (ROOT / "src/params.def").read_text().splitlines():
        if line.startswith("SECTION("):
            section = line[8:-1]
        row = re.match(r'PARAM\(\w+, "([^"]+)", (\w+), (?:FIELD\([^()]*\)|NO_FIELD), (?:NULL|"[^"]*"), ([^,]+), ([^,]+), (.*)', line)
        if row and section in PREFIX and "NO_AXIS" not in row.group(5):
            yield PREFIX[section] + row.group(1), row.group(2), row.group(3), row.group(4)


def outside():
    """(key, a value that it must refuse)"""
    for key, kind, least, most in keys():
        if kind in NAMED:
            yield key, "nonsense"
        elif kind in UNIT and re.fullmatch(r"[\d.e+-]+", most):
            yield key, f"{2 * float(most) + 1:.15g}{UNIT[kind]}"
            if float(least) > 0:
                yield key, f"0{UNIT[kind]}"
            elif kind in ("TIME", "REAL"):
                yield key, f"-1{UNIT[kind]}"


CASES = sorted(set(outside()))


def test_most_keys_are_there():
    assert len({key for key, _ in CASES}) > 200


PARTS = 8 if os.environ.get("TCPSWEEP_LONG") else 2


@pytest.mark.parametrize("part", range(PARTS))
def test_refused(tmp_path, part):
    (tmp_path / "s.yaml").write_text(SWEEP)
    for key, value in CASES[part::8]:
        done = subprocess.run(command("one", tmp_path / "s.yaml", "--set", f"{key}={value}"), env=environment(), text=True,
                              capture_output=True, check=False)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, (key, value, done.stderr)
        assert key in done.stderr and "expected" in done.stderr, (key, value, done.stderr)
        assert not done.stdout, (key, value)
