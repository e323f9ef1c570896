"""Plots and Python access: each kind of figure from small runs, what is in it, that nothing is cut off; bad input."""
import base64
import functools
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

import h5py
import matplotlib.image
import numpy
import pytest
from conftest import LONG, run
from matplotlib.backends.backend_agg import FigureCanvasAgg

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from analysis import plot, plot_sweep, report, style  # noqa: E402
from analysis.load import open_replications  # noqa: E402
from analysis.units import human_unit, parse_quantity, value_text  # noqa: E402

ONE_FLOW = """
name: one
title: Three ways to recover
seed: 3
duration: 6 s
replications: 6
path:
  - {name: lan, rate: 100 Mbit/s, delay: 1 ms}
  - {name: radio, rate: 10 Mbit/s, delay: 20 ms, queue: 50 packets}
axes:
  tcp.algorithm: [tahoe, reno, sack]
  path.radio.per: [1e-4, 1e-3, 5e-3, 2e-2]
  tcp.mss: [500 B, 1460 B]
"""
FLOWS = """
name: flows
title: "No formula: 5 $ and {x^ $"
seed: 4
duration: 5 s
replications: 4
links:
  access: {rate: 100 Mbit/s, delay: 1 ms}
  back: {rate: 5 Mbit/s, delay: 10 ms, queue: 20 packets}
flows:
  - {name: a, count: 2, via: [access*, back], tcp: {algorithm: newreno}}
  - {name: b, via: [access*, back], tcp: {algorithm: sack}}
axes:
  links.back.queue: [5 packets, 20 packets, 80 packets]
"""
SAMPLE = """
seed: 5
duration: 2 s
replications: 2
path: [{name: radio, rate: 10 Mbit/s, delay: 20 ms, queue: 50 packets}]
sample: {kind: sobol, points: 8, over: {path.radio.delay: [10 ms, 300 ms], path.radio.ber: {log: [1e-8, 1e-5]}}}
"""
POINTS = """
keep: points
duration: 1 s
replications: 2
path: [{name: radio, rate: 10 Mbit/s, delay: 20 ms, queue: 50 packets}]
axes: {path.radio.per: [1e-3, 2e-3, 3e-3], tcp.mss: [500 B, 1460 B]}
where: "path.radio.per > 1e-3 or tcp.mss > 600 B"
"""
TRACED = ["--set", "path.radio.per=0.03", "--set", "tcp.algorithm=tahoe", "--set", "tcp.mss=500 B", "--set", "duration=12 s"]
MODELS = "pftk,square_root"

