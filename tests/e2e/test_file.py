"""The HDF5 file as its readers see it: xarray opens it with names, units and coordinates; provenance; merge."""
import shutil
import subprocess

import numpy
import pytest
import xarray
from conftest import assert_same, run
from scipy import stats

GRID = """
name: grid
title: A grid with everything
seed: 11
duration: 5 s
keep_journal: true
compress: true
replications: {min: 10, max: 25, until: {metric: goodput, half_width: 5 %, confidence: 90 %}}
path:
  - {name: in, rate: 10 Mbit/s, delay: 1 ms}
  - {name: back, rate: 5 Mbit/s, delay: 20 ms, errors: both}
tcp: {receive_window: 65535 B}
axes:
  tcp.algorithm: [tahoe, newreno]
  path.back.ber: [1e-7, 1e-6, 1e-5]
zip: [{tcp.mss: [536 B, 1460 B], path.back.rate: [5 Mbit/s, 8 Mbit/s], as: size}]
sample: {kind: lhs, points: 3, over: {path.in.delay: [1 ms, 50 ms]}}
where: "path.back.ber < 5e-6 or tcp.algorithm == newreno"
"""
FLOWS = """
name: flows
seed: 2
duration: 5 s
keep_journal: true
replications: 3
links:
  access: {rate: 100 Mbit/s, delay: 1 ms}
  backbone: {rate: 10 Mbit/s, delay: 10 ms, queue: 50 packets}
flows:
  - {name: a, count: 2, via: [access*, backbone]}
  - {name: b, via: [access*, backbone], tcp: {algorithm: tahoe}}
axes: {flows.a.count: [1, 3], tcp.mss: [536 B, 1460 B]}
"""


