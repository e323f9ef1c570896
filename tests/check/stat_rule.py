"""stat_rule.py - the statistical rule by which means are compared with a reference, and what the checks share.

A cell (a reference mean of n runs) passes when the difference is at most max(r x mean, t(n-1, 1 - 0.0025/cells) x se):
r is the relative tolerance, cells the number compared, se the standard error of the difference, with the reference's
coefficient of variation pooled over neighbouring cells, since its n is small. Our own standard error must be at most a
third of the reference's. Over all judged cells the mean signed relative difference must stay below a limit too: that is
the strong test.
"""
import csv
import math
import os
import statistics
import subprocess
import tempfile
from dataclasses import dataclass

from scipy.stats import t as student

CELL_ERROR = 0.0025  # of all cells together, one-sided
OWN_SHARE = 1 / 3  # our standard error, of the reference's
NORMAL_95 = 1.96
PROGRAM = os.environ.get("TCPSWEEP", "./tcpsweep")
LONG = bool(os.environ.get("TCPSWEEP_LONG"))


@dataclass
class Cell:
    label: str
    neighbours: object  # cells with an equal value share their coefficient of variation
    reference: float
    reference_sd: float
    reference_n: int
    mean: float = math.nan
    sd: float = math.nan
    n: int = 0
    judged: bool = True
    note: str = ""


@dataclass
class Verdict:
    cell: Cell
    reference_se: float
    own_se: float
    difference: float  # relative, signed
    limit: float  # relative
    passed: bool
    text: str


def from_runs(label, neighbours, values, **more):
    """A cell from the reference's single runs."""
    sd = statistics.stdev(values) if len(values) > 1 else 0.0
    return Cell(label, neighbours, statistics.fmean(values), sd, len(values), **more)


def pooled_variation(cells):
    """Coefficient of variation by neighbourhood, weighted by degrees of freedom."""
    sums = {}
    for cell in cells:
        freedom = cell.reference_n - 1
        square, total = sums.get(cell.neighbours, (0.0, 0))
        sums[cell.neighbours] = (square + freedom * (cell.reference_sd / cell.reference)**2, total + freedom)
    return {key: math.sqrt(square / total) if total else 0.0 for key, (square, total) in sums.items()}


def replications(cells, most=3000, spare=1.0):
    """`replications:` of a sweep for cells of one neighbourhood: adaptive, until our standard error is small enough;
    spare: part of it that will do, where our mean may be larger than the reference's."""
    (variation,) = pooled_variation(cells).values()
    if variation == 0:
        return "30"  # deterministic points run once anyway
    half_width = spare * NORMAL_95 * OWN_SHARE * variation / math.sqrt(max(cell.reference_n for cell in cells))
    if LONG:
        half_width /= 2
    return (f"{{min: 30, max: {most}, until: {{metric: goodput, half_width: {100 * half_width:.4g} %, "
            "confidence: 95 %}}")


def by_neighbourhood(items, key):
    """{neighbourhood: items} in order of appearance."""
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def cell_limit(cell, se, tolerance, cells):
    """Largest relative difference that passes."""
    noise = 0.0
    if cell.reference_n > 1:
        noise = student.ppf(1 - CELL_ERROR / cells, cell.reference_n - 1) * se / cell.reference
    return max(tolerance, noise)


def judge(cells, tolerance, signed_limit):
    """Verdicts of all cells, mean signed relative difference of the judged ones, and whether everything holds."""
    variation = pooled_variation(cells)
    judged = [cell for cell in cells if cell.judged]
    verdicts = []
    for cell in cells:
        reference_se = variation[cell.neighbours] * cell.reference / math.sqrt(cell.reference_n)
        own_se = cell.sd / math.sqrt(cell.n) if cell.n > 1 else 0.0
        difference = (cell.mean - cell.reference) / cell.reference
        limit = cell_limit(cell, math.hypot(reference_se, own_se), tolerance, max(1, len(judged)))
        close = abs(difference) <= limit  # False for NaN
        precise = own_se <= max(reference_se, 1e-3 * cell.reference) * OWN_SHARE
        text = "pass" if close and precise else "too few replications" if close else "FAIL"
        if not cell.judged:
            text = "not judged" + (f": {cell.note}" if cell.note else "")
        verdicts.append(Verdict(cell, reference_se, own_se, difference, limit, close and precise, text))
    differences = [verdict.difference for verdict in verdicts if verdict.cell.judged]
    signed = statistics.fmean(differences) if differences else math.nan
    passed = all(verdict.passed for verdict in verdicts if verdict.cell.judged) and abs(signed) <= signed_limit
    return verdicts, signed, passed


def report(title, verdicts, signed, signed_limit, passed, scale=1e6, unit="Mbit/s"):
    """Prints the table; returns the exit status."""
    width = max(len(verdict.cell.label) for verdict in verdicts)
    print(f"{title}\n{'cell':{width}} {'reference':>17} {'ours':>17} {'diff %':>7} {'limit %':>7}  verdict   ({unit})")
    for verdict in verdicts:
        cell = verdict.cell
        print(f"{cell.label:{width}} {cell.reference / scale:8.4f} ± {verdict.reference_se / scale:6.4f} "
              f"{cell.mean / scale:8.4f} ± {verdict.own_se / scale:6.4f} {100 * verdict.difference:7.2f} "
              f"{100 * verdict.limit:7.2f}  {verdict.text}")
    judged = [verdict for verdict in verdicts if verdict.cell.judged]
    good = sum(verdict.passed for verdict in judged)
    print(f"mean signed difference {100 * signed:+.2f} % (limit {100 * signed_limit:.1f} %)")
    grid = abs(signed) <= signed_limit
    print(f"{good + grid} passed, {len(judged) - good + (not grid)} failed")
    return 0 if passed else 1


def read_rows(directory, name):
    """Rows of a CSV file by column name; of columns with the same name the first."""
    with open(os.path.join(directory, name), newline="") as file:
        header, *rows = csv.reader(file)
    return [dict(zip(reversed(header), reversed(row))) for row in rows]


def run_sweep(text, group=None):
    """Runs a sweep file given as text; returns the output's xarray dataset (or that of a group), loaded."""
    import xarray

    with tempfile.TemporaryDirectory(prefix="tcpsweep_check_") as directory:
        sweep, output = os.path.join(directory, "sweep.yaml"), os.path.join(directory, "out.h5")
        with open(sweep, "w") as file:
            file.write(text)
        done = subprocess.run([PROGRAM, "run", sweep, "-o", output, "--quiet"], check=False)
        if done.returncode:
            raise SystemExit(f"{PROGRAM} run: exit status {done.returncode}, of this sweep file:\n{text}")
        return xarray.load_dataset(output, engine="h5netcdf", group=group)


def fill(cell, dataset, metric="goodput", **where):
    """Puts our figures of one grid point into a cell; numbers are looked up by value."""
    point = dataset
    for axis, value in where.items():
        method = "nearest" if isinstance(value, float) else None
        point = point.sel({axis: value}, method=method)
    cell.mean = float(point[metric])
    cell.sd = float(point[metric + "_sd"])
    cell.n = int(point[metric + "_n"])
