"""Nothing finished is lost: kills, signals and time limits at any moment, then --resume to the same numbers."""
import contextlib
import os
import random
import signal
import time

import pytest
from conftest import LONG, assert_same, run, small_sweep, start

KILLS = 100 if LONG else 10
TEXT = small_sweep(duration="200 s")


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The sweep undisturbed: its output, and how long it takes."""
    folder = tmp_path_factory.mktemp("reference")
    (folder / "sweep.yaml").write_text(TEXT)
    began = time.monotonic()
    run("run", folder / "sweep.yaml", "-o", folder / "out.h5", "--quiet")
    return folder / "out.h5", time.monotonic() - began


def forget(output):
    for path in [output, *output.parent.glob(output.name + ".journal/*")]:
        path.unlink(missing_ok=True)


def kill(process, victim=None):
    """kill -9: the process and all its children, or only one of its ranks."""
    if victim:
        with contextlib.suppress(ProcessLookupError):  # has just ended
            os.kill(victim, signal.SIGKILL)
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)


def one_rank_of(mpirun):
    """mpirun ends the other ranks when one dies (killed itself, it would leave them to notice)."""
    for _ in range(600):
        with open(f"/proc/{mpirun.pid}/task/{mpirun.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        if children:
            return int(random.choice(children))
        time.sleep(0.05)
    raise AssertionError("mpirun starts no ranks")


@pytest.mark.parametrize("ranks, kills", [(0, KILLS), (2, 1 + KILLS // 5)])
def test_kill_and_resume(ranks, kills, reference, sweep, tmp_path):
    undisturbed, seconds = reference
    path, output = sweep(TEXT), tmp_path / "out.h5"
    random.seed(ranks)
    done = 0
    while done < kills:
        process = start("run", path, "-o", output, "--resume", "--quiet", ranks=ranks)
        victim = one_rank_of(process) if ranks else None
        time.sleep(random.uniform(0.05, 0.3 + 0.5 * seconds) + (0.3 if ranks else 0))
        if process.poll() is not None:  # was quicker: from the start again
            assert process.communicate() and process.returncode == 0
            assert_same(undisturbed, output)
            forget(output)
            continue
        kill(process, victim)
        done += 1
    run("run", path, "-o", output, "--resume", "--quiet", ranks=ranks)
    assert_same(undisturbed, output)


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """Some seconds of work on one thread, and its output undisturbed."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "sweep.yaml").write_text(small_sweep(duration="5000 s"))
    run("run", folder / "sweep.yaml", "-o", folder / "out.h5", "--quiet")
    return folder / "sweep.yaml", folder / "out.h5"


def wait_for_records(folder):
    for _ in range(600):
        if any(f.stat().st_size > 1000 for f in folder.glob("*.jrn")):
            return
        time.sleep(0.05)
    raise AssertionError("no records come")


def check_completes(slow, output):
    assert not output.exists()
    assert sum(f.stat().st_size for f in output.parent.glob(output.name + ".journal/*.jrn")) > 1000
    run("run", slow[0], "-o", output, "--resume", "--quiet")
    assert_same(slow[1], output)


@pytest.mark.parametrize("sent, ranks", [(signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGUSR1, 0),
                                         (signal.SIGUSR1, 2)])  # mpirun passes on no other
def test_signal_stops_in_order(sent, ranks, slow, tmp_path):
    output = tmp_path / "out.h5"
    process = start("run", slow[0], "-o", output, "--threads", 1, ranks=ranks)
    wait_for_records(tmp_path / "out.h5.journal")
    process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 75, errors
    assert "stopped" in errors and "--resume" in errors
    check_completes(slow, output)


def test_time_limit(slow, tmp_path):
    output = tmp_path / "out.h5"
    stopped = run("run", slow[0], "-o", output, "--threads", 1, "--time-limit", "1 s", status=75)
    assert "time limit" in stopped.stderr
    check_completes(slow, output)


def test_time_limit_from_slurm(sweep, tmp_path):
    end = str(int(time.time()) + 3)
    stopped = run("run", sweep(small_sweep(duration="20000 s")), "-o", tmp_path / "out.h5", status=75,
                  env={"SLURM_JOB_END_TIME": end})
    assert "time limit" in stopped.stderr


def test_torn_tail(sweep, tmp_path):
    """What a kill in the middle of a write leaves is cut, and run again."""
    path = sweep()
    run("run", path, "-o", tmp_path / "fresh.h5", "--quiet")
    run("run", path, "-o", tmp_path / "out.h5", "--shard", "1/1", "--quiet")
    journal = tmp_path / "out.h5.journal" / "shard-1-of-1.rank-0.jrn"
    os.truncate(journal, journal.stat().st_size * 2 // 3 + 1)
    run("run", path, "-o", tmp_path / "out.h5", "--resume", "--quiet")
    assert_same(tmp_path / "fresh.h5", tmp_path / "out.h5")