# Each file is opened once for all tests; figures do not change what they are drawn from.
plot.open_sweep, plot.open_trace = functools.cache(plot.open_sweep), functools.cache(plot.open_trace)
open_sweep, open_replications = plot.open_sweep, functools.cache(open_replications)
plot_sweep.open_replications = open_replications


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with the outputs and traces of small runs."""
    folder = tmp_path_factory.mktemp("plot")
    for name, text in (("one", ONE_FLOW), ("flows", FLOWS), ("sample", SAMPLE), ("points", POINTS)):
        (folder / f"{name}.yaml").write_text(text)
        run("run", folder / f"{name}.yaml", "-o", folder / f"{name}.h5", "--quiet")
    run("one", folder / "one.yaml", *TRACED, "--trace", folder / "one.csv")
    run("one", folder / "flows.yaml", "--trace", folder / "flows.csv")
    return folder


def drawn(made, name, *arguments):
    figure, _ = plot.draw([str(made / name), *arguments])
    return figure, figure.axes[0]


def with_gid(ax, gid):
    return [line for line in ax.get_lines() if line.get_gid() == gid]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


KINDS = {  # file, arguments, labels of the axes
    "lines": ("one.h5", ["--x", "per", "--by", "algorithm", "--select", "mss=1460", "--models", MODELS],
              "Packet error rate", "Goodput [Mbit/s]"),
    "heat": ("one.h5", ["--x", "per", "--by", "mss", "--select", "algorithm=sack"], "Packet error rate", "MSS [B]"),
    "cdf": ("one.h5", ["--by", "algorithm", "--select", "mss=1460", "per=1e-3"], "Goodput [Mbit/s]", "Share of replications at or below"),
    "share": ("flows.h5", ["--x", "queue"], "Queue [packets]", "Share of goodput [%]"),
    "cwnd": ("one.csv", [], "Time [s]", "Window [segments]"),
    "sequence": ("one.csv", ["--from", "2", "--to", "5s"], "Time [s]", "Segment number"),
    "rtt": ("one.csv", [], "Time [s]", "Round-trip time [ms]"),
    "throughput": ("flows.csv", ["--window", "500ms"], "Time [s]", "Goodput [Mbit/s]"),
}


def assert_nothing_cut_off(figure):
    """Texts and legend have their place; returns the picture, 8 bits a colour."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    for ax in figure.axes:
        texts = [ax.xaxis.label, ax.yaxis.label, ax._left_title, *ax.texts]
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            texts += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        legend = ax.get_legend()
        if legend:
            texts += legend.get_texts()
            assert not legend.get_window_extent(renderer).overlaps(ax.get_window_extent(renderer)), "legend over the data"
        for text in texts + [figure._suptitle]:
            if text.get_text() and text.get_visible():
                box = text.get_window_extent(renderer)
                assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1, text.get_text()
    return numpy.asarray(canvas.buffer_rgba())


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind(made, kind):
    file, arguments, x_label, y_label = KINDS[kind]
    figure, ax = drawn(made, file, "--kind", kind, *arguments)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (x_label, y_label)
    picture = assert_nothing_cut_off(figure)
    assert picture.shape == (500, 800, 4)
    inside = picture[100:370, 130:530, :3].astype(int)
    assert inside.var() > 50 and len(numpy.unique(inside @ [65536, 256, 1])) > 10


def test_curves_and_models_are_the_files_numbers(made):
    figure, ax = drawn(made, *KINDS["lines"][:1], *KINDS["lines"][1])
    curves, models = with_gid(ax, "curve"), with_gid(ax, "model")
    assert len(curves) == 3 and len(models) == 2  # the same model for Reno and SACK: one curve
    data = open_sweep(str(made / "one.h5")).sel(mss=1460)
    for curve, algorithm in zip(curves, ["tahoe", "reno", "sack"]):
        assert curve.get_label() == algorithm
        numpy.testing.assert_allclose(curve.get_ydata(), data.goodput.sel(algorithm=algorithm) / 1e6)
        numpy.testing.assert_allclose(curve.get_xdata(), data.per)
    numpy.testing.assert_allclose(models[0].get_ydata(), data.model_pftk.sel(algorithm="reno") / 1e6)
    assert len({(line.get_color(), line.get_marker()) for line in curves}) == 3
    assert len({str(line._dash_pattern) for line in models}) == 2
    assert legend_texts(ax) == ["tahoe", "reno", "sack", "pftk (model)", "square_root (model)"]
    assert figure._suptitle.get_text() == "Three ways to recover"
    assert "MSS 1460 B" in ax.get_title("left") and "95 % confidence" in ax.get_title("left")
    bars = [bar for bars in ax.collections for bar in bars.get_segments()]
    assert len(bars) == 12
    half = data.goodput_ci.sel(algorithm="tahoe").values[0] / 1e6
    assert bars[0][1][1] - bars[0][0][1] == pytest.approx(2 * half)


def test_models_differ_by_group(made):
    _, ax = drawn(made, "one.h5", "--x", "per", "--by", "mss", "--select", "algorithm=sack", "--models", "pftk")
    assert len(with_gid(ax, "model")) == 2
    assert legend_texts(ax)[2:] == ["pftk (model), 500 B", "pftk (model), 1460 B"]