def make(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("file")
    (folder / "sweep.yaml").write_text(text)
    run("run", folder / "sweep.yaml", "-o", folder / "out.h5", "--quiet", "--set", "duration=4 s")
    return folder / "out.h5"


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    return make(tmp_path_factory, GRID)


@pytest.fixture(scope="module")
def flows(tmp_path_factory):
    return make(tmp_path_factory, FLOWS)


def opened(path, group=None):
    return xarray.open_dataset(path, engine="h5netcdf", group=group)


def metrics(data):
    return [name[:-2] for name in data if name.endswith("_n")]


def test_dimensions_and_coordinates(grid):
    with opened(grid) as data:
        assert data.goodput.dims == ("algorithm", "ber", "size", "sample")
        assert data.goodput.shape == (2, 3, 2, 3)
        assert list(data.algorithm.values) == ["tahoe", "newreno"]
        assert data.ber.values.tolist() == [1e-7, 1e-6, 1e-5] and data.ber.attrs["units"] == "1"
        assert data.ber.attrs["key"] == "path.back.ber"
        # a zip and a sample: coordinates along a dimension of another name
        assert data.goodput.coords["mss"].dims == ("size",) and data.mss.attrs["units"] == "byte"
        assert data.goodput.coords["rate"].values.tolist() == [5e6, 8e6]
        assert data.rate.attrs["units"] == "bit s-1"
        assert data.delay.dims == ("sample",) and ((data.delay >= 1e-3) & (data.delay <= 50e-3)).all()


def test_selection_by_label(grid):
    with opened(grid) as data:
        cell = data.goodput.sel(algorithm="newreno", size=1, sample=0).sel(ber=8e-7, method="nearest")
        assert float(cell.ber) == 1e-6 and float(cell.mss) == 1460
        assert 1e5 < float(cell) < 8e6
        by_mss = data.goodput.swap_dims(size="mss").sel(mss=1400, method="nearest")
        assert float(by_mss.rate) == 8e6


def test_metrics_have_units_and_words(grid):
    with opened(grid) as data:
        assert len(metrics(data)) >= 29
        for name in metrics(data):
            for suffix in ("", "_sd", "_ci", "_n"):
                array = data[name + suffix]
                assert array.dims == data.goodput.dims
                assert array.attrs["units"] and array.attrs["long_name"]
        assert data.goodput.attrs["units"] == data.model_pftk.attrs["units"] == "bit s-1"
        assert data.rtt_mean.attrs["units"] == "s"
        assert data.model_pftk.attrs["source"]


def test_points_left_out(grid):
    with opened(grid) as data:
        out = data.sel(algorithm="tahoe", ber=1e-5)
        assert numpy.isnan(out.goodput).all() and (out.goodput_n == 0).all() and (out.stop_reason == "").all()
        kept = data.sel(algorithm="newreno")
        assert (kept.goodput_n >= 10).all() and set(kept.stop_reason.values.flat) <= {"target", "max"}


def test_statistics_follow_from_the_replications(grid):
    with opened(grid) as data, opened(grid, "replications") as rows:
        order = list(zip(rows.point.values.tolist(), rows.replication.values.tolist()))
        assert order == sorted(set(order))
        assert len(order) == data.goodput_n.sum() == data.attrs["replications_used"]
        for number, cell in enumerate(numpy.ndindex(data.goodput.shape)):
            values = rows.goodput.values[rows.point.values == number]
            assert len(values) == data.goodput_n.values[cell]
            if not len(values):
                continue
            sd, n = values.std(ddof=1), len(values)
            numpy.testing.assert_allclose(data.goodput.values[cell], values.mean(), rtol=1e-12)
            numpy.testing.assert_allclose(data.goodput_sd.values[cell], sd, rtol=1e-9)
            width = stats.t.ppf(0.95, n - 1) * sd / n**0.5
            numpy.testing.assert_allclose(data.goodput_ci.values[cell], width, rtol=1e-6)
            if data.stop_reason.values[cell] == "target":
                assert width <= 0.05 * values.mean() * (1 + 1e-9)


def test_provenance(grid):
    with opened(grid) as data:
        assert data.attrs["Conventions"] == "CF-1.8" and data.attrs["title"] == "A grid with everything"
        assert data.attrs["sweep"] == GRID and data.attrs["set"] == "duration=4 s\n"
        assert data.attrs["seed"] == 11 and data.attrs["confidence"] == 0.9
        assert "tcpsweep" in data.attrs["source"] and data.attrs["version"] in data.attrs["source"]
        assert data.attrs["commit"] in data.attrs["source"] and data.attrs["build_flags"]
        assert "run" in data.attrs["command_line"] and data.attrs["command_line"] in data.attrs["history"]
        assert data.attrs["hosts"] == 1 and data.attrs["ranks"] == 1 and data.attrs["threads"] >= 1
        assert data.attrs["cpu_seconds"] > 0
        assert data.attrs["start_time"] <= data.attrs["end_time"] and data.attrs["end_time"].endswith("Z")


def test_group_of_flows(flows):
    with opened(flows) as data, opened(flows, "flow") as single:
        assert single.goodput.dims == ("count", "mss", "flow")
        assert single.mss.values.tolist() == [536, 1460] and single.goodput.attrs["units"] == "bit s-1"
        one, three = (single.goodput.sel(count=n).values for n in (1, 3))
        assert (numpy.isfinite(one).sum(axis=1) == 2).all() and (numpy.isfinite(three).sum(axis=1) == 4).all()
        assert numpy.isfinite(single.goodput.sel(flow="b")).all()
        assert "jain" not in single and "jain" in data
        numpy.testing.assert_allclose(single.goodput.sum("flow"), data.goodput, rtol=1e-9)
        total = single.sent.sum("flow")
        numpy.testing.assert_allclose(total, data.sent, rtol=1e-9)


def test_single_flow_has_no_group(grid):
    with pytest.raises(OSError):
        opened(grid, "flow")


def test_without_axes(tmp_path):
    (tmp_path / "one.yaml").write_text("""
duration: 5 s
replications: 4
path: [{name: link, rate: 1 Mbit/s, delay: 10 ms, per: 0.01}]
""")
    run("run", tmp_path / "one.yaml", "-o", tmp_path / "one.h5", "--quiet")
    with opened(tmp_path / "one.h5") as data:
        assert data.goodput.dims == () and data.goodput_n == 4 and data.stop_reason == "fixed"


def test_keep_points_only(tmp_path):
    text = GRID.replace("compress: true", "keep: points").replace("replications: {min: 10, max: 25", "replications: {min: 5, max: 5")
    (tmp_path / "sweep.yaml").write_text(text)
    run("run", tmp_path / "sweep.yaml", "-o", tmp_path / "out.h5", "--quiet")
    with opened(tmp_path / "out.h5") as data:
        assert data.goodput_n.max() == 5
    with pytest.raises(OSError):
        opened(tmp_path / "out.h5", "replications")


def test_hdf5_tools_read_it(grid):
    text = subprocess.run(["h5dump", "-n", "1", grid], capture_output=True, text=True, check=True).stdout
    assert "/goodput" in text and "/replications/goodput" in text


# --- merge -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def copy(grid, tmp_path):
    """The journals alone, under another name."""
    shutil.copytree(f"{grid}.journal", tmp_path / "copy.h5.journal")
    return tmp_path / "copy.h5"


def test_merge_gives_the_same_file(grid, copy):
    run("merge", copy)
    assert_same(grid, copy)
    with opened(grid) as first, opened(copy) as second:
        for name in ("sweep", "set", "seed", "title", "command_line", "start_time", "threads", "cpu_seconds"):
            assert first.attrs[name] == second.attrs[name], name


def test_merge_spares_what_is_there(copy):
    run("merge", copy)
    content = copy.read_bytes()
    refused = run("merge", copy, status=2)
    assert refused.stderr.count("\n") == 1 and "--force" in refused.stderr
    assert copy.read_bytes() == content
    run("merge", copy, "--force", "--discard")
    assert not copy.with_name("copy.h5.journal").exists()
    refused = run("merge", copy, "--force", status=2)
    assert "no journals" in refused.stderr


def cut(output, bytes_off):
    (journal,) = output.with_name("copy.h5.journal").glob("*.jrn")
    size = journal.stat().st_size
    with open(journal, "r+b") as file:
        file.truncate(size - bytes_off)


def test_merge_refuses_missing_replications(copy):
    cut(copy, 1000)
    refused = run("merge", copy, status=2)
    assert refused.stderr.count("\n") == 1 and "not complete" in refused.stderr and "--partial" in refused.stderr
    assert not copy.exists()
    run("merge", copy, "--partial")
    with opened(copy) as data:
        assert "time" in data.stop_reason.values and data.attrs["points_incomplete"] >= 1


def test_merge_names_damage(copy):
    (journal,) = copy.with_name("copy.h5.journal").glob("*.jrn")
    content = bytearray(journal.read_bytes())
    content[5000] ^= 1
    journal.write_bytes(content)
    refused = run("merge", copy, status=2)
    assert journal.name in refused.stderr and "damaged at byte" in refused.stderr
    assert not copy.exists()


def test_merge_bad_arguments(tmp_path):
    for arguments in ([], ["a", "b"], ["a", "--nonsense"], ["a", "--partial", "--discard"], [tmp_path / "none.h5"]):
        refused = run("merge", *arguments, status=2)
        assert refused.stderr.startswith("tcpsweep merge: ") and refused.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
    assert "--partial" in run("merge", "--help").stdout
