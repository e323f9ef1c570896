"""The README's own example: its sweep file, its shell commands and its Python lines, as they stand there."""
import os
import pathlib
import re
import subprocess
import sys

TCPSWEEP = os.path.abspath(os.environ.get("TCPSWEEP", "./tcpsweep"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def test_commands_work_as_written(tmp_path):
    (tmp_path / "first.yaml").write_text(blocks("yaml")[0])
    (tmp_path / "tcpsweep").symlink_to(TCPSWEEP)
    (tmp_path / "analysis").symlink_to(ROOT / "analysis")
    commands = "".join(blocks("sh"))
    assert commands.count("./tcpsweep") >= 7
    commands = f'python3() {{ "{sys.executable}" "$@"; }}\n{commands}'  # the one that has what the tests need
    subprocess.run(["bash", "-e"], input=commands, cwd=tmp_path, text=True, check=True)
    done = subprocess.run([sys.executable], input=blocks("python")[0], cwd=tmp_path, text=True, capture_output=True, check=True)
    goodput, half_width = map(float, done.stdout.split())
    assert 1e6 < goodput < 1e7
    assert 0 < half_width < 0.05e7
    for block in blocks("python")[1:]:
        subprocess.run([sys.executable], input=block, cwd=tmp_path, text=True, check=True)


def test_files_and_targets_exist():
    for path in re.findall(r"`((?:kernels|src|analysis|tests|slurm|sweeps)/[\w./*]*)`", README):
        assert list(ROOT.glob(path.rstrip("/"))), path
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"(?:`|^ +)make ([a-z][\w-]*)", README, re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_subcommands_exist():
    text = subprocess.run([TCPSWEEP, "--help"], capture_output=True, text=True, check=True).stdout
    for name in set(re.findall(r"\./tcpsweep ([a-z]+)", README)):
        assert re.search(rf"^  {name} ", text, re.M), name
