"""python3 -m analysis.report OUT.h5: one HTML page that needs nothing else: figures, table, the sweep file, where the numbers are from."""
import base64
import html
import io
import os
import pathlib
import sys

import numpy

from . import choice, plot, style
from .load import BadInput, open_sweep
from .plot_sweep import numeric_first
from .units import coordinate_texts, human_unit, label, value_text, words

METRICS = ["goodput", "rtt_mean", "retransmitted", "timeouts", "utilisation", "completion_time", "delay_mean", "jain"]
ROWS_MOST = 500
CURVES_MOST = 12
PROVENANCE = ["source", "commit", "compiler", "build_flags", "command_line", "set", "seed", "start_time", "end_time", "hosts", "ranks",
              "threads", "cpu_seconds", "points", "points_incomplete", "replications_used", "replications_failed", "confidence"]
CSS = """
body { font: 15px/1.5 sans-serif; color: #222; max-width: 60em; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.5em } h2 { font-size: 1.2em; margin-top: 2em } figure { margin: 1em 0 } img { max-width: 100% }
figcaption { color: #555; margin-left: 1em }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: 0.15em 0.8em; text-align: right; border-bottom: 1px solid #ddd }
th { border-bottom: 1px solid #555 } .names td, .names th { text-align: left; vertical-align: top; overflow-wrap: anywhere }
pre { background: #f4f4f4; padding: 1em; overflow: auto } .scroll { overflow-x: auto }
"""


def element(name, content, **attributes):
    """An element around content that is HTML already."""
    given = "".join(f' {key.rstrip("_")}="{html.escape(str(value))}"' for key, value in attributes.items())
    return f"<{name}{given}>{content}</{name}>"


def picture(figure, text, caption):
    """A figure as an image inside the page."""
    buffer = io.BytesIO()
    with style.styled():
        figure.savefig(buffer, format="svg", metadata=plot.METADATA["svg"])
    data = base64.b64encode(buffer.getvalue()).decode()
    return element("figure", f'<img alt="{html.escape(text)}" src="data:image/svg+xml;base64,{data}">'
                   + element("figcaption", html.escape(caption)))


def fixed_axes(data):
    """Of more axes than a figure of curves can show, all but the first of the others keep their first value: {dimension: index}."""
    dims = [d for d in data.stop_reason.dims if data.sizes[d] > 1]
    x = numeric_first(data, dims)
    kept, curves = [], 1
    for d in dims:
        if d != x and len(kept) < 2 and curves * data.sizes[d] <= CURVES_MOST:
            kept.append(d)
            curves *= data.sizes[d]
    return {d: 0 for d in dims if d != x and d not in kept}


def varies(array):
    values = array.values[numpy.isfinite(array.values)]
    return values.size > 0 and values.min() < values.max()


def figures(path, data):
    """HTML of every figure that this sweep has."""
    fixed = fixed_axes(data)
    part = data.isel({d: [i] for d, i in fixed.items()})
    x = numeric_first(part, part.stop_reason.dims)
    wanted = []
    for y in METRICS if x else []:
        if y in data and varies(part[y]):
            models = ["--models", "all"] if y == "goodput" else []
            wanted.append(("lines", part, label(y, ""), ["--y", y, *models], data[y].attrs["long_name"]))
    if "flow" in data.dims:
        wanted.append(("share", part, "Shares of the flows", [], ""))
    middle = part.isel({x: [part.sizes[x] // 2]}) if x else part
    wanted.append(("cdf", middle, "Distribution of goodput over the replications", [], ""))
    found = []
    for kind, of, title, arguments, caption in wanted:
        try:
            figure = plot.draw_loaded(of, [path, "--kind", kind, "--title", title, *arguments])
        except BadInput:  # such as no replications kept, too many bars
            continue
        found.append(picture(figure, title, caption))
    return "\n".join(found)


def mean_texts(mean, half):
    """A mean and its half-width, with two digits of that."""
    if not half > 0:
        return value_text(float(mean)), "0" if half == 0 else ""
    decimals = max(0, 1 - int(numpy.floor(numpy.log10(half))))
    return f"{mean:.{decimals}f}", f"{half:.{decimals}f}"


def table(data):
    """Goodput at every point, with its interval and why it stopped."""
    factor, unit = human_unit(data.goodput.attrs["units"], numpy.nanmax(data.goodput.values, initial=0))
    values, half = data.goodput.values / factor, data.goodput_ci.values / factor
    count, reasons = data.goodput_n.values, data.stop_reason.values
    names = [name for name in choice.axes(data) if "key" in data[name].attrs]
    texts = {name: coordinate_texts(data[name]) for name in names}
    head = [*map(words, names), label("goodput", unit), "±", "n", "stopped by"]
    lines = [element("tr", "".join(element("th", html.escape(text)) for text in head))]
    for index in list(numpy.ndindex(values.shape))[:ROWS_MOST]:
        if not reasons[index]:
            continue
        where = dict(zip(data.goodput.dims, index))
        cells = [texts[name][where[data[name].dims[0]]] for name in names]
        cells += [*mean_texts(values[index], half[index]), str(count[index]), reasons[index]]
        lines.append(element("tr", "".join(element("td", html.escape(text)) for text in cells)))
    rest = values.size - ROWS_MOST
    more = element("p", f"{rest} more points: <code>tcpsweep show --csv</code>") if rest > 0 else ""
    return element("div", element("table", "\n".join(lines)), class_="scroll") + more


def provenance(attributes):
    rows = [(name, attributes[name]) for name in PROVENANCE if str(attributes.get(name, "")) != ""]
    cells = "\n".join(element("tr", element("th", name.replace("_", " ")) + element("td", html.escape(str(value)))) for name, value in rows)
    return element("table", cells, class_="names")


def page(path):
    data = open_sweep(path)
    title = html.escape(str(data.attrs.get("title") or data.attrs.get("name") or "sweep"))
    parts = [element("h1", title), figures(path, data), element("h2", "Goodput"), table(data), element("h2", "Sweep file"),
             element("pre", html.escape(str(data.attrs["sweep"]))), element("h2", "Where the numbers are from"), provenance(data.attrs)]
    head = f'<meta charset="utf-8"><title>{title}</title><style>{CSS}</style><link rel="icon" href="data:,">'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def main(arguments=None):
    parser = plot.Parser(prog="python3 -m analysis.report", description=__doc__.split(": ", 1)[1])
    parser.add_argument("file", help="OUT.h5 of `tcpsweep run`")
    parser.add_argument("--out", help="the page (FILE.html)")
    try:
        options = parser.parse_args(arguments)
        out = options.out or str(pathlib.Path(options.file).with_suffix(".html"))
        text = page(options.file)
        try:
            pathlib.Path(f"{out}.tmp").write_text(text, encoding="utf-8")
            os.replace(f"{out}.tmp", out)
        except OSError as error:
            raise BadInput(f"--out {out}: cannot write: {error.strerror}, expected a file that can be written") from error
    except BadInput as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
