"""Traffic that comes from files: what they say is part of the scenario, and an output can be made and gone on with from
any folder."""
import os
import subprocess

import h5py
from conftest import TCPSWEEP, assert_same, environment, run

SWEEP = """name: traced
duration: 5 s
replications: 6
keep_journal: true
links: {l: {rate: 1 Mbit/s, delay: 10 ms, per: 0.01}}
flows:
  - {name: a, via: [l], app: {kind: trace, trace: data/writes.csv}}
  - {name: b, via: [l], app: {kind: udp_trace, trace: data/writes.csv, packet: 500 B}}
  - {name: c, count: 3, via: [l], app: {kind: short_flows, size_law: empirical, sizes: data/sizes.csv, interval: 0.5 s}}
"""


def write(folder):
    (folder / "data").mkdir(parents=True)
    (folder / "data/writes.csv").write_text("time, bytes\n" + "".join(f"{0.1 * k:.1f}, {500 + 100 * k}\n" for k in range(40)))
    (folder / "data/sizes.csv").write_text("bytes, weight\n1000, 3\n20000, 1\n")
    (folder / "sweep.yaml").write_text(SWEEP)
    return folder / "sweep.yaml"


def test_files_beside_the_sweep(tmp_path):
    sweep = write(tmp_path / "there")
    first = tmp_path / "first.h5"
    run("run", sweep, "-o", first, "--quiet")
    with h5py.File(first) as file:
        assert (file["replications/status"][...] == 0).all()
        assert file["goodput"][...] > 0 and file["completion_p99"][...] >= file["completion_p50"][...] > 0
    relative = subprocess.run([TCPSWEEP, "run", "sweep.yaml", "-o", tmp_path / "second.h5", "--quiet"], cwd=sweep.parent,
                              env=environment(), capture_output=True, text=True, check=False)
    assert relative.returncode == 0, relative.stderr
    assert_same(first, tmp_path / "second.h5")


def test_merge_and_resume_find_them(tmp_path):
    sweep, output = write(tmp_path / "there"), tmp_path / "out.h5"
    run("run", sweep, "-o", output, "--quiet", "--threads", 2)
    whole = output.read_bytes()
    output.rename(tmp_path / "whole.h5")
    run("merge", output)
    assert_same(output, tmp_path / "whole.h5")
    assert whole
    run("run", sweep, "-o", output, "--quiet", "--resume", "--replications", 9)
    with h5py.File(output) as file:
        assert len(file["replications/goodput"]) == 9


def test_contents_are_part_of_the_scenario(tmp_path):
    """With another trace nothing that is there already counts."""
    sweep, output = write(tmp_path / "there"), tmp_path / "out.h5"
    run("run", sweep, "-o", output, "--quiet")
    with h5py.File(output) as file:
        before = file["replications/goodput"][...]
    os.remove(output)
    rows = sweep.parent / "data/writes.csv"
    rows.write_text(rows.read_text() + "4.5, 100000\n")
    run("run", sweep, "-o", output, "--quiet", "--resume")
    with h5py.File(output) as file:
        assert (file["replications/goodput"][...] != before).any()
