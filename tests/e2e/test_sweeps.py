"""Every file in sweeps/ says what it is, loads, plans and runs (with one replication a point)."""
import os
import pathlib
import subprocess

import h5py
import numpy
import pytest

TCPSWEEP = os.path.abspath(os.environ.get("TCPSWEEP", "./tcpsweep"))
SWEEPS = pathlib.Path(__file__).resolve().parents[2] / "sweeps"
FILES = sorted(SWEEPS.glob("**/*.yaml"))
# The experiments of the five documents; 1.5 (HACK, Trunk) is only named in its own.
WANTED = {"seed000": [f"0.{i}" for i in range(1, 17)], "seed001": [f"1.{i}" for i in range(1, 19) if i != 5],
          "seed002": [f"2.{i}" for i in range(1, 9)], "seed003": [f"3.{i}" for i in range(1, 15)],
          "seed004": [f"4.{i}" for i in range(1, 20)]}

# Buffers below half a frame, CBR above the line's rate: nothing gets through.
WITH_NOTHING = ("3.1-throughput-buffer.yaml", "3.4-dgc-buffer.yaml", "3.5-dgc-cbr.yaml", "3.7-two-streams.yaml", "3.8-two-linux.yaml",
                "3.9-dgc-and-linux.yaml")


def run(*arguments):
    done = subprocess.run([TCPSWEEP, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def name(path):
    return str(path.relative_to(SWEEPS))


def test_all_experiments_are_there():
    for folder, numbers in WANTED.items():
        found = {path.name.split("-")[0] for path in (SWEEPS / folder).glob("*.yaml")}
        assert set(numbers) == found


@pytest.mark.parametrize("path", FILES, ids=name)
def test_comment_first(path):
    comment = path.read_text().split("\nname:")[0]
    assert all(line.startswith("#") for line in comment.splitlines())
    if path.parent != SWEEPS:
        for word in ("Seed", "Settings:", "Expect:", "Run time:"):
            assert word in comment


@pytest.mark.parametrize("path", FILES, ids=name)
def test_plans_and_runs(path, tmp_path):
    if os.environ.get("TCPSWEEP_LONG") or path.parent == SWEEPS:  # a calibration takes half a second
        assert "point" in run("plan", path)
    out = tmp_path / "out.h5"
    run("run", path, "-o", out, "--replications", 1, "--quiet")
    with h5py.File(out) as file:
        kind = "rtt_mean" if "ping" in path.name else "goodput"
        values = file[kind][...]
        assert numpy.isfinite(values).all() and ((values > 0).all() or path.name in WITH_NOTHING)
        assert (file["replications/status"][...] == 0).all()