def test_scales_follow_the_spread(made):
    _, ax = drawn(made, "one.h5", "--x", "per", "--select", "mss=1460")
    assert ax.get_xscale() == "log" and len(with_gid(ax, "curve")) == 3
    _, ax = drawn(made, "one.h5", "--x", "mss", "--select", "algorithm=sack", "per=1e-4")
    assert ax.get_xscale() == ax.get_yscale() == "linear"
    assert style.is_geometric([1e-7, 2e-7, 5e-7, 1e-6]) and not style.is_geometric([500, 700, 900, 1100, 1460])
    assert not style.is_geometric([10, 20, 30, 40, 50, 60]) and not style.is_geometric([1, 100])
    _, ax = drawn(made, "one.h5", "--x", "per", "--select", "mss=1460", "--linear", "x", "--log", "y")
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")


def test_names_along_x_and_random_points_are_not_joined(made):
    _, ax = drawn(made, "one.h5", "--x", "algorithm", "--by", "per", "--select", "mss=500B")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["tahoe", "reno", "sack"]
    assert {line.get_linestyle() for line in with_gid(ax, "curve")} == {"None"}
    _, ax = drawn(made, "sample.h5", "--x", "delay")
    assert ax.get_xlabel() == "Delay [ms]" and [line.get_linestyle() for line in with_gid(ax, "curve")] == ["None"]


def test_heat_map_cells(made):
    _, ax = drawn(made, "one.h5", "--kind", "heat", *KINDS["heat"][1])
    cells = ax.collections[0].get_array().reshape(2, 4)
    data = open_sweep(str(made / "one.h5")).goodput.sel(algorithm="sack").transpose("mss", "per")
    numpy.testing.assert_allclose(cells, data / 1e6)
    assert [text.get_text() for text in ax.texts] == [value_text(v, 3) for v in (data / 1e6).values.ravel()]


def test_points_left_out_are_gaps(made):
    _, ax = drawn(made, "points.h5", "--x", "per", "--by", "mss")
    assert [numpy.isfinite(line.get_ydata()).tolist() for line in with_gid(ax, "curve")] == [[False, True, True], [True] * 3]
    _, ax = drawn(made, "points.h5", "--kind", "heat")
    assert len(ax.texts) == 5


def test_distribution_of_replications(made):
    _, ax = drawn(made, "one.h5", "--kind", "cdf", *KINDS["cdf"][1])
    curve = with_gid(ax, "curve")[2]
    assert curve.get_label() == "sack (n = 6)"
    rows = open_replications(str(made / "one.h5"))
    rows = rows.isel(row=((rows.algorithm == "sack") & (rows.per == 1e-3) & (rows.mss == 1460)).values)
    assert list(rows.replication) == list(range(6))
    numpy.testing.assert_allclose(curve.get_xdata()[1:], numpy.sort(rows.goodput) / 1e6)
    assert curve.get_ydata()[0] == 0 and curve.get_ydata()[-1] == 1


def test_shares_of_flows(made):
    _, ax = drawn(made, "flows.h5", "--kind", "share")
    heights = numpy.array([[bar.get_height() for bar in flow] for flow in ax.containers])
    numpy.testing.assert_allclose(heights.sum(axis=0), [100, 100, 100])
    data = open_sweep(str(made / "flows.h5"))
    numpy.testing.assert_allclose(heights.T / 100, data.flow_goodput / data.flow_goodput.sum("flow"))
    assert legend_texts(ax) == ["a.0", "a.1", "b"]
    assert [text.get_text() for text in ax.texts] == [f"{v:.3f}" for v in data.jain.values]
    _, ax = drawn(made, "flows.h5", "--x", "queue", "--by", "flow")
    numpy.testing.assert_allclose(with_gid(ax, "curve")[2].get_ydata(), data.flow_goodput.sel(flow="b") / 1e6)


def test_sawtooth_marks_every_loss_and_timeout(made):
    rows = plot.open_trace(str(made / "one.csv"))
    events = rows.event.value_counts()
    assert events["timeout"] > 0 and events["drop"] > 5
    _, ax = drawn(made, "one.csv")
    assert len(with_gid(ax, "timeout")) == events["timeout"]
    lost = with_gid(ax, "lost")[0]
    assert len(lost.get_xdata()) == events["drop"]
    fast = with_gid(ax, "fast_retransmit")[0]
    assert len(fast.get_xdata()) == events["fast_retransmit"]
    windows = rows[rows.event == "cwnd"]
    for t, y in zip(fast.get_xdata(), fast.get_ydata()):  # at the peak, not where the window falls to
        assert y == windows.x[windows.t_s < t].iloc[-1]
    window = with_gid(ax, "cwnd")[0]
    assert set(lost.get_ydata()) <= set(window.get_ydata())
    assert window.get_ydata().max() == rows.x[rows.event == "cwnd"].max()
    assert ax.get_xlim() == (0, 12)
    assert legend_texts(ax) == ["cwnd", "ssthresh", "fast retransmit", "packet lost", "timeout"]


