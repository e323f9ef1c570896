"""The same numbers whatever ranks, threads, shards and earlier runs there are; only what is missing is run."""
import pathlib
import re

import pytest
from conftest import ADAPTIVE, assert_same, datasets, run, small_sweep

SWEEPS = pathlib.Path(__file__).resolve().parents[2] / "sweeps"
BUFFERBLOAT, CELLS = SWEEPS / "bufferbloat.yaml", SWEEPS / "seed003/3.11-discard.yaml"
RADIO = SWEEPS / "seed004/4.10-hops.yaml"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The small sweep on one thread."""
    folder = tmp_path_factory.mktemp("reference")
    (folder / "sweep.yaml").write_text(small_sweep())
    run("run", folder / "sweep.yaml", "-o", folder / "out.h5", "--threads", 1, "--quiet")
    return folder / "out.h5"


def replications_run(done):
    return int(re.search(r"(\d+) replications run", done.stderr).group(1))


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_ranks_and_threads(ranks, threads, reference, sweep, tmp_path):
    run("run", sweep(), "-o", tmp_path / "out.h5", "--threads", threads, "--quiet", ranks=ranks)
    assert_same(reference, tmp_path / "out.h5")


def test_another_seed_differs(reference, sweep, tmp_path):
    run("run", sweep(), "-o", tmp_path / "out.h5", "--seed", 6, "--quiet")
    assert (datasets(reference)["goodput"] != datasets(tmp_path / "out.h5")["goodput"])[:, 1:].all()


def test_one_point_over_many_ranks(sweep, tmp_path):
    path = sweep(small_sweep(duration="200 s", replications=200, ber="[1e-6]").replace("[tahoe, newreno, sack]", "[sack]"))
    run("run", path, "-o", tmp_path / "a.h5", "--threads", 1, "--quiet")
    run("run", path, "-o", tmp_path / "b.h5", "--threads", 1, "--quiet", ranks=3)
    assert_same(tmp_path / "a.h5", tmp_path / "b.h5")
    sizes = [f.stat().st_size for f in sorted((tmp_path / "b.h5.journal").glob("*.jrn"))]
    assert len(sizes) == 3 and min(sizes) > 0.1 * sum(sizes), sizes  # the other ranks have taken part


def test_managed_queues(tmp_path):
    """What draws random numbers on arrival, and links with events of their own."""
    short = ["--set", "duration=4 s", "--set", "warmup=1 s", "--set", "flows.bulk.count=3", "--replications", 4, "--quiet"]
    run("run", BUFFERBLOAT, "-o", tmp_path / "a.h5", "--threads", 1, *short)
    run("run", BUFFERBLOAT, "-o", tmp_path / "b.h5", "--threads", 2, *short, ranks=2)
    assert_same(tmp_path / "a.h5", tmp_path / "b.h5")
    goodput = datasets(tmp_path / "a.h5")["goodput"]
    assert len(set(goodput)) == len(goodput)


def test_cells(tmp_path):
    """Flows whose cells meet at a port."""
    sets = ["measure.from=0.2 s", "measure.to=1 s", "tcp.mss=9140 B", "links.port.atm_cells=500,2000"]
    short = [word for one in sets for word in ("--set", one)] + ["--replications", 3, "--quiet"]
    run("run", CELLS, "-o", tmp_path / "a.h5", "--threads", 1, *short)
    run("run", CELLS, "-o", tmp_path / "b.h5", "--threads", 2, *short, ranks=2)
    assert_same(tmp_path / "a.h5", tmp_path / "b.h5")
    assert len(set(datasets(tmp_path / "a.h5")["goodput"].flat)) == 6


def test_radio(tmp_path):
    """Flows over radio hops."""
    short = ["--set", "duration=2 s", "--set", "links.air.wlan_hops=1,5", "--replications", 2, "--quiet"]
    run("run", RADIO, "-o", tmp_path / "a.h5", "--threads", 1, *short)
    run("run", RADIO, "-o", tmp_path / "b.h5", "--threads", 2, *short, ranks=2)
    assert_same(tmp_path / "a.h5", tmp_path / "b.h5")
    assert len(set(datasets(tmp_path / "a.h5")["goodput"].flat)) > 6


MIXED = """
seed: 3
duration: 4 s
replications: 3
links:
  access: {rate: 100 Mbit/s, delay: 1 ms}
  mid: {netem: "delay 20ms 5ms rate 10mbit loss 0.5% 25% reorder 2% gap 3", arq: frame, arq_loss: 0.05}
  out: {rate: 20 Mbit/s, delay: 1 ms, jitter: 1 ms, jitter_law: normal, jitter_order: keep}
