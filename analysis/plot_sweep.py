"""Figures from a sweep's HDF5 file: curves with models, heat map, distribution of replications, shares of flows."""
import numpy
from matplotlib.colors import LogNorm, Normalize

from . import choice, style
from .load import BadInput, open_replications
from .units import coordinate_texts, human_unit, label, to_human, value_text, value_texts, words

CURVES_MOST = 24
BAND_FROM = 12    # points from which the interval is a band instead of bars
CELLS_TEXT = 120  # most cells with their value in them
SHARED = ["goodput", "throughput", "sent", "retransmitted"]  # metrics of which flows have a share


def title_of(data, options):
    return options.title or data.attrs.get("title") or data.attrs.get("name") or "sweep"


def numeric_first(data, dims):
    """The axis of numbers with the most values, the first of equals; any axis if none has numbers."""
    candidates = [d for d in dims if data[d].dtype.kind in "fiu"] or list(dims)
    return max(candidates, key=lambda d: data.sizes[d], default=None)


def default_by(data, variable, used):
    """All axes that are left, if that is one or two."""
    rest = choice.left_over(data, variable, used)
    return rest if len(rest) <= 2 else []


# --- curves ----------------------------------------------------------------------------------------------------------

def lines(path, data, options):
    """Metric against one axis, a curve for each value of others, and the models' predictions."""
    names = options.by or []
    varying = [d for d in data.stop_reason.dims if data.sizes[d] > 1] or list(data.stop_reason.dims)
    x = options.x or numeric_first(data, [d for d in varying if d not in names])
    if x is None:
        raise BadInput("this sweep has no axis, expected one to draw along")
    used = [choice.dimension(data, x, "--x")] + [choice.dimension(data, name, "--by") for name in names]
    y = choice.metric(data, options.y, [x, *names])
    names = names or default_by(data, y, used)
    used += [data[name].dims[0] for name in names]
    if data[x].dims[0] in used[1:]:
        raise BadInput(f"--by {','.join(names)}: {x} is along the x axis, expected another axis")
    choice.refuse_left_over(data, y, used, " or more axes in --by")
    if not numpy.isfinite(data[y].values).any():
        raise BadInput(f"--y {options.y}: no value at any of these points, expected another metric")
    models = choice.models(data, options.models) if options.models else []
    if models and data[y].attrs.get("units") != data[models[0]].attrs.get("units"):
        raise BadInput(f"--models {options.models}: models predict goodput, not {options.y}, expected --y goodput")
    return _draw_lines(data, x, y, names, models, options)


def _draw_lines(data, x, y, names, models, options):
    curves = list(choice.groups(data, names))
    if len(curves) > CURVES_MOST:
        raise BadInput(f"--by {','.join(names)}: {len(curves)} curves, expected at most {CURVES_MOST}; --select fewer")
    x_dim = data[x].dims[0]
    is_text = data[x].dtype.kind not in "fiu"
    if not is_text:
        data = data.sortby(x)
    x_values, x_unit = to_human(data[x])
    positions = numpy.arange(len(x_values)) if is_text else x_values
    factor, unit = _unit(data, [y, *models])
    joined = not is_text and not _scattered(data, x)
    figure, ax = style.new_figure(title_of(data, options))
    intervals = set()
    for i, (text, where) in enumerate(curves):
        beside = 0.5 * ((i + 0.5) / len(curves) - 0.5) if is_text else 0  # names: the groups' points side by side
        part = data.isel(where)
        _curve(ax, positions + beside, part, y, factor, i, text or words(y), joined)
        intervals.add(_interval(ax, positions + beside, part, y, factor, i, joined))
    outside = [name for name in models if not _model(ax, positions, data, name, x_dim, curves, factor, models.index(name))]
    _finish_lines(ax, data, (x, x_unit, y, unit), positions, is_text, options)
    notes = choice.fixed_texts(data, y) + sorted(filter(None, intervals))
    notes += [f"{words(name)} applies nowhere here" for name in outside if options.models != "all"]
    style.set_notes(ax, notes)
    style.legend_right(ax, ", ".join(words(name) for name in names) or None)
    return figure


def _unit(data, variables):
    largest = max((float(numpy.nanmax(numpy.abs(data[v].values), initial=0)) for v in variables), default=0)
    first = data[variables[0]]
    factor, name = human_unit(first.attrs.get("units", ""), largest)
    return factor, name or to_human(first)[1]


