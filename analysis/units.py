"""SI values for people: a fitting unit for an array, labels for axes, short texts for values, and back."""
import re

import numpy

from .load import BadInput

# By `units` attribute: factor, name, and the largest value from which it is taken.
UNITS = {
    "bit s-1": [(1, "bit/s", 0), (1e3, "kbit/s", 1e3), (1e6, "Mbit/s", 1e6), (1e9, "Gbit/s", 1e9)],
    "s": [(1e-9, "ns", 0), (1e-6, "µs", 1e-6), (1e-3, "ms", 1e-3), (1, "s", 1)],
    "s2": [(1e-12, "µs²", 0), (1e-6, "ms²", 1e-6), (1, "s²", 1)],
    "byte": [(1, "B", 0), (1e3, "kB", 1e4), (1e6, "MB", 1e7)],
}
# What a plain number counts.
PACKETS = {"queue", "queue_mean", "sent", "retransmitted", "spurious_retransmits", "drops_queue", "drops_error"}
COUNTS = {"cwnd_mean": "segments", "completed": "files", "censored": "files", **dict.fromkeys(PACKETS, "packets")}
WORDS = {"ber": "bit error rate", "per": "packet error rate", "mss": "MSS", "rtt": "RTT", "rto": "RTO", "p95": "95th percentile",
         "mad": "mean absolute difference", "jain": "Jain's index", "sd": "(standard deviation)", "ci": "(half-width)",
         "n": "(replications)"}
NAMES = {"time_recovery": "share of time in recovery", "time_timeout": "share of time in timeout", "rto_first_mean": "mean first RTO"}


def human_unit(units, largest):
    """(factor, name) for values in `units` of which the largest is `largest`: divide by the factor."""
    fitting = [(factor, name) for factor, name, least in UNITS.get(units, []) if largest >= least]
    return fitting[-1] if fitting else (1, "")


def to_human(array):
    """A DataArray's values in a fitting unit, and the unit's name ('' for plain numbers and names)."""
    values = array.values
    if values.dtype.kind not in "fiu":
        return values, ""
    finite = numpy.abs(values[numpy.isfinite(values)])
    factor, name = human_unit(array.attrs.get("units", ""), finite.max(initial=0))
    return values / factor, name or count_name(str(array.name))


def count_name(name):
    return COUNTS.get(name.removeprefix("flow_"), "")


def words(name):
    """A variable's name as words: rtt_mean -> mean RTT; a model keeps its name."""
    if name.startswith("model_"):
        return name.removeprefix("model_") + " (model)"
    name = name.removeprefix("flow_")
    if name.endswith("_mean") and name not in NAMES:
        name = "mean_" + name.removesuffix("_mean")
    return NAMES.get(name) or " ".join(WORDS.get(part, part) for part in name.split("_"))


def label(name, unit):
    text = words(name)
    return text[:1].upper() + text[1:] + (f" [{unit}]" if unit else "")


def value_text(value, digits=4):
    """Short: 1460, 0.05, 3.16e-4, sack."""
    if isinstance(value, str):
        return value
    return _scientific(value) if value != 0 and not 0.01 <= abs(value) < 1e6 else f"{value:.{digits}g}"


def _scientific(value):
    digits, exponent = f"{value:.2e}".split("e")
    return f"{digits.rstrip('0').rstrip('.')}e{int(exponent)}"


def value_texts(values):
    """The same for all values of an axis, in one notation."""
    small = [v for v in values if not isinstance(v, str) and 0 < abs(v) < 0.01]
    if not small:
        return [value_text(v) for v in values]
    return [_scientific(v) if 0 < abs(v) < 1 else value_text(v) for v in values]


def coordinate_texts(coordinate):
    """A coordinate's values as short texts with their unit, one unit for all."""
    values, unit = to_human(coordinate)
    return [text + (f" {unit}" if unit else "") for text in value_texts(values)]


def parse_quantity(text):
    """'1460 B', '50 ms', '1 %' or '1e-7' in SI; None if it is something else."""
    match = re.fullmatch(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(\S*)\s*", text)
    if not match:
        return None
    factors = {"": 1, "%": 0.01, "packets": 1, "segments": 1, "us": 1e-6}
    factors.update({name: factor for rows in UNITS.values() for factor, name, _ in rows})
    try:
        return float(match[1]) * factors[match[2]]
    except (KeyError, ValueError):
        return None


def parse_time(text, option):
    """Seconds of an option such as '2', '100 ms'."""
    value = parse_quantity(text)
    if value is None or not value >= 0:
        raise BadInput(f"{option} {text}: not a time, expected seconds or a time such as 100ms")
    return value
