"""`tcpsweep show`: tables for 0 to 3 axes, pivots, CSV, errors."""
import csv
import io

import pytest
import xarray
from conftest import run

SWEEP = """
title: For the eye
seed: 4
duration: 5 s
replications: 5
path: [{name: back, rate: 5 Mbit/s, delay: 20 ms}]
axes:
  tcp.algorithm: [tahoe, newreno]
  path.back.ber: [0, 1e-6]
  path.back.delay: [10 ms, 20 ms, 30 ms]
where: "path.back.ber > 0 or path.back.delay < 25 ms"
"""


def make(folder, text=SWEEP):
    (folder / "sweep.yaml").write_text(text)
    run("run", folder / "sweep.yaml", "-o", folder / "out.h5", "--quiet")
    return folder / "out.h5"


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    return make(tmp_path_factory.mktemp("show"))


def columns(line):
    return [cell for cell in line.split("  ") if cell.strip()]


def test_overview(output):
    lines = run("show", output).stdout.splitlines()
    assert lines[0] == "For the eye"
    assert "10 points" in lines[1] and "seed 4" in lines[1] and "tcpsweep" in lines[1] and "s of CPU" in lines[1]


def test_one_line_a_point(output):
    lines = run("show", output, "--metric", "goodput", "--by", "none").stdout.splitlines()
    assert [c.strip() for c in columns(lines[0])] == ["algorithm", "ber", "delay [ms]", "goodput [Mbit/s]", "n", "stopped by"]
    assert len(lines) == 1 + 10 + 1 and "95 %" in lines[-1]
    assert len({len(line.rsplit("  ", 1)[0]) for line in lines[:-1]}) == 1  # aligned
    with xarray.open_dataset(output, engine="h5netcdf") as data:
        last = data.sel(algorithm="newreno", ber=1e-6, delay=0.03)
        shown = columns(lines[-2])
        mean, half_width = (text.strip() for text in shown[-3].split(" ± "))
        digits = len(mean.split(".")[1])
        assert mean == f"{float(last.goodput) / 1e6:.{digits}f}"
        assert half_width == f"{float(last.goodput_ci) / 1e6:.{digits}f}" and float(half_width) > 0
        assert shown[-2].strip() == "5" and shown[-1] == "fixed"


def test_algorithms_side_by_side(output):
    """Without --by the axis of names goes over the columns."""
    lines = run("show", output, "--metric", "rtt_mean").stdout.splitlines()
    assert lines[0] == "rtt_mean [ms], over the columns: algorithm"
    assert [c.strip() for c in columns(lines[1])] == ["ber", "delay [ms]", "tahoe", "newreno"]
    assert len(lines) == 2 + 5 + 1
    assert "points stopped by deterministic" in lines[-1]


def test_pivot(output):
    lines = run("show", output, "--by", "delay").stdout.splitlines()
    assert [c.strip() for c in columns(lines[4])] == ["algorithm", "ber", "10", "20", "30"]
    first = columns(lines[5])
    assert first[0].strip() == "tahoe" and first[1].strip() == "0" and first[-1].strip() == "-"  # left out by where
    assert columns(lines[6])[0].strip() == "1e-06"  # the algorithm is not said twice


def test_model(output):
    lines = run("show", output, "--metric", "model_pftk", "--by", "none").stdout.splitlines()
    assert columns(lines[0])[-1].strip() == "model_pftk [Mbit/s]" and "±" not in "".join(lines)


def test_csv(output):
    text = run("show", output, "--csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 10
    assert list(rows[0]) == ["algorithm", "ber", "delay", "goodput", "goodput_sd", "goodput_ci", "goodput_n", "stop_reason"]
    with xarray.open_dataset(output, engine="h5netcdf") as data:
        for row in rows:
            cell = data.sel(algorithm=row["algorithm"], ber=float(row["ber"]), delay=float(row["delay"]))
            assert float(row["goodput"]) == float(cell.goodput)  # all digits
            assert float(row["goodput_ci"]) == float(cell.goodput_ci)
            assert row["stop_reason"] == str(cell.stop_reason.values)


@pytest.mark.parametrize("axes, lines", [("", 1), ("axes: {tcp.mss: [536 B, 1460 B]}", 2),
                                         ("axes: {tcp.mss: [536 B, 1460 B], tcp.algorithm: [reno, sack]}", 2)])
def test_few_axes(tmp_path, axes, lines):
    text = SWEEP[:SWEEP.index("axes:")].replace("delay: 20 ms", "delay: 20 ms, per: 0.01") + axes + "\n"
    shown = run("show", make(tmp_path, text)).stdout.splitlines()
    assert shown[2] == "" and "±" in shown[-1]
    assert sum(" ± " in line for line in shown[3:-1]) == lines


def test_errors(output, tmp_path):
    (tmp_path / "text.h5").write_text("no HDF5")
    cases = [([output, "--metric", "nope"], "goodput"), ([output, "--by", "nope"], "algorithm, ber, delay"),
             ([tmp_path / "none.h5"], "No such file"), ([tmp_path / "text.h5"], "not an output of tcpsweep"), ([], "expected one"),
             ([output, output], "expected one"), ([output, "--nope"], "unknown option"), ([output, "--by"], "value is missing")]
    for arguments, words in cases:
        refused = run("show", *arguments, status=2)
        assert words in refused.stderr and refused.stderr.count("\n") == 1 and refused.stdout == ""
    assert "--by AXIS" in run("show", "--help").stdout