flows:
  - {name: short, count: 3, via: [access*, mid, out], app: {kind: short_flows, interval: 100 ms, size: 30 kB, size_law: lognormal}}
  - {name: film, via: [access*, mid, out], app: {kind: video}}
  - {name: files, via: [access*, mid, out], app: {kind: file, size: 50 kB, repeat: unlimited, think: 100 ms, think_law: exponential}}
  - {name: noise, via: [access*, mid], app: {kind: udp_poisson, packet: 200 B, interval: 5 ms}}
  - {name: bursts, via: [mid.reverse], app: {kind: udp_onoff, packet: 200 B, interval: 2 ms, on_time: 50 ms, off_time: 200 ms}}
axes: {tcp.algorithm: [sack, cubic]}
"""


def test_traffic_and_links_that_draw(sweep, tmp_path):
    """Every source of random numbers among applications and links at once."""
    run("run", sweep(MIXED), "-o", tmp_path / "a.h5", "--threads", 1, "--quiet")
    run("run", sweep(MIXED), "-o", tmp_path / "b.h5", "--threads", 2, "--quiet", ranks=2)
    assert_same(tmp_path / "a.h5", tmp_path / "b.h5")
    assert len(set(datasets(tmp_path / "a.h5")["goodput"].flat)) == 2


def test_widened_axis(sweep, tmp_path):
    narrow = run("run", sweep(small_sweep(ber="[0, 1e-6]")), "-o", tmp_path / "out.h5")
    wide = run("run", sweep(small_sweep(ber="[0, 1e-7, 1e-6, 1e-5]")), "-o", tmp_path / "out.h5", "--resume")
    fresh = run("run", sweep(small_sweep(ber="[0, 1e-7, 1e-6, 1e-5]")), "-o", tmp_path / "fresh.h5")
    assert_same(tmp_path / "fresh.h5", tmp_path / "out.h5")
    assert replications_run(narrow) + replications_run(wide) == replications_run(fresh)


@pytest.mark.parametrize("more", [40, ADAPTIVE])
def test_more_replications(more, sweep, tmp_path):
    few = run("run", sweep(small_sweep(replications=20)), "-o", tmp_path / "out.h5")
    rest = run("run", sweep(small_sweep(replications=more)), "-o", tmp_path / "out.h5", "--resume", ranks=2)
    fresh = run("run", sweep(small_sweep(replications=more)), "-o", tmp_path / "fresh.h5")
    assert_same(tmp_path / "fresh.h5", tmp_path / "out.h5")
    assert replications_run(few) + replications_run(rest) == replications_run(fresh)


@pytest.mark.parametrize("kept", [True, False])
def test_resume_of_a_finished_output(kept, sweep, tmp_path):
    """Its journals have gone: the replications in it are not run again, if they are kept there."""
    text = small_sweep(ber="[0, 1e-6]").replace("keep_journal: true", "" if kept else "keep: points")
    wide = text.replace("[0, 1e-6]", "[1e-6, 1e-5, 0]")
    first = run("run", sweep(text), "-o", tmp_path / "out.h5")
    assert not (tmp_path / "out.h5.journal").exists()
    rest = run("run", sweep(wide), "-o", tmp_path / "out.h5", "--resume")
    fresh = run("run", sweep(wide), "-o", tmp_path / "fresh.h5")
    assert datasets(tmp_path / "out.h5")["goodput"].tobytes() == datasets(tmp_path / "fresh.h5")["goodput"].tobytes()
    assert replications_run(rest) == replications_run(fresh) - (replications_run(first) if kept else 0)
    assert ("run again" in rest.stderr) == (not kept)
    if kept:
        assert_same(tmp_path / "out.h5", tmp_path / "fresh.h5")
    refused = run("run", sweep(wide), "-o", tmp_path / "out.h5", "--resume", "--seed", 6, status=2)
    assert "seed" in refused.stderr and not (tmp_path / "out.h5.journal").exists()


def test_resume_of_a_complete_run_runs_nothing(sweep, tmp_path):
    run("run", sweep(), "-o", tmp_path / "out.h5", "--quiet")
    before = datasets(tmp_path / "out.h5")
    again = run("run", sweep(), "-o", tmp_path / "out.h5", "--resume")
    assert replications_run(again) == 0
    assert before.keys() == datasets(tmp_path / "out.h5").keys()


def test_shards(reference, sweep, tmp_path):
    for shard in ("2/2", "1/2"):
        assert not (tmp_path / "out.h5").exists()
        run("run", sweep(), "-o", tmp_path / "out.h5", "--shard", shard, "--quiet")
    run("merge", tmp_path / "out.h5")
    assert_same(reference, tmp_path / "out.h5")


def test_merge_refuses_a_missing_shard(sweep, tmp_path):
    run("run", sweep(), "-o", tmp_path / "out.h5", "--shard", "1/2", "--quiet")
    refused = run("merge", tmp_path / "out.h5", status=2)
    assert "point" in refused.stderr and not (tmp_path / "out.h5").exists()
