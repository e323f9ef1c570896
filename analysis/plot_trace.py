"""Figures from a `tcpsweep one --trace` file: congestion window, time-sequence diagram, RTT, throughput over time."""
import pathlib
import re

import numpy
import pandas

from . import choice, style
from .load import BadInput
from .units import human_unit, parse_time

FLOWS_MOST = 6
POINTS_VECTOR = 5000  # more points than this are drawn as pixels in SVG and PDF too
NEVER = 1e6           # ssthresh, segments, from which it is still unlimited


class Events:
    """One flow's rows of some event, as arrays."""

    def __init__(self, rows):
        self.t = rows.t_s.values
        self.x = rows.x.values.astype(float)
        self._a, self._b = rows.a, rows.b
        self.link = rows.link.values

    def __len__(self):
        return len(self.t)

    @property
    def a(self):
        return pandas.to_numeric(self._a, errors="coerce").values

    @property
    def b(self):
        return pandas.to_numeric(self._b, errors="coerce").values


def _by_number(name):
    """a.2 before a.10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


class Trace:
    """The rows in the time asked for, and which flows."""

    def __init__(self, path, rows, options):
        known = sorted(rows.flow.unique(), key=_by_number)
        for name in options.flow or []:
            if name not in known:
                raise choice.unknown("--flow", name, "flow", known)
        self.flows = options.flow or known
        self.start = parse_time(options.from_, "--from") if options.from_ else 0.0
        if rows.empty:
            raise BadInput(f"{path}: no rows, expected a trace of a run in which something happens")
        last = _rounded_up(float(rows.t_s.max()))
        self.end = min(parse_time(options.to, "--to"), last) if options.to else last
        if not self.start < self.end:
            raise BadInput(f"nothing between {self.start:g} s and {self.end:g} s, expected --from before --to and the end ({last:g} s)")
        self.title = options.title or pathlib.Path(path).name
        self._by = dict(list(rows.groupby(["flow", "event"], sort=False)))
        self._none = rows.iloc[:0]

    def events(self, flow, name, cut=True):
        rows = self._by.get((flow, name), self._none)
        return Events(rows[(rows.t_s >= self.start) & (rows.t_s <= self.end)] if cut else rows)

    def need(self, events, what):
        """Flows that have one of the events; that none has is an error."""
        have = [f for f in self.flows if any(len(self.events(f, e)) for e in events)]
        if not have:
            raise BadInput(f"the trace has no {what} of {', '.join(self.flows)} in this time, expected another flow or time")
        if len(have) > FLOWS_MOST:
            raise BadInput(f"{len(have)} flows, expected at most {FLOWS_MOST}: choose with --flow")
        return have

    def one(self, events, what):
        have = self.need(events, what)
        if len(have) > 1:
            raise BadInput(f"{len(have)} flows: {', '.join(have)}; expected one: choose with --flow")
        return have[0]


def _rounded_up(t):
    """The last row is a little before the end of the run: to three digits."""
    step = 10.0 ** (numpy.floor(numpy.log10(t)) - 2) if t > 0 else 1
    return float(numpy.round(numpy.ceil(t / step) * step, 12))


def _finish(ax, trace, y_label, columns=4):
    ax.set_xlim(trace.start, trace.end)
    ax.set_xlabel("Time [s]")
    ax.set_ylabel(y_label)
    style.legend_below(ax, columns)


def _steps(trace, flow, name):
    """A quantity that holds until its next row, over the whole of the time shown."""
    all_events = trace.events(flow, name, cut=False)
    inside = (all_events.t > trace.start) & (all_events.t <= trace.end)
    before = numpy.flatnonzero(all_events.t <= trace.start)
    t, x = all_events.t[inside], all_events.x[inside]
    if before.size:
        t, x = numpy.insert(t, 0, trace.start), numpy.insert(x, 0, all_events.x[before[-1]])
    if t.size:
        t, x = numpy.append(t, trace.end), numpy.append(x, x[-1])
    return t, x


def _value_at(t, x, when):
    """The stepped quantity at some times, just before what happens there."""
    return x[numpy.clip(numpy.searchsorted(t, when, side="left") - 1, 0, None)] if len(t) else numpy.zeros(len(when))


def _marks(ax, t, y, text, **look):
    if len(t):
        ax.plot(t, y, linestyle="none", label=text, rasterized=len(t) > POINTS_VECTOR, **look)


def _timeouts(ax, trace, flows):
    times = numpy.concatenate([trace.events(f, "timeout").t for f in flows])
    for i, t in enumerate(times):
        ax.axvline(t, color="black", linestyle=(0, (1, 2)), linewidth=1.2, label="timeout" if i == 0 else None, gid="timeout", zorder=1)


def cwnd(path, rows, options):
    """The congestion window's sawtooth with losses and timeouts; of one flow also ssthresh and fast retransmits."""
    trace = Trace(path, rows, options)
    flows = trace.need(["cwnd"], "congestion window")
    figure, ax = style.new_figure(trace.title)
    one = len(flows) == 1
    windows = [_steps(trace, flow, "cwnd") for flow in flows]
    for i, (flow, (t, x)) in enumerate(zip(flows, windows)):
        ax.plot(t, x, drawstyle="steps-post", color=style.colour(i), linewidth=1.2, label="cwnd" if one else f"cwnd of {flow}",
                gid="cwnd", rasterized=len(t) > POINTS_VECTOR)
        if one:
            _ssthresh_and_fast_retransmits(ax, trace, flow, t, x)
    for i, (flow, (t, x)) in enumerate(zip(flows, windows)):
        drops = trace.events(flow, "drop").t
        _marks(ax, drops, _value_at(t, x, drops), "packet lost" if i == 0 else None, marker="x", gid="lost", zorder=4,
               color=style.LOSS if one else style.colour(i), markersize=6 if len(drops) < 60 else 4)
    _timeouts(ax, trace, flows)
    ax.set_ylim(0, 1.06 * max(x.max() for _, x in windows))
    _finish(ax, trace, "Window [segments]", 5)
    return figure


