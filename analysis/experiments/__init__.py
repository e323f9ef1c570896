"""The published experiments: each runs its sweep file and judges what its document says. `make reproduce` prints them.

A module per document. An experiment is a function that gets an Experiment, runs sweeps and notes findings:

    @experiment("0.7", "Old Tahoe", plot=["--kind", "cdf"])
    def old_tahoe(e):
        e.single("goodput", 2.98e6, e.run().values("goodput"), "Mbit/s")

Every finding has the verdict that is expected of it; where the document does not hold, that is noted there.
"""
import importlib
import pkgutil

from .judge import Experiment, experiment  # noqa: F401


def load():
    """All experiments by id, in the order of their numbers."""
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("seed"):
            importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(experiment.all.items(), key=lambda item: [int(part) for part in item[0].split(".")]))
