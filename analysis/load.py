"""Reads what tcpsweep writes: a sweep's HDF5 file as xarray Datasets, a trace as a pandas DataFrame."""
import h5py
import numpy
import pandas
import xarray

TRACE_COLUMNS = ["t_s", "flow", "event", "link", "direction", "a", "b", "x"]


class BadInput(ValueError):
    """Something the user gave does not fit; the text says what is wrong and what was expected, in one line."""


def _load(path, group=None):
    # Seconds stay numbers: no decoding of times.
    with xarray.open_dataset(path, engine="h5netcdf", group=group, decode_times=False) as data:
        return data.load()


def _groups(path):
    """Names of the file's groups, once it is known to be an output of tcpsweep."""
    try:
        with h5py.File(path) as file:
            if "sweep" not in file.attrs or "stop_reason" not in file:
                raise BadInput(f"{path}: not an output of tcpsweep, expected what `tcpsweep run` wrote")
            return {name for name, item in file.items() if isinstance(item, h5py.Group)}
    except OSError as error:
        reason = error.strerror or "not an HDF5 file"
        raise BadInput(f"{path}: cannot read: {reason}, expected what `tcpsweep run` wrote") from error


def open_sweep(path):
    """All results over the grid: a variable per metric (NAME, NAME_sd, NAME_ci, NAME_n) and model (model_NAME).

    The same of each flow is flow_NAME, with a dimension `flow` more; only there if the sweep has several flows.
    `point` numbers the grid's points as /replications does. Values are SI, each with its `units`.
    """
    groups = _groups(path)
    data = _load(path)
    if "flow" in groups:
        flows = _load(path, "flow")
        data = data.merge(flows.rename({name: f"flow_{name}" for name in flows.data_vars}), combine_attrs="override")
    dims, shape = data.stop_reason.dims, data.stop_reason.shape
    number = numpy.arange(int(numpy.prod(shape))).reshape(shape)
    return data.assign(point=(dims, number, {"long_name": "number of the grid point, as in the replications"}))


def open_replications(path):
    """Every replication, one a row: a variable per metric, and the coordinates of its point."""
    if "replications" not in _groups(path):
        raise BadInput(f"{path}: has no single replications, expected a sweep without `keep: points`")
    grid, rows = _load(path), _load(path, "replications")
    dims, shape = grid.stop_reason.dims, grid.stop_reason.shape
    index = dict(zip(dims, numpy.unravel_index(rows.point.values.astype(int), shape))) if dims else {}
    along = {name: ("row", c.values[index[c.dims[0]]], c.attrs) for name, c in grid.coords.items() if c.dims}
    rows.attrs = grid.attrs
    return rows.assign_coords(along)


def open_trace(path):
    """The rows of a `tcpsweep one --trace` file; a and b are text where they hold names (state, cause of a drop)."""
    try:
        rows = pandas.read_csv(path, dtype={"flow": str, "link": str, "a": str, "b": str}, keep_default_na=False,
                               na_values={"x": [""]})
    except OSError as error:
        raise BadInput(f"{path}: cannot read: {error.strerror}, expected what `tcpsweep one --trace` wrote") from error
    except ValueError as error:  # not text, no columns, lines of several lengths
        raise BadInput(f"{path}: not a CSV file, expected what `tcpsweep one --trace` wrote") from error
    for name in TRACE_COLUMNS:
        if name not in rows or (len(rows) and name in ("t_s", "x") and rows[name].dtype.kind not in "fi"):
            raise BadInput(f"{path}: no column {name}, or not of numbers; expected what `tcpsweep one --trace` wrote")
    return rows
