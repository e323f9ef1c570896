"""`tcpsweep run` and `plan`: outputs that are in the way, failed replications, options, launches, the build without MPI."""
import json
import os
import shutil
import subprocess

import pytest
from conftest import assert_same, datasets, environment, run, small_sweep, start
from test_crash import wait_for_records

FAILING = """
name: failing
seed: 3
duration: 30 s
replications: 3
path: [{name: link, rate: 1 Mbit/s, delay: 1 ms, per: 0.01}]
tcp: {algorithm: newreno}
app: {kind: cbr, packet: 1 B, interval: 10 ms}
axes: {app.interval: [10 ms, 10 ns]}
"""
QUICK = small_sweep(replications=3, ber="[1e-6]")


def test_table_and_file(sweep, tmp_path):
    done = run("run", sweep(), "-o", tmp_path / "out.h5")
    assert "tahoe" in done.stdout and str(tmp_path / "out.h5") in done.stdout
    assert "12 points" in done.stderr
    found = datasets(tmp_path / "out.h5")
    assert found["goodput"].shape == (3, 4)
    assert (found["goodput_n"][:, 0] == 1).all()  # no errors: nothing is random
    reasons = {str(reason, "utf-8") for reason in found["stop_reason"].flat}
    assert "deterministic" in reasons and reasons <= {"deterministic", "target", "max"}


def test_quiet(sweep, tmp_path):
    done = run("run", sweep(QUICK), "-o", tmp_path / "out.h5", "--quiet")
    assert done.stdout == "" and done.stderr == ""


def test_journal_goes_unless_kept(sweep, tmp_path):
    run("run", sweep(QUICK), "-o", tmp_path / "kept.h5", "--quiet")
    assert (tmp_path / "kept.h5.journal").is_dir()
    run("run", sweep(QUICK.replace("keep_journal: true", "")), "-o", tmp_path / "out.h5", "--quiet")
    assert not (tmp_path / "out.h5.journal").exists()


def test_options_override_the_file(sweep, tmp_path):
    run("run", sweep(QUICK), "-o", tmp_path / "out.h5", "--quiet", "--set", "tcp.algorithm=reno", "--replications", 5,
        "--seed", 9)
    found = datasets(tmp_path / "out.h5")
    assert found["goodput"].shape == (1, 1) and found["goodput_n"][0, 0] == 5


def test_existing_output_is_refused(sweep, tmp_path):
    path, output = sweep(QUICK.replace("keep_journal: true", "")), tmp_path / "out.h5"
    run("run", path, "-o", output, "--quiet")
    content = output.read_bytes()
    refused = run("run", path, "-o", output, status=2)
    assert refused.stderr.count("\n") == 1 and "--resume" in refused.stderr and "--force" in refused.stderr
    assert output.read_bytes() == content and not (tmp_path / "out.h5.journal").exists()
    run("run", path, "-o", output, "--quiet", "--force")


def test_existing_journal_is_refused(sweep, tmp_path):
    path, output = sweep(small_sweep(duration="20000 s")), tmp_path / "out.h5"
    run("run", path, "-o", output, "--quiet", "--time-limit", "1 s", status=75)
    refused = run("run", path, "-o", output, status=2)
    assert "--resume" in refused.stderr and "--force" in refused.stderr
    another_seed = run("run", path, "-o", output, "--resume", "--seed", 77, status=2)
    assert "seed" in another_seed.stderr
    run("run", sweep(QUICK), "-o", output, "--quiet", "--force")
    assert datasets(output)["goodput"].shape == (3, 1)


def test_second_writer_is_refused(sweep, tmp_path):
    path, output = sweep(small_sweep(duration="20000 s")), tmp_path / "out.h5"
    first = start("run", path, "-o", output)
    wait_for_records(tmp_path / "out.h5.journal")
    for flag in ("--resume", "--force"):
        refused = run("run", path, "-o", output, flag, status=2)
        assert "in use" in refused.stderr
    first.terminate()
    first.communicate(timeout=60)
    assert first.returncode == 75


