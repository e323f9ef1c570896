"""The README's congestion control of one's own: its file and its line make a program that has it."""
import os
import pathlib
import re
import shutil
import subprocess

import numpy
import pytest
from conftest import TCPSWEEP, datasets

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(TCPSWEEP).resolve().parent
SOURCES = ["Makefile", "kernels", "src", "analysis"]

SWEEP = """
duration: 20 s
replications: 5
common_random_numbers: true
path:
  - {name: link, rate: 10 Mbit/s, delay: 20 ms, per: 1e-3, queue: 20 packets}
tcp: {recovery: sack, receive_window: 256 KiB, aimd_a: 0.5, aimd_b: 0.75}
app: {kind: bulk}
axes:
  tcp.cc: [toy, aimd, reno]
"""


def readme(pattern):
    (found,) = re.findall(pattern, (ROOT / "README.md").read_text(), re.M | re.S)
    return found


def copy(source, target):
    """With its times, so that make builds again only what is new."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    elif source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def make(tree):
    """Builds the program of the same kind as the one under test; returns what make printed."""
    kind = BUILD.name.split("-")
    flags = [f"MPI={int('nompi' not in kind)}", *(f"{flag}=1" for flag, name in
             (("SAN", "san"), ("DEBUG", "debug"), ("NATIVE", "native")) if name in kind)]
    return subprocess.run([os.environ.get("MAKE", "make"), "-C", tree, "all", *flags], capture_output=True, text=True,
                          check=True).stdout


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """The built program, and what make printed."""
    if BUILD.parent != ROOT / "build":
        pytest.skip("TCPSWEEP is not a build of this tree")
    tree = tmp_path_factory.mktemp("toy")
    for name in SOURCES:
        copy(ROOT / name, tree / name)
    for name in ("kernels", "src", "analysis", "build_info.h"):
        copy(BUILD / name, tree / "build" / BUILD.name / name)
    (tree / "kernels/cc/toy.c").write_text(readme(r"^```c\n(/\* toy\.c.*?)^```"))
    registry = tree / "kernels/registry.def"
    last = re.findall(r"^CC\(\w+\)\n", registry.read_text(), re.M)[-1]
    registry.write_text(registry.read_text().replace(last, f"{last}{readme(r'`(CC.toy.)`')}\n"))
    return tree / "build" / BUILD.name / "tcpsweep", make(tree)


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


def test_little_is_built_again(toy):
    compiled = re.findall(r"^  CC \S+/(\w+)\.o$", toy[1], re.M)
    assert {"toy", "registry"} <= set(compiled) and len(compiled) <= 4


def test_list_shows_it_with_its_source(toy):
    (line,) = [line for line in run(toy[0], "list", "cc").splitlines() if line.startswith("  toy ")]
    assert "half a segment" in line and "[README]" in line


def test_sweep_runs_it(toy, tmp_path):
    """It is aimd with a = 0.5 and b = 0.75, to the last bit, and not reno."""
    (tmp_path / "toy.yaml").write_text(SWEEP)
    run(toy[0], "run", str(tmp_path / "toy.yaml"), "-o", str(tmp_path / "toy.h5"))
    data = datasets(tmp_path / "toy.h5")
    order = [name.decode() if isinstance(name, bytes) else name for name in data["cc"]]
    goodput = dict(zip(order, numpy.asarray(data["goodput"])))
    assert 1e6 < goodput["toy"] < 1e7
    assert goodput["toy"] == goodput["aimd"] != goodput["reno"]
