"""What the tests of whole runs share: a small sweep, ways to start tcpsweep, and the comparison of two outputs."""
import os
import subprocess

import h5py
import numpy
import pytest

TCPSWEEP = os.path.abspath(os.environ.get("TCPSWEEP", "./tcpsweep"))
LONG = os.environ.get("TCPSWEEP_LONG") == "1"
SECONDS = 120  # no run here takes so long: what does hangs

# For mpirun as root, with more ranks than CPUs, none of them bound to one.
MPI_ENV = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}

SWEEP = """
name: small
seed: 5
duration: {duration}
keep_journal: true
replications: {replications}
path:
  - {{name: in, rate: 10 Mbit/s, delay: 100 us}}
  - {{name: backbone, rate: 10 Mbit/s, delay: 50 ms, errors: both, queue: 20 packets}}
  - {{name: out, rate: 10 Mbit/s, delay: 100 us}}
tcp: {{algorithm: newreno, receive_window: 65535 B}}
app: {{kind: bulk}}
axes:
  tcp.algorithm: [tahoe, newreno, sack]
  path.backbone.ber: {ber}
"""
ADAPTIVE = "{min: 20, max: 150, until: {metric: goodput, half_width: 4 %, confidence: 95 %}}"


def small_sweep(duration="20 s", replications=ADAPTIVE, ber="[0, 1e-7, 1e-6, 1e-5]"):
    return SWEEP.format(duration=duration, replications=replications, ber=ber)


def environment():
    """Without what a batch system or an outer mpirun would tell us."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "OMPI_", "PMI", "OMP_"))}
    return {**kept, **MPI_ENV}


def command(*arguments, ranks=0):
    launcher = ["mpirun", "-n", str(ranks)] if ranks else []
    return [*launcher, TCPSWEEP, *map(str, arguments)]


def run(*arguments, ranks=0, status=0, env=None):
    """Runs tcpsweep to its end and checks its exit status; returns what it printed."""
    done = subprocess.run(command(*arguments, ranks=ranks), env=environment() | (env or {}), timeout=SECONDS, text=True,
                          capture_output=True, check=False)
    assert done.returncode == status, f"status {done.returncode}, expected {status}\n{done.stdout}\n{done.stderr}"
    return done


def start(*arguments, ranks=0):
    """Starts tcpsweep in the background."""
    return subprocess.Popen(command(*arguments, ranks=ranks), env=environment(), text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True)


def datasets(path):
    with h5py.File(path) as file:
        found = {}
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def assert_same(path, other):
    """All arrays and all replications are the same, bit for bit."""
    a, b = datasets(path), datasets(other)
    assert sorted(a) == sorted(b)
    assert len(a["replications/goodput"]) > 0
    for name, values in a.items():
        x, y = numpy.asarray(values), numpy.asarray(b[name])
        assert x.shape == y.shape, name
        assert (x == y).all() if x.dtype.hasobject else x.tobytes() == y.tobytes(), name


@pytest.fixture
def sweep(tmp_path):
    """Writes a sweep file and returns its path."""
    def write(text=None, name="sweep.yaml"):
        path = tmp_path / name
        path.write_text(text or small_sweep())
        return path
    return write