def test_time_sequence_diagram(made):
    rows = plot.open_trace(str(made / "one.csv"))
    rows = rows[(rows.t_s >= 2) & (rows.t_s <= 5)]
    _, ax = drawn(made, "one.csv", "--kind", "sequence", *KINDS["sequence"][1])
    sent = rows[rows.event == "send"]
    assert len(with_gid(ax, "sent")[0].get_xdata()) == (sent.b == "0").sum()
    assert len(with_gid(ax, "again")[0].get_xdata()) == (sent.b == "1").sum() > 0
    assert len(with_gid(ax, "lost")[0].get_xdata()) == (rows.event == "drop").sum() > 0
    assert (numpy.diff(with_gid(ax, "ack")[0].get_ydata()) >= 0).all()
    assert ax.get_xlim() == (2, 5)


def test_throughput_adds_up(made):
    rows = plot.open_trace(str(made / "flows.csv"))
    _, ax = drawn(made, "flows.csv", "--kind", "throughput", "--window", "1s")
    assert legend_texts(ax) == ["a.0", "a.1", "b", "all flows shown"]
    total = [patch for patch in ax.patches if patch.get_gid() == "interval"][-1]
    assert total.get_data().values.sum() * 1e6 == pytest.approx(8 * rows.x[rows.event == "app"].sum())
    average = with_gid(ax, "average")[-1].get_ydata()
    assert average[-1] == pytest.approx(total.get_data().values.mean())


def test_round_trip_times(made):
    rows = plot.open_trace(str(made / "one.csv"))
    _, ax = drawn(made, "one.csv", "--kind", "rtt")
    numpy.testing.assert_allclose(with_gid(ax, "rtt")[0].get_ydata(), 1e3 * rows.x[rows.event == "rtt"])
    _, ax = drawn(made, "flows.csv", "--kind", "rtt", "--flow", "b,a.1")
    assert legend_texts(ax)[:2] == ["b", "a.1"]


def test_dataset_has_flows_coordinates_and_attributes(made):
    data = open_sweep(str(made / "flows.h5"))
    assert data.flow_goodput.dims == ("queue", "flow") and list(data.flow.values) == ["a.0", "a.1", "b"]
    numpy.testing.assert_allclose(data.flow_goodput.sum("flow"), data.goodput, rtol=1e-9)
    assert data.goodput.attrs["units"] == "bit s-1" and data.attrs["seed"] == 4 and "duration: 5 s" in data.attrs["sweep"]
    rows = open_replications(str(made / "flows.h5"))
    assert rows.sizes["row"] == 12 and list(rows.queue.values[::4]) == [5, 20, 80]
    numpy.testing.assert_allclose(rows.goodput.groupby("queue").mean(), data.goodput)
    assert list(open_replications(str(made / "sample.h5")).ber.values[::2]) == list(open_sweep(str(made / "sample.h5")).ber.values)


@pytest.mark.parametrize("units, value, expected", [
    ("bit s-1", 4.87e6, (1e6, "Mbit/s")), ("bit s-1", 3, (1, "bit/s")), ("s", 0.05, (1e-3, "ms")), ("s", 2, (1, "s")),
    ("byte", 1460, (1, "B")), ("byte", 65535, (1e3, "kB")), ("1", 5, (1, "")), ("s", 0, (1e-9, "ns")),
])
def test_human_units(units, value, expected):
    assert human_unit(units, value) == expected


