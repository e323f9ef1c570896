"""Bookkeeping of tests/reference/vectors: every row is asserted by some unit test, or listed with the reason why not.

The unit tests that read the tables say what they did with each row (vector_note in tests/unit/vectors.h); what none of
them has a rule for is listed here. A row that is in neither fails, and so does an entry here that is not needed.
"""
import csv
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TCPSWEEP = pathlib.Path(os.environ.get("TCPSWEEP", ROOT / "tcpsweep")).resolve()
VECTORS = ROOT / "tests/reference/vectors"

# File -> id, or the beginning of ids with a * behind it -> reason.
ELSEWHERE = {
    "test-vectors.csv": {
    },
    "test-vectors-delay.csv": {},
    "peer-vectors.csv": {"ns3_lp_1": "TCP-LP is not built"},
}


def rows_of(name):
    with open(VECTORS / name, newline="", encoding="utf-8") as file:
        return [row["id"] for row in csv.DictReader(file)]


def is_meant(entry, row):
    return row.startswith(entry[:-1]) if entry.endswith("*") else row == entry


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """(File, id) -> test programs that assert the row; and (file, id) -> reasons of those that list it."""
    path = tmp_path_factory.mktemp("book") / "book"
    asserted, listed = {}, {}
    for source in sorted((ROOT / "tests/unit").glob("test_*.c")):
        if "vectors.h" not in source.read_text(encoding="utf-8"):
            continue
        program = TCPSWEEP.parent / "tests/unit" / source.stem
        if not program.exists():
            pytest.skip(f"{program} is not built: make test-programs")
        path.write_text("")
        subprocess.run([program], cwd=ROOT, env=os.environ | {"VECTOR_BOOK": str(path)}, capture_output=True, check=True)
        for line in path.read_text(encoding="utf-8").splitlines():
            name, row, reason = line.split("\t")
            (listed if reason else asserted).setdefault((name, row), []).append(reason or source.stem)
    return asserted, listed


@pytest.mark.parametrize("name", ELSEWHERE)
def test_every_row_is_asserted_or_listed(book, name):
    asserted, listed = book
    missing = [row for row in rows_of(name) if (name, row) not in asserted and (name, row) not in listed and
               not any(is_meant(entry, row) for entry in ELSEWHERE[name])]
    assert not missing, f"{name}: neither asserted nor listed: {', '.join(missing)}"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_entries_here_are_needed(book, name):
    for entry in ELSEWHERE[name]:
        rows = [row for row in rows_of(name) if is_meant(entry, row)]
        assert rows, f"{entry}: no such row"
        taken = [row for row in rows if (name, row) in book[0] or (name, row) in book[1]]
        assert not taken, f"{entry}: a unit test has {', '.join(taken)}"


def test_reasons_are_not_stale(book):
    """Not `not built` of what another test asserts."""
    asserted, listed = book
    for key in asserted.keys() & listed.keys():
        assert not any("not built" in reason for reason in listed[key]), (key, listed[key], asserted[key])


def test_nothing_is_asserted_that_is_not_there(book):
    for name, row in book[0]:
        assert row in rows_of(name)


def test_ids_are_unique():
    for name in ELSEWHERE:
        assert len(set(rows_of(name))) == len(rows_of(name)) > 50
