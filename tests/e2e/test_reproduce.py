"""make reproduce: the published experiments."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

ENVIRONMENT = {**os.environ, "TCPSWEEP": os.path.abspath(os.environ.get("TCPSWEEP", "./tcpsweep"))}


def reproduce(*words):
    return subprocess.run([sys.executable, "-m", "analysis.reproduce", *words], cwd=ROOT, capture_output=True, text=True,
                          env=ENVIRONMENT, check=False)


def test_one_experiment_shows_settings_figures_and_plot(tmp_path):
    done = reproduce("2.2", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "app: {kind: ping, interval: 1 s}" in done.stdout
    assert "published  50.2 ms" in done.stdout and "simulated  50.08 ms" in done.stdout
    assert (tmp_path / "2.2.png").stat().st_size > 1000
    assert "Round 1: ping over 25 ms and 20 Mbit/s,round-trip time,50.2 ms,50.08 ms,agrees,agrees" in \
        (tmp_path / "table.csv").read_text()


def test_unknown_experiment_is_named(tmp_path):
    done = reproduce("0.77", "--out", str(tmp_path))
    assert done.returncode == 1 and "no experiment 0.77, expected one of 0.1" in done.stderr


def test_every_sweep_of_a_document_is_judged():
    sys.path.insert(0, str(ROOT))
    from analysis import experiments  # pylint: disable=import-outside-toplevel
    files = {path.name.split("-")[0] for path in pathlib.Path(ROOT, "sweeps").glob("seed*/*.yaml")}
    assert set(experiments.load()) == files
