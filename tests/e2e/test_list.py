"""`tcpsweep list` and `tcpsweep models`: everything that the sources register is shown, with its source."""
import os
import pathlib
import re
import subprocess

import pytest

TCPSWEEP = os.path.abspath(os.environ.get("TCPSWEEP", "./tcpsweep"))
ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*arguments, status=0, columns=None):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run([TCPSWEEP, *arguments], capture_output=True, text=True,
                          env=environment | ({"COLUMNS": str(columns)} if columns else {}))
    assert done.returncode == status, done.stderr
    return done


def lines_of(group):
    """Name -> line of a group."""
    lines = run("list", group).stdout.splitlines()[1:]
    return {line.split()[0]: line for line in lines if line.startswith("  ") and line.split()[0] != "="}


def symbols_of(folder):
    """Tables of operations of a kind, as registry.def lists them."""
    names = re.findall(rf"^{folder.upper()}\((\w+)\)$", (ROOT / "kernels/registry.def").read_text(), re.M)
    return [f"{folder}_{name}" for name in names]


def registered(kind, folder):
    """Names of the items in kernels/FOLDER that registry.def lists."""
    names = []
    for symbol in symbols_of(kind):
        for path in (ROOT / "kernels" / folder).glob("*.c"):
            found = re.search(rf"\b{symbol} = \{{\s*\.item = \{{\s*(?:\.name = )?\"(\w+)\"", path.read_text())
            if found:
                names.append(found.group(1))
    return names


@pytest.mark.parametrize("kind, folder, group", [
    ("cc", "cc", "cc"), ("recovery", "recovery", "recovery"), ("error", "error", "errors"), ("queue", "queue", "queues"),
    ("managed", "queue", "managed"), ("station", "station", "stations"), ("app", "app", "apps")])
def test_registry_is_listed_with_sources(kind, folder, group):
    names, lines = registered(kind, folder), lines_of(group)
    assert len(names) == len(symbols_of(kind)) > 0
    assert sorted(lines) == sorted(names)
    for line in lines.values():
        assert re.search(r"\S+ +\S.*\[[^]]+\]", line)


@pytest.mark.parametrize("group, macro", [("algorithms", "ALGORITHM"), ("dialects", "DIALECT")])
def test_bundles(group, macro):
    names = re.findall(rf"^{macro}\((\w+),", (ROOT / "src/dialects.def").read_text(), re.M)
    lines = lines_of(group)
    assert sorted(lines) == sorted(names)
    assert all("[" in line for line in lines.values())


def test_guesses_are_marked():
    assert "guess" in lines_of("dialects")["netsim"]


def test_metrics_and_models():
    metrics = re.findall(r"^METRIC\((\w+),", (ROOT / "kernels/metrics.def").read_text(), re.M)
    assert sorted(lines_of("metrics")) == sorted(metrics)
    models = {path.stem for path in (ROOT / "analysis/models").glob("*.c")} - {"models", "model_input", "response", "formulas"}
    assert set(lines_of("models")) == models


def test_parameters():
    keys = re.findall(r"^PARAM\(\w+, \"([^\"]+)\"", (ROOT / "src/params.def").read_text(), re.M)
    text = run("list", "parameters").stdout
    for key in keys:
        assert re.search(rf"^  {re.escape(key)} ", text, re.M), key


def test_aliases():
    assert "sack1" in lines_of("algorithms")["sack"]


def test_all_groups_at_once():
    text = run("list").stdout
    for group in ("algorithms", "cc", "recovery", "dialects", "errors", "queues", "managed", "stations", "apps", "metrics", "models", "parameters"):
        assert run("list", group).stdout in text


@pytest.mark.parametrize("columns", [80, 100])
def test_lines_fit_a_terminal(columns):
    """The same words as in the long lines, broken with an indent, only where the line is full."""
    text, broken = run("list").stdout, run("list", columns=columns).stdout
    lines = broken.splitlines()
    assert max(len(line) for line in lines if len(line.split()) > 1) <= columns  # one word may be longer
    assert len(lines) > len(text.splitlines())
    assert broken.split() == text.split()
    for line, after in zip(lines, lines[1:]):
        if after.startswith(" " * 20) and not after.lstrip().startswith("="):
            assert len(line) + 1 + len(re.match(r"(?:`[^`]*`|[^` ])+", after.lstrip()).group()) > columns, after


def test_help_fits_and_names_the_groups():
    lines = run("list", "--help").stdout.splitlines()
    assert max(map(len, lines)) <= 100
    groups = [line.split()[0] for line in lines if line.startswith("  ")]
    assert [line.split()[0] for line in run("list").stdout.splitlines() if line and line[0] != " "] == groups


def test_long_lists_of_names_are_not_repeated():
    """A key that takes many names says where they are."""
    line = re.search(r"^  algorithm .*", run("list", "parameters").stdout, re.M).group()
    assert "one of `tcpsweep list algorithms`" in line and "cubic" not in line


def test_unknown_group():
    done = run("list", "colours", status=2)
    assert done.stderr.count("\n") == 1 and "models" in done.stderr


# --- models ------------------------------------------------------------------------------------------------------------

def values_of(*arguments):
    lines = run("models", *arguments).stdout.splitlines()
    return {line.split()[0]: line.split()[1] for line in lines[3:] if line and not line.startswith("-")}


def test_models_of_seed_000():
    lossless = values_of("--mss", "1460B", "--rtt", "104.096 ms", "--window", "44", "--rate", "10 Mbit/s")
    assert lossless["window_limited"] == "4.93698" and lossless["pftk"] == "-"
    lossy = values_of("--mss", "1460 B", "--rtt", "100 ms", "--loss", "0.0012", "--window", "65535 B", "--rto", "1 s")
    assert lossy["square_root"] == "4.1295" and lossy["kurose_ross"] == "4.04283" and lossy["window_limited"] == "-"


def test_models_over_a_list():
    lines = run("models", "--ber", "1e-7,1e-6", "--mss", "500 B, 1460 B").stdout.splitlines()
    assert len(lines) == 5
    assert lines[0].split()[:3] == ["mss", "ber", "p"]


@pytest.mark.parametrize("arguments", [["--mss", "1460"], ["--loss", "2"], ["--loss", "0.1", "--ber", "1e-6"], ["--rtt"],
                                       ["--colour", "red"], ["more"]])
def test_models_bad_input(arguments):
    done = run("models", *arguments, status=2)
    assert done.stdout == "" and done.stderr.count("\n") == 1
