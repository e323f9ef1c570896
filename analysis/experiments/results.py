"""Runs the sweep file of an experiment and reads what a judgement needs of its output."""
import json
import os
import pathlib
import subprocess
import tempfile
from typing import NamedTuple

import h5py
import numpy

from ..load import open_trace

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TCPSWEEP", str(ROOT / "tcpsweep"))


class Sample(NamedTuple):
    """A metric over replications."""
    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, values):
        values = numpy.asarray(values, float)
        values = values[numpy.isfinite(values)]
        return cls(float(values.mean()) if len(values) else float("nan"),
                   float(values.std(ddof=1)) if len(values) > 1 else 0.0, len(values))


class Results:
    """Output of a run; only what is asked for is read. A place is given by the axes' names, numbers by the nearest."""

    def __init__(self, path):
        self.file = h5py.File(path)
        self.axes = {}
        for dimension in self.file["goodput"].dims:
            values = dimension[0]
            self.axes[values.name.split("/")[-1]] = [v.decode() if isinstance(v, bytes) else v for v in values[...]]
        rows = self.file.get("flow/flow")
        self.flows = [name.decode() for name in rows[...]] if rows is not None else []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    @staticmethod
    def _place(values, wanted):
        if isinstance(wanted, str):
            return [v.decode() if isinstance(v, bytes) else v for v in values].index(wanted)
        return int(numpy.abs(numpy.asarray(values, float) - wanted).argmin())

    def select(self, name, **where):
        """Values of a dataset at given places of its axes."""
        data = self.file[name]
        index = []
        for dimension in data.dims:
            wanted = where.get(dimension[0].name.split("/")[-1])
            index.append(slice(None) if wanted is None else self._place(dimension[0][...], wanted))
        return numpy.squeeze(data[tuple(index)])

    def sample(self, metric, flow=None, **where):
        """A metric at a point: of one flow (number or name), or of all together."""
        group = "" if flow is None else "flow/"
        where = where if flow is None else {**where, "flow": self.flows[flow] if isinstance(flow, int) else flow}
        return Sample(*(float(self.select(f"{group}{metric}{part}", **where)) for part in ("", "_sd")),
                      int(self.select(f"{group}{metric}_n", **where)))

    def values(self, metric, **where):
        """A metric of all flows together, by replication, at a point (axes not given must have one value)."""
        sizes = [len(values) for values in self.axes.values()]
        index = [self._place(values, where[name]) if name in where else 0 for name, values in self.axes.items()]
        point = int(numpy.ravel_multi_index(index, sizes)) if sizes else 0
        rows = self.file["replications"]
        return rows[metric][rows["point"][...] == point].astype(float)


def sweep_file(name):
    """Path of an experiment's sweep file, by its number."""
    found = sorted((ROOT / "sweeps").glob(f"seed*/{name}-*.yaml"))
    if len(found) != 1:
        raise FileNotFoundError(f"sweeps/seed*/{name}-*.yaml: {len(found)} files, expected one")
    return found[0]


def _tcpsweep(*arguments):
    done = subprocess.run([PROGRAM, *arguments], check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"tcpsweep {' '.join(arguments)}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def _settings(sets):
    return [word for one in sets for word in ("--set", one)]


def run(name, sets=(), replications=None, keep=None):
    """Results of an experiment's sweep; `keep`: where the output is to stay."""
    with tempfile.TemporaryDirectory(prefix="tcpsweep_reproduce_") as folder:
        out = str(keep or pathlib.Path(folder, "out.h5"))
        words = ["run", str(sweep_file(name)), "-o", out, "--quiet", *_settings(sets)]
        if keep:
            words.append("--force")
        if replications:
            words += ["--replications", str(replications)]
        _tcpsweep(*words)
        return Results(out)  # an open file outlives its name


def one(name, sets=()):
    """What `tcpsweep one --json` says of a replication."""
    return json.loads(_tcpsweep("one", str(sweep_file(name)), "--json", *_settings(sets)))


def trace(name, sets=(), keep=None):
    """Trace of one replication as a table; `keep`: where the file is to stay."""
    with tempfile.TemporaryDirectory(prefix="tcpsweep_reproduce_") as folder:
        out = str(keep or pathlib.Path(folder, "trace.csv"))
        _tcpsweep("one", str(sweep_file(name)), "--trace", out, *_settings(sets))
        return open_trace(out)