@pytest.mark.parametrize("output", ["no/such/folder/out.h5", "folder", "folder/", "file/out.h5"])
def test_bad_output(output, sweep, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    before = sorted(tmp_path.rglob("*"))
    path = sweep(QUICK)
    refused = run("run", path, "-o", f"{tmp_path}/{output}", status=2)
    assert refused.stderr.count("\n") == 1 and "expected" in refused.stderr
    assert sorted(tmp_path.rglob("*")) == sorted([*before, path])


def test_not_a_file(sweep):
    refused = run("run", sweep(QUICK), "-o", "/dev/full", status=2)
    assert "/dev/full" in refused.stderr


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 300 KiB, which can be enlarged."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("cannot mount a file system here")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_full_disk(small_disk, sweep, tmp_path):
    """What fitted is kept: with more room the run goes on to the same numbers."""
    path = sweep(small_sweep(replications=200))
    full = run("run", path, "-o", small_disk / "out.h5", status=1)
    assert "No space left" in full.stderr and "out.h5.journal" in full.stderr
    assert not (small_disk / "out.h5").exists()
    subprocess.run(["mount", "-o", "remount,size=50m", small_disk], check=True)
    resumed = run("run", path, "-o", small_disk / "out.h5", "--resume")
    assert int(resumed.stderr.split(" replications found")[0].split()[-1]) > 100
    run("run", path, "-o", tmp_path / "fresh.h5", "--quiet")
    assert_same(small_disk / "out.h5", tmp_path / "fresh.h5")


@pytest.mark.parametrize("arguments", [
    ["--threads", "0"], ["--threads", "x"], ["--shard", "3/2"], ["--shard", "1"], ["--time-limit", "5"],
    ["--replications", "-1"], ["--replications", "0"], ["--seed", "1.5"], ["--resume", "--force"], ["--set", "tcp.mss"],
    ["--set", "tcp.ms=1460 B"], ["--no-such-option"], ["--force", "--shard", "1/2"], ["second.yaml"], ["--seed"],
])
def test_bad_options(arguments, sweep, tmp_path):
    path = sweep(QUICK)
    refused = run("run", path, "-o", tmp_path / "out.h5", *arguments, status=2)
    assert refused.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == [path]


def test_no_output_named(sweep):
    assert "-o" in run("run", sweep(QUICK), status=2).stderr


def test_failed_replications_do_not_end_the_sweep(sweep, tmp_path):
    done = run("run", sweep(FAILING), "-o", tmp_path / "out.h5", status=3)
    assert done.stderr.count("interval=10 ns replication") == 3
    found = datasets(tmp_path / "out.h5")
    assert found["goodput_n"].tolist() == [3, 0]
    assert (found["replications/status"][:3] != found["replications/status"][3:]).all()
    run("run", sweep(FAILING), "-o", tmp_path / "ranks.h5", "--quiet", ranks=2, status=3)
    assert_same(tmp_path / "out.h5", tmp_path / "ranks.h5")


def test_singletons_are_refused(sweep, tmp_path):
    """N tasks that do not find each other would all run the whole sweep."""
    for variable in ("SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE"):
        refused = run("run", sweep(QUICK), "-o", tmp_path / "out.h5", status=1, env={variable: "4"})
        assert variable in refused.stderr and "mpirun" in refused.stderr
    assert not (tmp_path / "out.h5.journal").exists()


def test_too_many_threads_are_named(sweep, tmp_path):
    threads = len(os.sched_getaffinity(0)) + 1
    done = run("run", sweep(QUICK), "-o", tmp_path / "out.h5", "--threads", threads)
    assert f"warning: {threads} threads" in done.stderr


def test_where_leaves_points_out(sweep, tmp_path):
    text = small_sweep(replications=3, ber="[1e-6, 1e-5]") + 'where: "path.backbone.ber < 5e-6"\n'
    run("run", sweep(text), "-o", tmp_path / "out.h5", "--quiet")
    assert datasets(tmp_path / "out.h5")["goodput_n"].tolist() == [[3, 0]] * 3


def test_plan(sweep, tmp_path):
    plan = json.loads(run("plan", sweep(), "--json").stdout)
    assert plan["points"] == 12 and plan["deterministic"] == 3
    assert plan["replications"] == [3 + 9 * 20, 3 + 9 * 150]
    assert 0 < plan["cpu_s"][0] <= plan["cpu_s"][1] and plan["bytes_per_thread"] > 1000
    run("run", sweep(), "-o", tmp_path / "out.h5", "--quiet")
    found = datasets(tmp_path / "out.h5")
    packets = found["replications/sent"].sum()
    assert plan["packets"][0] / 3 < packets < plan["packets"][1] * 3
    after = run("plan", sweep(), "-o", tmp_path / "out.h5")
    assert f"{len(found['replications/sent'])}" in after.stdout


def test_list_and_show_do_not_start_mpi(sweep, tmp_path):
    """Only `run` is a parallel program: the others work where MPI does not."""
    broken = {"OMPI_MCA_pml": "none", "OMPI_MCA_btl": "none", "SLURM_NTASKS": "4"}
    run("run", sweep(QUICK), "-o", tmp_path / "out.h5", "--quiet")
    run("list", env=broken)
    run("show", tmp_path / "out.h5", env=broken)
    run("plan", sweep(QUICK), env=broken)


def test_version_and_help():
    assert run("--version").stdout.startswith("tcpsweep 0.1.0")
    for subcommand in ("run", "plan"):
        assert f"tcpsweep {subcommand}" in run(subcommand, "--help").stdout
    assert "run" in run("--help").stdout
    run(status=2)
    run("no-such-subcommand", status=2)


def test_build_without_mpi(sweep, tmp_path):
    """Without MPI (and with TCPSWEEP_LONG without the compiler's optimisation): the same numbers."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if not shutil.which("make"):
        pytest.skip("no make")
    debug = "1" if os.environ.get("TCPSWEEP_LONG") else "0"
    subprocess.run(["make", "-s", "-C", root, "MPI=0", f"DEBUG={debug}", "program"], check=True, env=environment() | {"MAKEFLAGS": ""})
    program = os.path.join(root, "build", "debug-nompi" if debug == "1" else "release-nompi", "tcpsweep")
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    assert "libmpi" not in linked
    path = sweep(QUICK)
    run("run", path, "-o", tmp_path / "mpi.h5", "--quiet")
    subprocess.run([program, "run", path, "-o", tmp_path / "out.h5", "--quiet"], check=True, env=environment())
    assert_same(tmp_path / "mpi.h5", tmp_path / "out.h5")