@pytest.mark.parametrize("text, value", [("1460 B", 1460), ("50ms", 0.05), ("1 %", 0.01), ("1e-7", 1e-7), ("10 Mbit/s", 1e7),
                                         ("sack", None), ("5 parsec", None), ("1.2.3", None)])
def test_quantities(text, value):
    assert parse_quantity(text) == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize("value, text", [(1460.0, "1460"), (1e-7, "1e-7"), (0.000316228, "3.16e-4"), (0, "0"), ("sack", "sack")])
def test_value_texts(value, text):
    assert value_text(value) == text


BAD = [  # file, arguments, what the one line must contain
    ("one.h5", ["--y", "goodptu"], ["--y goodptu: unknown metric", "nearest is goodput", "rtt_mean"]),
    ("one.h5", ["--x", "pre"], ["--x pre: unknown axis", "nearest is per", "algorithm, per, mss"]),
    ("one.h5", ["--by", "algoritm"], ["--by algoritm: unknown axis", "nearest is algorithm"]),
    ("one.h5", ["--select", "mss=1461", "--models", "pftkk"], ["unknown model", "nearest is pftk"]),
    ("one.h5", ["--select", "mss=900"], ["--select mss=900: no such value", "500 B, 1460 B"]),
    ("one.h5", ["--select", "mss"], ["--select mss: no value", "AXIS=VALUE"]),
    ("one.h5", ["--select", "algorithm=cubic"], ["tahoe, reno, sack"]),
    ("one.h5", ["--x", "per", "--by", "algorithm"], ["axis mss has 2 values: 500 B, 1460 B", "--select mss=VALUE"]),
    ("one.h5", ["--x", "per", "--by", "per"], ["along the x axis"]),
    ("one.h5", ["--select", "mss=500", "--y", "rtt_mean", "--models", "pftk"], ["models predict goodput"]),
    ("one.h5", ["--select", "mss=500", "--y", "completion_time"], ["no value at any"]),
    ("one.h5", ["--kind", "pie"], ["unknown kind", "lines, heat, cdf, share"]),
    ("one.h5", ["--kind", "cwnd"], ["drawn from a trace"]),
    ("one.h5", ["--kind", "share"], ["one flow"]),
    ("flows.h5", ["--kind", "share", "--y", "rtt_mean"], ["unknown metric for shares", "goodput, throughput"]),
    ("flows.h5", ["--kind", "heat"], ["two axes"]),
    ("flows.h5", ["--kind", "cdf", "--by", "flow"], ["all flows together"]),
    ("one.h5", ["--kind", "cdf", "--models", "pftk"], ["--models: not for --kind cdf"]),
    ("one.h5", ["--kind", "cdf"], ["axis algorithm has 3 values"]),
    ("points.h5", ["--kind", "cdf", "--select", "mss=500"], ["no single replications"]),
    ("one.h5", ["--log", "z"], ["unknown axis, expected x, y"]),
    ("one.h5", ["--select", "mss=500", "--out", "a.gif"], ["unknown format", ".png, .svg, .pdf"]),
    ("one.h5", ["--select", "mss=500", "--out", "/nowhere/a.png"], ["/nowhere/a.png: cannot write"]),
    ("one.h5", ["--bogus"], ["unrecognized arguments: --bogus"]),
    ("missing.h5", [], ["missing.h5: cannot read"]),
    ("text.h5", [], ["text.h5", "expected what `tcpsweep run` wrote"]),
    ("other.h5", [], ["not an output of tcpsweep"]),
    ("missing.csv", [], ["missing.csv: cannot read: No such file"]),
    ("other.csv", [], ["no column t_s"]),
    ("binary.csv", [], ["binary.csv"]),
    ("empty.csv", [], ["no rows"]),
    ("one.csv", ["--kind", "lines"], ["drawn from a sweep's output"]),
    ("one.csv", ["--flow", "flo"], ["unknown flow", "nearest is flow"]),
    ("one.csv", ["--from", "100"], ["nothing between 100 s"]),
    ("one.csv", ["--from", "soon"], ["not a time"]),
    ("one.csv", ["--kind", "throughput", "--window", "0"], ["--window 0"]),
    ("flows.csv", ["--kind", "sequence"], ["3 flows: a.0, a.1, b", "--flow"]),
]