def _ssthresh_and_fast_retransmits(ax, trace, flow, t, x):
    when, ssthresh = _steps(trace, flow, "ssthresh")
    ax.plot(when, numpy.where(ssthresh < NEVER, ssthresh, numpy.nan), drawstyle="steps-post", color=style.colour(1), linewidth=1.2,
            linestyle=style.DASHES[0], label="ssthresh", gid="ssthresh")
    fast = trace.events(flow, "fast_retransmit").t
    _marks(ax, fast, _value_at(t, x, fast), "fast retransmit", marker="v", markerfacecolor="none", color="black", markersize=7, zorder=4,
           gid="fast_retransmit")


def sequence(path, rows, options):
    """Time-sequence diagram of one flow: segments sent, sent again and lost, and the cumulative ACK."""
    trace = Trace(path, rows, options)
    flow = trace.one(["send"], "data packet")
    sent, drops = trace.events(flow, "send"), trace.events(flow, "drop")
    figure, ax = style.new_figure(trace.title, [f"flow {flow}"] if len(trace.flows) > 1 or options.flow else [])
    again = sent.b == 1
    size = 2 if len(sent) > 1000 else 4
    _marks(ax, sent.t[~again], sent.a[~again], "sent", marker="o", markersize=size, markeredgewidth=0, color=style.colour(0), gid="sent")
    ack = trace.events(flow, "ack")
    ax.plot(ack.t, ack.a + 1, drawstyle="steps-post", color=style.colour(2), linewidth=1.2, label="acknowledged up to", gid="ack",
            rasterized=len(ack) > POINTS_VECTOR)
    _marks(ax, sent.t[again], sent.a[again], "sent again", marker="s", markersize=6, markerfacecolor="none", color=style.colour(4),
           gid="again", zorder=4)
    _marks(ax, drops.t, drops.a, "lost (where and when)", marker="x", markersize=7, color=style.LOSS, gid="lost", zorder=5)
    _timeouts(ax, trace, [flow])
    low = min(sent.a.min(), ack.a.min() + 1 if len(ack) else sent.a.min())
    span = max(sent.a.max() - low, 1)
    ax.set_ylim(low - 0.03 * span, sent.a.max() + 0.05 * span)
    _finish(ax, trace, "Segment number", 5)
    return figure


