"""How all figures look: colours that the colour-blind can tell apart, markers, scales, titles, legends beside the data."""
import textwrap

import matplotlib
import numpy
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

# Okabe and Ito's palette without black, which is for models, and yellow, which is faint on white.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
DASHES = [(0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 1.5, 1.5, 1.5)), (0, (9, 2)), (0, (3, 1.5, 1, 1.5, 1, 1.5)), (0, (1, 3))]
HATCHES = ["", "///", "...", "\\\\\\", "xx"]
GREY, LOSS = "#555555", "#B22222"
HEAT = "cividis"
DPI = 150
LOG_FROM = 20  # largest to smallest value from which an axis is logarithmic
RC = {
    "font.size": 11, "axes.titlesize": 10, "legend.fontsize": 10, "axes.grid": True, "grid.color": "#DDDDDD", "grid.linewidth": 0.6,
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "lines.linewidth": 1.6, "lines.markersize": 6, "svg.hashsalt": "tcpsweep",
}


def styled():
    return matplotlib.rc_context(RC)


def new_figure(title, notes=()):
    """A figure and its axes; the title at its top left, the notes small below."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    figure.suptitle(textwrap.fill(title, 78), x=0.012, ha="left", fontsize=13, parse_math=False)
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)
    ax = figure.add_subplot()
    set_notes(ax, notes)
    return figure, ax


def set_notes(ax, notes):
    ax.set_title(textwrap.fill(" · ".join(notes), 95), loc="left", color=GREY, pad=8)


def colour(i):
    return COLOURS[i % len(COLOURS)]


def marker(i):
    return MARKERS[i % len(MARKERS)]


def spread(values):
    """Largest to smallest of the positive values; 1 if there is none, or a negative one."""
    values = numpy.asarray(values, dtype=float)
    values = values[numpy.isfinite(values)]
    if values.size == 0 or values.min() < 0 or values.max() <= 0:
        return 1
    return values.max() / values[values > 0].min()


def is_geometric(values):
    """Whether the gaps between some positive values are more even in their logarithms."""
    values = numpy.unique(numpy.asarray(values, dtype=float))
    values = values[values > 0]
    if values.size < 3 or values[-1] < 4 * values[0]:
        return False
    plain, logs = numpy.diff(values), numpy.diff(numpy.log(values))
    return logs.std() / logs.mean() < plain.std() / plain.mean()


def set_scale(axis, values, wanted=None, is_grid=False):
    """Scale of ax.xaxis or ax.yaxis: `wanted`, or what the values ask for by their spread, a grid's also by its gaps.

    On a logarithmic axis zeros keep a place.
    """
    wide = spread(values) >= LOG_FROM or (is_grid and is_geometric(values) and spread(values) > 1)
    kind = wanted or ("log" if wide else "linear")
    set_axis = axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale
    finite = numpy.asarray(values, dtype=float)
    finite = finite[numpy.isfinite(finite)]
    if kind == "log" and finite.size and finite.min() <= 0:
        _log_with_zero(axis, set_axis, finite)
        return "symlog"
    set_axis(kind)
    if kind == "log":
        log_ticks(axis, finite)
    return kind


def _log_with_zero(axis, set_axis, values):
    """Logarithmic from the smallest positive value on, with a place for 0 below it."""
    positive = values[values > 0]
    if positive.size == 0:
        return
    least, most = positive.min(), positive.max()
    set_axis("symlog", linthresh=least, linscale=0.6)
    powers = 10.0 ** numpy.arange(numpy.ceil(numpy.log10(least) - 1e-9), numpy.log10(most) + 0.2)
    axis.set_major_locator(FixedLocator([0, *powers]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(_log_formatter(least, most))
    axis.set_view_interval(-0.15 * least, most * 1.5, ignore=True)


def _log_formatter(least, most):
    plain = least > 0.009 and most < 2e5
    return FuncFormatter(lambda v, _: f"{v:g}" if plain or v == 0 else _power_of_ten(v))


def log_ticks(axis, values):
    """Plain numbers where they are short, else powers of ten; also at 2 and 5 where the powers alone would be too few."""
    positive = numpy.asarray(values)[numpy.asarray(values) > 0]
    if positive.max() < 300 * positive.min():
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(_log_formatter(positive.min(), positive.max()))


def _power_of_ten(v):
    exponent = int(numpy.floor(numpy.log10(v) + 1e-9))
    digit = round(v / 10.0**exponent)
    return f"$10^{{{exponent}}}$" if digit == 1 else f"${digit}\\cdot10^{{{exponent}}}$"


def from_zero(ax, values):
    """A linear y axis starts at 0 unless that would squeeze the data."""
    values = numpy.asarray(values, dtype=float)
    values = values[numpy.isfinite(values)]
    if values.size and 0 <= values.min() <= 0.6 * values.max():
        ax.set_ylim(bottom=0)


def legend_right(ax, title=None):
    handles, texts = ax.get_legend_handles_labels()
    if len(handles) > 0:
        texts = [textwrap.fill(text, 24) for text in texts]
        legend = ax.legend(handles, texts, title=title, loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0,
                           alignment="left", handlelength=2.5)
        for shown, handle in zip(legend.legendHandles, handles):
            if handle in ax.lines and handle.get_gid() == "model":  # its dashes alone
                shown.set_marker("")


def legend_below(ax, columns=4):
    handles, texts = ax.get_legend_handles_labels()
    if handles:
        legend = ax.legend(handles, texts, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=min(columns, len(handles)),
                           borderaxespad=0)
        for handle in legend.legendHandles:  # the small dots of long traces
            handle.set_alpha(1)
            if hasattr(handle, "set_markersize"):
                handle.set_markersize(max(handle.get_markersize(), 6))
