"""Findings of an experiment: what the document says, what was simulated, and the verdict.

Orderings are decided with 99 % confidence (Welch's t): shown, refuted, alike (they differ by less than `alike`), or else
open. Figures agree or differ: a value of a single run with the distribution of ours (0.5 to 99.5 %), a mean within the
tolerance that is given with it. Without anything published the figure is compared with what theory or a peer says, and
the text says so.
"""
import math
from dataclasses import dataclass, field

import numpy
from scipy.stats import t as student

from . import results

CONFIDENCE = 0.99
UNITS = {"Mbit/s": 1e6, "kbit/s": 1e3, "kB/s": 1e3, "ms": 1e-3, "%": 1e-2}


@dataclass
class Finding:
    label: str
    published: str
    simulated: str
    verdict: str
    expected: str

    @property
    def is_expected(self):
        return self.verdict == self.expected


def _text(value, unit, shown=True):
    return f"{value / UNITS.get(unit, 1):.4g}" + (f" {unit}" if unit and shown else "")


def _interval(sample, unit):
    """Mean and 99 % interval."""
    if sample.n < 2 or sample.sd == 0:
        return _text(sample.mean, unit)
    half = student.ppf((1 + CONFIDENCE) / 2, sample.n - 1) * sample.sd / math.sqrt(sample.n)
    return f"{_text(sample.mean, unit, False)} +- {half / UNITS.get(unit, 1):.2g}" + (f" {unit}" if unit else "")


def _as_sample(values):
    return values if isinstance(values, results.Sample) else results.Sample.of(values)


@dataclass
class Experiment:
    """One published experiment; the judging function gets it."""
    id: str
    title: str
    judge: object
    plot: list = None      # words for analysis.plot, which draws the first run
    is_quick: bool = False # part of `make test`
    keep: object = None    # where the first run's output goes
    findings: list = field(default_factory=list)

    # -- running --

    def run(self, *sets, of=None, replications=None):
        """Results of the experiment's sweep file, or of another one's."""
        keep, self.keep = self.keep, None
        return results.run(of or self.id, sets, replications, keep)

    def one(self, *sets, of=None):
        return results.one(of or self.id, sets)

    def trace(self, *sets, of=None):
        return results.trace(of or self.id, sets)

    # -- judging --

    def note(self, label, published, simulated, verdict, expected):
        self.findings.append(Finding(label, published, simulated, verdict, expected))

    def holds(self, label, published, simulated, condition, expected="agrees"):
        """Something that is so or not, such as the order of events in a trace."""
        self.note(label, published, simulated, "agrees" if condition else "differs", expected)

    def single(self, label, published, values, unit="", expected="agrees"):
        """A published value of one run among ours."""
        values = numpy.asarray(values, float)
        low, high = numpy.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        text = f"{_interval(results.Sample.of(values), unit)}; single runs {_text(low, unit, False)} to {_text(high, unit)}"
        self.note(label, _text(published, unit), text, "agrees" if low <= published <= high else "differs", expected)

    def mean(self, label, published, values, unit="", within=0.05, source="", expected="agrees"):
        """A published (or, with a source, expected) mean, within a relative tolerance."""
        sample = _as_sample(values)
        agrees = abs(sample.mean - published) <= within * abs(published)
        self.note(label, _text(published, unit) + (f" ({source})" if source else ""), _interval(sample, unit),
                  "agrees" if agrees else "differs", expected)

    def difference(self, label, mean, error, freedom, scale, text, published="", expected="shown", alike=0.02):
        """A mean difference that the document says is above 0; scale: what `alike` is a part of."""
        margin = float(student.ppf(CONFIDENCE, freedom)) * error if error > 0 else 0.0
        if abs(mean) > margin:
            verdict = "shown" if mean > 0 else "refuted"
        else:
            verdict = "alike" if abs(mean) + margin <= alike * abs(scale) else "open"
        self.note(label, published, text, verdict, expected)

    def above(self, label, first, second, published="", unit="", expected="shown", alike=0.02, sign=1):
        """The first (values or a Sample) is said to be the larger one; sign -1: the smaller one."""
        a, b = _as_sample(first), _as_sample(second)
        parts = [x.sd**2 / max(1, x.n) for x in (a, b)]
        error = math.sqrt(sum(parts))
        freedom = error**4 / sum(p**2 / max(1, x.n - 1) for p, x in zip(parts, (a, b))) if error else 1
        text = f"{_interval(a, unit)} against {_interval(b, unit)}"
        if b.mean > 0:
            text += f" ({100 * (a.mean / b.mean - 1):+.3g} %)"
        self.difference(label, sign * (a.mean - b.mean), error, freedom, b.mean, text, published, expected, alike)

    def below(self, *arguments, **more):
        """The first is said to be the smaller one."""
        self.above(*arguments, **more, sign=-1)

    def paired_above(self, label, first, second, published="", unit="", expected="shown", alike=0.02):
        """The same of values by replication with common random numbers."""
        difference = results.Sample.of(numpy.asarray(first, float) - numpy.asarray(second, float))
        scale = results.Sample.of(second).mean
        text = f"{_interval(results.Sample.of(first), unit)} against {_interval(results.Sample.of(second), unit)}, paired"
        self.difference(label, difference.mean, difference.sd / math.sqrt(difference.n), max(1, difference.n - 1), scale, text,
                        published, expected, alike)


def experiment(number, title, plot=None, quick=False):
    """Registers a judging function."""
    def register(judge):
        experiment.all[number] = Experiment(number, title, judge, plot, quick)
        return judge
    return register


experiment.all = {}
