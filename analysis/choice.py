"""What of a sweep is drawn: names of metrics and axes checked, points selected, the rest split into groups."""
import difflib
import itertools

import numpy

from .load import BadInput
from .units import coordinate_texts, parse_quantity, words


def unknown(option, name, what, known):
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0)
    found = f"; the nearest is {nearest[0]}" if nearest else ""
    return BadInput(f"{option} {name}: unknown {what}{found}; expected {', '.join(known) or 'none, there are none'}")


def axes(data):
    """Coordinates by name; a zip or sample dimension has several."""
    return [name for name, c in data.coords.items() if len(c.dims) == 1]


def dimension(data, name, option):
    if name not in axes(data):
        raise unknown(option, name, "axis", axes(data))
    return data[name].dims[0]


def metric(data, name, names, option="--y"):
    """The variable of metric `name`; that of the single flows if the axis `flow` is among the names used."""
    known = [v for v in data.data_vars if f"{v}_n" in data and not v.startswith("flow_")]
    wanted = f"flow_{name}" if "flow" in names else name
    if wanted not in data.data_vars or data[wanted].dtype.kind not in "fiu":
        raise unknown(option, name, "metric", [v for v in known if "flow" not in names or f"flow_{v}" in data])
    return wanted


def models(data, text):
    """Names of model variables for 'pftk,square_root' or 'all'."""
    known = [v.removeprefix("model_") for v in data.data_vars if v.startswith("model_")]
    names = known if text == "all" else [name for name in text.split(",") if name]
    for name in names:
        if name not in known:
            raise unknown("--models", name, "model", known)
    return [f"model_{name}" for name in names]


def _index(coordinate, text, option):
    """Index of the value that `text` names, within 1 % for numbers."""
    values = coordinate.values
    if values.dtype.kind in "fiu":
        wanted = parse_quantity(text)
        if wanted is not None:
            i = int(numpy.argmin(numpy.abs(values - wanted)))
            if abs(values[i] - wanted) <= 0.01 * abs(wanted):
                return i
    elif text in list(values):
        return list(values).index(text)
    raise BadInput(f"{option}: no such value, expected one of {', '.join(coordinate_texts(coordinate))}")


def select(data, pairs):
    """The part of the grid that 'AXIS=VALUE' texts name; other values of these axes are dropped."""
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--select {pair}: no value, expected AXIS=VALUE")
        where = dimension(data, name, "--select")
        i = _index(data[name], value, f"--select {pair}")
        data = data.isel({where: [i]})
    return data


def left_over(data, variable, used):
    """Dimensions of the variable that nothing uses and that have more than one value."""
    return [d for d in data[variable].dims if d not in used and data.sizes[d] > 1]


def refuse_left_over(data, variable, used, ways):
    rest = left_over(data, variable, used)
    if rest:
        name = rest[0]
        raise BadInput(f"axis {name} has {data.sizes[name]} values: {', '.join(coordinate_texts(data[name]))}; expected one by "
                       f"--select {name}=VALUE{ways}")


def fixed_texts(data, variable):
    """Axes with one value left, as 'MSS 1460 B'."""
    return [f"{words(name)} {coordinate_texts(data[name])[0]}" for name in axes(data)
            if data[name].size == 1 and data[name].dims[0] in data[variable].dims
            and ("key" in data[name].attrs or name == "flow")]


def groups(data, names):
    """(text, {dimension: index}) of every combination of the values of the axes `names`."""
    dims = list(dict.fromkeys(data[name].dims[0] for name in names))
    texts = {name: coordinate_texts(data[name]) for name in names}
    for indices in itertools.product(*(range(data.sizes[d]) for d in dims)):
        where = dict(zip(dims, indices))
        yield ", ".join(texts[name][where[data[name].dims[0]]] for name in names), where
