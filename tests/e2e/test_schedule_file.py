"""Schedules of links that come from files and formulas: what they say, and what is wrong with them, in one line."""
import json
import re
import subprocess

import pytest

from conftest import command, environment

SWEEP = """name: s
duration: 10 s
replications: 2
keep_journal: true
path: [{name: l, rate: 8 Mbit/s, delay: 20 ms, per: 0.01, schedule: %s}]
"""
ROWS = "time_s,rate_bps,delay_ms,up\n2,4e6,30,1\n5,2e6,10,1\n6,2e6,10,0\n7,2e6,10,1\n"
STEPS = ("[{at: 2 s, rate: 4 Mbit/s, delay: 30 ms, up: true}, {at: 5 s, rate: 2 Mbit/s, delay: 10 ms, up: true}, "
         "{at: 6 s, rate: 2 Mbit/s, delay: 10 ms, up: false}, {at: 7 s, rate: 2 Mbit/s, delay: 10 ms, up: true}]")


def tcpsweep(*arguments):
    return subprocess.run(command(*arguments), env=environment(), text=True, capture_output=True, check=False)


def one(folder, schedule, rows=ROWS):
    (folder / "rows.csv").write_text(rows)
    (folder / "s.yaml").write_text(SWEEP % schedule)
    return tcpsweep("one", folder / "s.yaml", "--json")


BAD = [
    ("no file", "{file: nowhere.csv}", ROWS, r"s\.yaml:5: path\.l\.schedule: file: .*nowhere\.csv: cannot read: .*expected a text file"),
    ("no names", "{file: rows.csv}", "1,2\n", r"file: rows\.csv: line 1: `1` is no column, expected time_s and some of rate_bps"),
    ("no time", "{file: rows.csv}", "rate_bps,up\n1,1\n", r"rows\.csv: line 1: no names of columns, expected time_s"),
    ("unknown name", "{file: rows.csv}", "time_s,speed\n1,1\n", r"rows\.csv: line 1: `speed` is no column, expected"),
    ("a word", "{file: rows.csv}", "time_s,rate_bps\n1,1e6\n2,fast\n", r"rows\.csv: line 3: `2,fast` is not a row, expected 2 numbers"),
    ("no order", "{file: rows.csv}", "time_s,rate_bps\n2,1e6\n1,1e6\n", r"rows\.csv: line 3: not after the row before it"),
    ("rate 0", "{file: rows.csv}", "time_s,rate_bps\n2,0\n", r"rows\.csv: line 2: rate_bps of 0 is out of range, expected 1 to"),
    ("empty", "{file: rows.csv}", "time_s,rate_bps\n", r"rows\.csv: no rows, expected some"),
    ("unknown form", "{tide: 1}", ROWS, r"schedule: not a schedule, expected one of \{file: NAME\}"),
    ("leo without ends", "{leo: {planes: 6}}", ROWS, r"leo: without its ends, expected \{from:"),
    ("leo place", "{leo: {from: [91, 0], to: [0, 0]}}", ROWS, r"leo: from: `91` is no such number, expected a number from -90 to 90"),
    ("leo key", "{leo: {from: [1, 0], to: [0, 0], height: 5}}", ROWS, r"leo: unknown key `height`, expected from, to or"),
    ("leo planes", "{leo: {from: [1, 0], to: [0, 0], planes: 2.5}}", ROWS, r"leo: planes: `2\.5` is no such number, expected a whole number"),
    ("leo with a gap", "{leo: {from: [1, 0], to: [0, 90], planes: 1}}", ROWS, r"leo: no way from end to end at \d+ s, expected more"),
    ("geo without longitude", "{geo: {from: [1, 0], to: [0, 0]}}", ROWS, r"geo: without `longitude`, expected"),
    ("geo behind the Earth", "{geo: {from: [1, 0], to: [0, 0], longitude: 180}}", ROWS, r"geo: the satellite is below the horizon"),
]


@pytest.mark.parametrize("schedule,rows,message", [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad(tmp_path, schedule, rows, message):
    done = one(tmp_path, schedule, rows)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and re.search(message, done.stderr), done.stderr


def test_a_file_is_its_steps(tmp_path):
    """Without losses, since the key of the random numbers has the form in it."""
    results = []
    for schedule in ("{file: rows.csv}", STEPS):
        (tmp_path / "rows.csv").write_text(ROWS)
        (tmp_path / "s.yaml").write_text((SWEEP % schedule).replace(", per: 0.01", ""))
        done = tcpsweep("one", tmp_path / "s.yaml", "--json")
        assert done.returncode == 0, done.stderr
        results.append(re.findall(r'"(?:goodput|sent|rtt_mean|timeouts)": ?[^,}]+', done.stdout))
    assert results[0] and results[0] == results[1]


def test_contents_are_part_of_the_scenario(tmp_path):
    """Other contents under the same name are another point: --resume does not take its runs for those."""
    (tmp_path / "s.yaml").write_text(SWEEP % "{file: rows.csv}")
    found = []
    for rows in (ROWS, ROWS, ROWS.replace("4e6", "3e6")):
        (tmp_path / "rows.csv").write_text(rows)
        if not found:
            done = tcpsweep("run", tmp_path / "s.yaml", "-o", tmp_path / "o.h5", "--quiet")
            assert done.returncode == 0, done.stderr
        plan = tcpsweep("plan", tmp_path / "s.yaml", "-o", tmp_path / "o.h5", "--json")
        assert plan.returncode == 0, plan.stderr
        found.append(json.loads(plan.stdout)["found"])
    assert found[0] == found[1] > 0 and found[2] == 0
