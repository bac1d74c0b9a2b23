"""Point clouds as files: each format is read back by a reader of its own."""

from __future__ import annotations

import io

import numpy as np
import pytest

from pyrave import ArgumentError
from pyrave.geometry import POINT_CLOUD_SUFFIXES, encode_points, write_points

COLUMNS = {
    "intensity": np.array((1.0, 0.25, 0.5)),
    "x": np.array((1.0, -2.5, 1e-3)),
    "y": np.array((0.0, 1.0 / 3.0, 7.0)),
    "z": np.array((100.0, 0.125, -4.0)),
    "ring": np.array((0, 3, -1)),
}
ORDER = ("x", "y", "z", "intensity", "ring")


def numbers(kinds):
    return np.array(list(zip(*(COLUMNS[n] for n in ORDER), strict=True)), kinds)


@pytest.mark.parametrize("text", [False, True])
def test_ply(text):
    data = encode_points(COLUMNS, ".ply", text=text)
    head, _, body = data.partition(b"end_header\n")
    lines = head.decode().splitlines()
    assert lines[0] == "ply"
    kind = "ascii" if text else "binary_little_endian"
    assert lines[1] == f"format {kind} 1.0"
    assert lines[2] == "element vertex 3"
    assert lines[3:] == [
        "property float x",
        "property float y",
        "property float z",
        "property float intensity",
        "property int ring",
    ]
    expect(body, text)


@pytest.mark.parametrize("text", [False, True])
def test_pcd(text):
    data = encode_points(COLUMNS, ".PCD", text=text)
    head, _, body = data.partition(b"DATA ascii\n" if text else b"DATA binary\n")
    lines = dict(line.split(" ", 1) for line in head.decode().splitlines()[1:])
    assert lines["VERSION"] == "0.7"
    assert lines["FIELDS"] == "x y z intensity ring"
    assert lines["SIZE"] == "4 4 4 4 4"
    assert lines["TYPE"] == "F F F F I"
    assert lines["WIDTH"] == lines["POINTS"] == "3"
    expect(body, text)


def expect(body, text):
    single = numbers([(n, "<i4" if n == "ring" else "<f4") for n in ORDER])
    if text:
        rows = np.loadtxt(io.StringIO(body.decode()))
        for k, name in enumerate(ORDER):
            np.testing.assert_allclose(rows[:, k], COLUMNS[name], rtol=1e-8)
    else:
        np.testing.assert_array_equal(np.frombuffer(body, single.dtype), single)


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("suffix", [".ply", ".pcd"])
def test_times_keep_their_microseconds_for_hours(suffix, text):
    times = 3600.0 + 2.304e-6 * np.arange(3)
    data = encode_points(COLUMNS | {"time": times}, suffix, text=text)
    assert (b"property double time" if suffix == ".ply" else b"4 4 4 4 4 8\n") in data
    if text:
        last = [line.split()[-1] for line in data.decode().splitlines()[-3:]]
        np.testing.assert_array_equal(np.array(last, float), times)
    else:
        kinds = [*((n, "<i4" if n == "ring" else "<f4") for n in ORDER), ("t", "<f8")]
        rows = np.frombuffer(data[-3 * 28 :], np.dtype(kinds))
        np.testing.assert_array_equal(rows["t"], times)
        np.testing.assert_array_equal(rows["ring"], COLUMNS["ring"])


def test_trimesh_reads_the_ply():
    trimesh = pytest.importorskip("trimesh")
    for text in (False, True):
        data = encode_points(COLUMNS, ".ply", text=text)
        cloud = trimesh.load(io.BytesIO(data), file_type="ply")
        wanted = np.stack([COLUMNS[a] for a in "xyz"], axis=1)
        np.testing.assert_allclose(cloud.vertices, wanted, rtol=1e-7)


def test_text_formats_and_numpys_own_keep_all_digits(tmp_path):
    for suffix in (".xyz", ".csv", ".npy"):
        write_points(tmp_path / f"cloud{suffix}", COLUMNS)
    rows = np.loadtxt(tmp_path / "cloud.xyz")
    np.testing.assert_array_equal(rows, np.stack([COLUMNS[a] for a in "xyz"], axis=1))
    table = np.genfromtxt(tmp_path / "cloud.csv", delimiter=",", names=True)
    records = np.load(tmp_path / "cloud.npy")
    assert table.dtype.names == records.dtype.names == ORDER
    for name in ORDER:
        np.testing.assert_array_equal(table[name], COLUMNS[name])
        np.testing.assert_array_equal(records[name], COLUMNS[name])
    assert records["ring"].dtype == np.int64


@pytest.mark.parametrize("suffix", POINT_CLOUD_SUFFIXES)
def test_a_cloud_may_be_empty(suffix):
    assert encode_points({axis: [] for axis in "xyz"}, suffix) is not None


@pytest.mark.parametrize(
    ("columns", "suffix", "message"),
    [
        (COLUMNS, ".plyy", "did you mean .ply"),
        (COLUMNS, "", "file without suffix"),
        ({"x": [1.0], "y": [1.0]}, ".ply", "no column 'z'"),
        (COLUMNS | {"z": [1.0]}, ".ply", "'z' has 1 values, x has 3"),
        (COLUMNS | {"z": np.zeros((3, 1))}, ".ply", r"expected \(n,\) numbers"),
        (COLUMNS | {"name": ["a", "b", "c"]}, ".ply", r"expected \(n,\) numbers"),
    ],
)
def test_what_is_refused(columns, suffix, message):
    with pytest.raises(ArgumentError, match=message):
        encode_points(columns, suffix)
