"""python3 -m analysis.reproduce [ID ...]: runs the published experiments and says what of them holds.

A table on the terminal and in FOLDER/table.csv: experiment, what is published, what was simulated (99 % interval), verdict. With
one ID also its sweep file and its plot. Exit status 1 if a verdict is not the one that the experiment notes as its own.
"""
import argparse
import csv
import os
import pathlib
import shutil
import sys
import textwrap
import time

import numpy

from . import experiments, plot
from .experiments import results

COLUMNS = ["experiment", "title", "finding", "published", "simulated", "verdict", "expected"]


def parser():
    p = argparse.ArgumentParser(prog="python3 -m analysis.reproduce", description=__doc__.split(": ", 1)[1], allow_abbrev=False)
    p.add_argument("ids", metavar="ID", nargs="*", help="experiments such as 0.7, or documents such as 1. (all)")
    p.add_argument("--out", default="build/reproduce", help="folder for the table, outputs and plots (build/reproduce)")
    p.add_argument("--plots", action="store_true", help="a plot of each, as one alone has it")
    p.add_argument("--quick", action="store_true", help="only those that take a moment")
    p.add_argument("--check", action="store_true", help="one line a finding, and a count at the end, as the tests want it")
    return p


def chosen(options):
    known = experiments.load()
    if not options.ids:
        return [e for e in known.values() if e.is_quick or not options.quick]
    wanted = {}
    for name in options.ids:
        found = {i: e for i, e in known.items() if i == name or (name.endswith(".") and i.startswith(name))}
        if not found:
            sys.exit(f"reproduce: no experiment {name}, expected one of {', '.join(known)}")
        wanted.update({i: e for i, e in found.items() if e.is_quick or not options.quick})
    return list(wanted.values())


def rows_of(experiment):
    return [[experiment.id, experiment.title, f.label, f.published, f.simulated, f.verdict, f.expected]
            for f in experiment.findings]


def print_findings(experiment):
    width = max(72, shutil.get_terminal_size((112, 24)).columns)
    indent = " " * 17
    for f in experiment.findings:
        mark = f"{f.verdict}" if f.is_expected else f"{f.verdict} (!)"
        for i, line in enumerate(textwrap.wrap(f.label, width - len(indent))):
            print(f"{f'  {mark}' if i == 0 else '':17}{line}")
        for word, text in (("published", f.published), ("simulated", f.simulated)):
            if text:
                print(textwrap.fill(f"{word:10} {text}", width, initial_indent=indent, subsequent_indent=indent + " " * 11))


def run_one(experiment, options, folder, is_kept):
    start = time.monotonic()
    experiment.keep = folder / f"{experiment.id}.h5" if is_kept else None
    print(f"{experiment.id} {experiment.title}", flush=True)
    try:
        experiment.judge(experiment)
    except (RuntimeError, FileNotFoundError) as error:
        experiment.note("runs to its end", "", str(error), "failed", "agrees")
    if options.check:
        for f in experiment.findings:
            print(f"{'ok  ' if f.is_expected else 'FAIL'} {f.label}: {f.verdict}"
                  f"{'' if f.is_expected else ', expected ' + f.expected}, {f.simulated}")
    else:
        print_findings(experiment)
        print(f"{'':17}{time.monotonic() - start:.1f} s\n", flush=True)


def show_settings(experiment):
    path = results.sweep_file(experiment.id)
    print(f"{path.relative_to(results.ROOT)}\n")
    print(textwrap.indent(path.read_text(), "  "))


def usual_plot(experiment, source):
    """What is drawn, and how: along an axis of numbers, else the distribution of runs, else the trace of the only one."""
    with results.Results(source) as r:
        axes = {name: values for name, values in r.axes.items() if len(values) > 1}
        if any(not isinstance(value, str) for values in axes.values() for value in values):
            return source, []
        if numpy.max(r.file["goodput_n"][...]) > 1:
            return source, ["--kind", "cdf", *(["--by", ",".join(axes)] if axes else [])]
    rows = source.with_suffix(".csv")
    events = set(results.trace(experiment.id, keep=rows).event)
    return rows, ["--kind", "cwnd" if "cwnd" in events else "rtt", "--title", f"{experiment.id} {experiment.title}"]


def draw(experiment, folder):
    source, target = folder / f"{experiment.id}.h5", folder / f"{experiment.id}.png"
    if not source.exists():
        results.run(experiment.id, keep=source).file.close()
    source, words = (source, experiment.plot) if experiment.plot else usual_plot(experiment, source)
    if plot.main([str(source), "--out", str(target), *words]):
        raise RuntimeError(f"{experiment.id}: no plot")


def main(arguments=None):
    options = parser().parse_args(arguments)
    wanted = chosen(options)
    folder = pathlib.Path(options.out)
    os.makedirs(folder, exist_ok=True)
    is_alone = len(wanted) == 1 and not options.check
    if is_alone:
        show_settings(wanted[0])
    for experiment in wanted:
        run_one(experiment, options, folder, is_alone or options.plots)
        if is_alone or options.plots:
            draw(experiment, folder)
    rows = [row for experiment in wanted for row in rows_of(experiment)]
    if not options.check:
        with open(folder / "table.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *rows])
        print(f"{len(wanted)} experiments, {len(rows)} findings: {folder / 'table.csv'}")
    failed = sum(verdict != expected for *_, verdict, expected in rows)
    print(f"{len(rows) - failed} passed, {failed} failed" if options.check else
          f"{failed} verdicts are not the expected ones" if failed else "all verdicts are the expected ones")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
