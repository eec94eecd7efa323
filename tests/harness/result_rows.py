"""Reads HDF5 files of rows (docs/formats.md)."""
import h5py


def strings(group):
    offsets, texts = group["offsets"][:], group["bytes"][:].tobytes()
    return [texts[begin:end].decode() for begin, end in zip(offsets, offsets[1:])]


def read_rows(path):
    """Returns the values of each column by its name, in the order of the columns. NULL is None."""
    columns = {}
    with h5py.File(path) as file:
        for name in file["rows"].attrs["column-order"]:
            place = name.replace("%", "%25").replace("/", "%2F")
            column = file["rows"][place]
            values = strings(column) if isinstance(column, h5py.Group) else column[:].tolist()
            null = file["null"][place][:] if place in file["null"] else [False] * len(values)
            assert len(values) == len(null) == file.attrs["rows"], (name, len(values), len(null))
            columns[name] = [None if missing else value for value, missing in zip(values, null)]
    return columns