@pytest.mark.parametrize("file, arguments, expected", BAD)
def test_bad_input_is_one_line(made, tmp_path, monkeypatch, capsys, file, arguments, expected):
    (tmp_path / "text.h5").write_text("no HDF5\n")
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["x"] = 1
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    (tmp_path / "empty.csv").write_text("t_s,flow,event,link,direction,a,b,x\n")
    before = sorted(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    path = made / file if (made / file).exists() else tmp_path / file
    assert plot.main([str(path), *arguments]) == 2
    output, error = capsys.readouterr()
    assert output == "" and error.count("\n") == 1 and error.startswith("plot: "), error
    for text in expected:
        assert text in error, error
    assert sorted(tmp_path.iterdir()) == before


@pytest.fixture(scope="session")
def page(made):
    assert report.main([str(made / "flows.h5"), "--out", str(made / "flows.html")]) == 0
    return made / "flows.html"


def test_report_is_one_page_with_all_in_it(made, page):
    text = page.read_text()
    for pattern in (r"(?:src|href)=[\"'](?!data:)", r"<script", r"url\("):
        assert not re.search(pattern, text), pattern
    pictures = re.findall(r'<img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)">', text)
    assert {"Goodput", "Mean RTT", "Jain&#x27;s index", "Shares of the flows"} <= {name for name, _ in pictures}
    assert all(b"<svg" in base64.b64decode(data) for _, data in pictures)
    assert text.count("<tr><td>") == 3  # a row a point
    assert html.escape(FLOWS) in text and "No formula: 5 $" in text
    data = open_sweep(str(made / "flows.h5"))
    assert f"{float(data.goodput[0]) / 1e6:.2f}" in text and data.attrs["commit"] in text
    assert report.mean_texts(3.14159, 0.0213) == ("3.142", "0.021") and report.mean_texts(12.0, 0.0) == ("12", "0")


def test_report_of_a_sweep_without_axes_and_bad_input(made, tmp_path, capsys):
    path = "[{name: radio, rate: 1 Mbit/s, delay: 2 ms, per: 0.01}]"
    (tmp_path / "no_axes.yaml").write_text(f"duration: 1 s\nreplications: 2\npath: {path}\n")
    run("run", tmp_path / "no_axes.yaml", "-o", tmp_path / "no_axes.h5", "--quiet")
    assert report.main([str(tmp_path / "no_axes.h5")]) == 0
    assert (tmp_path / "no_axes.html").read_text().count("<img") == 1
    capsys.readouterr()
    for arguments in ([str(made / "missing.h5")], [str(made / "one.csv")], [str(made / "points.h5"), "--out", "/nowhere/a.html"], []):
        assert report.main(arguments) == 2
        output, error = capsys.readouterr()
        assert output == "" and error.count("\n") == 1 and error.startswith("report: ")


@pytest.mark.skipif(not (LONG and shutil.which("chromium")), reason="long, and needs chromium")
def test_report_in_a_browser(page, tmp_path):
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--enable-logging=stderr", "--v=0",
               "--window-size=1000,6000", f"--screenshot={tmp_path}/page.png", f"file://{page}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr
    assert matplotlib.image.imread(tmp_path / "page.png")[:, :, :3].var() > 1e-3


def test_as_a_command(made, tmp_path):
    """The module as a program: all formats, the path on the terminal, the same bytes again."""
    command = [sys.executable, "-m", "analysis.plot", made / "one.csv", "--out"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*command, "a.svg"], cwd=tmp_path, env=environment, text=True, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == ("a.svg\n", "")
    assert plot.main([str(made / "one.csv"), "--out", str(tmp_path / "b.svg")]) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    for name, start in (("c.pdf", b"%PDF"), ("d.png", b"\x89PNG")):
        assert plot.main([str(made / "one.csv"), "--to", "1s", "--out", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_bytes().startswith(start)
    assert matplotlib.image.imread(tmp_path / "d.png").shape[:2] == (750, 1200)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg", "b.svg", "c.pdf", "d.png"]