def _scattered(data, x):
    """Whether another value jumps along x, as in a random sample: then a line between points would mislead."""
    others = [c for n, c in data.coords.items() if c.dims == data[x].dims and n != x and "key" in c.attrs and c.dtype.kind in "fiu"]
    steps = [numpy.sign(numpy.diff(c.values)) for c in others]
    return "key" in data[x].attrs and any(len(set(s[s != 0])) > 1 for s in steps)


def _curve(ax, positions, part, y, factor, i, text, joined):
    """One group's means."""
    hollow = {"markerfacecolor": "white"} if (i // len(style.COLOURS)) % 2 else {}
    ax.plot(positions, numpy.atleast_1d(part[y].squeeze().values / factor), color=style.colour(i), marker=style.marker(i),
            linestyle="-" if joined else "none", label=text, gid="curve", zorder=3, **hollow)


def _interval(ax, positions, part, y, factor, i, joined):
    """The confidence intervals of one group's means; returns what they are, None where there are none."""
    if f"{y}_ci" not in part:
        return None
    mean, half = (numpy.atleast_1d(part[name].squeeze().values / factor) for name in (y, f"{y}_ci"))
    if not numpy.any(half > 0):
        return None
    is_band = joined and len(positions) >= BAND_FROM
    if is_band:
        ax.fill_between(positions, mean - half, mean + half, color=style.colour(i), alpha=0.2, linewidth=0, zorder=2)
    else:
        ax.vlines(positions, mean - half, mean + half, color=style.colour(i), linewidth=1.2, zorder=2)
    return f"{'bands' if is_band else 'bars'}: {100 * float(part.attrs.get('confidence', 0.95)):g} % confidence of the mean"


def _model(ax, positions, data, name, x_dim, curves, factor, i):
    """A model's dashed curves: one in black where it says the same for all groups. False if it applies nowhere."""
    drawn = []
    for k, (text, where) in enumerate(curves):
        part = data[name].isel({d: n for d, n in where.items() if d in data[name].dims})
        values = numpy.atleast_1d(part.squeeze([d for d in part.dims if d != x_dim]).values / factor)
        same = [d for d in drawn if numpy.allclose(d[0], values, rtol=1e-6, equal_nan=True)]
        if numpy.isfinite(values).any() and not same:
            drawn.append((values, k, text))
    for values, k, text in drawn:
        single = len(drawn) == 1
        ax.plot(positions, values, color="black" if single else style.colour(k), linestyle=style.DASHES[i % len(style.DASHES)],
                label=words(name) + ("" if single else f", {text}"), gid="model", zorder=4,
                marker="_", markersize=15, markeredgewidth=1.6, markevery=_alone(values))
    return bool(drawn)


def _alone(values):
    """Points that no line reaches, for the model has no value beside them."""
    there = numpy.isfinite(values)
    return numpy.flatnonzero(there & ~numpy.append(there[1:], False) & ~numpy.insert(there[:-1], 0, False)).tolist()


def _finish_lines(ax, data, names, positions, is_text, options):
    x, x_unit, y, unit = names
    shown = numpy.concatenate([line.get_ydata() for line in ax.get_lines()])
    if is_text:
        ax.set_xticks(positions, data[x].values)
        ax.set_xlim(-0.5, len(positions) - 0.5)
    else:
        style.set_scale(ax.xaxis, positions, options.scale("x"), is_grid=True)
    if style.set_scale(ax.yaxis, shown, options.scale("y")) == "linear":
        style.from_zero(ax, shown)
    ax.set_xlabel(label(x, x_unit))
    ax.set_ylabel(label(y, unit))


# --- heat map --------------------------------------------------------------------------------------------------------

def heat(path, data, options):
    """Metric over two axes as colours, with the values in the cells while there is room."""
    dims = [d for d in data.stop_reason.dims if data.sizes[d] > 1]
    if options.by and len(options.by) > 1:
        raise BadInput(f"--by {','.join(options.by)}: a heat map has one vertical axis, expected one name")
    by = options.by[0] if options.by else None
    x = options.x or numeric_first(data, [d for d in dims if d != by])
    by = by or next((d for d in dims if d != x), None)
    if x is None or by is None:
        raise BadInput("a heat map needs two axes with several values, expected --x AXIS --by AXIS")
    used = [choice.dimension(data, x, "--x"), choice.dimension(data, by, "--by")]
    if used[0] == used[1]:
        raise BadInput(f"--by {by}: the same dimension as --x {x}, expected another axis")
    y = choice.metric(data, options.y, [x, by])
    choice.refuse_left_over(data, y, used, "")
    for name in (x, by):
        if data[name].dtype.kind in "fiu":
            data = data.sortby(name)
    cells = data[y].squeeze([d for d in data[y].dims if d not in used]).transpose(used[1], used[0])
    return _draw_heat(data, cells, (x, by, y), options)


def _draw_heat(data, cells, names, options):
    x, by, y = names
    values, unit = to_human(cells)
    if not numpy.isfinite(values).any():
        raise BadInput(f"--y {options.y}: no value at any of these points, expected another metric")
    figure, ax = style.new_figure(title_of(data, options), choice.fixed_texts(data, y))
    ax.grid(False)
    ax.set_facecolor("#DDDDDD")  # left-out points
    positive = values[values > 0]
    is_log = (options.scale("y") or ("log" if style.spread(values) >= style.LOG_FROM else "linear")) == "log" and positive.size > 0
    norm = LogNorm(positive.min(), positive.max()) if is_log else Normalize(numpy.nanmin(values), numpy.nanmax(values))
    mesh = ax.pcolormesh(numpy.maximum(values, positive.min()) if is_log else values, cmap=style.HEAT, norm=norm,
                         edgecolor="white", linewidth=0.5)
    bar = figure.colorbar(mesh, ax=ax, label=label(y, unit))
    if is_log:
        style.log_ticks(bar.ax.yaxis, positive)
    _cell_ticks(ax.xaxis, ax.set_xticks, data[x], 9)
    _cell_ticks(ax.yaxis, ax.set_yticks, data[by], 14)
    ax.set_xlabel(label(x, to_human(data[x])[1]))
    ax.set_ylabel(label(by, to_human(data[by])[1]))
    if values.size <= CELLS_TEXT and values.shape[1] <= 14:
        _cell_texts(ax, values, norm)
    return figure


def _cell_ticks(axis, set_ticks, coordinate, most):
    texts = value_texts(to_human(coordinate)[0])
    every = -(-len(texts) // most)
    places = numpy.arange(0, len(texts), every)
    crowded = axis.axis_name == "x" and sum(len(texts[i]) for i in places) > 60
    set_ticks(places + 0.5, [texts[i] for i in places], rotation=30 if crowded else 0)


def _cell_texts(ax, values, norm):
    size = 11 if values.shape[1] <= 6 else 9 if values.shape[1] <= 9 else 7
    for (row, column), value in numpy.ndenumerate(values):
        if numpy.isfinite(value):
            dark = norm(max(value, norm.vmin)) < 0.55
            ax.text(column + 0.5, row + 0.5, value_text(value, 3), ha="center", va="center", fontsize=size,
                    color="white" if dark else "black")


# --- distribution of replications ------------------------------------------------------------------------------------

def cdf(path, data, options):
    """Share of the replications with at most a value of the metric, a curve for each value of some axes."""
    for name in options.by or []:
        choice.dimension(data, name, "--by")
    if options.by and "flow" in options.by:
        raise BadInput("--by flow: replications are kept for all flows together, expected another axis")
    y = choice.metric(data, options.y, [])
    names = options.by or default_by(data, y, [])
    choice.refuse_left_over(data, y, [data[name].dims[0] for name in names], " or more axes in --by")
    curves = list(choice.groups(data, names))
    if len(curves) > CURVES_MOST:
        raise BadInput(f"{len(curves)} curves, expected at most {CURVES_MOST} (--by, --select)")
    rows = open_replications(path)
    rows = rows.isel(row=(rows.status == 0).values)
    samples = [(text, numpy.sort(rows[y].values[rows.point.values == part.point.values.item()]))
               for text, part in ((text, data.isel(where).squeeze()) for text, where in curves)]
    samples = [(text, values[numpy.isfinite(values)]) for text, values in samples]
    return _draw_cdf(data, rows, samples, y, names, options)


def _draw_cdf(data, rows, samples, y, names, options):
    everything = numpy.concatenate([values for _, values in samples])
    if everything.size == 0:
        raise BadInput(f"--y {options.y}: no replication has a value, expected another metric")
    factor, unit = human_unit(rows[y].attrs.get("units", ""), numpy.abs(everything).max())
    figure, ax = style.new_figure(title_of(data, options), choice.fixed_texts(data, y))
    for i, (text, values) in enumerate(samples):
        if values.size == 0:
            continue
        steps = numpy.concatenate([values[:1], values]) / factor
        share = numpy.arange(values.size + 1) / values.size
        ax.plot(steps, share, drawstyle="steps-post", color=style.colour(i), marker=style.marker(i),
                markevery=max(1, values.size // 6), markersize=5, label=f"{text or words(y)} (n = {values.size})", gid="curve")
    style.set_scale(ax.xaxis, everything / factor, options.scale("x"))
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(label(y, unit or to_human(rows[y])[1]))
    ax.set_ylabel("Share of replications at or below")
    style.legend_right(ax, ", ".join(words(name) for name in names) or None)
    return figure


# --- shares of flows -------------------------------------------------------------------------------------------------

def share(path, data, options):
    """Stacked bars: each flow's share of the whole, with Jain's index above."""
    if "flow" not in data.dims:
        raise BadInput("--kind share: this sweep has one flow, expected several")
    if options.y not in SHARED:
        raise choice.unknown("--y", options.y, "metric for shares", SHARED)
    y = choice.metric(data, options.y, ["flow"])
    names = options.x.split(",") if options.x else choice.left_over(data, y, ["flow"])
    used = [choice.dimension(data, name, "--x") for name in names] + ["flow"]
    choice.refuse_left_over(data, y, used, " or more axes in --x")
    bars = list(choice.groups(data, names))
    if len(bars) > CURVES_MOST:
        raise BadInput(f"{len(bars)} bars, expected at most {CURVES_MOST} (--x, --select)")
    return _draw_share(data, y, names, bars, options)


def _families(flows):
    """Flows by name; copies of one (a.0, a.1 ...) together when there are many."""
    if len(flows) <= 12:
        return {name: [i] for i, name in enumerate(flows)}
    found = {}
    for i, name in enumerate(flows):
        found.setdefault(name.rsplit(".", 1)[0], []).append(i)
    return {name + (f" (×{len(members)})" if len(members) > 1 else ""): members for name, members in found.items()}


def _bar_ticks(ax, data, names, bars):
    """The axes' values under each bar, one below the other where they fit, else slanted in a line."""
    texts = {name: value_texts(to_human(data[name])[0]) for name in names}
    rows = [[texts[name][where[data[name].dims[0]]] for name in names] for _, where in bars]
    crowded = sum(max(map(len, row), default=0) + 1 for row in rows) > 80
    ax.set_xticks(range(len(bars)), [(", " if crowded else "\n").join(row) for row in rows], rotation=40 if crowded else 0,
                  ha="right" if crowded else "center", rotation_mode="anchor" if crowded else "default")


def _draw_share(data, y, names, bars, options):
    flows = _families([str(name) for name in data.flow.values])
    figure, ax = style.new_figure(title_of(data, options))
    values = numpy.stack([data[y].isel(where).squeeze().values for _, where in bars])
    values = 100 * values / numpy.nansum(values, axis=1, keepdims=True)
    places, base = numpy.arange(len(bars)), numpy.zeros(len(bars))
    for i, (name, members) in enumerate(flows.items()):
        part = numpy.nansum(values[:, members], axis=1)
        ax.bar(places, part, 0.7, bottom=base, color=style.colour(i), edgecolor="white", label=name,
               hatch=style.HATCHES[i // len(style.COLOURS) % len(style.HATCHES)])
        base += part
    if "jain" in data:
        for place, (_, where) in enumerate(bars):
            index = float(data.jain.isel(where))
            ax.text(place, 101.5, f"{index:.3f}" if len(bars) <= 12 else f"{index:.2f}", ha="center", va="bottom",
                    fontsize=9 if len(bars) <= 12 else 7)
    _bar_ticks(ax, data, names, bars)
    ax.set_xlim(-0.6, len(bars) - 0.4)
    ax.set_ylim(0, 108)
    ax.set_yticks(range(0, 101, 20))
    ax.grid(False, axis="x")
    ax.set_xlabel(", ".join(label(name, to_human(data[name])[1]) for name in names))
    ax.set_ylabel(f"Share of {words(y)} [%]")
    notes = choice.fixed_texts(data, "goodput") + (["above the bars: Jain's index of goodput"] if "jain" in data else [])
    style.set_notes(ax, notes)
    style.legend_right(ax, "flow")
    return figure
