"""python3 -m analysis.plot FILE: one figure of a sweep's HDF5 file, or of a trace, as PNG, SVG or PDF."""
import argparse
import os
import pathlib
import sys

from . import choice, plot_sweep, plot_trace, style
from .load import BadInput, open_sweep, open_trace

SWEEP_OPTIONS = {"y", "select"}
TRACE_OPTIONS = {"flow", "from_", "to"}
KINDS = {  # function, and which options it takes besides those of all figures
    "lines": (plot_sweep.lines, SWEEP_OPTIONS | {"x", "by", "models", "log", "linear"}),
    "heat": (plot_sweep.heat, SWEEP_OPTIONS | {"x", "by", "log", "linear"}),
    "cdf": (plot_sweep.cdf, SWEEP_OPTIONS | {"by", "log", "linear"}),
    "share": (plot_sweep.share, SWEEP_OPTIONS | {"x"}),
    "cwnd": (plot_trace.cwnd, TRACE_OPTIONS),
    "sequence": (plot_trace.sequence, TRACE_OPTIONS),
    "rtt": (plot_trace.rtt, TRACE_OPTIONS | {"log", "linear"}),
    "throughput": (plot_trace.throughput, TRACE_OPTIONS | {"window"}),
}
TRACE_KINDS = [name for name, (function, _) in KINDS.items() if function.__module__ == plot_trace.__name__]
FORMATS = ["png", "svg", "pdf"]
# No dates in the files: the same input gives the same bytes.
METADATA = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


class Options(argparse.Namespace):
    def scale(self, axis):
        """The scale that --log or --linear ask for, or None."""
        for kind in ("log", "linear"):
            if axis in (getattr(self, kind) or []):
                return kind
        return None


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadInput(message)


def names(text):
    return [name for name in text.split(",") if name]


def parser():
    p = Parser(prog="python3 -m analysis.plot", description=__doc__.split(": ", 1)[1], allow_abbrev=False,
               epilog="Without --x and --by a sweep is drawn along its longest axis of numbers, a curve for each value of the others.")
    p.add_argument("file", help="OUT.h5 of `tcpsweep run`, or FILE.csv of `tcpsweep one --trace`")
    p.add_argument("--kind", help=f"{', '.join(KINDS)} (lines; cwnd for a trace)")
    p.add_argument("--out", help="the figure: a name ending in .png, .svg or .pdf (FILE.png)")
    p.add_argument("--title", help="instead of the file's own")
    p.add_argument("--y", metavar="METRIC", help="metric (goodput); the colour of a heat map")
    p.add_argument("--x", metavar="AXIS", help="axis along the figure; several with commas for --kind share")
    p.add_argument("--by", metavar="AXIS[,AXIS]", type=names,
                   help="a curve for each value; the vertical axis of a heat map; `flow`: single flows")
    p.add_argument("--select", metavar="AXIS=VALUE", nargs="+", action="extend", help="only this value of an axis: mss=1460, delay=50ms")
    p.add_argument("--models", metavar="NAME[,NAME]", help="analytic models as dashed curves; all: all that apply")
    p.add_argument("--log", metavar="x|y|x,y", type=names, help="these axes logarithmic (otherwise by the spread of the data)")
    p.add_argument("--linear", metavar="x|y|x,y", type=names, help="these axes linear")
    p.add_argument("--flow", metavar="NAME[,NAME]", type=names, help="trace: only these flows")
    p.add_argument("--from", dest="from_", metavar="TIME", help="trace: from this time on")
    p.add_argument("--to", metavar="TIME", help="trace: up to this time")
    p.add_argument("--window", metavar="TIME", help="averaging interval of --kind throughput")
    return p


def check(options):
    """Fills in defaults and refuses what the kind of figure does not take."""
    is_trace = pathlib.Path(options.file).suffix == ".csv"
    options.kind = options.kind or ("cwnd" if is_trace else "lines")
    if options.kind not in KINDS:
        raise choice.unknown("--kind", options.kind, "kind", list(KINDS))
    if is_trace != (options.kind in TRACE_KINDS):
        wants = "a trace (FILE.csv)" if options.kind in TRACE_KINDS else "a sweep's output (OUT.h5)"
        raise BadInput(f"{options.file}: --kind {options.kind} is drawn from {wants}, expected one")
    takes = KINDS[options.kind][1]
    for name in sorted(set().union(*(o for _, o in KINDS.values()))):
        if getattr(options, name) is not None and name not in takes:
            raise BadInput(f"--{name.strip('_')}: not for --kind {options.kind}, expected "
                           + ", ".join(f"--{o.strip('_')}" for o in sorted(takes)))
    for axis in (options.log or []) + (options.linear or []):
        if axis not in ("x", "y"):
            raise BadInput(f"--log, --linear {axis}: unknown axis, expected x, y or x,y")
    options.y = options.y or "goodput"
    options.out = options.out or str(pathlib.Path(options.file).with_suffix(".png"))
    if pathlib.Path(options.out).suffix[1:] not in FORMATS:
        raise BadInput(f"--out {options.out}: unknown format, expected a name ending in .{', .'.join(FORMATS)}")


def draw(arguments):
    """The figure that the command's arguments ask for, and the options."""
    options = parser().parse_args(arguments, Options())
    check(options)
    function, _ = KINDS[options.kind]
    with style.styled():
        if options.kind in TRACE_KINDS:
            return function(options.file, open_trace(options.file), options), options
        return function(options.file, choice.select(open_sweep(options.file), options.select or []), options), options


def draw_loaded(data, arguments):
    """The same from (a part of) a sweep that is open already."""
    options = parser().parse_args(arguments, Options())
    check(options)
    with style.styled():
        return KINDS[options.kind][0](options.file, data, options)


def save(figure, path):
    """Writes the figure beside its place, then renames: no half a file."""
    form = pathlib.Path(path).suffix[1:]
    part = f"{path}.tmp"
    try:
        with style.styled():
            figure.savefig(part, format=form, dpi=style.DPI, metadata=METADATA[form])
        os.replace(part, path)
    except OSError as error:
        raise BadInput(f"--out {path}: cannot write: {error.strerror}, expected a file that can be written") from error


def main(arguments=None):
    try:
        figure, options = draw(arguments)
        save(figure, options.out)
    except BadInput as error:
        print(f"plot: {error}", file=sys.stderr)
        return 2
    print(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