def rtt(path, rows, options):
    """RTT samples of one flow, or the smoothed RTT of several."""
    trace = Trace(path, rows, options)
    flows = trace.need(["rtt"], "RTT sample")
    everything = numpy.concatenate([trace.events(f, "rtt").x for f in flows])
    factor, unit = human_unit("s", everything.max())
    figure, ax = style.new_figure(trace.title)
    for i, flow in enumerate(flows):
        samples = trace.events(flow, "rtt")
        one = len(flows) == 1
        ax.plot(samples.t, samples.x / factor, linestyle="none", marker=".", markersize=4, markeredgewidth=0, gid="rtt",
                color=style.colour(5) if one else style.colour(i), alpha=1 if one else 0.4, label="sample" if one else None,
                rasterized=len(samples) > POINTS_VECTOR)
        t, x = _steps(trace, flow, "srtt")
        ax.plot(t, x / factor, drawstyle="steps-post", color=style.colour(i), label="smoothed" if one else flow, gid="srtt")
    _timeouts(ax, trace, flows)
    if style.set_scale(ax.yaxis, everything / factor, options.scale("y")) == "linear":
        style.from_zero(ax, everything)
    _finish(ax, trace, f"Round-trip time [{unit}]")
    return figure


def default_window(duration):
    """About 80 intervals, of 1, 2 or 5 times a power of ten seconds."""
    wanted = duration / 80
    power = 10.0 ** numpy.floor(numpy.log10(wanted))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= wanted * (1 - 1e-9)))


def throughput(path, rows, options):
    """Payload delivered in order, per interval and as a running average from the start of the time shown."""
    trace = Trace(path, rows, options)
    flows = trace.need(["app"], "delivered data")
    span = trace.end - trace.start
    window = parse_time(options.window, "--window") if options.window else default_window(span)
    if not 0 < window <= span or span / window > 1e5:
        raise BadInput(f"--window {options.window}: expected a time above {span / 1e5:g} s, at most the {span:g} s shown")
    edges = trace.start + window * numpy.arange(int(span / window * (1 + 1e-9)) + 1)
    rates = []
    for flow in flows:
        got = trace.events(flow, "app")
        rates.append(8 * numpy.histogram(got.t, edges, weights=got.x)[0] / window)
    if len(flows) > 1:
        rates.append(numpy.sum(rates, axis=0))
    factor, unit = human_unit("bit s-1", numpy.max(rates))
    width, unit_s = human_unit("s", window)
    figure, ax = style.new_figure(trace.title, [f"steps: intervals of {window / width:g} {unit_s}; dashed: average so far"])
    names = ["goodput"] if len(flows) == 1 else [*flows, "all flows shown"]
    for i, (name, rate) in enumerate(zip(names, rates)):
        look = style.GREY if i == len(flows) else style.colour(i)
        ax.stairs(rate / factor, edges, color=look, linewidth=1.2, label=name, gid="interval", baseline=None)
        average = numpy.cumsum(rate) / numpy.arange(1, len(rate) + 1)
        ax.plot(edges[1:], average / factor, color=look, linestyle=style.DASHES[0], linewidth=1.8, gid="average",
                label="average so far" if len(flows) == 1 else None)
    ax.set_ylim(0, 1.06 * numpy.max(rates) / factor)
    _finish(ax, trace, f"Goodput [{unit}]")
    return figure
